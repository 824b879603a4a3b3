"""The work of the experiment: every photograph by every method and setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.store import Record, Unit

from .data import Photograph, fingerprint, read
from .measures import compare_boundaries, score_regions
from .peers import PEERS, Parameters, Peer

DISTRIBUTIONS = {"skimage": "scikit-image", "sklearn": "scikit-learn"}


def score(labels: npt.ArrayLike, photograph: Photograph, *, lines: bool) -> Record:
    """Return all measures of one segmentation; that of boundaries only with `lines`."""
    record: Record = {
        **score_regions(labels, photograph.people)._asdict(),
        "segments": len(np.unique(np.asarray(labels))),
    }
    if lines:
        record["boundary"] = list(compare_boundaries(labels, photograph.people, photograph.lines))
    return record


def name_of(parameters: Parameters) -> str:
    """Return a setting as text.

    Examples
    --------
    >>> name_of({"scale": 300, "sigma": 0.8})
    'scale 300, sigma 0.8'
    """
    return ", ".join(f"{name} {value:g}" for name, value in parameters.items())


def unit(
    path: Path,
    method: str,
    settings: Mapping[str, Any],
    compute: Callable[[Photograph], Record],
) -> Unit:
    """Return a unit of work on one photograph."""
    return Unit(
        f"segmentation-{path.stem}-{method}",
        {"photograph": fingerprint(path), "method": method, **settings},
        lambda: compute(read(path)),
    )


def score_people(photograph: Photograph) -> Record:
    """Score each person against the others: the mark to reach."""
    image, people = photograph.image, photograph.people
    scores = []
    for number, person in enumerate(people):
        others = Photograph(photograph.name, image, people[:number] + people[number + 1 :])
        scores.append(score(person, others, lines=True))
    return {"scores": scores}


def peer_unit(path: Path, peer: Peer, parameters: Parameters) -> Unit:
    """Score one setting of another library."""
    settings = {peer.library: version(DISTRIBUTIONS[peer.library]), "parameters": dict(parameters)}
    return unit(
        path,
        peer.name,
        settings,
        lambda photo: score(peer.segment(photo.image, parameters), photo, lines=True),
    )


def peer_units(path: Path) -> Iterator[Unit]:
    """Yield the work without this package."""
    yield unit(path, "people", {}, score_people)
    for peer in PEERS:
        for parameters in peer.settings:
            yield peer_unit(path, peer, parameters)
