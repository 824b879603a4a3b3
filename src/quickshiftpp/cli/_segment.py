"""The command ``segment``: reads images, and writes pictures and numbers of their segments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from .._progress import listening
from ..segmentation import image_tree, mark_boundaries, mean_colors
from ._errors import BadInput, listed
from ._files import Outputs, check_writable, identity, is_stream, real
from ._images import (
    Labels,
    Picture,
    check_images,
    contact_sheet,
    read_image,
    write_labels,
    write_picture,
    write_summary,
)
from ._options import check_at_most, check_options
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
    """The files that are written for one image."""

    image: Path
    folder: Path
    labels: str
    with_betas: bool

    @property
    def endings(self) -> list[str]:
        """What is appended to the name of the image."""
        fixed = ["overlay.png", "flat.png", f"labels.{self.labels}", "segments.json"]
        return [*fixed, "betas.png"] if self.with_betas else fixed

    def path(self, ending: str) -> Path:
        return self.folder / f"{self.image.stem}.{ending}"

    def paths(self) -> list[Path]:
        return [self.path(ending) for ending in self.endings]


@click.command(short_help="Segment images.", epilog=_EXAMPLES)
@click.argument("images", metavar="IMAGE...", nargs=-1, required=True,
                type=click.Path(path_type=Path, readable=False))  # fmt: skip
@click.option(
    "--k",
    type=int,
    help="Number of neighbors used to estimate the density. Larger values give smoother segments "
    "and take longer.  [default: 100]",
)
@click.option(
    "--beta",
    type=float,
    help="Return the clusters of Quickshift++ at this beta, from 0 to 1, without merging any. "
    "Larger values give fewer segments. Without --beta, the image is split finely and then "
    "merged.",
)
@click.option("--n-segments", type=int, help="Number of segments to return.")
@click.option(
    "--merge",
    type=float,
    help="Merge neighboring segments that differ by at most this much. Larger values give fewer "
    "segments; 0 merges none.  [default: 9 for color images; 0 with --beta or --paper]",
)
@click.option(
    "--ratio",
    type=float,
    help="Weight of colors relative to positions. Larger values follow colors more "
    "closely.  [default: 6 for color images]",
)
@click.option(
    "--sigma",
    type=float,
    help="Standard deviation of the Gaussian blur applied first, in pixels; 0 turns it "
    "off.  [default: 2]",
)
@click.option(
    "--min-size",
    type=int,
    help="Dissolve segments of fewer pixels; the pixels join other segments.  [default: 100]",
)
@click.option("--connected", is_flag=True, help="Split segments that are not connected.")
@click.option(
    "--paper",
    is_flag=True,
    help="Use the settings of the Quickshift++ paper: RGB colors, no blur, --ratio 1, --beta 0.9 "
    "and --min-size 1.",
)
@click.option(
    "--betas",
    metavar="A,B,...",
    help="Also write NAME.betas.png, which compares the segments at these betas.",
)
@click.option(
    "--labels",
    type=click.Choice(["png", "npy"]),
    default="png",
    show_default=True,
    help="Format of the label map: a PNG of 16 bits, or a NumPy array.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, readable=False),
    help="Directory to write to; created if it does not exist.  [default: the directory of each "
    "image]",
)
@click.option("--n-jobs", type=int, help="Number of threads; -1 uses all cores.")
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
    """Segment images by clustering their pixels by position and color.

    Four files are written for each IMAGE: NAME.overlay.png shows the boundaries of the segments,
    NAME.flat.png shows every segment in its mean color, NAME.labels.png (or .npy) contains the
    segment of every pixel, numbered from 1, and NAME.segments.json is a summary. Transparent
    pixels are not segmented and have the label 0. Gray images of floats should have values from 0
    to 1; other values are scaled to that range, with a note.
    """
    _check_options(
        k=k, beta=beta, n_segments=n_segments, merge=merge, ratio=ratio, sigma=sigma,
        min_size=min_size, n_jobs=n_jobs,
    )  # fmt: skip
    compared = _parse_betas(betas)
    check_images(images)
    outputs = _plan(images, output, labels, with_betas=bool(compared))
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
    for summary in written:
        for note in summary["notes"]:
            click.echo(line("note", note))
    where = output if output is not None else "the directory of each image"
    click.echo(
        line("written to", f"{where}, as {listed(f'NAME.{end}' for end in outputs[0].endings)}")
    )


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
    check_at_most(photo.n_pixels, "pixels", target.image, k=search["k"])
    start = time.perf_counter()
    with listening(lambda stage, done: show(f"{prefix}{STAGES.get(stage, stage)}", done)):
        tree = image_tree(
            photo.values, channel_axis=None if photo.is_gray else -1, mask=photo.mask, **search
        )
        found = tree.labels(**cut)
    seconds = time.perf_counter() - start
    show(f"{prefix}writing", None)
    flat = mean_colors(photo.picture, found)
    given = {name: value for name, value in {**search, **cut}.items() if value not in (None, False)}
    summary = {
        "image": target.image.name,
        "width": found.shape[1],
        "height": found.shape[0],
        "k": tree.k,
        "parameters": given,
        "seconds": round(seconds, 3),
        "notes": photo.notes,
        "n_segments": int(found.max()),
        "segments": _describe(found, flat),
    }
    with Outputs() as outputs:
        with outputs.open(target.path("overlay.png")) as file:
            write_picture(file, mark_boundaries(photo.picture, found))
        with outputs.open(target.path("flat.png")) as file:
            write_picture(file, flat)
        with outputs.open(target.path(f"labels.{target.labels}")) as file:
            write_labels(file, found, target.labels)
        with outputs.open(target.path("segments.json")) as file:
            write_summary(file, summary)
        if betas:
            cuts = [(beta, tree.labels(beta, min_size=cut["min_size"])) for beta in betas]
            captions = [(f"beta {beta:g}: {found.max()} segments", found) for beta, found in cuts]
            with outputs.open(target.path("betas.png")) as file:
                write_picture(file, contact_sheet(photo.picture, captions))
    return summary


def _describe(labels: Labels, flat: Picture) -> list[dict[str, Any]]:
    """Return the size and mean color of each segment; `flat` is the picture of mean colors."""
    numbers, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    colors = flat.reshape(-1, 3)[first].tolist()
    return [
        {"label": label, "pixels": size, "mean_color": color}
        for label, size, color in zip(numbers.tolist(), sizes.tolist(), colors, strict=True)
        if label > 0
    ]


def _plan(
    images: Sequence[Path], output: Path | None, labels: str, *, with_betas: bool
) -> list[_Outputs]:
    """Return the outputs of each image, after checking that they can be written."""
    outputs = [_Outputs(image, output or image.parent, labels, with_betas) for image in images]
    _check_collisions(outputs)
    if output is not None:
        if output.exists() and not output.is_dir():
            raise BadInput(f"--output is '{output}', which is a file: give a directory.")
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"the directory '{output}' cannot be created ({error.strerror}): choose another "
                "with --output."
            ) from error
    for target in outputs:
        for path in target.paths():
            check_writable(path)
    return outputs


def _check_collisions(outputs: Sequence[_Outputs]) -> None:
    """Refuse outputs that would replace an image, or each other."""
    images = {identity(target.image): target.image for target in outputs}
    planned: dict[Path, tuple[Path, Path]] = {}
    for target in outputs:
        for path in target.paths():
            same = images.get(identity(path))
            if same is not None:
                raise BadInput(
                    f"segmenting '{target.image}' would overwrite the image '{same}': leave that "
                    "image out, or write to another directory with --output."
                )
            if is_stream(path):
                continue
            image, other = planned.setdefault(real(path), (target.image, path))
            if image is not target.image:
                raise BadInput(
                    f"'{image}' and '{target.image}' would be written to the same files: rename "
                    "one of them, or segment them into different directories."
                )
            if other is not path:
                raise BadInput(
                    f"the outputs '{other}' and '{path}' are links to the same file: remove one "
                    "of the links."
                )


def _parse_betas(betas: str | None) -> list[float]:
    if betas is None:
        return []
    try:
        numbers = [float(beta) for beta in betas.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(0 < beta < 1 for beta in numbers):
        raise BadInput(
            f"--betas is '{betas}', but it must be numbers strictly between 0 and 1, separated by "
            "commas: 0.5,0.7,0.9, for example."
        )
    return numbers


def _check_options(**given: Any) -> None:
    check_options(**given)
    for other in ("beta", "merge"):
        if given["n_segments"] is not None and given[other]:
            raise BadInput(
                f"--n-segments and --{other} are both given, but each determines the number of "
                "segments: leave one of them out."
            )
