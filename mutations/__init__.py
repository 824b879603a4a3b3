"""Planted bugs: whether the tests of each stage would catch a plausible slip in it.

A program, run from the root of the repository, with the extra ``dev`` and doctest installed::

    python -m mutations                     every planted bug, each with the tests of its stage
    python -m mutations --only NAME         one of them; may be repeated
    python -m mutations --list              their names, and what each would break

``planted`` holds the bugs, one file per part of the repository: text in a file, what a slip would
make of it, and the tests that should fail then. ``project`` is a copy of the repository in a
temporary folder in which a bug is planted, compiled and tested; ``run`` goes through the bugs, and
``report`` writes the table.
"""
