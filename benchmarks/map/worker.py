"""The process of one library: it searches the samples of a file, as often as it is told to."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from ..measure import warm_up
from ..peers import MAP_SEARCHES, TOLERANCE, Answer, Settings
from ..timing import median_seconds, timed

# Seconds before a turn: after theirs, the threads of OpenMP wait for more work on a core.
PAUSE = 0.05
# An idle virtual processor takes a while until threads run on all its cores, so that a turn begins
# with searches for so long that are not timed.
WARM_UP = 0.1
# Short searches in a turn, of which the median counts.
SEARCHES = 5


def main() -> None:
    """Answer one request per line: ``load`` reads samples and warms up, ``run`` takes a time."""
    warnings.simplefilter("ignore")
    peer = next(peer for peer in MAP_SEARCHES if peer.name == sys.argv[1])
    threads = int(sys.argv[2])
    search: Callable[[], Answer]
    last = 0.0  # the seconds of the last search
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, float] = {}
        if "load" in request:
            settings = Settings(request["k"], threads)
            X = np.load(request["load"])
            with contextlib.suppress(ValueError):
                warm_up(peer, X, settings)
            search = partial(peer.fit, X, settings)
        elif "compare" in request:
            expected = np.load(request["compare"])
            # A library that cannot search such samples takes no part: pykdtree takes 127 columns.
            with contextlib.suppress(ValueError):
                found, last = timed(search)
                answer["seconds"] = last
                limit = TOLERANCE * np.maximum(np.abs(expected), 1e-300)
                answer["wrong"] = float(np.mean(np.abs(found - expected) > limit))
        elif "save" in request:
            found, last = timed(search)
            answer["seconds"] = last
            np.save(request["save"], found)
        else:
            time.sleep(PAUSE)
            begin = time.perf_counter()
            while last < WARM_UP and time.perf_counter() - begin < WARM_UP:
                search()
            answer["seconds"] = last = median_seconds(search, SEARCHES if last < WARM_UP else 1)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
