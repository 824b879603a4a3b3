"""Ctrl-C ends a fit and leaves the process usable."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from quickshiftpp import QuickShift, QuickshiftPP, sweep
from quickshiftpp._progress import listening
from quickshiftpp.segmentation import segment

# A process started where SIGINT is ignored, as in background jobs, ignores it as well: the child
# asks for KeyboardInterrupt itself.
CHILD = """
    import signal
    import numpy as np
    from quickshiftpp import QuickshiftPP
    signal.signal(signal.SIGINT, signal.default_int_handler)
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


WIDE = np.random.default_rng(1).normal(size=(12_000, 300)).astype(np.float32)
FLAT = np.random.default_rng(1).normal(size=(300_000, 2))
NOISE = np.random.default_rng(1).random((600, 600, 3))
BRUTE = QuickshiftPP(10, 0.5, algorithm="brute").fit(WIDE[:6000:4])
CASCADE = QuickshiftPP(10, 0.5, algorithm="cascade").fit(WIDE[:6000:2])
# The stage to interrupt, and work in which it takes long enough to report progress.
LONG_WORK = {
    "brute force": ("neighbors", lambda: QuickshiftPP(10, 0.5, algorithm="brute").fit(WIDE)),
    "many columns": ("neighbors", lambda: QuickshiftPP(10, 0.5, algorithm="kd_tree").fit(WIDE)),
    "cascade": ("neighbors", lambda: QuickshiftPP(300, 0.5, algorithm="cascade").fit(WIDE)),
    "sweep": ("neighbors", lambda: sweep(FLAT, ks=[100, 200])),
    "kernel sums": ("density", lambda: QuickShift(bandwidth=1.0).fit(FLAT)),
    "image": ("neighbors", lambda: segment(NOISE, k=400)),
    "prediction": ("predict", lambda: BRUTE.predict(np.repeat(WIDE, 5, axis=0))),
    "cascade's prediction": ("predict", lambda: CASCADE.predict(np.repeat(WIDE, 20, axis=0))),
}


class AlarmError(Exception):
    """Raised by a signal."""


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs a signal of its own")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("stage", "work"), LONG_WORK.values(), ids=LONG_WORK.keys())
def test_a_signal_interrupts_all_long_work(stage, work):
    """A signal in the midst of a stage ends it there, with the exception that it raises."""
    heard = []

    def listen(name, fraction):
        heard.append((name, fraction))
        if name == stage and 0 < fraction < 1:
            signal.raise_signal(signal.SIGALRM)

    def raise_alarm(*_):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, raise_alarm)
    try:
        with pytest.raises(AlarmError), listening(listen):
            work()
    finally:
        signal.signal(signal.SIGALRM, before)
    name, fraction = heard[-1]  # nothing was heard afterward
    assert name == stage
    assert 0 < fraction < 1


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
