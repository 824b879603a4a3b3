"""The samples in the plane, with their clusters and cluster-cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .._validation import InvalidParameterError
from ._coordinates import chosen_columns, given_coordinates, informative_plane
from ._fitted import clusterer_of
from ._style import (
    INK,
    FloatArray,
    axes_for,
    cluster_colors,
    finite_range,
    lighten,
    merged,
    set_ticks,
    tidy,
    without_overlap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Annotation

_FIGSIZE = (5.0, 4.2)
_RASTERIZED_FROM = 5000
_MOST_LABELS = 30
_EQUAL_UP_TO = 8.0  # on one scale, columns whose ranges differ more would look like a line
_MARGIN = 0.11  # of the range: how far above the finite densities the infinite ones are drawn


class ClusterDisplay:
    """Scatter plot of the samples, colored by cluster.

    Samples inside cluster-cores have the full color of their cluster, the others a pale one. The
    mode of each cluster carries its label.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Where each sample is drawn.
    labels : ndarray of shape (n_samples,)
    core_labels : ndarray of shape (n_samples,)
        -1 for samples outside cluster-cores.
    mode_indices : ndarray of shape (n_clusters,)
        The sample at the mode of each cluster.
    names : pair of str
        The labels of the axes.
    equal_aspect : bool, default=True
        Draw both axes to the same scale, so that distances look as they are, unless one range is
        more than eight times the other.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    cores_, others_ : PathCollection
        The samples inside cluster-cores, and the others.
    modes_ : PathCollection
        One marker for each cluster, in label order.
    annotations_ : list of Annotation
        The labels at the modes, where there is room.

    See Also
    --------
    ProminenceDisplay : The modes by density, independent of the number of columns.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import make_moons
    >>> from quickshiftpp import QuickshiftPP
    >>> from quickshiftpp.plotting import ClusterDisplay
    >>> X, _ = make_moons(500, noise=0.05, random_state=0)
    >>> model = QuickshiftPP(k=20, beta=0.7).fit(X)
    >>> display = ClusterDisplay.from_estimator(model, X, ax=Figure().subplots())
    >>> len(display.cores_.get_offsets()), len(display.others_.get_offsets())
    (465, 35)

    A pipeline with 13 columns, projected onto two principal components:

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, _ = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), QuickshiftPP()).fit(X)
    >>> ClusterDisplay.from_estimator(model, X, ax=Figure().subplots()).names[0]
    'PC 1 (36% of variance)'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    cores_: PathCollection
    others_: PathCollection
    modes_: PathCollection
    annotations_: list[Annotation]

    def __init__(
        self,
        points: npt.NDArray[np.float64],
        labels: npt.NDArray[np.int32],
        core_labels: npt.NDArray[np.int32],
        *,
        mode_indices: npt.NDArray[np.int64],
        names: tuple[str, str] = ("", ""),
        equal_aspect: bool = True,
    ) -> None:
        self.points = points
        self.labels = labels
        self.core_labels = core_labels
        self.mode_indices = mode_indices
        self.names = names
        self.equal_aspect = equal_aspect

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        columns: Sequence[int | str] | None = None,
        coordinates: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the samples that an estimator was fitted to.

        By default the samples are drawn as the estimator sees them, after the earlier steps of a
        pipeline. Two columns are drawn as they are. A single column is drawn against the log
        density, so that clusters are the peaks of a curve. More columns are projected onto their
        first two principal components (PC); the axis labels say how much of the variance each of
        them explains. The sign of a component makes its largest coefficient positive.

        Parameters
        ----------
        estimator : QuickshiftPP, MCores, QuickShift, or a Pipeline that ends with one
            Fitted. QuickShift has no cores, so all of its samples have the full color.
        X : array-like of shape (n_samples, n_features)
            The samples of the fit, in the same order. Not needed with `coordinates`.
        columns : pair of int or str, optional
            Draw these two columns of `X` instead, by number or by name. With a pipeline they are
            the columns before any transformation, in their own units.
        coordinates : array-like of shape (n_samples, 2), optional
            Draw each sample here instead: an embedding such as UMAP or t-SNE.
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        ClusterDisplay
        """
        clusterer = clusterer_of(estimator)
        if coordinates is not None:
            if columns is not None:
                raise InvalidParameterError(
                    f"columns is {columns!r} and coordinates is given too: give one of the two, "
                    "not both."
                )
            plane = given_coordinates(estimator, coordinates)
        elif X is None:
            raise InvalidParameterError(
                "X is None and coordinates is None, but one of them must say where the samples "
                "are: give the samples of the fit."
            )
        elif columns is not None:
            plane = chosen_columns(estimator, X, columns)
        else:
            plane = informative_plane(estimator, X)
        display = cls(
            plane.points,
            clusterer.labels_,
            getattr(clusterer, "core_labels_", clusterer.labels_),
            mode_indices=clusterer.mode_indices_,
            names=plane.names,
            equal_aspect=plane.equal_aspect,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the samples.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to ``Axes.scatter`` for the samples.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, _FIGSIZE)
        self.figure_ = self.ax_.figure
        low, high = finite_range(self.points[:, 1])
        ceiling = high + _MARGIN * (high - low)
        points = np.where(np.isposinf(self.points), ceiling, self.points)
        self._draw_samples(points, kwargs)
        self._set_aspect(points, new_figure=ax is None)
        if np.isposinf(self.points[:, 1]).any():
            set_ticks(self.ax_.yaxis, low, high, ceiling=ceiling)
        self._draw_modes(points[self.mode_indices])
        self.ax_.set_xlabel(self.names[0])
        self.ax_.set_ylabel(self.names[1])
        tidy(self.ax_)
        return self

    def _draw_samples(self, points: FloatArray, kwargs: dict[str, Any]) -> None:
        from matplotlib.collections import PathCollection

        inside = self.core_labels >= 0
        colors = cluster_colors(self.labels)
        style: dict[str, Any] = {
            "s": float(np.clip(8000 / len(self.labels), 2.5, 26)),
            "linewidth": 0,
            "rasterized": len(self.labels) >= _RASTERIZED_FROM,
        }
        drawn = []
        for rows, shades in ((~inside, lighten(colors[~inside])), (inside, colors[inside])):
            style["facecolor"] = shades
            drawn.append(self.ax_.scatter(*points[rows].T, **merged(PathCollection, style, kwargs)))
        self.others_, self.cores_ = drawn

    def _set_aspect(self, points: FloatArray, new_figure: bool) -> None:
        width, height = np.ptp(points, axis=0)
        if self.equal_aspect and max(width, height) <= _EQUAL_UP_TO * min(width, height):
            # Axes that the caller made may share their limits with others, so these must stay.
            self.ax_.set_aspect("equal", adjustable="datalim" if new_figure else "box")

    def _draw_modes(self, points: FloatArray) -> None:
        """Mark every mode, and write its label into the marker where there is room."""
        ax = self.ax_
        colors = cluster_colors(np.arange(len(points)))
        roomy = without_overlap(ax, points, 1.6) & (len(points) <= _MOST_LABELS)
        self.modes_ = ax.scatter(
            points[:, 0], points[:, 1], s=np.where(roomy, 110, 16), zorder=3,
            facecolor=np.where(roomy[:, None], 1.0, colors), linewidth=np.where(roomy, 1.6, 0.6),
            edgecolor=np.where(roomy[:, None], colors, 1.0),
        )  # fmt: skip
        self.annotations_ = [
            ax.annotate(
                f"{label}", points[label], ha="center", va="center_baseline", color=INK,
                fontsize="x-small", zorder=4,
            )
            for label in np.flatnonzero(roomy)
        ]  # fmt: skip
