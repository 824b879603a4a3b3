"""The benchmark page: ``python -m benchmarks page``.

Measuring and writing meet in one JSON file only, so that the page can be written anew without
measuring anew, and measuring goes on where it was cut off::

    sections ── jobs of ──> comparisons (foresight says who would take too long), stages,
        │                   limits, overhead
        v
      store  <── one entry for each job, saved as it ends
        │
        v
     render ── with ──> peer_parts, cost_parts ──> verdicts, tables (Markdown), plots

``scope`` holds all sizes, ``verdicts`` the floors, met or not, and ``command`` the command line.
"""
