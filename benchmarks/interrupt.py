"""How long Ctrl-C takes to end a fit: ``python -m benchmarks.interrupt``."""

from __future__ import annotations

import signal
import statistics
import subprocess
import sys
import time

import click

CHILD = """
import sys, time
import numpy as np
from quickshiftpp import QuickshiftPP
samples, columns, k = map(int, sys.argv[1:])
X = np.random.default_rng(0).normal(size=(samples, columns))
print("fitting", flush=True)
try:
    QuickshiftPP(k=k).fit(X)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
"""


def seconds_to_stop(samples: int, columns: int, k: int, delay: float) -> float | None:
    """Return the seconds from the signal to the exception; None if the fit had already ended."""
    command = [sys.executable, "-c", CHILD, str(samples), str(columns), str(k)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(delay)
        sent = time.monotonic()  # one clock for all processes
        child.send_signal(signal.SIGINT)
        words = child.stdout.read().split()
    return float(words[1]) - sent if words and words[0] == "interrupted" else None


@click.command()
@click.option("--samples", default=1_000_000, show_default=True)
@click.option("--columns", default=3, show_default=True)
@click.option("--k", default=200, show_default=True)
def main(samples: int, columns: int, k: int) -> None:
    """Send SIGINT at several moments of a fit and print how long the fit takes to stop."""
    waits = []
    for delay in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 4.8, 6.4):
        wait = seconds_to_stop(samples, columns, k, delay)
        click.echo(
            f"after {delay:4.2f} s: "
            + ("the fit had ended" if wait is None else f"stopped in {wait * 1000:6.1f} ms")
        )
        if wait is not None:
            waits.append(wait)
    if waits:
        click.echo(
            f"median {statistics.median(waits) * 1000:.1f} ms, worst {max(waits) * 1000:.1f} ms"
        )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.interrupt")
