"""What the displays share: colors, axes and ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Chosen by maximizing the smallest distance, in Oklab, between any two of them and the gray, as
# seen with normal vision, protanopia, deuteranopia and tritanopia. The most different come first.
PALETTE = (
    "#1f6f8b", "#e07a3f", "#8d6bcf", "#edbc52", "#6f133b",
    "#42d8fc", "#352a8b", "#ad3817", "#71a7fb", "#c08bbb",
)  # fmt: skip
INK = "#22303a"
FAINT = "#6b7780"
RULE = "#c9d0d5"
GRAY = "#b4bcc2"

_PALE = 0.52  # the share of white in the color of samples outside cores
_REPEATED = 0.35  # the share of black, then of white, when the palette repeats


def _rgb(color: str) -> FloatArray:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def cluster_colors(labels: npt.ArrayLike) -> FloatArray:
    """Return the color that every display uses for each label.

    The ten colors can be told apart with every kind of color vision. From label 10 on they repeat,
    first darker, then lighter. Negative labels are gray.

    Parameters
    ----------
    labels : array-like of int

    Returns
    -------
    ndarray of the shape of `labels`, with one more axis of length 3
        Red, green and blue, each from 0 to 1.

    Examples
    --------
    >>> from quickshiftpp.plotting import cluster_colors
    >>> cluster_colors([0, 1, -1]).round(2).tolist()
    [[0.12, 0.44, 0.55], [0.88, 0.48, 0.25], [0.71, 0.74, 0.76]]
    """
    numbers = np.asarray(labels, dtype=np.int64)
    first = np.array([_rgb(color) for color in PALETTE])
    rounds = np.concatenate([first, (1 - _REPEATED) * first, lighten(first, _REPEATED)])
    return np.where(numbers[..., None] < 0, _rgb(GRAY), rounds[numbers % len(rounds)])


def lighten(colors: FloatArray, white: float = _PALE) -> FloatArray:
    """Mix colors with white; unlike transparency, this does not add up where samples overlap."""
    return (1 - white) * colors + white


def axes_for(display: object, ax: Axes | None, figsize: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__} needs matplotlib, which is not installed: "
            "pip install 'quickshiftpp[plot]'"
        ) from error
    return plt.subplots(figsize=figsize, layout="constrained")[1]


def merged(kind: type[Any], defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the defaults, replaced by what the caller gave under any of matplotlib's aliases."""
    from matplotlib.cbook import normalize_kwargs

    chosen = normalize_kwargs(given, kind)
    if "color" in chosen or "c" in chosen:
        defaults = {
            name: value
            for name, value in defaults.items()
            if name not in ("color", "facecolor", "edgecolor")
        }
    return {**defaults, **chosen}


def tidy(ax: Axes, sides: tuple[str, ...] = ("left", "bottom")) -> None:
    """Hide the spines without a scale, and draw the others in a light color."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in sides)
        spine.set_color(RULE)
    ax.tick_params(which="both", color=RULE, labelcolor=FAINT, labelsize="small", length=3)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)


def finite_range(*values: FloatArray) -> tuple[float, float]:
    """Return the smallest and the largest finite value; widened if they are equal.

    Examples
    --------
    >>> import numpy as np
    >>> finite_range(np.array([1.0, 5.0]), np.array([-np.inf, 3.0]))
    (1.0, 5.0)
    >>> finite_range(np.array([np.inf, 2.0]))
    (1.5, 2.5)
    """
    together = np.concatenate(values)
    finite = together[np.isfinite(together)]
    if finite.size == 0:
        return -0.5, 0.5
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def set_ticks(
    axis: Axis, low: float, high: float, *, foot: float | None = None, ceiling: float | None = None
) -> None:
    """Keep only ticks at finite values, and add ticks where infinite values are drawn."""
    if foot is None and ceiling is None:
        return
    slack = 0.02 * (high - low)
    ticks = [t for t in axis.get_ticklocs() if low - slack <= t <= high + slack]
    digits = max((len(f"{t:.6g}".partition(".")[2]) for t in ticks), default=0)
    names = [f"{t:.{digits}f}".replace("-", "\N{MINUS SIGN}") for t in ticks]
    if foot is not None:
        ticks, names = [foot, *ticks], ["\N{MINUS SIGN}\N{INFINITY}", *names]
    if ceiling is not None:
        ticks, names = [*ticks, ceiling], [*names, "\N{INFINITY}"]
    axis.set_ticks(ticks, names)


def without_overlap(ax: Axes, points: FloatArray, distance: float) -> npt.NDArray[np.bool_]:
    """Choose points, earlier ones first, whose labels of `distance` em do not overlap."""
    from matplotlib.font_manager import FontProperties

    ax.get_xlim()  # makes matplotlib update the limits
    ax.apply_aspect()
    em = FontProperties(size="small").get_size_in_points() * ax.figure.dpi / 72
    places = ax.transData.transform(points)
    keep = np.zeros(len(points), dtype=bool)
    for i, place in enumerate(places):
        keep[i] = not (np.abs(places[keep] - place).max(axis=1) < distance * em).any()
    return keep
