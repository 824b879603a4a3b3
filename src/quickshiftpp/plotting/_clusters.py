"""The samples in the plane, with their clusters and cluster-cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ._style import INK, apart, axes_for, blend, cluster_colors, merged, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Annotation

_FIGSIZE = (5.0, 4.2)
_RASTERIZED_FROM = 5000
_MOST_LABELS = 30
_EQUAL_UP_TO = 8.0  # columns of more different ranges would leave a line if drawn to one scale


class ClusterDisplay:
    """Samples in two columns: cluster-cores in full color, the others pale, modes marked.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
    labels : ndarray of shape (n_samples,)
    core_labels : ndarray of shape (n_samples,)
        -1 outside of cluster-cores.
    mode_indices : ndarray of shape (n_clusters,)
        The sample at the mode of each cluster.
    names : pair of str
        Of the two columns.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    cores_, others_ : PathCollection
        The samples inside cluster-cores and outside.
    modes_ : PathCollection
        One mark for each cluster, in label order.
    annotations_ : list of Annotation
        The labels at the modes, where there is room.

    See Also
    --------
    ProminenceDisplay : The modes by density, for samples of more columns than a plane shows.

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
    ) -> None:
        self.points = points
        self.labels = labels
        self.core_labels = core_labels
        self.mode_indices = mode_indices
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        *,
        columns: Sequence[int | str] = (0, 1),
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the samples that an estimator was fitted to.

        Parameters
        ----------
        estimator : QuickshiftPP, MCores or QuickShift
            Fitted. QuickShift has no cores, and all of its samples are in full color.
        X : array-like of shape (n_samples, n_features)
            The samples of the fit.
        columns : pair of int or str, default=(0, 1)
            The two to draw, by number, or by name where the columns of the fit had names.
        ax : matplotlib Axes, optional
            None for a new figure.
        **kwargs
            As of :meth:`plot`.

        Returns
        -------
        ClusterDisplay
        """
        check_is_fitted(estimator)
        samples = np.asarray(X)
        expected = (len(estimator.labels_), estimator.n_features_in_)
        if samples.shape != expected:
            raise ValueError(
                f"X has the shape {samples.shape}, but the estimator was fitted to {expected}: "
                "give the samples of the fit."
            )
        known = getattr(estimator, "feature_names_in_", None)
        pair = _column_numbers(columns, expected[1], known)
        names = [f"column {i}" if known is None else str(known[i]) for i in pair]
        display = cls(
            samples[:, pair].astype(np.float64),
            estimator.labels_,
            getattr(estimator, "core_labels_", estimator.labels_),
            mode_indices=estimator.mode_indices_,
            names=(names[0], names[1]),
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the samples.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None for a new figure.
        **kwargs
            For the samples, as of ``Axes.scatter``.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, _FIGSIZE)
        self.figure_ = self.ax_.figure
        self._draw_samples(kwargs)
        self._set_scales(new_figure=ax is None)
        self._draw_modes()
        self.ax_.set_xlabel(self.names[0])
        self.ax_.set_ylabel(self.names[1])
        tidy(self.ax_)
        return self

    def _draw_samples(self, kwargs: dict[str, Any]) -> None:
        from matplotlib.collections import PathCollection

        inside = self.core_labels >= 0
        colors = cluster_colors(self.labels)
        style: dict[str, Any] = {
            "s": float(np.clip(8000 / len(self.labels), 2.5, 26)),
            "linewidth": 0,
            "rasterized": len(self.labels) >= _RASTERIZED_FROM,
        }
        drawn = []
        for rows, shades in ((~inside, blend(colors[~inside])), (inside, colors[inside])):
            style["facecolor"] = shades
            drawn.append(
                self.ax_.scatter(*self.points[rows].T, **merged(PathCollection, style, kwargs))
            )
        self.others_, self.cores_ = drawn

    def _set_scales(self, new_figure: bool) -> None:
        width, height = np.ptp(self.points, axis=0)
        if max(width, height) <= _EQUAL_UP_TO * min(width, height):
            # Distances are Euclidean, so that both columns have one scale. In axes that are not
            # ours others may share the limits, which therefore stay.
            self.ax_.set_aspect("equal", adjustable="datalim" if new_figure else "box")

    def _draw_modes(self) -> None:
        """Mark every mode, and write its label into the mark where there is room for that."""
        ax, points = self.ax_, self.points[self.mode_indices]
        colors = cluster_colors(np.arange(len(points)))
        roomy = apart(ax, points, 1.6) & (len(points) <= _MOST_LABELS)
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


def _column_numbers(columns: Sequence[int | str], n_features: int, names: Any) -> list[int]:
    """Return the two columns by number, or say what is wrong with them."""
    known = [] if names is None else list(names)
    if isinstance(columns, str) or len(columns) != 2:
        raise ValueError(f"columns is {columns!r}, but it must be a pair.")
    numbers = []
    for column in columns:
        if isinstance(column, str) and column not in known:
            allowed = ", ".join(known) or "numbers, since the columns of the fit had no names"
            raise ValueError(f"columns holds '{column}', but it must hold {allowed}.")
        number = known.index(column) if isinstance(column, str) else int(column)
        if not -n_features <= number < n_features:
            raise ValueError(
                f"columns holds {number}, but X has {n_features} columns: two of 0 to "
                f"{n_features - 1} are needed."
            )
        numbers.append(number % n_features)
    return numbers
