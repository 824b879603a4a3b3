"""The tree of modes, which holds the clustering for every beta."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._frames import to_frame
from .._threads import threads_on_this_machine
from .._validation import InvalidParameterError, check_beta, check_min_cluster_size, is_whole
from .beta_search import BetaSearch, Breakpoints
from .density import knn_log_density, least_beta, prominences, radii, radius_ratio_limit

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
# With a least cluster size, a number of clusters may exist in a narrow range of beta only. All
# clusterings are looked at where that takes no more visits to samples than this, about a second.
_MOST_VISITS = 20_000_000
NO_POSITIONS = np.empty(0, dtype=np.int32)  # where only the clusters are wanted, and no labels


class Clustering:
    """The clustering at one beta: a cut of a mode tree.

    Attributes
    ----------
    labels : ndarray of int32
        By row, or at the positions that were asked for.
    modes : ndarray of int32
        The number of each cluster's mode in the tree.
    sizes : ndarray of int64
        The number of samples of each cluster.
    """

    def __init__(
        self,
        tree: ModeTree,
        labels: npt.NDArray[np.int32],
        modes: npt.NDArray[np.int32],
        sizes: npt.NDArray[np.int64],
        core_of_basin: npt.NDArray[np.int32],
        core_squared_radius: npt.NDArray[np.float64],
    ) -> None:
        self.labels = labels
        self.modes = modes
        self.sizes = sizes
        self._tree = tree
        # For each mode the core that its basin lies in, -1 for none, and how far that core reaches.
        self._cores = core_of_basin, core_squared_radius

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.modes)

    @cached_property
    def core_labels(self) -> npt.NDArray[np.int32]:
        """The core that each sample lies in, by row; -1 for none."""
        return self._tree._native.core_labels(*self._cores, self._tree._threads)

    def core_labels_at(self, positions: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the core that the samples at some positions lie in; -1 for none."""
        return self._tree._native.core_labels(*self._cores, self._tree._threads, positions)

    @property
    def mode_rows(self) -> npt.NDArray[np.int64]:
        """The row of each cluster's mode."""
        native = self._tree._native
        rows = native.row_at_position[native.mode_positions[self.modes]]
        return rows.astype(np.int64)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {name: value for name, value in vars(self).items() if name != "core_labels"}


