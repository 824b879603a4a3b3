"""The measurements behind the tuning constants: ``python -m benchmarks calibrate``.

The constants are in ``cpp/include/quickshiftpp/tuning.hpp``. A constant that sets how something is
computed is compiled with other values, each build in its own folder, and the builds take
turns. A constant that decides between two algorithms is measured by running both on either side of
it, with the package as installed.

The name ``costs`` stands for the constants of ``quickshiftpp/_search/costs.py``, by which the
package chooses between searches. See ``costs.py`` here.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from reporting.tables import console, format_seconds, show, table

from .costs import costs_table, measure_costs
from .turns import Contender, median_seconds
from .variants import build_core

ROOT = Path(__file__).parents[1]
HEADER = ROOT / "cpp" / "include" / "quickshiftpp" / "tuning.hpp"

PHOTOGRAPH = f"""
sys.path.append({str(ROOT)!r})
from benchmarks.segmentation import photograph, pixel_search
search = pixel_search(photograph(None), {{k}}, paper=False)
run = lambda: search(algorithm, 2)
"""


def fit(data: str, k: int = 20) -> str:
    """Return the workload of a fit of some samples."""
    return f"""
from quickshiftpp import QuickshiftPP
X = {data}
run = lambda: QuickshiftPP(k={k}, beta=0.7, algorithm=algorithm, n_jobs=2).fit(X)
"""


def small_fits(n: int) -> str:
    """Return the workload of many fits of a few samples."""
    return fit(f"blobs({n}, 2)") + "fit = run\nrun = lambda: [fit() for _ in range(200)]\n"


def noise(n: int, d: int, k: int = 20) -> str:
    """Return the workload of a fit of Gaussian noise."""
    return fit(f"np.random.default_rng(0).standard_normal(({n}, {d}))", k)


# By name: what it is, the algorithm, and its code, in which `algorithm` is defined.
WORKLOADS = {
    "plane": ("1,000,000 x 2 blobs, k = 20", "auto", fit("blobs(1_000_000, 2)")),
    "space": ("1,000,000 x 3 blobs, k = 20", "auto", fit("blobs(1_000_000, 3)")),
    "plane, large k": ("1,000,000 x 2 blobs, k = 64", "auto", fit("blobs(1_000_000, 2)", 64)),
    "space, large k": ("1,000,000 x 3 blobs, k = 100", "auto", fit("blobs(1_000_000, 3)", 100)),
    "ties": ("1,000,000 x 2 blobs on a lattice", "auto", fit("blobs(1_000_000, 2).round(2)")),
    "columns": ("200,000 x 8 blobs, k = 20", "auto", fit("blobs(200_000, 8)")),
    "wide": ("20,000 x 64 blobs, k = 20", "kd_tree", fit("blobs(20_000, 64)")),
    "noise": ("50,000 x 100 noise, k = 20", "cascade", noise(50_000, 100)),
    "embeddings": ("4,000 x 512 noise, k = 20", "cascade", noise(4_000, 512)),
    "embeddings, large k": ("4,000 x 512 noise, k = 200", "cascade", noise(4_000, 512, 200)),
    "small": ("2,000 x 2 blobs, k = 20, 200 times", "auto", small_fits(2_000)),
    "image": ("481 x 321 photograph, k = 100", "windows", PHOTOGRAPH.format(k=100)),
}


class Constant(NamedTuple):
    """Its value in the header, the values to compare it with, and which of the workloads."""

    present: int
    others: Sequence[int]
    workload: str


CONSTANTS = {
    "kFlush": Constant(32, (16, 64), "plane"),
    "kGrain": Constant(8192, (2048, 32768), "plane"),
    "kSmallWork": Constant(4_000_000, (1_000_000, 16_000_000), "small"),
    "kBuildGrain": Constant(16384, (4096, 65536), "plane"),
    "kEdgeCacheBits": Constant(13, (11, 15), "space"),
    "kSpatialEdges2": Constant(30, (64, 65), "plane, large k"),
    "kSpatialEdges3": Constant(72, (100, 101), "space, large k"),
    "kTiedShare": Constant(16, (4, 64), "ties"),
    "kRecomputeColumns": Constant(8, (4, 16), "columns"),
    "kAbandonColumns": Constant(16, (8, 32), "wide"),
    "kScreenAxes": Constant(48, (32, 64), "noise"),
    "kRefineAxes": Constant(192, (128, 256), "noise"),
    "kOrderAxes": Constant(16, (8, 48), "noise"),
    "kBoxAxes": Constant(6, (3, 12), "noise"),
    "kJointSamples": Constant(4096, (0, 2048), "embeddings"),
    "kJointColumns": Constant(512, (256, 1024), "embeddings"),
    "kJointNeighbors": Constant(256, (0,), "embeddings, large k"),
    "kFirstPhaseBlocks": Constant(128, (64, 256), "noise"),
    "kPairBlocks": Constant(8, (1, 32), "noise"),
    "kQueueLength": Constant(32, (16, 64), "noise"),
    "kLongQueueLength": Constant(128, (64, 256), "noise"),
    "kBandPixels": Constant(16384, (4096, 65536), "image"),
    "kBucketCapacity": Constant(2, (3, 4), "image"),
}


# Constants that decide between two algorithms, with workloads on either side of the decision.
SWITCHES = [
    (
        ("kTreeSamples",),
        ("brute", "kd_tree"),
        {f"{n} x 2 blobs": fit(f"blobs({n}, 2)") for n in (64, 128, 256, 1024)},
    ),
    (
        ("kCascadeColumns",),
        ("kd_tree", "cascade"),
        {
            **{f"{n:,} x 20 noise": noise(n, 20) for n in (1_000, 10_000, 50_000)},
            **{f"50,000 x {d} noise": noise(50_000, d) for d in (5, 10, 50)},
            **{f"50,000 x {d} blobs": fit(f"blobs(50_000, {d})") for d in (10, 50)},
        },
    ),
    (
        ("kWindowNeighbors", "kWindowSizePerNeighbor", "kLineCost"),
        ("windows", "kd_tree"),
        {f"481 x 321 photograph, k = {k}": PHOTOGRAPH.format(k=k) for k in (20, 100, 300)},
    ),
]

# The name of all constants of the model of costs.
COSTS = "costs"

# Constants without a measurement of time, and why.
NOT_MEASURED = {
    "kBlock": "given by the width of the masks of a block",
    "kForestEdges": "sets the memory of a thread",
    "kPending": "follows from kFlush and kBlock",
    "kQueryGroup": "given by the number of vector registers",
    **dict.fromkeys(
        (
            "kPilotSamples",
            "kPilotLeast",
            "kPilotNeighbors",
            "kPilotStep",
            "kPilotPixels",
            "kSitesPilot",
        ),
        "sets the accuracy of a choice between algorithms",
    ),
    "kDimensionSamples": "sets the accuracy of the intrinsic dimension",
    **dict.fromkeys(
        ("kSortPiece", "kEdgeBlocks", "kTiedEdgeBlocks"), "sets how soon an interrupt is seen"
    ),
}


def read_header(text: str) -> dict[str, float]:
    r"""Return the numeric constants of the header.

    Examples
    --------
    >>> read_header("inline constexpr int kA = 4;\ninline constexpr int kB = kA << 2;  // why")
    {'kA': 4, 'kB': 16}
    """
    found: dict[str, float] = {}
    for name, value in re.findall(r"constexpr [\w:]+ (k\w+) = ([^;]+);", text):
        found[name] = eval(re.sub(r"std::size_t\{(\w+)\}", r"\1", value), {}, dict(found))
    return found


def with_value(text: str, name: str, value: float) -> str:
    """Return the header with another value of a constant.

    Examples
    --------
    >>> with_value("inline constexpr int kA = 4;", "kA", 8)
    'inline constexpr int kA = 8;'
    """
    changed, count = re.subn(rf"(constexpr [\w:]+ {name} = )[^;]+;", rf"\g<1>{value};", text)
    if count != 1:
        raise click.ClickException(f"{name} is not in {HEADER.name}.")
    return changed


def build(folder: Path, name: str = "", value: float = 0) -> Path:
    """Build the extension, with another value of a constant; return the folder to import from."""
    package, source = folder / "package", folder / "source"
    shutil.copytree(
        ROOT / "src" / "quickshiftpp",
        package / "quickshiftpp",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    shutil.copytree(ROOT / "cpp", source / "cpp")
    shutil.copy(ROOT / "CMakeLists.txt", source)
    if name:
        header = source / HEADER.relative_to(ROOT)
        header.write_text(with_value(header.read_text(), name, value))
    build_core(source, folder / "build")
    (library,) = (folder / "build").rglob("_core*.so")
    shutil.copy(library, package / "quickshiftpp")
    return package


def contender(workload: str, algorithm: str, path: Path | str = "") -> Contender:
    """Return who runs a workload with an algorithm, by a package in some folder."""
    return Contender(sys.executable, f"algorithm = {algorithm!r}\n{workload}", str(path))


def measure_constant(name: str, present: Path, folder: Path, rounds: int) -> str:
    """Build and time the values of a constant, and return a table."""
    constant = CONSTANTS[name]
    title, algorithm, workload = WORKLOADS[constant.workload]
    paths = {constant.present: present}
    for value in constant.others:
        paths[value] = build(folder / f"{name}-{value}", name, value)
    contenders = [contender(workload, algorithm, path) for path in paths.values()]
    medians = dict(zip(paths, median_seconds(contenders, rounds), strict=True))
    rows = [
        [str(value), format_seconds(median), f"{median / medians[constant.present]:.3f}"]
        for value, median in medians.items()
    ]
    rows[0][0] += " (present)"
    return table([name, "median time", "ratio"], rows, f"{title}, {algorithm}")


def measure_switch(
    names: Sequence[str], algorithms: Sequence[str], cases: Mapping[str, str], rounds: int
) -> str:
    """Time two algorithms on every case, and return a table."""
    rows = []
    for title, workload in cases.items():
        contenders = [contender(workload, algorithm) for algorithm in algorithms]
        one, other = median_seconds(contenders, rounds)
        rows.append([title, format_seconds(one), format_seconds(other), f"{other / one:.2f}"])
    return table(["", *algorithms, "ratio"], rows, ", ".join(names))


def list_constants() -> str:
    """Return what is measured and what is not, as Markdown."""
    rows = [
        [name, str(c.present), ", ".join(map(str, c.others)), WORKLOADS[c.workload][0]]
        for name, c in CONSTANTS.items()
    ]
    rows += [
        [", ".join(names), "", " or ".join(algorithms), ", ".join(cases)]
        for names, algorithms, cases in SWITCHES
    ]
    rows.append([COSTS, "", "times of one thread", "noise, 1,000 to 4,000 x 32 to 512"])
    rows += [[name, "", "not measured", reason] for name, reason in NOT_MEASURED.items()]
    return table(["constant", "present", "compared with", "workload"], rows, text_columns=4)


@click.command("calibrate", context_settings={"show_default": True})
@click.argument("names", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="Print the constants; measure nothing.")
@click.option("--rounds", type=click.IntRange(min=1), default=7, help="Runs of each value.")
def calibrate_command(names: tuple[str, ...], only_list: bool, rounds: int) -> None:
    """Repeat the measurements behind the tuning constants NAMES of the core; default: all.

    `costs` stands for the constants by which the package chooses between searches.
    """
    target = console()
    known = [*CONSTANTS, *(name for group, _, _ in SWITCHES for name in group), COSTS]
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name!r} is not measured; there are {', '.join(known)}.")
    if only_list:
        show(target, list_constants())
        return
    wanted = names or known
    if COSTS in wanted:
        show(target, costs_table(measure_costs(rounds)))
    for group, algorithms, cases in SWITCHES:
        if not set(group).isdisjoint(wanted):
            show(target, measure_switch(group, algorithms, cases, rounds))
    constants = [name for name in CONSTANTS if name in wanted]
    with tempfile.TemporaryDirectory(prefix="calibrate-") as name:
        folder = Path(name)
        present = build(folder / "present") if constants else folder
        for constant in constants:
            show(target, measure_constant(constant, present, folder, rounds))
