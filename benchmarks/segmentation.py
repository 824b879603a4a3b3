"""Image segmentation: ``python -m benchmarks.segmentation``.

A photograph with this package and with scikit-image's algorithms, growth up to twelve megapixels
with peak memory, a volume with a mask, and the search in windows against the k-d tree. The
photograph is scikit-learn's, or your own; large images are mirrored copies of it, side by side.
"""

from __future__ import annotations

import math
import multiprocessing
import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from reporting.store import write_json
from reporting.tables import console, format_bytes, format_seconds, plural, show, table

from .cases import growth_exponent
from .machine import describe_machine
from .measure import MemoryMeter
from .timing import median_seconds, seconds_of

Picture = npt.NDArray[np.uint8]

WIDTH, HEIGHT = 481, 321
MEGAPIXELS = (0.15, 0.6, 2.4, 12.0)
VOLUME = (64, 128, 128)
NEIGHBORS = (20, 100, 300)


def photograph(path: Path | None, width: int = WIDTH, height: int = HEIGHT) -> Picture:
    """Return the middle of a photograph, resized."""
    from PIL import Image, ImageOps

    if path is None:
        from sklearn.datasets import load_sample_image

        image = Image.fromarray(load_sample_image("china.jpg"))
    else:
        image = Image.open(path).convert("RGB")
    return np.asarray(ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS))


def mirrored(photo: Picture, megapixels: float) -> Picture:
    """Return mirrored copies side by side, cropped to this size in the same proportions."""
    height, width = photo.shape[:2]
    scale = math.sqrt(megapixels * 1e6 / (height * width))
    rows, columns = max(1, round(height * scale)), max(1, round(width * scale))
    after = ((0, max(0, rows - height)), (0, max(0, columns - width)), (0, 0))
    return np.pad(photo, after, mode="symmetric")[:rows, :columns]


def compare(photo: Picture, k: int, threads: int, rounds: int) -> list[dict[str, Any]]:
    """Return the median time of each algorithm on one photograph, measured in turns."""
    from quickshiftpp.segmentation import segment

    theirs: Any = import_module("skimage.segmentation")
    algorithms: dict[str, Callable[[], Any]] = {
        "quickshiftpp": lambda: segment(photo, k=k, n_jobs=threads),
        "quickshiftpp, paper": lambda: segment(photo, k=k, paper=True, n_jobs=threads),
        "scikit-image quickshift": lambda: theirs.quickshift(photo),
        "scikit-image felzenszwalb": lambda: theirs.felzenszwalb(photo),
        "scikit-image slic": lambda: theirs.slic(photo, start_label=1),
    }
    seconds: dict[str, list[float]] = {name: [] for name in algorithms}
    segments = {name: len(np.unique(run())) for name, run in algorithms.items()}
    for _ in range(rounds):
        for name, run in algorithms.items():
            seconds[name].append(seconds_of(run))
    return [
        {"algorithm": name, "seconds": statistics.median(seconds[name]), "segments": segments[name]}
        for name in algorithms
    ]


def measure_once(image: npt.NDArray[Any], options: dict[str, Any], rounds: int) -> dict[str, float]:
    """Segment an image, and return seconds, segments and peak resident bytes."""
    from quickshiftpp.segmentation import segment

    segment(image[:64, :64], **{**options, "mask": None})  # starts the threads
    meter = MemoryMeter()
    found: list[int] = []
    seconds = median_seconds(lambda: found.append(int(segment(image, **options).max())), rounds)
    return {
        "pixels": float(math.prod(image.shape[:2])),
        "seconds": seconds,
        "segments": float(found[-1]),
        "resident_bytes": float(meter.peak_resident()),
    }


