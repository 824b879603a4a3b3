"""What a fit needs is known beforehand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from quickshiftpp import MCores, QuickshiftPP, all_neighbors, estimate_memory, sweep
from quickshiftpp._search import memory
from quickshiftpp._selection.vote import candidate_ks

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc"
)

FIT = """
import ctypes
import sys
import warnings
import numpy as np
from quickshiftpp import QuickshiftPP, all_neighbors
from quickshiftpp._search import memory

n, d, k, dtype, algorithm, large, farthest = sys.argv[1:]
memory.LARGE_LISTS = int(large)
n, d, k = int(n), int(d), int(k)
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = np.empty((n, d), dtype)
# Few directions, so that many columns do not take long.
directions = rng.normal(size=(min(d, 6), d)) if d > 6 else np.eye(d)
for part in np.array_split(X, 100):  # no large array that is freed and taken again
    part[:] = rng.normal(size=(len(part), len(directions))) @ directions
X[0] *= float(farthest)
X[2] = X[1]  # with k=2, their radii are zero
QuickshiftPP(5, 0.5, n_jobs=2, algorithm=algorithm).fit(X[:3000])  # libraries, thread pools
try:
    ctypes.CDLL(None).malloc_trim(0)  # what was freed is not there already
except AttributeError:
    pass

def resident(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name))

before = resident("VmRSS:")
with open("/proc/self/clear_refs", "w") as control:
    control.write("5")  # the peak starts anew
result = QuickshiftPP(k, 0.5, n_jobs=2, algorithm=algorithm).fit(X)
print(resident("VmHWM:") - before)
"""


def peak_of_fit(fit, *arguments):
    """Return what a fit takes at its peak, in a process of its own."""
    command = [sys.executable, "-c", fit, *map(str, arguments)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@needs_proc
@pytest.mark.parametrize(
    ("n", "d", "k", "dtype", "algorithm", "large_lists"),
    [
        (400_000, 2, 20, "float64", "kd_tree", 1 << 30),
        (200_000, 2, 100, "float32", "kd_tree", 1 << 30),
        (400_000, 2, 20, "float32", "kd_tree", 1 << 20),
        (400_000, 2, 5, "float32", "kd_tree", 1 << 20),
        (400_000, 2, 5, "float64", "kd_tree", 1 << 30),
        (150_000, 12, 20, "float64", "kd_tree", 1 << 30),
        (25_000, 30, 100, "float64", "cascade", 1 << 30),
        (25_000, 192, 10, "float32", "cascade", 1 << 30),
        (4_000, 512, 250, "float32", "cascade", 1 << 30),
        (4_000, 512, 1_000, "float32", "cascade", 1 << 30),
    ],
)
def test_the_estimate_is_within_a_fifth(n, d, k, dtype, algorithm, large_lists, monkeypatch):
    monkeypatch.setattr(memory, "LARGE_LISTS", large_lists)
    measured = peak_of_fit(FIT, n, d, k, dtype, algorithm, large_lists, 1)
    estimate = estimate_memory(n, d, k, dtype=dtype, algorithm=algorithm)
    assert 0.8 * measured <= estimate <= 1.2 * measured


@needs_proc
@pytest.mark.parametrize(
    ("n", "d", "k", "dtype", "algorithm"),
    [
        (400_000, 2, 20, "float64", "kd_tree"),
        (150_000, 12, 20, "float32", "kd_tree"),
        (25_000, 192, 50, "float64", "cascade"),
        (25_000, 8, 200, "float64", "cascade"),  # lists with distances
        (25_000, 512, 1, "float64", "cascade"),
        (25_000, 512, 2, "float64", "cascade"),
    ],
)
def test_the_estimate_for_a_table(n, d, k, dtype, algorithm):
    search = FIT.replace(
        "QuickshiftPP(k, 0.5, n_jobs=2, algorithm=algorithm).fit(X)",
        "all_neighbors(X, k, n_jobs=2, algorithm=algorithm)",
    )
    measured = peak_of_fit(search, n, d, k, dtype, algorithm, 1 << 30, 1)
    estimate = memory.estimate_table_memory(n, d, k, dtype=dtype, algorithm=algorithm)
    assert 0.8 * measured <= estimate <= 1.2 * measured


@needs_proc
@pytest.mark.parametrize("farthest", [1, 1e5])  # compared in integers, and in float32
def test_the_estimate_however_far_a_sample_lies(farthest):
    measured = peak_of_fit(FIT, 25_000, 100, 20, "float64", "cascade", 1 << 30, farthest)
    estimate = estimate_memory(25_000, 100, 20, algorithm="cascade")
    assert 0.8 * measured <= estimate <= 1.2 * measured


@needs_proc
@pytest.mark.parametrize(("n", "d"), [(300_000, 2), (100_000, 5)])
def test_the_estimate_for_several_k(n, d):
    fit = FIT.replace("QuickshiftPP(k, 0.5, n_jobs=2", 'QuickshiftPP("auto", "auto", n_jobs=2')
    measured, ks = peak_of_fit(fit, n, d, 0, "float64", "kd_tree", 1 << 30, 1), candidate_ks(n)
    estimate = estimate_memory(n, d, ks[-1], keep_lists=True, n_ks=len(ks))
    assert 0.8 * measured <= estimate <= 1.2 * measured


def test_a_fit_that_cannot_fit_says_so(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 50_000_000)
    X = np.zeros((400_000, 2))
    for work, needed in (
        (lambda: QuickshiftPP(100, 0.5).fit(X), 0.2),
        (lambda: MCores(100, 0.5).fit(X), 0.2),
        (lambda: sweep(X, [10, 100]), 0.3),
    ):
        message = rf"k=100 needs about {needed} GB, but only 0.1 GB.*k, or"
        with pytest.raises(MemoryError, match=message):
            work()
    with pytest.raises(MemoryError, match="float32"):
        QuickshiftPP(100, 0.5).fit(X)
    with pytest.raises(MemoryError, match=r"search among 400000 .* about 0.6 GB"):
        all_neighbors(X, 100)


def test_what_is_available():
    free = memory.available_memory()
    assert free is None or 0 < free < 1 << 50


def test_a_limit_on_the_process_counts():
    code = """
import resource
from pathlib import Path
from quickshiftpp._search import memory
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20), resource.RLIM_INFINITY))
print(memory.available_memory())
"""
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux's /proc")
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert 250 << 20 < int(result.stdout) <= 300 << 20
