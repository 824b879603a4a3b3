"""The command ``demo``: Quickshift++ on data that comes with scikit-learn, and a figure of it."""

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

from .._estimators.quickshiftpp import QuickshiftPP
from .._validation import default_k
from ._errors import BadInput, check_output, first_line, optional

FIGURE_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")
_TOY_SAMPLES = 1500
_SEED = 170
_PLAIN_WIDTH = 100
_PHOTO_WIDTH, _PHOTO_HEIGHT = 320, 213


@dataclass
class Result:
    """One data set, clustered."""

    name: str
    X: npt.NDArray[Any]
    truth: npt.NDArray[Any] | None
    model: QuickshiftPP
    seconds: float

    @property
    def score(self) -> float | None:
        """The adjusted Rand index, where the truth is known."""
        if self.truth is None:
            return None
        return float(adjusted_rand_score(self.truth, self.model.labels_))


def run(
    name: str, X: npt.NDArray[Any], truth: npt.NDArray[Any] | None, **parameters: Any
) -> Result:
    """Cluster one data set and take the time."""
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
    """Cluster real tables; one rule sets the parameters for all of them."""
    iris, wine, digits = datasets.load_iris(), datasets.load_wine(), datasets.load_digits()
    cases = {
        "iris flowers": (iris.data, iris.target),
        "wines, scaled": (scale(wine.data), wine.target),
        "handwritten digits": (digits.data, digits.target),
    }
    results = []
    for name, (X, truth) in cases.items():
        k = default_k(len(X))
        results.append(run(name, X, truth, k=k, beta=0.3, min_cluster_size=k))
    return results


def photograph() -> tuple[npt.NDArray[np.uint8], Result]:
    """Segment a photograph: its pixels, as (row, column, red, green, blue), are the samples."""
    from PIL import Image

    full = Image.fromarray(datasets.load_sample_image("china.jpg"))
    photo = np.asarray(full.resize((_PHOTO_WIDTH, _PHOTO_HEIGHT), Image.Resampling.LANCZOS))
    row, column = np.indices(photo.shape[:2])
    # The width of the photograph weighs as much as the range of a color.
    position = np.stack([row, column], axis=-1) * (255 / _PHOTO_WIDTH)
    pixels = np.concatenate([position, photo], axis=-1).reshape(-1, 5)
    return photo, run("photograph", pixels, None, k=40, beta=0.9, min_cluster_size=100)


_EXAMPLES = """\b
Example:
  quickshiftpp demo --output demo.png
"""


@click.command(
    short_help="Cluster data that comes with scikit-learn, and draw a figure of it.",
    epilog=_EXAMPLES,
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("quickshiftpp-demo.png"),
    show_default=True,
    help="Where to write the figure (.png, .pdf, .svg or .jpg).",
)
def demo(output: Path) -> None:
    """Cluster toy shapes, tables and a photograph, print a table and draw a figure.

    All of the data comes with scikit-learn, so nothing is downloaded.
    """
    with optional("the demonstration"):
        import PIL  # noqa: F401  (scikit-learn reads the photograph with it)

        from ._figure import draw
    check_output(output, FIGURE_SUFFIXES)
    with _announced("clustering"):
        shapes, real = toy_shapes(), tables()
        photo, segments = photograph()
    _print_table([*shapes, *real, segments])
    with _announced("drawing"):
        try:
            draw(output, shapes, real[-1], photo, segments)
        except OSError as error:
            raise BadInput(
                f"the figure '{output}' could not be written ({first_line(error)}): choose another "
                "place with --output."
            ) from error
    click.echo(f"The figure is in {output}.")
    click.echo("Next, try a file of your own:  quickshiftpp cluster FILE.csv")
    click.echo("or Python:  from quickshiftpp import QuickshiftPP; QuickshiftPP().fit(X).labels_")


def _announced(what: str) -> AbstractContextManager[Any]:
    """Show on a terminal what is going on."""
    return Console(stderr=True).status(what) if sys.stderr.isatty() else nullcontext()


def _print_table(results: list[Result]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("data", no_wrap=True)
    for heading in ("samples", "columns", "k", "beta", "min size", "clusters", "ARI", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        model = result.model
        table.add_row(
            result.name,
            f"{result.X.shape[0]}",
            f"{result.X.shape[1]}",
            f"{model.k_}",
            f"{model.beta_:g}",
            f"{model.min_cluster_size_}",
            f"{model.n_clusters_}",
            "" if result.score is None else f"{result.score:.3f}",
            f"{result.seconds:.2f}",
        )
    Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH).print(table)
    click.echo("ARI: agreement with the known classes, from 0 (chance) to 1 (complete).")
    click.echo("Shapes: k and beta of the paper. Tables: default k, beta of the paper, min size k.")
    click.echo("Photograph: settings chosen by eye.")
