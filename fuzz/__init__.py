"""Fuzzing: random cases against the slow oracle, and damaged files against the readers.

Programs, run from the root of the repository, with the extra ``test`` installed::

    python -m fuzz --minutes 60                 everything, on all cores
    python -m fuzz --minutes 1 --only sweep     one target; see --help for their names
    python -m fuzz --case sweep:17              one case again, with what differs

``targets`` holds one file per target: how a case is drawn from a number, and what must hold for it.
``samples`` makes the samples, ``edits`` damages files, ``checks`` counts and compares. ``worker``
runs cases one after the other in a process of its own, ``supervisor`` starts such processes,
notices crashes, hangs and growing memory, and ``shrink`` makes a failing case smaller. ``report``
writes the summary.

The oracle, the lists of search algorithms and instruction sets, and what it means for two fits to
agree are those of the tests: ``tests/oracle.py``, ``tests/cases.py``, ``tests/comparators.py``.
"""

import sys
from pathlib import Path

# As pytest does, so that both use the same oracle.
sys.path.append(str(Path(__file__).parents[1] / "tests"))
