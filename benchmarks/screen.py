"""The screen of the cascade: ``python -m benchmarks screen``.

How fast it multiplies beside what the processor can do, and how few pairs it leaves to be measured
exactly.
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import click
import numpy as np

from quickshiftpp._search.cascade import build_cascade
from reporting.tables import console, show, table

from .data import load_samples
from .peers import Samples
from .session import ROOT
from .variants import build_core

PROGRAM = "screen_speed"
UNSUPPORTED = 77  # its exit status where the processor has no such instructions
SIZES = (2_000, 8_000, 18_000, 50_000)


def measure_speed(folder: Path) -> str:
    """Build and run the native program; return its lines."""
    build_core(ROOT, folder, targets=[PROGRAM], options=["-DCMAKE_BUILD_TYPE=Release"])
    done = subprocess.run([folder / "cpp" / PROGRAM], capture_output=True, text=True, check=False)
    if done.returncode == UNSUPPORTED:
        raise click.ClickException("this processor has no AVX-512 with VNNI")
    if done.returncode:
        raise click.ClickException(f"{PROGRAM} failed: {done.stderr}")
    return done.stdout


def speed_table(lines: str) -> str:
    """Return the speeds as a Markdown table."""
    rows = [
        [numbers, columns, peak, rate, f"{float(share):.0%}"]
        for numbers, columns, peak, rate, share in csv.reader(lines.splitlines())
    ]
    header = ["numbers", "columns", "peak, 10^9 products/s", "screen", "of the peak"]
    return table(header, rows)


def exact_distances(X: Samples, k: int, threads: int) -> int:
    """Return how many distances the cascade computes exactly to find all neighbors."""
    cascade: Any = build_cascade(X, threads)
    cascade.neighbor_lists(k, threads)
    return int(cascade.exact_distances)


def share_table(X: Samples, sizes: tuple[int, ...], k: int, threads: int) -> str:
    """Return what is measured exactly, for random rows, as a Markdown table."""
    order = np.random.default_rng(0).permutation(len(X))
    rows = []
    for size in sorted({min(size, len(X)) for size in (*sizes, len(X))}):
        exact = exact_distances(np.ascontiguousarray(X[order[:size]]), k, threads)
        rows.append([f"{size:,} x {X.shape[1]}", f"{exact / size:.1f}", f"{exact / size**2:.3%}"])
    return table(["samples", "exact distances per sample", "of all pairs"], rows)


@click.command("screen", context_settings={"show_default": True})
@click.option("--data", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="An .npz file with an array X: what is measured exactly there.")  # fmt: skip
@click.option("--k", type=click.IntRange(min=1), default=20)
@click.option("--threads", type=click.IntRange(min=1), default=2)
def screen_command(data: Path | None, k: int, threads: int) -> None:
    """Compare the screen of the cascade with the peak of the processor, in one thread."""
    target = console()
    if data is not None:
        show(target, share_table(load_samples(data, np.float32), SIZES, k, threads))
    with tempfile.TemporaryDirectory(prefix="screen-") as name:
        show(target, speed_table(measure_speed(Path(name))))
