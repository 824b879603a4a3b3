"""The page ``docs/paper.md``, from the results of the experiments and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .experiment import Block, Experiment, Sheet
from .store import Record

_HEAD = """\
<!-- Written by `python -m experiments all --data DIR`; change the experiments, not this file. -->

# The paper, reproduced

H. Jiang, J. Jang, S. Kpotufe. *Quickshift++: Provably Good Initializations for Sample-Based Mean
Shift.* ICML 2018, [arXiv:1805.07909](https://arxiv.org/abs/1805.07909). Everything that the paper
claims with numbers or pictures, computed anew by this package:

```bash
python -m pip install '.[experiments]' && python -m experiments all --data DIR
```

DIR holds the nine sets as `.npz` files with the arrays `X` and `y`; a missing one is named together
with its public source, and nothing is fetched. Results are kept as JSON; a run that was cut off
goes on where it was. Every number below is from those results, or the paper's own.
"""


def anchor(title: str) -> str:
    """Return the link to a heading, as GitHub makes it.

    Examples
    --------
    >>> anchor("Theory, tested")
    '#theory-tested'
    """
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return "#" + kept.replace(" ", "-")


def overview(experiments: Iterable[Experiment], results: Mapping[str, Record]) -> Sheet:
    """Return a line or two for each claim: what was found."""
    rows = [
        [f"[{claim}]({anchor(experiment.title)})", found]
        for experiment in experiments
        for claim, found in experiment.short(results[experiment.name]["result"])
    ]
    return Sheet("In short", ["claim", "found"], rows, ragged=True)


def render_block(block: Block, figures: str) -> str:
    """Return a block in Markdown."""
    if isinstance(block, str):
        return block
    return block.markdown() if isinstance(block, Sheet) else block.markdown(figures)


def render(experiments: Iterable[Experiment], results: Mapping[str, Record], figures: str) -> str:
    """Return the page.

    Parameters
    ----------
    experiments : iterable of Experiment
        In the order of the page.
    results : mapping of str to dict
        The content of each experiment's JSON file.
    figures : str
        The folder with the figures, relative to the page.
    """
    experiments = list(experiments)
    parts = [_HEAD, overview(experiments, results).markdown()]
    for experiment in experiments:
        parts.append(f"## {experiment.title}")
        result = results[experiment.name]["result"]
        parts += [render_block(block, figures) for block in experiment.section(result)]
    return "\n\n".join(part.strip() for part in parts) + "\n"
