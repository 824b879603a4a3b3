"""Ctrl-C ends a fit and leaves the process usable."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from quickshiftpp import QuickshiftPP
from quickshiftpp._progress import listening

CHILD = """
    import sys, time
    import numpy as np
    from quickshiftpp import QuickshiftPP, all_neighbors
    X = np.random.default_rng(0).normal(size=(1_000_000, 6))
    print("fitting", flush=True)
    try:
        QuickshiftPP(k=200).fit(X)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    else:
        print("finished", flush=True)
    print(QuickshiftPP(k=5).fit(X[:1000]).labels_.shape, flush=True)
"""


def test_control_c_during_a_fit_of_a_million():
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "fitting\n"
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(timeout=1.5)  # well inside the neighbor search
    child.send_signal(signal.SIGINT)
    # A hang would be killed here; how quick it is, `python -m benchmarks.interrupt` prints.
    output, _ = child.communicate(timeout=60)
    assert output == "interrupted\n(1000,)\n"
    assert child.returncode == 0


def test_an_exception_in_the_listener_ends_the_fit():
    class StopHereError(Exception):
        pass

    def listener(stage, fraction):
        if stage == "neighbors" and fraction > 0:
            raise StopHereError

    X = np.random.default_rng(0).normal(size=(200_000, 5))
    model = QuickshiftPP(k=5).fit(X[:500])
    labels = model.labels_.copy()
    with listening(listener), pytest.raises(StopHereError):
        model.set_params(k=50).fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.predict(X[:500]), labels)


def test_the_listener_hears_every_stage():
    heard = []
    with listening(lambda stage, fraction: heard.append((stage, fraction))):
        QuickshiftPP(k=50).fit(np.random.default_rng(0).normal(size=(50_000, 4)))
    stages = [stage for stage, fraction in heard if fraction == 0]
    assert stages == ["index", "neighbors", "tree", "labels"]
    assert all(0 <= fraction <= 1 for _, fraction in heard)
    assert any(0 < fraction < 1 for stage, fraction in heard if stage == "neighbors")


def test_verbose_prints_the_stages(capsys):
    QuickshiftPP(verbose=True).fit(np.zeros((10, 2)))
    assert capsys.readouterr().out.count("[quickshiftpp]") == 4
