"""The paper, reproduced, and the experiments behind the package's choices.

``python -m experiments all --data DIR`` runs one module for each claim of the paper (`table`,
`quirk`, `stability`, `toys`, `modes_and_cores`, `theory`, `open_question`) and writes
``docs/paper.md`` from their results. A claim lists its units of work, `store` keeps what each of
them gives, and the claim turns that into a result, tables and figures. The paper's own numbers are
in `paper_figures`. ``python -m experiments.selection`` is about choosing k and beta,
``python -m experiments.segmentation`` about segmenting photographs.
"""
