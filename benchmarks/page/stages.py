"""How long each stage of a fit takes, and a cut of the finished tree."""

from __future__ import annotations

import statistics
import time
import warnings

from quickshiftpp import DegenerateClusteringWarning, QuickshiftPP
from quickshiftpp._progress import listening

from ..data import Dataset
from ..peers import BETA, Samples
from ..timing import median_seconds
from .scope import Protocol
from .store import Entry

CUTS = 5
OTHER_BETA = 0.6


class StageClock:
    """Listens to a fit and takes the time from the first word of each stage to its last."""

    def __init__(self) -> None:
        self._spans: dict[str, tuple[float, float]] = {}

    def __call__(self, stage: str, fraction: float) -> None:  # noqa: ARG002
        """Take note that a stage is under way."""
        now = time.perf_counter()
        self._spans[stage] = (self._spans.get(stage, (now, now))[0], now)

    @property
    def start(self) -> float:
        """When the first of them began."""
        return min(start for start, _ in self._spans.values())

    @property
    def seconds(self) -> dict[str, float]:
        """The time of each stage, in the order in which they began."""
        return {stage: end - start for stage, (start, end) in self._spans.items()}


def timed_stages(model: QuickshiftPP, X: Samples) -> dict[str, float]:
    """Fit, and return the seconds of each stage.

    ``checks`` is what comes before the first, ``other`` what lies between them and after the last.
    """
    clock = StageClock()
    start = time.perf_counter()
    with listening(clock):
        model.fit(X)
    total = time.perf_counter() - start
    known = {"checks": clock.start - start, **clock.seconds}
    return {**known, "other": max(0.0, total - sum(known.values()))}


def measure_stages(dataset: Dataset, protocol: Protocol) -> Entry:
    """Return median seconds of the ``stages``, of the whole ``fit``, and of a ``cut``.

    The cut is at another beta than the fit's.
    """
    X = dataset.make()
    model = QuickshiftPP(
        protocol.k, BETA, min_cluster_size=protocol.k, n_jobs=protocol.threads, verbose=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateClusteringWarning)
        model.fit(X[:: max(1, len(X) // 500)])  # what a first fit does once is not counted
        rounds = [timed_stages(model, X) for _ in range(protocol.repeats)]
    return {
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "data": dataset.description,
        "k": protocol.k,
        "fit": statistics.median(sum(seconds.values()) for seconds in rounds),
        "cut": median_seconds(lambda: model.tree_.labels(beta=OTHER_BETA), CUTS),
        "stages": {
            stage: statistics.median(seconds[stage] for seconds in rounds) for stage in rounds[0]
        },
    }
