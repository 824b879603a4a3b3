"""A score over the range of one parameter: the common result of all algorithms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..common import FloatArray, IntArray
from .scores import SCORES, score

Curve: TypeAlias = dict[str, Any]

# A score within this share of the best one counts as near it.
NEAR = 0.9


def make_curve(
    truth: IntArray, parameter: str, labeled: Iterable[tuple[float, npt.ArrayLike]]
) -> Curve:
    """Score the labels of every value of a parameter.

    Returns
    -------
    dict
        ``parameter``, its ``values`` in ascending order, and the scores at each.
    """
    rows = sorted((float(value), *score(truth, labels)) for value, labels in labeled)
    columns = [list(column) for column in zip(*rows, strict=True)]
    return {"parameter": parameter, **dict(zip(("values", *SCORES), columns, strict=True))}


def best(curve: Curve, name: str) -> tuple[float, float]:
    """Return the best score of that name, and the value of the parameter that gives it."""
    place = int(np.argmax(curve[name]))
    return float(curve[name][place]), float(curve["values"][place])


def is_inside(curve: Curve, name: str) -> bool:
    """Whether the best score is inside the range, not at one of its ends."""
    scores = np.array(curve[name])
    return bool(max(scores[0], scores[-1]) < scores.max())


def thinning_loss(curve: Curve, name: str) -> float:
    """Return how much the best score could drop if only every other value were tried."""
    scores = np.array(curve[name])
    return float(scores.max() - min(scores[::2].max(), scores[1::2].max()))


def near_share(curve: Curve, name: str) -> float:
    """Return the share of the logarithmic range where a score is within 90% of the best."""
    scores = np.array(curve[name])
    return share_of_range(curve, scores >= NEAR * scores.max()) if scores.max() > 0 else 0.0


def share_of_range(curve: Curve, chosen: npt.NDArray[np.bool_]) -> float:
    """Return the share of the logarithmic range that some of the values represent.

    Every value represents the range up to the middle between it and the next.
    """
    logs = np.log(curve["values"])
    edges = np.concatenate([logs[:1], 0.5 * (logs[1:] + logs[:-1]), logs[-1:]])
    return float(np.diff(edges)[chosen].sum() / (logs[-1] - logs[0]))


def nearest_setting(curve: Curve, ari: float, ami: float) -> tuple[float, float]:
    """Return the value whose two scores come closest to a pair, and by how much they differ."""
    misses = np.maximum(np.abs(np.array(curve["ari"]) - ari), np.abs(np.array(curve["ami"]) - ami))
    place = int(np.argmin(misses))
    return float(curve["values"][place]), float(misses[place])


def refined_curves(
    truth: IntArray,
    parameter: str,
    grid: FloatArray,
    fit: Callable[[float], list[IntArray]],
    between: int,
) -> list[Curve]:
    """Return the curves over a grid and over further values around the best of each score.

    The grid ascends in equal steps of the logarithm; `between` values are added between the best
    value and each of its neighbors. `fit` returns, for a value, one labeling for each curve.
    """
    found = {value: fit(value) for value in grid.tolist()}

    def curves() -> list[Curve]:
        labels = list(zip(*found.values(), strict=True))
        return [make_curve(truth, parameter, zip(found, one, strict=True)) for one in labels]

    more: set[float] = set()
    for curve in curves():
        for name in ("ari", "ami"):
            place = int(np.argmax(curve[name]))
            for low, high in ((place - 1, place), (place, place + 1)):
                if low >= 0 and high < len(grid):
                    more.update(np.geomspace(grid[low], grid[high], between + 2)[1:-1].tolist())
    found.update({value: fit(value) for value in sorted(more)})
    return curves()
