"""The number of clusters at every beta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ._fitted import clusterer_with_tree
from ._style import FAINT, INK, PALETTE, FloatArray, IntArray, axes_for, merged, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.patches import StepPatch
    from matplotlib.text import Annotation

    from .. import ModeTree

_FIGSIZE = (5.4, 3.4)
_NARROWEST = 0.06  # the width in beta from which a plateau has room for its label


class ClusterCountDisplay:
    """The number of clusters as a function of beta.

    Beta is a threshold on prominence, so the number of clusters falls as beta grows. A long step
    is a natural choice, because every beta in a wide range gives this number of clusters.

    Parameters
    ----------
    edges : ndarray of shape (n_steps + 1,)
        The betas at which the number may change, ascending from 0 to 1.
    counts : ndarray of shape (n_steps,)
        The number of clusters between one edge and the next.
    beta : float
        The beta of the fit, which is marked.
    n_clusters : int
        The number of clusters of the fit.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    steps_ : StepPatch
    beta_line_ : Line2D
    current_ : Line2D
        The point at the beta of the fit.
    annotations_ : list of Annotation
        The numbers of clusters on the widest plateaus, the widest first.

    See Also
    --------
    ProminenceDisplay : The modes that are counted.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import make_moons
    >>> from quickshiftpp import QuickshiftPP
    >>> from quickshiftpp.plotting import ClusterCountDisplay
    >>> X, _ = make_moons(500, noise=0.05, random_state=0)
    >>> model = QuickshiftPP(k=20, beta=0.7).fit(X)
    >>> display = ClusterCountDisplay.from_estimator(model, ax=Figure().subplots())
    >>> [annotation.get_text() for annotation in display.annotations_]
    ['2 clusters', '4', '13']
    """

    ax_: Axes
    figure_: Figure | SubFigure
    steps_: StepPatch
    beta_line_: Line2D
    current_: Line2D
    annotations_: list[Annotation]

    def __init__(
        self,
        edges: npt.NDArray[np.float64],
        counts: npt.NDArray[np.int64],
        *,
        beta: float,
        n_clusters: int,
    ) -> None:
        self.edges = edges
        self.counts = counts
        self.beta = beta
        self.n_clusters = n_clusters

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_betas: int = 200, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the number of clusters of a fitted estimator at every beta.

        Parameters
        ----------
        estimator : QuickshiftPP, MCores, or a Pipeline that ends with one
            Fitted.
        n_betas : int, default=200
            The number of betas at which clusters are counted if the `min_cluster_size` of the fit
            is above 1. Otherwise all steps follow from the tree, and this is ignored.
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        ClusterCountDisplay
        """
        clusterer, tree = clusterer_with_tree(estimator, cls)
        smallest = getattr(clusterer, "min_cluster_size_", 1)
        if smallest > 1:
            edges, counts = _sampled_steps(tree, smallest, n_betas)
        else:
            edges, counts = _exact_steps(tree)
        display = cls(edges, counts, beta=clusterer.beta_, n_clusters=clusterer.n_clusters_)
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, n_plateaus: int = 3, **kwargs: Any) -> Self:
        """Draw the steps.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        n_plateaus : int, default=3
            How many of the widest plateaus are labeled with their number of clusters.
        **kwargs
            Passed to ``Axes.stairs`` for the steps.

        Returns
        -------
        self
        """
        self.ax_ = ax = axes_for(self, ax, _FIGSIZE)
        from matplotlib.patches import StepPatch

        self.figure_ = ax.figure
        style = {"edgecolor": PALETTE[0], "linewidth": 1.6}
        self.steps_ = ax.stairs(
            self.counts, self.edges, baseline=None, **merged(StepPatch, style, kwargs)
        )
        self._set_scales()
        self._draw_beta()
        self._annotate(n_plateaus)
        tidy(ax)
        return self

    def _set_scales(self) -> None:
        ax = self.ax_
        ax.set_xlim(0, 1)
        ax.set_yscale("log")
        low, high = 0.8 * self.counts.min(), 1.7 * self.counts.max()
        ax.set_ylim(low, high)
        few, more, all_of_them = (1, 2, 5), (1, 2, 3, 5), range(1, 10)
        subs = all_of_them if high < 8 * low else more if high < 60 * low else few
        decades = 10 ** np.arange(len(str(int(high))))
        ticks = [int(tick) for tick in np.outer(decades, subs).flat if low <= tick <= high]
        ax.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.minorticks_off()
        ax.set_xlabel("beta")
        ax.set_ylabel("number of clusters")

    def _draw_beta(self) -> None:
        ax = self.ax_
        self.beta_line_ = ax.axvline(
            self.beta, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0
        )
        (self.current_,) = ax.plot(
            [self.beta], [self.n_clusters], "o", color=INK, markersize=5, markeredgecolor="white"
        )
        right = self.beta < 0.6
        ax.annotate(
            f"beta = {self.beta:.4g}: {_clusters(self.n_clusters)}", (self.beta, 1),
            xycoords=("data", "axes fraction"), xytext=(5 if right else -5, -2),
            textcoords="offset points", va="top", ha="left" if right else "right", color=FAINT,
            fontsize="small",
        )  # fmt: skip

    def _annotate(self, n_plateaus: int) -> None:
        starts = np.flatnonzero(np.diff(self.counts, prepend=-1))
        left, right = self.edges[starts], self.edges[[*starts[1:], len(self.counts)]]
        widest = np.argsort(left - right, kind="stable")[:n_plateaus]
        self.annotations_ = []
        for i in widest[(right - left)[widest] >= _NARROWEST]:
            count = int(self.counts[starts[i]])
            middle = 0.5 * (left[i] + right[i])
            if abs(middle - self.beta) < _NARROWEST:  # do not write over the line of beta
                wider = left[i] if self.beta > middle else right[i]
                middle = 0.5 * (self.beta + wider)
            self.annotations_.append(
                self.ax_.annotate(
                    f"{count:,}" if right[i] - left[i] < 0.15 else _clusters(count),
                    (middle, count), xytext=(0, 4),
                    textcoords="offset points", ha="center", va="bottom", color=INK,
                    fontsize="small",
                )
            )  # fmt: skip


def _clusters(count: int) -> str:
    return f"{count:,} cluster{'s' if count > 1 else ''}"


def _exact_steps(tree: ModeTree) -> tuple[FloatArray, IntArray]:
    """Count the modes of higher prominence, between every two consecutive prominences."""
    prominence = np.sort(tree.modes["prominence"])
    inner = np.unique(prominence[(prominence > 0) & (prominence < 1)])
    edges = np.concatenate([[0.0], inner, [1.0]])
    counts = len(prominence) - np.searchsorted(prominence, edges[:-1], side="right")
    return edges, counts.astype(np.int64)


def _sampled_steps(tree: ModeTree, smallest: int, n_betas: int) -> tuple[FloatArray, IntArray]:
    """Count the clusters at evenly spaced betas, each in the middle of its step."""
    edges = np.linspace(0.0, 1.0, n_betas + 1)
    middles = 0.5 * (edges[:-1] + edges[1:])
    counts = tree.n_clusters(middles, min_cluster_size=smallest)
    return edges, np.array(counts, dtype=np.int64)
