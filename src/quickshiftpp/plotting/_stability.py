"""Agreement of each clustering of a sweep over k and beta with its neighbors in the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ._style import INK, PALETTE, RULE, axes_for, merged, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, QuadMesh
    from matplotlib.colorbar import Colorbar
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Text

_FIGSIZE = (6.2, 4.2)
_CHARACTER = 0.62, 1.25  # the width and height of a character, in units of the font size
_MOST_TICKS = 12


class StabilityDisplay:
    """Heat map over k and beta of how well each clustering agrees with its neighbors in the grid.

    Dark cells are stable: a small change of k or beta changes few labels. Each cell contains its
    number of clusters. If the cells are too small for that, the number is written once in each
    region of equal number. Lines separate these regions. A large dark region of more than one
    cluster is a natural choice.

    Parameters
    ----------
    ks : ndarray of shape (n_ks,)
        Ascending.
    betas : ndarray of shape (n_betas,)
        Ascending.
    n_clusters : ndarray of shape (n_ks, n_betas)
    stability : ndarray of shape (n_ks, n_betas)
        The mean adjusted Rand index with the neighboring cells, of which there are up to four.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    cells_ : QuadMesh
    borders_ : LineCollection
        Between cells of different numbers of clusters.
    numbers_ : list of Text
    colorbar_ : Colorbar or None

    See Also
    --------
    ClusterCountDisplay : The number of clusters for one k and every beta.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from quickshiftpp.plotting import StabilityDisplay
    >>> display = StabilityDisplay(
    ...     np.array([10, 20]), np.array([0.3, 0.6, 0.9]),
    ...     n_clusters=np.array([[9, 3, 2], [5, 3, 2]]),
    ...     stability=np.array([[0.4, 0.8, 0.9], [0.5, 0.9, 1.0]]),
    ... )
    >>> display = display.plot(Figure().subplots())
    >>> [number.get_text() for number in display.numbers_]
    ['9', '3', '2', '5', '3', '2']
    """

    ax_: Axes
    figure_: Figure | SubFigure
    cells_: QuadMesh
    borders_: LineCollection
    numbers_: list[Text]
    colorbar_: Colorbar | None

    def __init__(
        self,
        ks: npt.NDArray[np.int64],
        betas: npt.NDArray[np.float64],
        *,
        n_clusters: npt.NDArray[np.int64],
        stability: npt.NDArray[np.float64],
    ) -> None:
        self.ks = ks
        self.betas = betas
        self.n_clusters = n_clusters
        self.stability = stability

    @classmethod
    def from_sweep(cls, sweep: Any, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the map of a sweep.

        Parameters
        ----------
        sweep : Sweep
            The result of :func:`quickshiftpp.sweep`.
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        StabilityDisplay
        """
        display = cls(
            np.asarray(sweep.ks),
            np.asarray(sweep.betas),
            n_clusters=np.asarray(sweep.n_clusters),
            stability=np.asarray(sweep.stability),
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, colorbar: bool = True, **kwargs: Any) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw into. By default a new figure is made.
        colorbar : bool, default=True
            Whether to draw a color bar beside the map.
        **kwargs
            Passed to ``Axes.pcolormesh`` for the cells, such as `cmap`, `vmin` and `vmax`.

        Returns
        -------
        self
        """
        self.ax_ = ax = axes_for(self, ax, _FIGSIZE)
        from matplotlib.collections import QuadMesh
        from matplotlib.colors import LinearSegmentedColormap

        self.figure_ = ax.figure
        shades = LinearSegmentedColormap.from_list("stability", ["white", PALETTE[0]])
        known = self.stability[np.isfinite(self.stability)]
        least = float(np.clip(np.floor(10 * known.min(initial=1)) / 10, 0, 0.5))
        # All cells have the same size, because the steps of a sweep are often geometric.
        style = {"cmap": shades.with_extremes(bad=RULE), "edgecolor": "face", "linewidth": 0.2}
        if "norm" not in kwargs:
            style |= {"vmin": least, "vmax": 1.0}
        self.cells_ = ax.pcolormesh(
            np.ma.masked_invalid(self.stability), **merged(QuadMesh, style, kwargs)
        )
        self._set_scales()
        self._draw_borders()
        self._write_numbers()
        self.colorbar_ = self._draw_colorbar() if colorbar else None
        tidy(ax, ())
        return self

    def _draw_colorbar(self) -> Colorbar:
        low = self.cells_.norm.vmin
        beyond = low is not None and bool((self.stability < low).any())
        colorbar = self.figure_.colorbar(
            self.cells_, ax=self.ax_, label="agreement with neighbors (adjusted Rand index)",
            pad=0.02, aspect=30, extend="min" if beyond else "neither",
        )  # fmt: skip
        colorbar.outline.set_visible(False)
        tidy(colorbar.ax, ())
        return colorbar

    def _set_scales(self) -> None:
        betas, ks = [f"{beta:.3g}" for beta in self.betas], [f"{k:,}" for k in self.ks]
        for axis, names in ((self.ax_.xaxis, betas), (self.ax_.yaxis, ks)):
            step = -(-len(names) // _MOST_TICKS)
            axis.set_ticks(np.arange(0, len(names), step) + 0.5, names[::step])
        self.ax_.set_xlabel("beta")
        self.ax_.set_ylabel("k")

    def _draw_borders(self) -> None:
        from matplotlib.collections import LineCollection

        counts = self.n_clusters
        row, column = np.nonzero(counts[:, 1:] != counts[:, :-1])
        upright = np.stack([column + 1, row, column + 1, row + 1], axis=-1).reshape(-1, 2, 2)
        row, column = np.nonzero(counts[1:] != counts[:-1])
        flat = np.stack([column, row + 1, column + 1, row + 1], axis=-1).reshape(-1, 2, 2)
        segments = np.concatenate([upright, flat]).astype(np.float64)
        self.borders_ = LineCollection(list(segments), color=INK, linewidth=0.5)
        self.ax_.add_collection(self.borders_, autolim=False)

    def _write_numbers(self) -> None:
        """Write into every cell if all have room, else once into every region with room."""
        size = min(self._largest_font(), _small())
        self.numbers_ = []
        if size >= 6:
            for row, column in np.ndindex(self.n_clusters.shape):
                self._write(row, column, size)
            return
        for row, column in self._regions_with_room(_small()):
            self._write(row, column, _small())

    def _cell_size(self) -> tuple[float, float]:
        """Return the width and height of a cell in points."""
        box, points = self.ax_.get_window_extent(), 72 / self.figure_.dpi
        return (
            box.width * points / len(self.betas) * 0.85,  # the rest is for the color bar
            box.height * points / len(self.ks),
        )

    def _largest_font(self) -> float:
        width, height = self._cell_size()
        digits = len(str(self.n_clusters.max())) + 0.8
        return min(width / (digits * _CHARACTER[0]), height / _CHARACTER[1])

    def _regions_with_room(self, size: float) -> list[tuple[int, int]]:
        """Return the cell farthest from the border of each region of equal number."""
        width, height = self._cell_size()
        places = []
        for count in np.unique(self.n_clusters):
            digits = len(str(count)) + 0.6
            rows = 2 * int(np.ceil((size * _CHARACTER[1] / height - 1) / 2)) + 1
            columns = 2 * int(np.ceil((digits * size * _CHARACTER[0] / width - 1) / 2)) + 1
            same = self.n_clusters == count
            room = ndimage.binary_erosion(same, np.ones((max(rows, 1), max(columns, 1))))
            depth = ndimage.distance_transform_edt(np.pad(same, 1))[1:-1, 1:-1] * room
            regions, n_regions = ndimage.label(same)
            best = ndimage.maximum_position(depth, regions, range(1, n_regions + 1))
            places += [place for place in best if room[place]]
        return places

    def _write(self, row: int, column: int, size: float) -> None:
        red, green, blue, _ = self.cells_.cmap(self.cells_.norm(self.stability[row, column]))
        dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.55
        self.numbers_.append(
            self.ax_.text(
                column + 0.5, row + 0.5, f"{self.n_clusters[row, column]}", ha="center",
                va="center", fontsize=size, color="white" if dark else INK,
            )
        )  # fmt: skip


def _small() -> float:
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size="small").get_size_in_points())
