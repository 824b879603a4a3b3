"""The process of one library: it searches the samples of a file, as often as it is told to."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from functools import partial

import numpy as np

from ..peers import MAP_SEARCHES, TOLERANCE, Settings
from ..timing import seconds_of

# Seconds before a search: after theirs, the threads of OpenMP wait for more work on a core.
PAUSE = 0.05


def main() -> None:
    """Answer one request per line: ``load`` reads samples and warms up, ``run`` takes a time."""
    warnings.simplefilter("ignore")
    peer = next(peer for peer in MAP_SEARCHES if peer.name == sys.argv[1])
    threads = int(sys.argv[2])
    X = np.zeros((0, 0), np.float32)
    settings = Settings(1, threads)
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, float] = {}
        if "load" in request:
            X = np.load(request["load"])
            settings = Settings(request["k"], threads)
        elif "compare" in request:
            expected = np.load(request["compare"])
            # A library that cannot search such samples takes no part: pykdtree takes 127 columns.
            with contextlib.suppress(ValueError):
                found = peer.fit(X, settings)
                limit = TOLERANCE * np.maximum(np.abs(expected), 1e-300)
                answer["wrong"] = float(np.mean(np.abs(found - expected) > limit))
        elif "save" in request:
            np.save(request["save"], peer.fit(X, settings))
        else:
            time.sleep(PAUSE)
            answer["seconds"] = seconds_of(partial(peer.fit, X, settings))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
