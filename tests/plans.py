"""Every way in which the cascade may compare samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from quickshiftpp import _core
from quickshiftpp._search import cascade
from quickshiftpp._search.cascade import Plan
from quickshiftpp._search.pilot import Pilot
from quickshiftpp._search.projection import Projection, find_axes, find_frame, project


def project_on(X: Any, n_axes: int) -> Projection:
    """Project on the axes along which the samples vary most."""
    frame = find_frame(X)
    return project(X, frame, find_axes(X, frame, n_axes), Pilot(X, 1).close_distance())


def _columns(X: Any, _: int, in_integers: bool, in_bytes: bool, ordered: bool = False) -> Plan:
    if not ordered:
        return Plan(None, None, 0.0, 0.0, in_integers, in_bytes)
    coordinates, scale, error = project_on(X, _core.ORDER_AXES)
    return Plan(coordinates, None, scale, error, in_integers, in_bytes)


def _leading(X: Any, _: int, in_integers: bool) -> Plan:
    coordinates, scale, error = project_on(X, _core.CASCADE_AXES)
    order = np.ascontiguousarray(coordinates[:, : _core.ORDER_AXES])
    return Plan(order, coordinates, scale, error, in_integers, False)


PLANS: dict[str, Callable[[Any, int], Plan]] = {
    "columns, float32": partial(_columns, in_integers=False, in_bytes=False),
    "columns, 16 bits": partial(_columns, in_integers=True, in_bytes=False),
    "columns, 8 and 16 bits": partial(_columns, in_integers=True, in_bytes=True),
    "columns, 8 bits and float32": partial(_columns, in_integers=False, in_bytes=True),
    "columns, ordered": partial(_columns, in_integers=True, in_bytes=True, ordered=True),
    "leading axes, float32": partial(_leading, in_integers=False),
    "leading axes, 16 bits": partial(_leading, in_integers=True),
}


@contextmanager
def by_plan(name: str) -> Iterator[None]:
    """Let cascades that are built meanwhile compare samples by one of the plans."""
    chosen = cascade.choose_plan
    cascade.choose_plan = PLANS[name]
    try:
        yield
    finally:
        cascade.choose_plan = chosen
