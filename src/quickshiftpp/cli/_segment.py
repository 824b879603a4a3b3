"""The command ``segment``: photographs in, pictures and numbers of their segments out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from .._progress import listening
from ..segmentation import ImageTree, image_tree
from ..segmentation._pictures import mean_colors, overlay
from ._errors import BadInput, listed
from ._images import (
    BOUNDARY,
    Photograph,
    check_images,
    contact_sheet,
    read_image,
    write_labels,
    write_picture,
    write_summary,
)
from ._show import STAGES, Show, line, progress

_EXAMPLES = """\b
Examples:
  quickshiftpp segment photograph.jpg
  quickshiftpp segment *.jpg --output segments --n-segments 50
  quickshiftpp segment scan.png --k 200 --beta 0.9 --labels npy
  quickshiftpp segment photograph.jpg --betas 0.5,0.7,0.9,0.95,0.99
"""


@dataclass(frozen=True)
class _Outputs:
    """The files that one image leads to."""

    image: Path
    folder: Path
    labels: str

    def path(self, ending: str) -> Path:
        return self.folder / f"{self.image.stem}.{ending}"


@click.command(short_help="Segment photographs: pictures, numbers and a summary.", epilog=_EXAMPLES)
@click.argument("images", metavar="IMAGE...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--k", type=int, help="Neighbors for the density; the more, the smoother segments.")
@click.option(
    "--beta",
    type=float,
    help="Between 0 and 1, the larger, the fewer segments: the clusters of Quickshift++, not "
    "merged; default: a fine cut, merged.",
)
@click.option("--n-segments", type=int, help="Ask for so many segments instead.")
@click.option("--merge", type=float, help="Merge neighbors that differ by no more; 0 for none.")
@click.option("--ratio", type=float, help="The weight of colors against positions.")
@click.option("--sigma", type=float, help="The width of a blur beforehand, in pixels; 0 for none.")
@click.option("--min-size", type=int, help="Dissolve segments of fewer pixels.")
@click.option("--connected", is_flag=True, help="Split segments that are in several pieces.")
@click.option("--paper", is_flag=True, help="The protocol of the paper: plain colors, beta 0.9.")
@click.option(
    "--betas",
    metavar="A,B,...",
    help="Also draw a contact sheet that compares these betas, from the same search.",
)
@click.option(
    "--labels",
    type=click.Choice(["png", "npy"]),
    default="png",
    show_default=True,
    help="Write the label map as a PNG of 16 bits, or as .npy.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="A directory for the results, made if need be; default: beside each image.",
)
@click.option("--n-jobs", type=int, help="Threads; -1 for all cores.")
def segment(
    images: Sequence[Path],
    k: int | None,
    beta: float | None,
    n_segments: int | None,
    merge: float | None,
    ratio: float | None,
    sigma: float | None,
    min_size: int | None,
    connected: bool,
    paper: bool,
    betas: str | None,
    labels: str,
    output: Path | None,
    n_jobs: int | None,
) -> None:
    """Segment photographs by Quickshift++ on the position and color of their pixels.

    For each IMAGE: NAME.overlay.png with the boundaries drawn in, NAME.flat.png with every segment
    in its mean color, NAME.labels.png (or .npy) with the number of every pixel's segment from 1
    on, and NAME.segments.json with a summary. Transparent parts get 0.
    """
    _check_parameters(
        k=k, beta=beta, n_segments=n_segments, merge=merge, ratio=ratio, sigma=sigma,
        min_size=min_size, n_jobs=n_jobs,
    )  # fmt: skip
    compared = _parse_betas(betas)
    check_images(images)
    outputs = _plan(images, output, labels)
    search = {"k": k, "ratio": ratio, "sigma": sigma, "paper": paper, "n_jobs": n_jobs}
    cut = {
        "beta": beta, "n_segments": n_segments, "merge": merge, "min_size": min_size,
        "connected": connected,
    }  # fmt: skip
    written = []
    with progress() as show:
        for number, target in enumerate(outputs, 1):
            name = target.image.name
            prefix = f"{number}/{len(outputs)} {name}: " if len(outputs) > 1 else ""
            written.append(_segment_one(target, search, cut, compared, show, prefix))
    for summary in written:
        size = f"{summary['width']} x {summary['height']}"
        said = f"segments in {summary['image']} ({size}, {summary['seconds']:.2f} s)"
        click.echo(line(f"{summary['n_segments']:>10}", said))
    endings = ["overlay.png", "flat.png", f"labels.{labels}", "segments.json"]
    endings += ["betas.png"] if compared else []
    where = output if output is not None else "the directory of each image"
    click.echo(line("written to", f"{where}, as {listed(f'NAME.{end}' for end in endings)}"))


def _segment_one(
    target: _Outputs,
    search: dict[str, Any],
    cut: dict[str, Any],
    betas: Sequence[float],
    show: Show,
    prefix: str,
) -> dict[str, Any]:
    """Segment one image, write its files, and return its summary."""
    show(f"{prefix}reading", None)
    photo = read_image(target.image)
    n_pixels = photo.picture[..., 0].size if photo.mask is None else int(photo.mask.sum())
    k = search["k"]
    if k is not None and k > n_pixels:
        raise BadInput(
            f"--k is {k}, but '{target.image}' has only {n_pixels} pixels: give a number from 1 to "
            f"{n_pixels}, or leave it out."
        )
    start = time.perf_counter()
    with listening(lambda stage, done: show(f"{prefix}{STAGES.get(stage, stage)}", done)):
        tree = image_tree(
            photo.values, channel_axis=None if photo.is_gray else -1, mask=photo.mask, **search
        )
        found = tree.labels(**cut)
    seconds = time.perf_counter() - start
    show(f"{prefix}writing", None)
    summary = _summary(target.image, photo, tree, found, {**search, **cut}, seconds)
    write_picture(target.path("overlay.png"), overlay(photo.picture, found, BOUNDARY))
    write_picture(target.path("flat.png"), mean_colors(photo.picture, found))
    write_labels(target.path(f"labels.{target.labels}"), found)
    write_summary(target.path("segments.json"), summary)
    if betas:
        cuts = [(beta, tree.labels(beta, min_size=cut["min_size"])) for beta in betas]
        captions = [(f"beta {beta:g}: {labels.max()} segments", labels) for beta, labels in cuts]
        write_picture(target.path("betas.png"), contact_sheet(photo.picture, captions))
    return summary


def _summary(
    path: Path,
    photo: Photograph,
    tree: ImageTree,
    labels: npt.NDArray[np.int32],
    given: dict[str, Any],
    seconds: float,
) -> dict[str, Any]:
    height, width = labels.shape
    number = labels.ravel()
    sizes = np.bincount(number)[1:]
    colors = photo.picture.reshape(-1, 3).T
    means = [np.bincount(number, weights=channel)[1:] / sizes for channel in colors]
    segments = zip(sizes.tolist(), np.rint(np.stack(means, 1)).astype(int).tolist(), strict=True)
    return {
        "image": path.name,
        "width": width,
        "height": height,
        "k": tree.k,
        "parameters": {name: value for name, value in given.items() if value not in (None, False)},
        "seconds": round(seconds, 3),
        "n_segments": len(sizes),
        "segments": [
            {"label": label, "pixels": size, "mean_color": color}
            for label, (size, color) in enumerate(segments, 1)
        ],
    }


def _plan(images: Sequence[Path], output: Path | None, labels: str) -> list[_Outputs]:
    """Return where everything goes, or say why it cannot."""
    if output is not None:
        if output.exists() and not output.is_dir():
            raise BadInput(f"--output is '{output}', which is a file: give a directory.")
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"the directory '{output}' cannot be made ({error.strerror}): choose another with "
                "--output."
            ) from error
    outputs = [_Outputs(image, output or image.parent, labels) for image in images]
    seen: dict[Path, Path] = {}
    for target in outputs:
        stem = target.path("overlay.png")
        if stem in seen:
            raise BadInput(
                f"'{seen[stem]}' and '{target.image}' would be written to the same files: rename "
                "one, or segment them one at a time."
            )
        seen[stem] = target.image
        if not os.access(target.folder, os.W_OK):
            raise BadInput(
                f"the directory '{target.folder}' cannot be written to: choose another with "
                "--output."
            )
    return outputs


def _parse_betas(betas: str | None) -> list[float]:
    if betas is None:
        return []
    try:
        numbers = [float(beta) for beta in betas.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(0 < beta < 1 for beta in numbers):
        raise BadInput(
            f"--betas is '{betas}', but it must be numbers strictly between 0 and 1 with commas "
            "between them: 0.5,0.7,0.9 say."
        )
    return numbers


def _check_parameters(**given: Any) -> None:
    allowed: dict[str, tuple[Callable[[Any], bool], str]] = {
        "k": (lambda k: k >= 1, "a whole number from 1 to the number of pixels"),
        "beta": (lambda beta: 0 < beta < 1, "strictly between 0 and 1"),
        "n_segments": (lambda number: number >= 1, "a whole number from 1 on"),
        "merge": (lambda merge: 0 <= merge < np.inf, "a number from 0 on"),
        "ratio": (lambda ratio: 0 < ratio < np.inf, "a number above 0"),
        "sigma": (lambda sigma: 0 <= sigma < np.inf, "a number from 0 on"),
        "min_size": (lambda size: size >= 1, "a whole number from 1 on"),
        "n_jobs": (lambda jobs: jobs != 0, "a number of threads, or -1 for all cores"),
    }
    for name, (is_allowed, sentence) in allowed.items():
        if given[name] is not None and not is_allowed(given[name]):
            option = name.replace("_", "-")
            raise BadInput(
                f"--{option} is {given[name]:g}, but it must be {sentence}: leave it out to have "
                "it chosen."
            )
    if given["n_segments"] is not None:
        for other in ("beta", "merge"):
            if given[other]:
                raise BadInput(
                    f"--n-segments and --{other} are both given, but each says how many segments "
                    "there will be: leave one of them out."
                )
