"""The cascade: how it compares samples, chosen by a pilot. None of it changes a result."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import _core
from .._progress import Progress
from .._validation import FloatArray
from . import costs
from .pilot import Pilot
from .projection import Single, find_axes, find_frame, project

Cascade: TypeAlias = _core.CascadeFloat32 | _core.CascadeFloat64

# Samples from which on a pilot is worth its time, and principal axes. For fewer, 16-bit integers
# are right unless samples lie far out; then a search takes up to twice as long as brute force.
PILOTED_SAMPLES = 4_000
PROJECTED_SAMPLES = 30_000

# Leading axes are used where they take less than this part of the time: the tree discards blocks
# for both, and then what passes the screen counts for more. On MNIST (70,000 x 784) the model gives
# them a fifth of it.
_LEADING_SHARE = 0.5
# Errors by 16-bit integers beside the distance between close neighbors. On MNIST they are 0.2%, and
# integers make the search 20% faster; with errors of 3% and 6% only 12% and not at all.
_INTEGER_ERROR_SHARE = 0.05


class Plan(NamedTuple):
    """What a cascade compares.

    Attributes
    ----------
    order : ndarray or None
        The samples along a few axes, by which they are ordered; those columns that vary most
        where it is None.
    coordinates : ndarray or None
        The samples along leading axes; along all columns where it is None.
    scale, error : float
        Of both: see `Projection`.
    in_integers, in_bytes : bool
        Whether coordinates have 16 bits, and 8 in the screen. Otherwise they are float32.
    """

    order: Single | None
    coordinates: Single | None
    scale: float
    error: float
    in_integers: bool
    in_bytes: bool


def build_cascade(
    X: FloatArray,
    threads: int,
    progress: Progress | None = None,
    *,
    index: Any = None,
) -> Cascade:
    """Prepare exact searches among the samples.

    A fit passes its index, which must hold the same samples, without a tree. Other searches need
    none.
    """
    plan = choose_plan(X, threads)
    if X.dtype == np.float32:
        return _core.CascadeFloat32(index, X.view(np.float32), *plan, threads, progress)
    return _core.CascadeFloat64(index, X.view(np.float64), *plan, threads, progress)


def choose_plan(X: FloatArray, threads: int) -> Plan:
    """Return the plan by which a pair of samples is compared in the least time."""
    n_samples, n_features = X.shape
    if n_samples < PILOTED_SAMPLES:
        return Plan(None, None, 0.0, 0.0, in_integers=True, in_bytes=False)
    pilot = Pilot(X, threads)
    time, in_integers, in_bytes = compare_columns(pilot, n_samples, n_features)
    if n_samples < PROJECTED_SAMPLES:
        return Plan(None, None, 0.0, 0.0, in_integers, in_bytes)
    frame = find_frame(X)
    close = pilot.close_distance()
    n_axes = _core.CASCADE_AXES if n_features > _core.SCREEN_AXES else _core.ORDER_AXES
    axes = find_axes(X, frame, n_axes, threads)
    if _leading_time(pilot, axes, n_samples, n_features) < _LEADING_SHARE * time:
        coordinates, scale, error = project(X, frame, axes, close, threads)
        order = np.ascontiguousarray(coordinates[:, : _core.ORDER_AXES])
        return Plan(order, coordinates, scale, error, _fits(pilot, len(axes)), False)
    order, scale, error = project(X, frame, axes[: _core.ORDER_AXES], close, threads)
    return Plan(order, None, scale, error, in_integers, in_bytes)


def compare_columns(pilot: Pilot, n_samples: int, n_features: int) -> tuple[float, bool, bool]:
    """Return the time for a pair by all columns, and the best numbers: 16 bits, bytes."""
    exact = costs.exact_time(n_features)
    columns = costs.screened_share(n_samples) * n_features
    passing = {
        True: pilot.share_within(_rounding(pilot.length / _core.LONGEST_INTEGER, n_features)),
        False: pilot.share_within(
            0.0, costs.float32_error(pilot.length, pilot.typical, n_features)
        ),
    }
    column = {True: costs.INTEGERS_COLUMN, False: costs.FLOATS_COLUMN}
    times = {
        (in_integers, False): column[in_integers] * columns + passing[in_integers] * exact
        for in_integers in (True, False)
    }
    if costs.has_bytes():
        refined = pilot.share_within(_rounding(pilot.coordinate / _core.LARGEST_BYTE, n_features))
        refined += costs.FIRST_CANDIDATES / n_samples
        for in_integers in (True, False):
            times[in_integers, True] = (
                costs.BYTES_COLUMN * columns
                + refined * costs.refined_time(n_features, in_integers)
                + passing[in_integers] * exact
            )
    best = min(times, key=times.__getitem__)
    return times[best], *best


def _leading_time(pilot: Pilot, axes: Single, n_samples: int, n_features: int) -> float:
    """Return the time for a pair by leading axes, with its part of the projection."""
    if len(axes) <= _core.SCREEN_AXES:
        return math.inf
    return (
        costs.FLOATS_COLUMN * len(axes) * n_features / n_samples
        + costs.INTEGERS_COLUMN * costs.screened_share(n_samples) * _core.SCREEN_AXES
        + pilot.share_along(axes[: _core.SCREEN_AXES]) * costs.refined_time(len(axes), True)
        + pilot.share_along(axes) * costs.exact_time(n_features)
    )


def _fits(pilot: Pilot, n_axes: int) -> bool:
    """Whether 16-bit integers add little to the distance between close neighbors."""
    rounding = math.sqrt(n_axes) * pilot.length / _core.LONGEST_INTEGER
    return rounding <= _INTEGER_ERROR_SHARE * pilot.close_distance()


def _rounding(step: float, n_features: int) -> float:
    """Return about by how much rounding to a step widens a search: a radius, and a distance."""
    return 2 * 2 * step * math.sqrt(n_features / 12)
