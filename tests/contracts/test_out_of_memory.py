"""Where memory runs out there is a MemoryError, and the model stays as it was.

The native tests make every single allocation fail; here the system refuses memory from outside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import resource, sys, warnings
    import numpy as np
    from quickshiftpp import MCores, QuickShift, QuickshiftPP, segmentation, sweep

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    few, many = rng.normal(size=(40_000, 2)), rng.normal(size=(4_000, 120)).astype(np.float32)
    image = rng.random((150, 200, 3))
    work = {
        "tree": lambda model: model.set_params(k=20).fit(few),
        "cascade": lambda model: model.set_params(algorithm="cascade", k=20).fit(many),
        "brute": lambda model: model.set_params(algorithm="brute", k=20).fit(many[:2000]),
        "auto": lambda model: model.set_params(k="auto", beta="auto").fit(few[:10_000]),
        "predict": lambda model: model.predict(few),
        "sweep": lambda model: sweep(few[:20_000], ks=[10, 20, 40], n_jobs=4),
        "image": lambda model: segmentation.segment(image, n_jobs=4),
    }[sys.argv[1]]

    def fitted():
        return QuickshiftPP(k=5, n_jobs=4).fit(few[:500])

    work(fitted())  # imports, and memory that stays
    model, expected = fitted(), fitted()
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    refused = 0
    for megabytes in [0, 0.2, 0.5, 1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 70, 100]:
        resource.setrlimit(resource.RLIMIT_AS, (taken + int(megabytes * 2**20), -1))
        try:
            work(model)
            done = True
        except MemoryError:
            done = False
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        refused += not done
        if done:
            break
        for name in ("labels_", "core_labels_", "parents_", "radii_"):
            assert (getattr(model, name) == getattr(expected, name)).all(), name
        assert (model.predict(few[:500]) == expected.predict(few[:500])).all()
    work(model)
    print("refused" if refused else "never refused")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of the address space")
@pytest.mark.parametrize("work", ["tree", "cascade", "brute", "auto", "predict", "sweep", "image"])
def test_address_space_runs_out(work):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), work],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        # Memory that was freed goes back to the system at once, so that each use asks it again.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_ARENA_MAX": "1"},
    )
    assert (result.returncode, result.stdout) == (0, "refused\n"), result.stderr
