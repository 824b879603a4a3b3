"""The tree of modes as a dendrogram."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .._validation import InvalidParameterError
from ._fitted import clusterer_with_tree, mode_labels
from ._style import (
    FAINT,
    GRAY,
    INK,
    FloatArray,
    IntArray,
    axes_for,
    cluster_colors,
    finite_range,
    merged,
    set_ticks,
    tidy,
    without_overlap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Annotation

_FIGSIZE = (6.4, 3.8)
_MARGIN = 0.09  # of the range: how far beyond the finite levels the infinite ones are drawn


class ModeTreeDisplay:
    """The tree of modes as a dendrogram over log density.

    Each mode is a vertical line from its density down to the density of its saddle, where it joins
    a higher mode. The line of a mode that never meets a higher one reaches the bottom. The thick
    colored part is the cluster-core, down to ``1 - beta`` times the density of the mode. Modes
    whose line is too short for that have no cluster and are thin and gray.

    Parameters
    ----------
    log_density, saddle_log_density, prominence : ndarray of shape (n_modes,)
        As in ``tree.modes``.
    parent : ndarray of shape (n_modes,)
        The number of the higher mode that each mode meets, -1 if none. It is always smaller than
        the mode's own number.
    labels : ndarray of shape (n_modes,)
        The label of the cluster of each mode, -1 if it has none.
    beta : float
        The beta of the fit.
    shown : ndarray
        The numbers of the modes to draw, ascending. The parent of a mode shown must be shown too.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    positions_ : ndarray of shape (len(shown),)
        The horizontal position of each mode shown, from 0 to ``len(shown) - 1``.
    stems_ : LineCollection
        The vertical lines, one for each mode shown.
    joints_ : LineCollection
        The horizontal lines, one for each mode shown that meets a higher one.
    cores_ : LineCollection
        The colored parts, one for each cluster shown, in label order.
    tips_ : PathCollection
        The modes of the clusters shown, in label order.
    annotations_ : list of Annotation
        The labels of the clusters.

    See Also
    --------
    ProminenceDisplay : The same modes as points.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import make_moons
    >>> from quickshiftpp import QuickshiftPP
    >>> from quickshiftpp.plotting import ModeTreeDisplay
    >>> X, _ = make_moons(500, noise=0.05, random_state=0)
    >>> model = QuickshiftPP(k=20, beta=0.7).fit(X)
    >>> display = ModeTreeDisplay.from_estimator(model, max_modes=5, ax=Figure().subplots())
    >>> display.shown.tolist()
    [0, 1, 2, 3, 4]
    """

    ax_: Axes
    figure_: Figure | SubFigure
    positions_: npt.NDArray[np.float64]
    stems_: LineCollection
    joints_: LineCollection
    cores_: LineCollection
    tips_: PathCollection
    annotations_: list[Annotation]

    def __init__(
        self,
        log_density: npt.NDArray[np.float64],
        saddle_log_density: npt.NDArray[np.float64],
        prominence: npt.NDArray[np.float64],
        parent: npt.NDArray[np.int32],
        *,
        labels: npt.NDArray[np.int64],
        beta: float,
        shown: npt.NDArray[np.int64],
    ) -> None:
        self.log_density = log_density
        self.saddle_log_density = saddle_log_density
        self.prominence = prominence
        self.parent = parent
        self.labels = labels
        self.beta = beta
        self.shown = shown

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_modes: int = 40, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the tree of a fitted estimator.

        Parameters
        ----------
        estimator : QuickshiftPP, MCores, or a Pipeline that ends with one
            Fitted.
        max_modes : int, default=40
            The maximum number of modes to draw. The most prominent are kept; ties go to the modes
            with the most samples. The axis label says how many modes there are in all.
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        ModeTreeDisplay
        """
        clusterer, tree = clusterer_with_tree(estimator, cls)
        if max_modes < 1:
            raise InvalidParameterError(
                f"max_modes is {max_modes}, but it must be 1 or more: the most prominent modes are "
                "drawn."
            )
        modes = tree.modes
        # A parent is at least as prominent as its children and larger, so it comes first.
        order = np.lexsort((-modes["size"], -modes["prominence"]))
        display = cls(
            modes["log_density"],
            modes["saddle_log_density"],
            modes["prominence"],
            modes["parent"],
            labels=mode_labels(clusterer, tree),
            beta=clusterer.beta_,
            shown=np.sort(order[:max_modes]),
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the tree.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to ``LineCollection`` for the colored lines.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, _FIGSIZE)
        self.figure_ = self.ax_.figure
        self.positions_ = _positions(self.parent, self.saddle_log_density, self.shown)
        self._set_scales()
        self._draw_lines(kwargs)
        self._draw_tips()
        tidy(self.ax_, ("left",))
        self.ax_.xaxis.label.set_color(FAINT)
        return self

    def _set_scales(self) -> None:
        ax, tops = self.ax_, self.log_density[self.shown]
        ends = self.saddle_log_density[self.shown]
        cores = tops[self.labels[self.shown] >= 0] + math.log1p(-self.beta)
        low, high = finite_range(tops, ends, cores)
        height = high - low
        endless, infinite = np.isneginf(ends).any(), np.isposinf(tops).any()
        self._foot = low - _MARGIN * height
        self._ceiling = high + _MARGIN * height
        ax.set_xlim(-0.8, len(self.shown) - 0.2)
        ax.set_ylim(
            self._foot if endless else low - 0.03 * height,
            (self._ceiling if infinite else high) + 0.07 * height,
        )
        set_ticks(
            ax.yaxis,
            low,
            high,
            foot=self._foot if endless else None,
            ceiling=self._ceiling if infinite else None,
        )
        ax.set_xticks([])
        ax.set_ylabel("log density")
        ax.set_xlabel(self._what_is_shown(), fontsize="small")

    def _what_is_shown(self) -> str:
        left_out = np.ones(len(self.parent), dtype=bool)
        left_out[self.shown] = False
        if not left_out.any():
            return f"all {len(self.parent):,} modes" if len(self.parent) > 1 else "the only mode"
        return (
            f"the {len(self.shown):,} most prominent of {len(self.parent):,} modes; the others "
            f"have a prominence of {self.prominence[left_out].max():.2g} or less"
        )

    def _levels(self, values: FloatArray) -> FloatArray:
        return np.clip(values, self._foot, self._ceiling)

    def _draw_lines(self, kwargs: dict[str, Any]) -> None:
        from matplotlib.collections import LineCollection

        ax, x = self.ax_, self.positions_
        top = self._levels(self.log_density[self.shown])
        end = self._levels(self.saddle_log_density[self.shown])
        self.stems_ = LineCollection(_segments(x, end, x, top), color=GRAY, linewidth=0.8)
        joined = np.flatnonzero(self.parent[self.shown] >= 0)
        meets = np.searchsorted(self.shown, self.parent[self.shown[joined]])
        self.joints_ = LineCollection(
            _segments(x[joined], end[joined], x[meets], end[joined]), color=GRAY, linewidth=0.8
        )
        ours = self._clusters_shown()
        bottom = self._levels(self.log_density[self.shown[ours]] + math.log1p(-self.beta))
        style = {
            "color": cluster_colors(self.labels[self.shown[ours]]),
            "linewidth": 3.2 if len(self.shown) <= 60 else 1.8,
            "capstyle": "butt",
        }
        self.cores_ = LineCollection(
            _segments(x[ours], bottom, x[ours], top[ours]), **merged(LineCollection, style, kwargs)
        )
        for lines in (self.stems_, self.joints_, self.cores_):
            ax.add_collection(lines, autolim=False)

    def _draw_tips(self) -> None:
        ax, ours = self.ax_, self._clusters_shown()
        labels = self.labels[self.shown[ours]]
        points = np.stack(
            [self.positions_[ours], self._levels(self.log_density[self.shown[ours]])], axis=1
        )
        self.tips_ = ax.scatter(
            points[:, 0], points[:, 1], s=26 if len(self.shown) <= 60 else 10, linewidth=0,
            facecolor=cluster_colors(labels), zorder=3,
        )  # fmt: skip
        self.annotations_ = [
            ax.annotate(
                f"{labels[i]}", points[i], xytext=(0, 4), textcoords="offset points",
                ha="center", va="bottom", color=INK, fontsize="small",
            )
            for i in np.flatnonzero(without_overlap(ax, points, 1.1))
        ]  # fmt: skip

    def _clusters_shown(self) -> IntArray:
        """Return where in `shown` the modes with clusters are, in label order."""
        labels = self.labels[self.shown]
        order = np.argsort(labels, kind="stable")
        return order[labels[order] >= 0]


