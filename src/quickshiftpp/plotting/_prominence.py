"""The prominence diagram: each mode by its density and the density of its saddle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ._fitted import clusterer_with_tree, mode_labels
from ._style import (
    FAINT,
    GRAY,
    INK,
    RULE,
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
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

_FIGSIZE = (5.0, 4.2)
_MARGIN = 0.11  # of the range: how far beyond the finite values the infinite ones are drawn
_BETA_MARGIN = 0.17  # of the range: the room at the right for the label of the line of beta


class ProminenceDisplay:
    """Every mode by its log density and the log density of its saddle.

    The farther a mode lies below the diagonal, the more prominent it is. Beta is a line parallel to
    the diagonal: the modes below it are clusters and have their colors; the others are gray. A
    wide empty band along the diagonal is a natural place for that line. Modes that never meet a
    higher mode are drawn on a line at the bottom, and modes of infinite density, where k or more
    samples coincide, on a line at the right.

    This is the persistence diagram of the log density on the mutual nearest-neighbor graph.

    Parameters
    ----------
    log_density, saddle_log_density : ndarray of shape (n_modes,)
        The log density of each mode and of its saddle, as in ``tree.modes``.
    labels : ndarray of shape (n_modes,)
        The label of the cluster of each mode, -1 if it has none.
    beta : float
        The beta of the fit.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    clusters_ : PathCollection
        One point for each cluster, in label order.
    others_ : PathCollection
        One point for each other mode.
    beta_line_, diagonal_ : Line2D
    foot_line_, ceiling_line_ : Line2D or None
        The lines of modes that never meet a higher mode, and of modes of infinite density.
    annotations_ : list of Annotation
        The labels of the densest clusters.

    See Also
    --------
    ModeTreeDisplay : The same modes, and which higher mode each of them meets.
    ClusterCountDisplay : The number of modes below the line, for every beta.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import make_moons
    >>> from quickshiftpp import QuickshiftPP
    >>> from quickshiftpp.plotting import ProminenceDisplay
    >>> X, _ = make_moons(500, noise=0.05, random_state=0)
    >>> model = QuickshiftPP(k=20, beta=0.7).fit(X)
    >>> display = ProminenceDisplay.from_estimator(model, ax=Figure().subplots())
    >>> len(display.clusters_.get_offsets()), len(display.others_.get_offsets())
    (2, 14)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    clusters_: PathCollection
    others_: PathCollection
    beta_line_: Line2D
    diagonal_: Line2D
    foot_line_: Line2D | None
    ceiling_line_: Line2D | None
    annotations_: list[Annotation]

    def __init__(
        self,
        log_density: npt.NDArray[np.float64],
        saddle_log_density: npt.NDArray[np.float64],
        *,
        labels: npt.NDArray[np.int64],
        beta: float,
    ) -> None:
        self.log_density = log_density
        self.saddle_log_density = saddle_log_density
        self.labels = labels
        self.beta = beta

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the modes of a fitted estimator.

        Parameters
        ----------
        estimator : QuickshiftPP, MCores, or a Pipeline that ends with one
            Fitted.
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        ProminenceDisplay
        """
        clusterer, tree = clusterer_with_tree(estimator, cls)
        display = cls(
            tree.modes["log_density"],
            tree.modes["saddle_log_density"],
            labels=mode_labels(clusterer, tree),
            beta=clusterer.beta_,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, n_annotated: int = 10, **kwargs: Any) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        n_annotated : int, default=10
            How many of the densest clusters are labeled. Labels that would overlap are left out.
        **kwargs
            Passed to ``Axes.scatter`` for the points of the clusters.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, _FIGSIZE)
        self.figure_ = self.ax_.figure
        self._set_scales()
        self._draw_lines()
        self._draw_modes(n_annotated, kwargs)
        self.ax_.set_xlabel("log density of the mode")
        self.ax_.set_ylabel("log density of its saddle")
        tidy(self.ax_)
        return self

    def _set_scales(self) -> None:
        """Decide where infinite values are drawn, and add ticks for them."""
        born, dies = self.log_density, self.saddle_log_density
        self._left, self._right = finite_range(born)
        merging = dies[np.isfinite(dies)]
        # The line of beta must be visible, even if all saddles are high.
        line = np.array([self._right + math.log1p(-self.beta)])
        self._low, self._high = finite_range(merging, line, np.array([self._right]))
        width, height = self._right - self._left, self._high - self._low
        self._foot = self._low - _MARGIN * height
        self._ceiling = self._right + (_BETA_MARGIN + 0.01) * width
        ax, endless, infinite = self.ax_, np.isneginf(dies).any(), np.isposinf(born).any()
        ax.set_xlim(
            self._left - 0.04 * width, self._ceiling + 0.03 * width if infinite else
            self._right + _BETA_MARGIN * width,
        )  # fmt: skip
        ax.set_ylim(
            self._foot - 0.08 * height if endless else self._low - 0.05 * height,
            self._high + 0.05 * height,
        )
        set_ticks(ax.yaxis, self._low, self._high, foot=self._foot if endless else None)
        set_ticks(ax.xaxis, self._left, self._right, ceiling=self._ceiling if infinite else None)

    def _draw_lines(self) -> None:
        ax, shift = self.ax_, math.log1p(-self.beta)
        left, floor = ax.get_xlim()[0], max(self._foot, ax.get_ylim()[0])
        ends = np.array([max(left, floor), self._right])
        (self.diagonal_,) = ax.plot(ends, ends, color=RULE, linewidth=0.8)
        ends = np.array([max(left, floor - shift), self._right])
        (self.beta_line_,) = ax.plot(
            ends, ends + shift, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3))
        )
        self.foot_line_ = self.ceiling_line_ = None
        if np.isneginf(self.saddle_log_density).any():
            self.foot_line_ = ax.axhline(self._foot, color=RULE, linewidth=0.8, zorder=0)
            ax.annotate(
                "never meet a higher mode", (0, self._foot), xycoords=("axes fraction", "data"),
                xytext=(5, -3), textcoords="offset points", va="top", color=FAINT,
                fontsize="small",
            )  # fmt: skip
        if np.isposinf(self.log_density).any():
            self.ceiling_line_ = ax.axvline(self._ceiling, color=RULE, linewidth=0.8, zorder=0)
        ax.annotate(
            f"beta =\n{self.beta:.4g}", (self._right, self._right + shift),
            xytext=(5, 0), textcoords="offset points", va="center", color=FAINT, fontsize="small",
        )  # fmt: skip

    def _draw_modes(self, n_annotated: int, kwargs: dict[str, Any]) -> None:
        from matplotlib.collections import PathCollection

        ax, ours = self.ax_, np.flatnonzero(self.labels >= 0)
        ours = ours[np.argsort(self.labels[ours])]
        x = np.where(np.isposinf(self.log_density), self._ceiling, self.log_density)
        y = np.where(np.isneginf(self.saddle_log_density), self._foot, self.saddle_log_density)
        y = np.where(np.isposinf(y), self._high, y)
        points = np.stack([x, y], axis=1)
        rest = points[self.labels < 0]
        self.others_ = ax.scatter(
            rest[:, 0], rest[:, 1], s=14, facecolor=GRAY, linewidth=0, rasterized=len(rest) > 5000
        )
        style = {
            "s": 34,
            "facecolor": cluster_colors(self.labels[ours]),
            "edgecolor": "white",
            "linewidth": 0.6,
            "clip_on": False,
            "zorder": 3,
        }
        self.clusters_ = ax.scatter(*points[ours].T, **merged(PathCollection, style, kwargs))
        self.annotations_ = self._annotate(ours[:n_annotated], points)

    def _annotate(self, few: IntArray, points: FloatArray) -> list[Annotation]:
        """Write the labels; modes at the same place, which infinite ones may be, share one text."""
        places, first, which = np.unique(
            points[few], axis=0, return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        order = order[without_overlap(self.ax_, places[order], 1.1)]
        annotations = []
        for place in order:
            labels = self.labels[few[which.ravel() == place]]
            text = ", ".join(map(str, labels[:3])) + (", ..." if len(labels) > 3 else "")
            on_foot = places[place, 1] == self._foot
            annotations.append(
                self.ax_.annotate(
                    text, places[place], textcoords="offset points",
                    xytext=(0, 4.5) if on_foot else (5, 0), ha="center" if on_foot else "left",
                    va="bottom" if on_foot else "center", color=INK, fontsize="small",
                    annotation_clip=False, zorder=4,
                )
            )  # fmt: skip
        return annotations
