"""All displays of a clustering in one figure: ``python examples/choosing.py [FILE.png]``."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from quickshiftpp import QuickshiftPP, sweep
from quickshiftpp.plotting import (
    ClusterCountDisplay,
    ClusterDisplay,
    ModeTreeDisplay,
    ProminenceDisplay,
    StabilityDisplay,
)

X, _ = make_blobs(4000, centers=8, cluster_std=[0.5, 0.7, 0.9, 1, 1.2, 1.4, 1.6, 2], random_state=3)
model = QuickshiftPP(k="auto", beta="auto").fit(X)
grid = sweep(X, min_cluster_size="k", dimension="intrinsic")

figure, axes = plt.subplots(2, 3, figsize=(15, 8.5), layout="constrained")
ClusterDisplay.from_estimator(model, X, ax=axes[0, 0])
axes[0, 0].set_title(f"{model.n_clusters_} clusters at k = {model.k_}, beta = {model.beta_:.2f}")
ProminenceDisplay.from_estimator(model, ax=axes[0, 1])
axes[0, 1].set_title("Modes far below the diagonal are clusters")
ModeTreeDisplay.from_estimator(model, ax=axes[0, 2])
axes[0, 2].set_title("Where each mode meets a higher one")
ClusterCountDisplay.from_estimator(model, ax=axes[1, 0])
axes[1, 0].set_title("Number of clusters at every beta")
StabilityDisplay.from_sweep(grid, ax=axes[1, 1])
axes[1, 1].set_title("Stability at every k and beta")
path = model.tree_.path(int(model.radii_.argmax()), beta=model.beta_)
lines = [f"sample {i:>4}   log density {f:7.2f}" for i, f, _ in path[:14]]
lines += ["..."] if len(path) > 14 else [f"core of cluster {path['core_label'][-1]}"]
axes[1, 2].text(0.02, 0.98, "\n".join(lines), va="top", family="monospace", fontsize=10)
axes[1, 2].axis("off")
axes[1, 2].set_title("The path of the sample of lowest density")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "choosing.png", dpi=100)
