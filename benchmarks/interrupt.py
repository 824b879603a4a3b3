"""How long Ctrl-C takes to end a fit or a prediction: ``python -m benchmarks.interrupt``."""

from __future__ import annotations

import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

import click

CHILD = """
import signal, sys, time
import numpy as np
from quickshiftpp import QuickshiftPP
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
samples, columns, k, queries = map(int, sys.argv[2:])
X = np.random.default_rng(0).normal(size=(samples, columns)).astype(np.float32)
model = QuickshiftPP(k=k, beta=0.5, algorithm=sys.argv[1])
if queries > 0:
    model.fit(X)
print("begun", flush=True)
try:
    if queries > 0:
        model.predict(X[:queries] + 1)
    else:
        model.fit(X)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
"""


def seconds_to_stop(arguments: Sequence[object], delay: float) -> float | None:
    """Return the seconds from the signal to the exception; None if the work had already ended."""
    command = [sys.executable, "-W", "ignore", "-c", CHILD, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(delay)
        sent = time.monotonic()  # one clock for all processes
        child.send_signal(signal.SIGINT)
        words = child.stdout.read().split()
    return float(words[1]) - sent if words and words[0] == "interrupted" else None


@click.command(context_settings={"show_default": True})
@click.option("--samples", default=1_000_000)
@click.option("--columns", default=3)
@click.option("--k", default=200)
@click.option("--algorithm", default="auto")
@click.option("--queries", default=0, help="Interrupt a prediction of so many, after the fit.")
def main(samples: int, columns: int, k: int, algorithm: str, queries: int) -> None:
    """Send SIGINT at several moments and print how long it takes until the work has stopped."""
    waits = []
    for delay in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 4.8, 6.4):
        wait = seconds_to_stop((algorithm, samples, columns, k, queries), delay)
        click.echo(
            f"after {delay:4.2f} s: "
            + ("it had ended" if wait is None else f"stopped in {wait * 1000:6.1f} ms")
        )
        if wait is None:
            break
        waits.append(wait)
    if waits:
        click.echo(
            f"median {statistics.median(waits) * 1000:.1f} ms, worst {max(waits) * 1000:.1f} ms"
        )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.interrupt")