class ModeTree:
    """The modes of a density, each with the saddle where it meets a higher one.

    Lower a level from the highest density to zero. Above it, the samples form connected components
    of the mutual k-nearest-neighbor graph. Each component is born at a mode and ends at a saddle,
    where it merges into a component with a denser mode. The prominence of a mode is
    ``1 - density(saddle) / density(mode)``. The cluster-cores of Quickshift++ at `beta` belong to
    the modes with a prominence above `beta`, so one tree holds the clusterings for all betas.

    Fitting :class:`QuickshiftPP` builds the tree; it is not meant to be built by hand.

    Attributes
    ----------
    modes : ndarray of shape (n_modes,)
        A structured array, densest mode first. Fields: ``index``, the row of the mode;
        ``log_density``; ``saddle``, the row of the sample at which the mode's component merges into
        that of a denser mode, -1 if it never does; ``saddle_log_density``, -inf if it never does;
        ``parent``, the number of that denser mode, -1 if there is none; ``prominence``; ``size``,
        the number of samples in the component when it ends.
    n_modes, n_samples : int
        The number of modes and of samples.
    k : int
        The number of neighbors used.
    dimension : float
        The dimension that turns radii into densities.
    min_cluster_size : int
        The least size of a cluster in the fit: the default of every method here.
    """

    def __init__(
        self,
        native: _core.ModeTree,
        *,
        k: int,
        dimension: float,
        scale_exponent: int,
        threads: int,
        min_cluster_size: int = 1,
    ) -> None:
        self.k = k
        self.dimension = dimension
        self.min_cluster_size = min_cluster_size
        self._native = native
        self._scale_exponent = scale_exponent
        self._threads = threads

    def _with_min_cluster_size(self, min_cluster_size: int) -> ModeTree:
        """Return the same tree with another default."""
        return ModeTree(
            self._native,
            k=self.k,
            dimension=self.dimension,
            scale_exponent=self._scale_exponent,
            threads=self._threads,
            min_cluster_size=min_cluster_size,
        )

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return self._native.n_samples

    @property
    def n_modes(self) -> int:
        """The number of modes."""
        return self._native.n_modes

    # By row, for estimators and segmentation.

    @property
    def _squared_radii(self) -> npt.NDArray[np.float64]:
        """In the scale of the index."""
        return self._native.squared_radii_by_row(self._threads)

    @cached_property
    def _radii(self) -> npt.NDArray[np.float64]:
        return radii(self._squared_radii, self._scale_exponent)

    @cached_property
    def _log_density(self) -> npt.NDArray[np.float64]:
        return self._log_density_of(self._squared_radii)

    @cached_property
    def _parents(self) -> npt.NDArray[np.int32]:
        return self._native.parents_by_row(self._threads)

    def _log_density_of(self, squared_radii: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return knn_log_density(
            squared_radii, self.n_samples, self.k, self.dimension, self._scale_exponent
        )

    def _positions(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the positions of some rows."""
        position: npt.NDArray[np.int32] = np.empty(self.n_samples, dtype=np.int32)
        position[self._native.row_at_position] = np.arange(self.n_samples, dtype=np.int32)
        wanted: npt.NDArray[np.int32] = position[rows]
        return wanted

    @cached_property
    def modes(self) -> npt.NDArray[Any]:
        """Every mode, densest first; see the attributes above."""
        native = self._native
        row, radii = native.row_at_position, native.squared_radii
        positions, saddles = native.mode_positions, native.saddle_positions
        modes = np.zeros(self.n_modes, dtype=MODE_DTYPE)
        modes["index"] = row[positions]
        modes["log_density"] = self._log_density_of(radii[positions])
        modes["saddle"] = np.where(saddles >= 0, row[saddles], -1)
        at_saddle = np.where(saddles >= 0, radii[saddles], np.inf)
        modes["saddle_log_density"] = self._log_density_of(at_saddle)
        modes["parent"] = native.parent_modes
        modes["prominence"] = prominences(native.saddle_ratios(), self.dimension)
        modes["size"] = native.sizes
        return modes

    @cached_property
    def _ascending_ratios(self) -> npt.NDArray[np.float64]:
        return np.sort(self._native.saddle_ratios())

    def __repr__(self) -> str:
        return f"ModeTree(n_samples={self.n_samples}, n_modes={self.n_modes}, k={self.k})"

    def n_clusters(self, beta: npt.ArrayLike, *, min_cluster_size: int | None = None) -> Any:
        """Count the clusters at one beta or at many.

        Parameters
        ----------
        beta : float or array-like
            Each strictly between 0 and 1.
        min_cluster_size : int, optional
            Clusters with fewer samples are not counted; by default the least size of the fit.
            Beyond 1, every beta costs a pass over the samples.

        Returns
        -------
        int or ndarray of int, of the shape of `beta`
        """
        size = self._least_size(min_cluster_size)
        betas = np.asarray(beta, dtype=np.float64)
        checked = [check_beta(value) for value in betas.flat]
        if size == 1:
            limits = [radius_ratio_limit(value, self.dimension) for value in checked]
            # A mode founds a core where the quotient at its saddle exceeds the limit.
            within = np.searchsorted(self._ascending_ratios, limits, side="right")
            counts = self.n_modes - within
        else:
            counts = np.array([self._cut(b, size, NO_POSITIONS).n_clusters for b in checked])
        return int(counts[0]) if betas.ndim == 0 else counts.reshape(betas.shape)

    def betas(self) -> npt.NDArray[np.float64]:
        """Return the betas at which the number of modes that are clusters changes, ascending.

        They are the prominences of the modes, without 0 and 1. From one to the next the same modes
        found a cluster, before `min_cluster_size` takes effect.
        """
        found = np.unique(self.modes["prominence"])
        return found[(found > 0) & (found < 1)]

    def beta_for(self, n_clusters: int, *, min_cluster_size: int | None = None) -> float:
        """Return a beta that gives `n_clusters` clusters, in the middle of a range that does.

        Parameters
        ----------
        n_clusters : int
            The number of clusters that come out, after `min_cluster_size` has taken effect.
        min_cluster_size : int, optional
            The least size of a cluster; by default that of the fit.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            Where no such beta is found. The message lists the nearest numbers that one gives. With
            ``min_cluster_size=1``, and up to about 1,000 samples, there is none then. Otherwise a
            number that only a narrow range of beta gives may be missed.
        """
        return self._beta_for(n_clusters, self._least_size(min_cluster_size))

    def _beta_for(self, n_clusters: Any, size: int, first_guess: float | None = None) -> float:
        if not is_whole(n_clusters):
            raise InvalidParameterError(
                f"n_clusters is {n_clusters!r}, but it must be a whole number from 1 on."
            )
        search = self._beta_search(size)
        beta = search.find(int(n_clusters), first_guess)
        if search.count(beta) != n_clusters:
            raise InvalidParameterError(
                f"n_clusters is {n_clusters}, but no beta was found that gives that many clusters "
                f"with min_cluster_size={size}; the nearest numbers are "
                f"{search.nearest_counts(int(n_clusters))}."
            )
        return beta

    def _beta_search(self, size: int) -> BetaSearch:
        ratios = np.unique(self._ascending_ratios)
        is_inside = (ratios > 1) & (ratios < np.inf)
        return BetaSearch(
            lambda beta: int(self.n_clusters(beta, min_cluster_size=size)),
            Breakpoints(ratios[is_inside], self.dimension),
            lambda n_clusters: self._rare_betas(n_clusters, size),
        )

    def _rare_betas(self, n_clusters: int, size: int) -> Iterator[float]:
        """Yield a beta for every clustering with this number of clusters and this least size.

        All clusterings are looked at, so there is none where this would take long. Without a least
        size there is no need: the number falls as beta grows.
        """
        ratios = self._core_ratios(n_clusters) if size > 1 else None
        if ratios is None or len(ratios) * self.n_samples > _MOST_VISITS:
            return
        least = min(size, self.n_samples)
        for ratio in ratios.tolist():
            _, modes, *_ = self._native.cut(ratio, least, self._threads, NO_POSITIONS)
            if len(modes) == n_clusters:
                beta = least_beta(ratio, self.dimension)
                if beta < 1:
                    yield beta

    def _core_ratios(self, n_clusters: int) -> npt.NDArray[np.float64] | None:
        """Return every quotient at which a core gains or loses samples, ascending.

        That is, the quotients of the squared radius of each sample by that of each mode whose core
        it may belong to, while there are at least `n_clusters` cores. None if there are too many.
        """
        native = self._native
        of_mode = native.squared_radii[native.mode_positions]
        fewest = np.clip(self.n_modes - n_clusters, 0, self.n_modes)
        limit = np.append(self._ascending_ratios, np.inf)[fewest]
        found = [np.ones(1), native.saddle_ratios()]
        mode = native.basins
        radii = native.squared_radii
        while len(mode) > 0:
            if sum(map(len, found)) > _MOST_VISITS:
                return None
            with np.errstate(divide="ignore", invalid="ignore"):
                found.append(np.unique(radii / of_mode[mode]))
            mode = native.parent_modes[mode]
            radii, mode = radii[mode >= 0], mode[mode >= 0]
        ratios: npt.NDArray[np.float64] = np.unique(np.concatenate(found))
        is_wanted: npt.NDArray[np.bool_] = (ratios >= 1) & (ratios < limit)
        return ratios[is_wanted]

    def labels(
        self,
        beta: float | None = None,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int | None = None,
    ) -> npt.NDArray[np.int32]:
        """Label every sample, without a neighbor search.

        Parameters
        ----------
        beta : float, optional
            Strictly between 0 and 1.
        n_clusters : int, optional
            Ask for this number of clusters instead. It counts the clusters that come out, after
            `min_cluster_size` has taken effect.
        min_cluster_size : int, optional
            Clusters with fewer samples lose their core, and their samples climb on to another
            cluster; by default the least size of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            0 is the cluster of the densest mode.
        """
        size = self._least_size(min_cluster_size)
        return self._cut(self._resolve_beta(beta, n_clusters, size), size).labels

    def core_labels(
        self,
        beta: float | None = None,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int | None = None,
    ) -> npt.NDArray[np.int32]:
        """Label the samples inside cluster-cores, as :meth:`labels` does; -1 outside."""
        size = self._least_size(min_cluster_size)
        beta = self._resolve_beta(beta, n_clusters, size)
        return self._cut(beta, size, NO_POSITIONS).core_labels

    def path(
        self, sample: int, beta: float | None = None, *, min_cluster_size: int | None = None
    ) -> npt.NDArray[Any]:
        """Return the path on which a sample climbs: why it has its label.

        Parameters
        ----------
        sample : int
            The row number of the sample, negative from the end.
        beta : float, optional
            Stop at the first sample inside a cluster-core at this beta, and end with the mode of
            that core. Without a beta, climb to a sample that has no denser one.
        min_cluster_size : int, optional
            The same as for :meth:`labels`.

        Returns
        -------
        ndarray
            A structured array from the sample itself upward: ``index``, ``log_density`` and
            ``core_label``, -1 outside cores or where no beta was given.
        """
        if not -self.n_samples <= sample < self.n_samples:
            raise InvalidParameterError(
                f"sample is {sample}, but it must be a row number, at most {self.n_samples - 1}."
            )
        native = self._native
        everyone = np.arange(self.n_samples, dtype=np.int32)
        found = None
        core_labels = np.full(self.n_samples, -1, dtype=np.int32)
        if beta is not None:
            found = self._cut(beta, self._least_size(min_cluster_size), NO_POSITIONS)
            core_labels = found.core_labels_at(everyone)
        parents = native.parents
        steps = [int(self._positions(np.array([sample]))[0])]
        while core_labels[steps[-1]] < 0 and parents[steps[-1]] >= 0:
            steps.append(int(parents[steps[-1]]))
        if found is not None:
            mode = int(native.mode_positions[found.modes[core_labels[steps[-1]]]])
            steps += [mode] if mode != steps[-1] else []
        path = np.empty(len(steps), dtype=PATH_DTYPE)
        path["index"] = native.row_at_position[steps]
        path["log_density"] = self._log_density_of(native.squared_radii[steps])
        path["core_label"] = core_labels[steps]
        return path

    def linkage(self) -> npt.NDArray[np.float64]:
        """Return the merges of the modes in SciPy's linkage format.

        The observations are the modes; two sets of them merge at the prominence of the mode that
        ends there. ``scipy.cluster.hierarchy.fcluster(tree.linkage(), beta, "distance")`` gives as
        many groups as there are clusters at that beta, and ``dendrogram`` draws them. A mode that
        lies in no core may be in another group than its label: samples outside cores climb to the
        nearest denser sample, not along the tree.

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
            By default the first of these that is already imported, or else installed.
        """
        columns = {name: self.modes[name] for name in MODE_DTYPE.names or ()}
        return to_frame(columns, library)

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

    def _cut(
        self,
        beta: float,
        min_cluster_size: int,
        positions: npt.NDArray[np.int32] | None = None,
    ) -> Clustering:
        """Return the clustering at one beta, with labels by row or at some positions."""
        found = self._native.cut(
            radius_ratio_limit(check_beta(beta), self.dimension),
            min(min_cluster_size, self.n_samples),
            self._threads,
            positions,
        )
        return Clustering(self, *found)

    def _least_size(self, min_cluster_size: int | None) -> int:
        if min_cluster_size is None:
            return self.min_cluster_size
        return check_min_cluster_size(min_cluster_size)

    def _resolve_beta(self, beta: float | None, n_clusters: int | None, size: int) -> float:
        """Return the beta that is meant by exactly one of the two."""
        if (beta is None) == (n_clusters is None):
            raise InvalidParameterError(
                f"beta is {beta} and n_clusters is {n_clusters}: give one of the two, and only one."
            )
        return check_beta(beta) if n_clusters is None else self._beta_for(n_clusters, size)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        computed = {"modes", "_ascending_ratios", "_radii", "_log_density", "_parents"}
        return {name: value for name, value in vars(self).items() if name not in computed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._threads = threads_on_this_machine(self._threads)
