"""Stage 3: the tree of modes, which holds the clustering for every beta."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._density import prominences, radius_ratio_limit, radius_ratios
from ._progress import Progress
from ._validation import check_beta, resolve_threads

MODE_DTYPE = np.dtype(
    [
        ("index", np.int64),
        ("log_density", np.float64),
        ("saddle_log_density", np.float64),
        ("saddle", np.int64),
        ("parent", np.int32),
        ("prominence", np.float64),
        ("size", np.int64),
    ]
)


class ModeTree:
    """The modes of a density, each with the saddle where it meets a higher one.

    Lower a level from the highest density to zero and watch the connected components of the samples
    above it, in the mutual k-nearest-neighbour graph. Each is born at a mode and ends when it meets
    a component with a higher mode, at a saddle. The prominence of a mode is the share of its
    density that is lost on the way down to its saddle. The cluster-cores of Quickshift++ at `beta`
    belong to the modes of prominence above `beta`, so that one tree holds every clustering.

    Made by :meth:`QuickshiftPP.fit`; not meant to be built by hand.

    Attributes
    ----------
    modes : ndarray of shape (n_modes,)
        A structured array, densest first. Fields: ``index``, the sample at the mode;
        ``log_density``; ``saddle``, the sample where the mode meets a higher one, -1 if never;
        ``saddle_log_density``, -inf if never; ``parent``, the number of that higher mode, -1 if
        none; ``prominence``; ``size``, the number of samples that belong to the mode in the
        graph or to a mode that merged into it.
    n_samples : int
    dimension : float
        The dimension that relates radii to densities.
    """

    def __init__(
        self,
        modes: npt.NDArray[Any],
        *,
        basin: npt.NDArray[np.int32],
        squared_radii: npt.NDArray[np.float64],
        parents: npt.NDArray[np.int32],
        dimension: float,
        threads: int,
    ) -> None:
        self.modes = modes
        self.n_samples = basin.shape[0]
        self.dimension = dimension
        self._basin = basin
        self._squared_radii = squared_radii
        self._parents = parents
        self._threads = threads
        saddle = modes["saddle"]
        self._saddle_squared_radii = np.where(
            saddle < 0, np.inf, squared_radii[np.maximum(saddle, 0)]
        )
        ratios = radius_ratios(self._saddle_squared_radii, squared_radii[modes["index"]])
        self._ascending_ratios = np.sort(ratios)
        self.modes["prominence"] = prominences(ratios, dimension)

    def __repr__(self) -> str:
        return f"ModeTree(n_samples={self.n_samples}, n_modes={len(self.modes)})"

    def n_clusters(self, beta: npt.ArrayLike) -> Any:
        """Count the clusters at one beta or at many.

        Parameters
        ----------
        beta : float or array-like
            Each strictly between 0 and 1.

        Returns
        -------
        int or ndarray of int, of the shape of `beta`
        """
        betas = np.asarray(beta, dtype=np.float64)
        limits = [radius_ratio_limit(check_beta(b), self.dimension) for b in betas.flat]
        below = np.searchsorted(self._ascending_ratios, limits, side="right")
        counts = (len(self.modes) - below).reshape(betas.shape)
        return int(counts) if counts.ndim == 0 else counts

    def beta_for(self, n_clusters: int) -> float:
        """Return a beta, in the middle of all that serve, that gives `n_clusters` clusters."""
        possible = len(self.modes) - np.searchsorted(
            self._ascending_ratios, np.unique(self._ascending_ratios), side="right"
        )
        edges = prominences(np.unique(self._ascending_ratios), self.dimension)
        match = np.flatnonzero(possible == n_clusters)
        if match.size:
            low = edges[match[0]]
            high = edges[match[0] + 1] if match[0] + 1 < len(edges) else 1.0
            middle = 0.5 * (low + high)
        elif n_clusters == len(self.modes) and edges[0] > 0:
            middle = 0.5 * edges[0]
        else:
            middle = 0.0
        if not 0 < middle < 1 or self.n_clusters(middle) != n_clusters:
            usable = sorted({int(c) for c in possible if c > 0})
            nearest = sorted(usable, key=lambda c: abs(c - n_clusters))[:3]
            raise ValueError(
                f"n_clusters is {n_clusters}, but no beta gives that many clusters here; the "
                f"nearest numbers that one does give are {sorted(nearest)}."
            )
        return float(middle)

    def labels(
        self,
        beta: float | None = None,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Label every sample, without a neighbour search.

        Parameters
        ----------
        beta : float, optional
            Strictly between 0 and 1.
        n_clusters : int, optional
            Ask for so many clusters instead, before `min_cluster_size` takes effect.
        min_cluster_size : int, default=1
            Smaller clusters lose their core and their samples climb on to another.

        Returns
        -------
        ndarray of shape (n_samples,)
            0 is the cluster of the densest mode.
        """
        return self.cut(self._resolve(beta, n_clusters), min_cluster_size)[0]

    def core_labels(
        self,
        beta: float | None = None,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Label the samples inside cluster-cores, as :meth:`labels` does; -1 outside."""
        return self.cut(self._resolve(beta, n_clusters), min_cluster_size)[1]

    def cut(
        self, beta: float, min_cluster_size: int = 1
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return labels, core labels, and the number of the mode of each label."""
        return _core.cut_labels(
            self._basin,
            self._squared_radii,
            self._parents,
            np.ascontiguousarray(self.modes["index"]),
            self._saddle_squared_radii,
            np.ascontiguousarray(self.modes["parent"]),
            radius_ratio_limit(check_beta(beta), self.dimension),
            min(
                min_cluster_size, self.n_samples + 1
            ),  # whatever the number, it fits the native type
            self._threads,
        )

    def _resolve(self, beta: float | None, n_clusters: int | None) -> float:
        if (beta is None) == (n_clusters is None):
            raise ValueError(
                f"beta is {beta} and n_clusters is {n_clusters}: give one of the two, not both."
            )
        return self.beta_for(n_clusters) if n_clusters is not None else check_beta(beta)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._threads = min(self._threads, resolve_threads(None))


def build_tree(
    index: Any,
    lists: _core.NeighborLists,
    squared_radii: npt.NDArray[np.float64],
    log_density: npt.NDArray[np.float64],
    parents: npt.NDArray[np.int32],
    dimension: float,
    threads: int,
    progress: Progress | None,
) -> ModeTree:
    """Build the tree of the mutual neighbour graph."""
    sample, saddle, parent, size, basin = _core.mode_tree(index, lists, threads, progress)
    modes = np.zeros(len(sample), dtype=MODE_DTYPE)
    modes["index"] = sample
    modes["log_density"] = log_density[sample]
    modes["saddle"] = saddle
    modes["saddle_log_density"] = np.where(saddle < 0, -np.inf, log_density[np.maximum(saddle, 0)])
    modes["parent"] = parent
    modes["size"] = size
    return ModeTree(
        modes,
        basin=basin,
        squared_radii=squared_radii,
        parents=parents,
        dimension=dimension,
        threads=threads,
    )
