"""Photographs by this package: as shipped, and with one change at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import quickshiftpp
from quickshiftpp.segmentation import image_tree, segment
from quickshiftpp.segmentation._defaults import default_parameters, default_ratio, default_sigma
from reporting.store import Record, Unit

from .data import Photograph
from .units import name_of, score, unit

DEFAULTS = default_parameters(is_lab=True, paper=False)
RATIO = default_ratio(is_lab=True, paper=False)
SIGMA = default_sigma(paper=False)

# In units of the default, so that the range follows when the default moves.
LIMITS = [
    round(DEFAULTS.merge * factor, 3) for factor in (0.4, 0.6, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)
]
BETAS = (0.8, 0.9, 0.95, 0.97, 0.99)
SIZES = (1, 300, 1000)
CUTS = [{"beta": beta, "min_size": size, "merge": 0.0} for beta, size in product(BETAS, SIZES)]

Cut: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """A way to use the package."""

    name: str
    # Parameters of the search that are not the defaults.
    tree: Mapping[str, Any] = field(default_factory=dict)
    # Parameters of the labels; the best of these is chosen by other photographs.
    cuts: Sequence[Cut] = field(default_factory=lambda: [{"merge": limit} for limit in LIMITS])
    lines: bool = False  # whether boundaries are measured too


# What each step adds, from the paper's protocol to what is shipped.
PAPER: Mapping[str, Any] = {"paper": True}
LAB = {"sigma": 0.0, "ratio": 2.55}
STEPS = [
    Variant(
        "the paper's protocol: plain RGB, beta 0.9", PAPER, [{"beta": 0.9, "min_size": 1}],
        lines=True,
    ),
    Variant("+ beta and least size chosen", PAPER, CUTS),
    Variant("+ CIELAB, lightness from 0 to 255", LAB, CUTS),
    Variant(f"+ colors weighted by {RATIO:g}", {"sigma": 0.0}, CUTS),
    Variant(f"+ blur of sigma {SIGMA:g}", {}, CUTS),
    Variant("+ merging of a finer cut", lines=True),
]  # fmt: skip
SWEEP, CUT_ONLY = STEPS[-1].name, STEPS[-2].name

# One thing changed from what is shipped.
CHANGES = [
    Variant("plain RGB", {"convert2lab": False},
            [{"merge": round(2.55 * limit, 3)} for limit in LIMITS]),
    Variant(f"weight {RATIO / 2:g}", {"ratio": RATIO / 2}),
    Variant(f"weight {RATIO * 2:g}", {"ratio": RATIO * 2}),
    Variant(f"blur of sigma {SIGMA / 2:g}", {"sigma": SIGMA / 2}),
    Variant(f"blur of sigma {SIGMA * 2:g}", {"sigma": SIGMA * 2}),
    Variant(f"k = {DEFAULTS.k // 2}", {"k": DEFAULTS.k // 2}),
    Variant(f"k = {DEFAULTS.k * 2}", {"k": DEFAULTS.k * 2}),
    *(
        Variant(f"finer cut at beta {beta:g}", {},
                [{"beta": beta, "merge": limit} for limit in LIMITS])
        for beta in (0.3, 0.5, 0.7, 0.9) if beta != DEFAULTS.beta
    ),
    *(
        Variant(f"least size {size} before merging", {},
                [{"min_size": size, "merge": limit} for limit in LIMITS])
        for size in (1, 300)
    ),
]  # fmt: skip


@cache
def package_fingerprint() -> str:
    """Distinguish results of other code of the same version."""
    folder = Path(quickshiftpp.__file__).parent
    files = [
        path
        for path in folder.rglob("*")
        # Command line and plots do not matter.
        if path.suffix in (".py", ".so") and path.parent.name not in ("cli", "plotting")
    ]
    return f"{zlib.crc32(b''.join(path.read_bytes() for path in sorted(files))):08x}"


def shipped_unit(path: Path) -> Unit:
    """Score what ``segment(image)`` returns."""

    def compute(photograph: Photograph) -> Record:
        return score(segment(photograph.image, n_jobs=1), photograph, lines=True)

    return unit(path, "shipped", {"code": package_fingerprint()}, compute)


def tree_unit(path: Path, tree: Mapping[str, Any], variants: list[Variant]) -> Unit:
    """Score all variants that share a search."""
    work = {v.name: {"cuts": [dict(c) for c in v.cuts], "lines": v.lines} for v in variants}

    def compute(photograph: Photograph) -> Record:
        found = image_tree(photograph.image, n_jobs=1, **tree)
        return {
            variant.name: {
                name_of(cut): score(found.labels(**cut), photograph, lines=variant.lines)
                for cut in variant.cuts
            }
            for variant in variants
        }

    settings = {"code": package_fingerprint(), "tree": dict(tree), "work": work}
    label = "-".join(f"{name}{value:g}" for name, value in tree.items()) or "defaults"
    return unit(path, f"own-{label}", settings, compute)


def own_units(path: Path, *, thorough: bool) -> Iterator[Unit]:
    """Yield the work with this package; only what is shipped unless `thorough`."""
    yield shipped_unit(path)
    by_tree: dict[str, list[Variant]] = {}
    for variant in (*STEPS, *CHANGES):
        by_tree.setdefault(repr(sorted(variant.tree.items())), []).append(variant)
    for variants in by_tree.values():
        if thorough or not variants[0].tree:
            yield tree_unit(path, variants[0].tree, variants)
