"""The paper, reproduced: ``python -m experiments all --data DIR`` writes ``docs/paper.md``.

There is one module for each claim: `table`, `stability`, `toys`, `modes_and_cores`, `theory` and
`open_question`. A claim lists its units of work, summarizes their results as JSON, and
turns the summary into figures and into values for its template in ``pages``. The paper's own
numbers are in `paper_figures`.
"""
