"""The mode tree: cuts at many betas against the oracle, and everything else it can be asked."""

from __future__ import annotations

import pickle
import re
from typing import Any, ClassVar

import numpy as np
from scipy.cluster.hierarchy import fcluster

import oracle
from quickshiftpp import InvalidParameterError, ModeTree, QuickshiftPP

from ..checks import Checks
from ..paths import on_path
from ..samples import draw_beta
from ..ties import is_near_tie
from .base import Case, register
from .sampled import SampledTarget, scaled

# Two betas at which the tree changes may be so close that rounding decides between them.
_APART = 1e-9


@register
class TreeTarget(SampledTarget):
    """Cuts, counts, wanted numbers of clusters, paths, linkage, relabeling, pickling."""

    name = "tree"
    share: ClassVar[float] = 2.0
    largest = 40
    widest = 12

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:
        """Draw betas and a least size of clusters."""
        return {
            "betas": [draw_beta(rng) for _ in range(3)],
            "size": int(rng.integers(2, max(3, len(case["X"]) // 3))),
            "sample": int(rng.integers(0, 2**16)),
        }

    def check(
        self, checks: Checks, *, X: Any, k: int, beta: float, betas: list[float], size: int,
        sample: int = 0, exponent: int = 0, algorithm: str = "auto", n_jobs: int = 1,
        simd: str | None = None, lists: bool = True,
    ) -> None:  # fmt: skip
        """Fit once, then ask the tree."""
        with on_path(simd, lists):
            model = QuickshiftPP(k, beta, algorithm=algorithm, n_jobs=n_jobs)
            tree = model.fit(scaled(X, exponent)).tree_
            restored = pickle.loads(pickle.dumps(model))
            for other in betas:
                for least in (1, size) if not is_near_tie(X, k, other) else ():
                    expected = oracle.quickshiftpp(X, k, other, min_cluster_size=least)
                    options = {"min_cluster_size": least}
                    at = f"beta={other!r}, min_cluster_size={least}"
                    labels = tree.labels(other, **options)
                    checks.equal(f"labels({at})", labels, expected.labels)
                    cores = tree.core_labels(other, **options)
                    checks.equal(f"core_labels({at})", cores, expected.core_labels)
                    count = tree.n_clusters(other, **options)
                    checks.equal(f"n_clusters({at})", count, len(expected.modes))
                    again = restored.tree_.labels(other, **options)
                    checks.equal(f"labels({at}) after pickling", again, expected.labels)
                    model.relabel(other, **options)
                    checks.equal(f"relabel({at})", model.labels_, expected.labels)
                    checks.equal(f"cores of relabel({at})", model.core_labels_, cores)
                    checks.same_rows("modes", X, model.mode_indices_, expected.modes)
                self._check_path(checks, tree, sample % len(X), other)
            self._check_counts(checks, model, size)
            self._check_linkage(checks, tree, betas)
            fresh = QuickshiftPP(k, betas[0]).fit(scaled(X, exponent))
        model.relabel(betas[0], min_cluster_size=1)
        checks.same_fit("relabel and a fresh fit", X, model, fresh)
        checks.same_fit("pickling", X, restored.relabel(betas[0]), fresh)

    @staticmethod
    def _check_path(checks: Checks, tree: ModeTree, row: int, beta: float) -> None:
        path = tree.path(row, beta)
        labels, cores = tree.labels(beta), tree.core_labels(beta)
        checks.equal("path: start", path["index"][0], row)
        checks.equal("path: cores", path["core_label"], cores[path["index"]])
        checks.equal("path: label", path["core_label"][-1], labels[row])
        height = path["log_density"]
        checks.holds("path: upward", (height[1:] >= height[:-1]).all())

    @staticmethod
    def _check_counts(checks: Checks, model: QuickshiftPP, size: int) -> None:
        """Every number of clusters that some beta gives can be asked for."""
        tree = model.tree_
        edges = np.concatenate([[0], tree.betas(), [1]])
        middles = (edges[1:] + edges[:-1]) / 2
        # A least size makes the number depend on how far the cores reach, which changes between
        # these betas too; only those in the middle are promised to be found.
        everywhere = np.sort(np.concatenate([edges[1:-1], middles]))
        for least, tried in ((1, everywhere), (size, middles)):
            counts = tree.n_clusters(tried[:: max(1, len(tried) // 8)], min_cluster_size=least)
            checks.holds("n_clusters falls", least > 1 or (np.diff(counts) <= 0).all())
            for count in np.unique(counts).tolist():
                labels = tree.labels(n_clusters=count, min_cluster_size=least)
                checks.equal(f"labels(n_clusters={count})", labels.max() + 1, count)
                model.relabel(n_clusters=count, min_cluster_size=least)
                checks.equal(f"relabel(n_clusters={count})", model.n_clusters_, count)
            for count in sorted({1, 2, 3, tree.n_modes} - set(counts.tolist())):
                try:
                    labels = tree.labels(n_clusters=count, min_cluster_size=least)
                except InvalidParameterError as error:
                    nearest = re.findall(r"\d+", str(error).rpartition("[")[2])
                    is_listed = str(count) in nearest
                    checks.holds("a number that is listed can be had", not is_listed, error)
                else:
                    checks.equal(f"labels(n_clusters={count})", labels.max() + 1, count)

    @staticmethod
    def _check_linkage(checks: Checks, tree: ModeTree, betas: list[float]) -> None:
        linkage = tree.linkage()
        checks.equal("linkage: shape", linkage.shape, (tree.n_modes - 1, 4))
        if tree.n_modes < 2:
            return
        gap = np.abs(linkage[:, 2][:, None] - np.array(betas)).min(axis=0)
        for beta, distance in zip(betas, gap, strict=True):
            if distance > _APART:
                groups = fcluster(linkage, beta, "distance").max()
                checks.equal(
                    f"linkage: groups at {beta!r}",
                    groups,
                    tree.n_clusters(beta, min_cluster_size=1),
                )