def _segments(
    x0: FloatArray, y0: FloatArray, x1: FloatArray, y1: FloatArray
) -> list[npt.NDArray[np.float64]]:
    return list(np.stack([x0, y0, x1, y1], axis=-1).reshape(-1, 2, 2))


def _positions(
    parent: npt.NDArray[np.int32], saddle_log_density: FloatArray, shown: IntArray
) -> FloatArray:
    """Place the modes side by side so that no lines cross.

    A branch that joins at a higher level is placed closer to its parent, on the side that has fewer
    modes so far. All branches between it and its parent then end above the level where it joins.
    """
    rows: dict[int, list[int]] = {}  # each mode with the branches that join it, from left to right
    joining: dict[int, list[int]] = {int(mode): [] for mode in shown}
    roots = []
    for mode in map(int, shown[::-1]):  # children before their parents
        left: list[list[int]] = []
        right: list[list[int]] = []
        for child in sorted(joining[mode], key=lambda m: -saddle_log_density[m]):
            side = left if sum(map(len, left)) < sum(map(len, right)) else right
            side.append(rows.pop(child))
        rows[mode] = [*chain(*reversed(left)), mode, *chain(*right)]
        if parent[mode] >= 0:
            joining[int(parent[mode])].append(mode)
        else:
            roots.append(mode)
    row = [mode for root in reversed(roots) for mode in rows[root]]
    positions = np.empty(len(shown))
    positions[np.searchsorted(shown, row)] = np.arange(len(shown))
    return positions
