"""Stage 3: the tree of modes, which holds the clustering for every beta."""

from __future__ import annotations

import importlib
import sys
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._validation import check_beta, check_min_cluster_size, resolve_threads
from .density import prominences, radius_ratio_limit, radius_ratios
from .terrain import Cores, Terrain

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
PATH_DTYPE = np.dtype([("index", np.int64), ("log_density", np.float64), ("core_label", np.int32)])
_NOBODY = np.empty(0, dtype=np.int32)  # positions, where no labels are needed
FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


class FoundModes(NamedTuple):
    """What the core tells of every mode, densest first. Samples by position, -1 for none."""

    positions: npt.NDArray[np.int32]
    saddles: npt.NDArray[np.int32]
    parents: npt.NDArray[np.int32]  # modes
    sizes: npt.NDArray[np.int64]


class Clustering(NamedTuple):
    """The samples of one clustering."""

    labels: npt.NDArray[np.int32]
    modes: npt.NDArray[np.int32]  # the number of the mode of each label
    sizes: npt.NDArray[np.int64]  # the number of samples of each label
    cores: Cores


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
    n_modes, n_samples : int
    dimension : float
        The dimension that relates radii to densities.
    """

    def __init__(self, found: FoundModes, terrain: Terrain) -> None:
        self.n_samples = len(terrain.row)
        self.dimension = terrain.dimension
        self._terrain = terrain
        self._found = found
        self._saddle_squared_radii = np.where(
            found.saddles >= 0, terrain.squared_radii[found.saddles], np.inf
        )

    @property
    def n_modes(self) -> int:
        """The number of modes."""
        return len(self._found.positions)

    @cached_property
    def modes(self) -> npt.NDArray[Any]:
        """Every mode, densest first; see the attributes above."""
        terrain, found = self._terrain, self._found
        modes = np.zeros(len(found.positions), dtype=MODE_DTYPE)
        modes["index"] = terrain.row[found.positions]
        modes["log_density"] = terrain.log_density(terrain.squared_radii[found.positions])
        modes["saddle"] = np.where(found.saddles >= 0, terrain.row[found.saddles], -1)
        modes["saddle_log_density"] = terrain.log_density(self._saddle_squared_radii)
        modes["parent"] = found.parents
        modes["prominence"] = prominences(self._ratios, self.dimension)
        modes["size"] = found.sizes
        return modes

    @cached_property
    def _ratios(self) -> npt.NDArray[np.float64]:
        inner = self._terrain.squared_radii[self._found.positions]
        return radius_ratios(self._saddle_squared_radii, inner)

    @cached_property
    def _ascending_ratios(self) -> npt.NDArray[np.float64]:
        return np.sort(self._ratios)

    def __repr__(self) -> str:
        return f"ModeTree(n_samples={self.n_samples}, n_modes={self.n_modes})"

    def n_clusters(self, beta: npt.ArrayLike, *, min_cluster_size: int = 1) -> Any:
        """Count the clusters at one beta or at many.

        Parameters
        ----------
        beta : float or array-like
            Each strictly between 0 and 1.
        min_cluster_size : int, default=1
            Do not count smaller clusters. Beyond 1, every beta costs a pass over the samples.

        Returns
        -------
        int or ndarray of int, of the shape of `beta`
        """
        betas = np.asarray(beta, dtype=np.float64)
        checked = [check_beta(value) for value in betas.flat]
        if min_cluster_size == 1:
            limits = [radius_ratio_limit(value, self.dimension) for value in checked]
            below = np.searchsorted(self._ascending_ratios, limits, side="right")
            counts = self.n_modes - below
        else:
            cuts = [self.cut(value, min_cluster_size, _NOBODY) for value in checked]
            counts = np.array([len(cut.modes) for cut in cuts])
        return int(counts[0]) if betas.ndim == 0 else counts.reshape(betas.shape)

    def betas(self) -> npt.NDArray[np.float64]:
        """Return the betas at which the number of clusters changes, ascending.

        They are the prominences of the modes, without 0 and 1. From one to the next the same modes
        are clusters.
        """
        found = np.unique(self.modes["prominence"])
        return found[(found > 0) & (found < 1)]

    def beta_for(self, n_clusters: int) -> float:
        """Return a beta, in the middle of all that serve, that gives `n_clusters` clusters."""
        if not isinstance(n_clusters, Integral) or isinstance(n_clusters, bool):
            raise ValueError(
                f"n_clusters is {n_clusters!r}, but it must be a whole number from 1 on."
            )
        possible = self.n_modes - np.searchsorted(
            self._ascending_ratios, np.unique(self._ascending_ratios), side="right"
        )
        edges = prominences(np.unique(self._ascending_ratios), self.dimension)
        match = np.flatnonzero(possible == n_clusters)
        if match.size:
            low = edges[match[0]]
            high = edges[match[0] + 1] if match[0] + 1 < len(edges) else 1.0
            middle = 0.5 * (low + high)
        elif n_clusters == self.n_modes and edges[0] > 0:
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
        return self.cut(self.resolve_beta(beta, n_clusters), min_cluster_size).labels

    def core_labels(
        self,
        beta: float | None = None,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Label the samples inside cluster-cores, as :meth:`labels` does; -1 outside."""
        found = self.cut(self.resolve_beta(beta, n_clusters), min_cluster_size, _NOBODY)
        return self._terrain.core_labels(found.cores)

    def path(
        self, sample: int, beta: float | None = None, *, min_cluster_size: int = 1
    ) -> npt.NDArray[Any]:
        """Return the samples that one sample climbs through: why it has its label.

        Parameters
        ----------
        sample : int
            The row number of the sample, negative from the end.
        beta : float, optional
            Stop at the first sample inside a cluster-core of this beta, and end with the mode of
            that core. Without it, climb to the densest sample.
        min_cluster_size : int, default=1
            As for :meth:`labels`.

        Returns
        -------
        ndarray
            A structured array from the sample itself upwards: ``index``, ``log_density`` and
            ``core_label``, -1 outside cores or where no beta was given.
        """
        if not -self.n_samples <= sample < self.n_samples:
            raise ValueError(
                f"sample is {sample}, but the row numbers end at {self.n_samples - 1}."
            )
        terrain = self._terrain
        found = None if beta is None else self.cut(beta, min_cluster_size, _NOBODY)
        if found is None:
            core_labels = np.full(self.n_samples, -1, dtype=np.int32)
        else:
            everyone = np.arange(self.n_samples, dtype=np.int32)
            core_labels = terrain.core_labels(found.cores, everyone)
        steps = [int(terrain.positions(np.array([sample]))[0])]
        while core_labels[steps[-1]] < 0 and terrain.parents[steps[-1]] >= 0:
            steps.append(int(terrain.parents[steps[-1]]))
        if found is not None:
            mode = int(self._found.positions[found.modes[core_labels[steps[-1]]]])
            steps += [mode] if mode != steps[-1] else []
        path = np.empty(len(steps), dtype=PATH_DTYPE)
        path["index"] = terrain.row[steps]
        path["log_density"] = terrain.log_density(terrain.squared_radii[steps])
        path["core_label"] = core_labels[steps]
        return path

    def linkage(self) -> npt.NDArray[np.float64]:
        """Return the merging of the modes in SciPy's format.

        The observations are the modes; two sets of them merge at the prominence of the mode that
        ends there. ``scipy.cluster.hierarchy.fcluster(tree.linkage(), beta, "distance")`` groups
        the modes by cluster at that beta, and ``dendrogram`` draws them.

        Returns
        -------
        ndarray of shape (n_modes - 1, 4)
        """
        count = len(self.modes)
        order = np.argsort(self.modes["prominence"][1:], kind="stable") + 1
        cluster_of, size = np.arange(count), np.ones(2 * count - 1, dtype=np.int64)
        merges = np.empty((count - 1, 4))

        def find(mode: int) -> int:
            while above[mode] != mode:
                above[mode] = above[above[mode]]
                mode = int(above[mode])
            return mode

        above = np.arange(count)
        for step, mode in enumerate(order):
            # Modes that never meet a higher one are joined to the densest, at prominence 1.
            one, other = find(int(mode)), find(max(int(self.modes["parent"][mode]), 0))
            pair = sorted((int(cluster_of[one]), int(cluster_of[other])))
            size[count + step] = size[pair[0]] + size[pair[1]]
            merges[step] = (*pair, self.modes["prominence"][mode], size[count + step])
            above[one] = other
            cluster_of[other] = count + step
        return merges

    @property
    def children(self) -> npt.NDArray[np.int64]:
        """The two clusters of modes that each merge joins, as in scikit-learn's ``children_``."""
        return self.linkage()[:, :2].astype(np.int64)

    def to_frame(self, library: str | None = None) -> Any:
        """Return the modes as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Whose frame; by default that of the library which is already imported, or else
            installed, in this order.
        """
        if library is not None and library not in FRAME_LIBRARIES:
            raise ValueError(f"library is {library!r}, but it must be one of {FRAME_LIBRARIES}.")
        wanted = FRAME_LIBRARIES if library is None else (library,)
        columns = {name: self.modes[name] for name in MODE_DTYPE.names or ()}
        for name in sorted(wanted, key=lambda candidate: candidate not in sys.modules):
            try:
                module = importlib.import_module(name)
            except ModuleNotFoundError:
                continue
            return module.table(columns) if name == "pyarrow" else module.DataFrame(columns)
        raise ModuleNotFoundError(
            f"to_frame needs one of {wanted}, and none is installed: pip install {wanted[0]}"
        )

    def to_networkx(self) -> Any:
        """Return the tree as a networkx.DiGraph, with an edge from each mode to its parent."""
        try:
            import networkx as nx
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "to_networkx needs networkx, which is not installed: "
                "pip install 'quickshiftpp[graph]'"
            ) from None
        graph = nx.DiGraph()
        for number, mode in enumerate(self.modes):
            graph.add_node(
                number,
                index=int(mode["index"]),
                log_density=float(mode["log_density"]),
                prominence=float(mode["prominence"]),
                size=int(mode["size"]),
            )
        for number in np.flatnonzero(self.modes["parent"] >= 0).tolist():
            graph.add_edge(
                number,
                int(self.modes["parent"][number]),
                saddle=int(self.modes["saddle"][number]),
                saddle_log_density=float(self.modes["saddle_log_density"][number]),
            )
        return graph

    def cut(
        self,
        beta: float,
        min_cluster_size: int = 1,
        positions: npt.NDArray[np.int32] | None = None,
    ) -> Clustering:
        """Return the clustering at one beta, its labels by row or at some positions only."""
        terrain = self._terrain
        labels, modes, sizes, core_labels, core_squared_radii = _core.cut_labels(
            terrain.row,
            terrain.basin,
            terrain.squared_radii,
            terrain.parents,
            self._found.positions,
            self._saddle_squared_radii,
            self._found.parents,
            radius_ratio_limit(check_beta(beta), self.dimension),
            min(check_min_cluster_size(min_cluster_size), self.n_samples),
            terrain.usable_threads,
            positions,
        )
        return Clustering(labels, modes, sizes, Cores(core_labels, core_squared_radii))

    def mode_rows(self, clustering: Clustering) -> npt.NDArray[np.int64]:
        """Return the row of the mode of each label."""
        rows = self._terrain.row[self._found.positions[clustering.modes]]
        return rows.astype(np.int64)

    def resolve_beta(self, beta: float | None, n_clusters: int | None) -> float:
        """Return the beta that is meant by exactly one of the two."""
        if (beta is None) == (n_clusters is None):
            raise ValueError(
                f"beta is {beta} and n_clusters is {n_clusters}: give one of the two, not both."
            )
        return check_beta(beta) if n_clusters is None else self.beta_for(n_clusters)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again."""
        made = {"modes", "_ratios", "_ascending_ratios"}
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._terrain.threads = min(self._terrain.threads, resolve_threads(None))
