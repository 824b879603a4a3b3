"""Exact neighbor searches side by side: ``python -m benchmarks.neighbors``."""

from __future__ import annotations

from .compare import comparison_command
from .peers import SEARCH, TABLES

main = comparison_command(TABLES[SEARCH])

if __name__ == "__main__":
    main(prog_name="python -m benchmarks.neighbors")
