"""The command ``demo``: clusters the example data of scikit-learn and draws a figure."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from .. import QuickshiftPP
from ..segmentation import image_tree
from ._errors import optional, printable
from ._files import Outputs, check_output, is_stdout

FIGURE_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")
_TOY_SAMPLES = 1500
_SEED = 170
_PLAIN_WIDTH = 100
_PHOTO_WIDTH, _PHOTO_HEIGHT = 320, 213
_HEADINGS = ("samples", "columns", "k", "beta", "min size", "clusters", "ARI", "seconds")


@dataclass
class Result:
    """One data set with its clustering."""

    name: str
    X: npt.NDArray[Any]
    truth: npt.NDArray[Any]
    model: QuickshiftPP
    seconds: float

    def row(self) -> tuple[str, ...]:
        """Return the values under the headings of the table."""
        model = self.model
        return (
            f"{self.X.shape[0]}",
            f"{self.X.shape[1]}",
            f"{model.k_}",
            f"{model.beta_:g}",
            f"{model.min_cluster_size_}",
            f"{model.n_clusters_}",
            f"{adjusted_rand_score(self.truth, model.labels_):.3f}",
            f"{self.seconds:.2f}",
        )


@dataclass
class Segmentation:
    """A photograph with its segments."""

    photo: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int32]
    k: int
    seconds: float

    def row(self) -> tuple[str, ...]:
        """Return the values under the headings of the table."""
        columns = self.labels.ndim + self.photo.shape[-1]
        found = f"{self.labels.max()}"
        size = f"{self.labels.size}"
        return (size, f"{columns}", f"{self.k}", "", "", found, "", f"{self.seconds:.2f}")


def run(
    name: str, X: npt.NDArray[Any], truth: npt.NDArray[Any], **parameters: Any
) -> Result:  # fmt: skip
    """Cluster one data set and measure the time."""
    start = time.perf_counter()
    model = QuickshiftPP(**parameters).fit(X)
    return Result(name, X, truth, model, time.perf_counter() - start)


def toy_shapes() -> list[Result]:
    """Cluster points in the plane, with the paper's k and beta for such shapes."""
    blobs, blob = datasets.make_blobs(_TOY_SAMPLES, random_state=_SEED)
    stretch = np.array([[0.6, -0.6], [-0.4, 0.8]])
    shapes = {
        "two moons": datasets.make_moons(_TOY_SAMPLES, noise=0.05, random_state=_SEED),
        "two rings": datasets.make_circles(
            _TOY_SAMPLES, factor=0.5, noise=0.05, random_state=_SEED
        ),
        "stretched blobs": (blobs @ stretch, blob),
        "blobs of unequal width": datasets.make_blobs(
            _TOY_SAMPLES, cluster_std=[1.0, 2.5, 0.5], random_state=_SEED
        ),
    }
    return [
        run(name, X, truth, k=20, beta=0.7, min_cluster_size=20)
        for name, (X, truth) in shapes.items()
    ]


def tables() -> list[Result]:
    """Cluster real tables, all with the same settings."""
    iris, wine, digits = datasets.load_iris(), datasets.load_wine(), datasets.load_digits()
    cases = {
        "iris flowers": (iris.data, iris.target),
        "wines, scaled": (scale(wine.data), wine.target),
        "handwritten digits": (digits.data, digits.target),
    }
    return [
        run(name, X, truth, beta=0.3, min_cluster_size="k") for name, (X, truth) in cases.items()
    ]


def photograph() -> Segmentation:
    """Segment a photograph with the default settings."""
    from PIL import Image

    full = Image.fromarray(datasets.load_sample_image("china.jpg"))
    photo = np.asarray(full.resize((_PHOTO_WIDTH, _PHOTO_HEIGHT), Image.Resampling.LANCZOS))
    start = time.perf_counter()
    tree = image_tree(photo)
    labels = tree.labels()
    return Segmentation(photo, labels, tree.k, time.perf_counter() - start)


_EXAMPLES = """\b
Example:
  quickshiftpp demo --output demo.png
"""


@click.command(short_help="Cluster example data and draw a figure.", epilog=_EXAMPLES)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, readable=False),
    default=Path("quickshiftpp-demo.png"),
    show_default=True,
    help="File to write the figure to (.png, .pdf, .svg or .jpg).",
)
def demo(output: Path) -> None:
    """Cluster toy shapes, tables and a photograph, and draw a figure of the results.

    The data is part of scikit-learn, so nothing is downloaded.
    """
    with optional("the demo"):
        import PIL  # noqa: F401  (scikit-learn reads the photograph with it)

        from ._figure import draw
    suffix = check_output(output, FIGURE_SUFFIXES, FIGURE_SUFFIXES[0], inputs=[])
    aside = is_stdout(output)  # the table must not precede the figure
    with _status("clustering"):
        shapes, real, segments = toy_shapes(), tables(), photograph()
    results: dict[str, Result | Segmentation] = {
        **{result.name: result for result in [*shapes, *real]},
        "photograph": segments,
    }
    _print_table(results, aside=aside)
    with _status("drawing"), Outputs() as outputs, outputs.open(output) as file:
        draw(file, suffix, shapes, real[-1], segments)
    for text in (
        f"The figure is in {output}.",
        "To cluster a file of your own:  quickshiftpp cluster FILE.csv",
        "In Python:  from quickshiftpp import QuickshiftPP; QuickshiftPP().fit(X).labels_",
    ):
        click.echo(printable(text), err=aside)


def _status(what: str) -> AbstractContextManager[Any]:
    """Show on a terminal what is being done."""
    return Console(stderr=True).status(what) if sys.stderr.isatty() else nullcontext()


def _print_table(results: dict[str, Result | Segmentation], *, aside: bool) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("data", no_wrap=True)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, result in results.items():
        table.add_row(name, *result.row())
    is_terminal = (sys.stderr if aside else sys.stdout).isatty()
    Console(width=None if is_terminal else _PLAIN_WIDTH, stderr=aside).print(table)
    for text in (
        "ARI is the adjusted Rand index with the known classes: 0 is chance, 1 is perfect.",
        "The shapes use k and beta of the Quickshift++ paper. The tables use the default k,",
        "beta of the paper, and min size k. The photograph uses the defaults of the command",
        "quickshiftpp segment; each of its segments counts as a cluster.",
    ):
        click.echo(text, err=aside)
