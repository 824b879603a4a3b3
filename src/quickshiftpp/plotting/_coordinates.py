"""Where samples are drawn: two columns, principal components, or given coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA

from .._validation import InvalidParameterError
from ._fitted import clusterer_of, input_names, transformed, transformed_names
from ._style import FloatArray


class Plane(NamedTuple):
    """The samples in two dimensions."""

    points: FloatArray
    names: tuple[str, str]
    equal_aspect: bool = True


def chosen_columns(estimator: Any, X: Any, columns: Sequence[int | str]) -> Plane:
    """Return two columns of X as it was given, before any step of a pipeline."""
    samples = np.asarray(X)
    n_samples = len(clusterer_of(estimator).labels_)
    if samples.ndim != 2 or len(samples) != n_samples:
        raise InvalidParameterError(
            f"X has the shape {samples.shape}, but it must have {n_samples} rows and a column for "
            "each feature: give the samples of the fit."
        )
    names = input_names(estimator, X)
    pair = _column_numbers(columns, samples.shape[1], names)
    try:
        points = samples[:, pair].astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"columns is {columns!r}, but not all of their values are numbers: choose numeric "
            "columns."
        ) from None
    first, second = (_name(names, i) for i in pair)
    return Plane(points, (first, second))


def informative_plane(estimator: Any, X: Any) -> Plane:
    """Return the samples as the clusterer sees them, in two dimensions.

    One column is drawn against the log density, two are drawn as they are, and more are projected
    onto the first two principal components.
    """
    clusterer = clusterer_of(estimator)
    samples = np.asarray(transformed(estimator, X))
    expected = (len(clusterer.labels_), clusterer.n_features_in_)
    if samples.shape != expected:
        raise InvalidParameterError(
            f"X has the shape {samples.shape}, but the estimator was fitted to {expected}: "
            "give the samples of the fit."
        )
    samples = samples.astype(np.float64)
    names = transformed_names(estimator, X)
    if expected[1] == 1:
        points = np.stack([samples[:, 0], clusterer.log_density_], axis=1)
        return Plane(points, (_name(names, 0), "log density"), equal_aspect=False)
    if expected[1] == 2 or (samples == samples[0]).all():  # coinciding samples have no variance
        return Plane(samples[:, :2], (_name(names, 0), _name(names, 1)))
    # The seed is used only where many columns call for a randomized solver.
    projection = PCA(n_components=2, random_state=0)
    largest = np.abs(samples).max()  # squares of extreme values would overflow or vanish
    points = largest * projection.fit_transform(samples / largest)
    width, height = np.ptp(points, axis=0)
    if height < 1e-12 * width:  # samples on a line: only rounding errors
        points[:, 1] = 0.0
    first, second = (
        f"PC {i} ({share:.{0 if share >= 0.01 else 1}%} of variance)"
        for i, share in enumerate(projection.explained_variance_ratio_, 1)
    )
    return Plane(points, (first, second))


def given_coordinates(estimator: Any, coordinates: Any) -> Plane:
    """Return the coordinates that the user gave, or say what is wrong with them."""
    n_samples = len(clusterer_of(estimator).labels_)
    expected = f"({n_samples}, 2), one pair for each sample of the fit"
    try:
        points = np.asarray(coordinates, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"coordinates holds values that are not numbers, but it must be an array of shape "
            f"{expected}."
        ) from None
    if points.shape != (n_samples, 2):
        raise InvalidParameterError(
            f"coordinates has the shape {points.shape}, but it must have the shape {expected}."
        )
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        raise InvalidParameterError(
            f"coordinates has NaN or infinite values in {bad.size} of {n_samples} rows, the first "
            f"in row {bad[0]}, but all must be finite: compute the embedding for all samples."
        )
    names = getattr(coordinates, "columns", ("first coordinate", "second coordinate"))
    return Plane(points, (str(names[0]), str(names[1])))


def _name(names: list[str] | None, number: int) -> str:
    return f"column {number}" if names is None else names[number]


def _column_numbers(
    columns: Sequence[int | str], n_features: int, names: list[str] | None
) -> npt.NDArray[np.int64]:
    """Return the numbers of the two columns, or say what is wrong with them."""
    known = names or []
    if isinstance(columns, str) or len(columns) != 2:
        raise InvalidParameterError(
            f"columns is {columns!r}, but it must be a pair of column numbers or names: (0, 1), "
            "for example."
        )
    numbers = []
    for column in columns:
        if column in known:
            numbers.append(known.index(str(column)))
        elif isinstance(column, Integral) and -n_features <= column < n_features:
            numbers.append(int(column) % n_features)
        else:
            allowed = f"the numbers 0 to {n_features - 1}"
            allowed += f" and the names {', '.join(known[:20])}" if known else ""
            allowed += ", ..." if len(known) > 20 else ""
            raise InvalidParameterError(
                f"columns holds {column!r}, but X has {n_features} columns: choose from {allowed}."
            )
    return np.array(numbers, dtype=np.int64)