def alone(image: npt.NDArray[Any], options: dict[str, Any], rounds: int = 1) -> dict[str, float]:
    """Run :func:`measure_once` in a new process, so that its memory can be measured."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure_once, image, options, rounds).result()


def volume_with_mask(shape: tuple[int, ...]) -> tuple[npt.NDArray[np.uint8], Any]:
    """Return nested gray ellipsoids with noise, and a mask around them."""
    rng = np.random.default_rng(0)
    middle = np.array(shape).reshape(-1, 1, 1, 1) / 2
    radius = np.sqrt((((np.indices(shape) - middle) / middle) ** 2).sum(axis=0))
    gray = np.select([radius < 0.4, radius < 0.8], [200, 120], 60)
    noisy = gray + rng.normal(0, 6, shape)
    return noisy.clip(0, 255).astype(np.uint8), radius < 0.95


def pixel_search(photo: Picture, k: int, *, paper: bool) -> Callable[[str, int], object]:
    """Return the neighbor search of a photograph alone, by algorithm and number of threads.

    The algorithm is ``"windows"`` or ``"kd_tree"``. This is the one use of the package's internals
    in the benchmarks of images.
    """
    from quickshiftpp._search.pipeline import find_pixel_neighbors
    from quickshiftpp._search.pixels import Grid
    from quickshiftpp.segmentation import pixel_features

    samples, grid = pixel_features(photo, paper=paper), Grid(photo.shape[:2], (1.0, 1.0), None)

    def search(algorithm: str, threads: int) -> None:
        with find_pixel_neighbors(samples, grid, k, algorithm=algorithm, threads=threads):
            pass

    return search


def search_seconds(photo: Picture, k: int, threads: int, rounds: int) -> list[dict[str, Any]]:
    """Time the search in windows and in the tree, for plain colors and the default."""
    lines = []
    for colors, paper in (("plain RGB", True), ("Lab, default", False)):
        search = pixel_search(photo, k, paper=paper)
        line: dict[str, Any] = {"colors": colors, "k": k}
        for algorithm in ("windows", "kd_tree"):
            line[algorithm] = median_seconds(partial(search, algorithm, threads), rounds)
        lines.append(line)
    return lines


def growth_table(results: list[dict[str, float]], title: str) -> str:
    """Return the sizes, times and memory of several images."""
    rows = [
        [
            f"{found['pixels'] / 1e6:.2f}",
            format_seconds(found["seconds"]),
            f"{found['segments']:,.0f}",
            format_bytes(found["resident_bytes"]),
        ]
        for found in results
    ]
    return table(["megapixels", "time", "segments", "peak memory"], rows, title)


@click.command()
@click.option(
    "--image", type=click.Path(exists=True, path_type=Path), help="A photograph of your own."
)
@click.option("--k", default=100, show_default=True)
@click.option("--threads", default=2, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--quick", is_flag=True, help="A small photograph, and less than a megapixel.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the results as JSON.")
def main(
    image: Path | None, k: int, threads: int, rounds: int, quick: bool, output: Path | None
) -> None:
    """Measure the segmentation of images."""
    photo = photograph(image, *((WIDTH // 3, HEIGHT // 3) if quick else (WIDTH, HEIGHT)))
    sizes = (0.02, 0.05, 0.15) if quick else MEGAPIXELS
    shape = tuple(length // 4 for length in VOLUME) if quick else VOLUME
    results: dict[str, Any] = {"machine": describe_machine([]), "k": k, "threads": threads}
    target = console()

    results["photograph"] = compare(photo, k, threads, rounds)
    rows = [
        [line["algorithm"], format_seconds(line["seconds"]), f"{line['segments']:,}"]
        for line in results["photograph"]
    ]
    title = f"{photo.shape[1]} x {photo.shape[0]} pixels, k = {k}, {plural(threads, 'thread')}"
    show(target, table(["", "time", "segments"], rows, title))

    results["search"] = [
        line for number in NEIGHBORS for line in search_seconds(photo, number, threads, rounds)
    ]
    rows = [
        [
            f"{line['colors']}, k = {line['k']}",
            *(format_seconds(line[algorithm]) for algorithm in ("windows", "kd_tree")),
            f"{line['kd_tree'] / line['windows']:.2f}x",
        ]
        for line in results["search"]
    ]
    show(target, table(["", "windows", "k-d tree", "ratio"], rows, "The neighbor search alone"))

    options: dict[str, Any] = {"k": k, "n_jobs": threads}
    results["growth"] = [
        alone(mirrored(photo, megapixels), options, rounds if megapixels < 1 else 1)
        for megapixels in sizes
    ]
    pixels, seconds = (
        [found[name] for found in results["growth"]] for name in ("pixels", "seconds")
    )
    results["exponent"] = growth_exponent(pixels, seconds)
    show(target, growth_table(results["growth"], f"Time grows as n^{results['exponent']:.2f}"))

    volume, mask = volume_with_mask(shape)
    options |= {"channel_axis": None, "mask": mask, "spacing": (2.0, 1.0, 1.0), "sigma": 1.0}
    results["volume"] = {**alone(volume, options), "pixels": float(mask.sum())}
    title = f"A volume of {' x '.join(map(str, shape))} with a mask, spacing 2, 1, 1"
    show(target, growth_table([results["volume"]], title))
    if output is not None:
        write_json(output, results)
        click.echo(f"Written to {output}")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.segmentation")
