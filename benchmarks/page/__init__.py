"""The benchmark page: ``python -m benchmarks page``.

``scope`` holds all sizes and rules, ``measure`` the measurements section by section, and ``store``
the JSON file that keeps them. ``render`` writes the page from that file alone, with ``floors``, the
project's requirements on itself, and ``plots``. ``command`` is the command line.
"""
