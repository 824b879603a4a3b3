"""The measures of segmentations against figures worked out by hand, and a whole small run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from sklearn.metrics import rand_score

pytest.importorskip("skimage")
pytest.importorskip("PIL")

from click.testing import CliRunner
from PIL import Image

from experiments.segmentation.__main__ import main
from experiments.segmentation.measures import (
    BoundaryCounts,
    boundary,
    compare_boundaries,
    compare_regions,
    contingency,
    correspond,
    score_regions,
)
from experiments.segmentation.report import TEMPLATE

# Two halves by columns, two by rows: every pair of regions shares a quarter.
COLUMNS = np.array([[0, 0, 1, 1]] * 4)
ROWS = COLUMNS.T
ONE = np.zeros((4, 4), dtype=int)
EACH = np.arange(16).reshape(4, 4)


def test_contingency_counts_shared_pixels():
    assert contingency(COLUMNS, ROWS + 7).tolist() == [[4, 4], [4, 4]]
    assert contingency(COLUMNS, ONE).tolist() == [[8], [8]]


@pytest.mark.parametrize(
    ("labels", "truth", "covering", "rand_index", "variation"),
    [
        (COLUMNS, COLUMNS + 3, 1, 1, 0),
        # An overlap of 4 / (8 + 8 - 4); of the 120 pairs 64 are together in one only: see below.
        (COLUMNS, ROWS, 1 / 3, 1 - 64 / 120, 2),
        # A half covers a half of the whole; 8 * 8 pairs are apart in one only; H = 1 bit.
        (COLUMNS, ONE, 1 / 2, 1 - 64 / 120, 1),
        # The whole overlaps each half by a half.
        (ONE, COLUMNS, 1 / 2, 1 - 64 / 120, 1),
        # A pixel is an eighth of a half; 2 * 28 pairs are together in one only; 4 - 1 bits.
        (EACH, COLUMNS, 1 / 8, 1 - 56 / 120, 3),
        (EACH, ONE, 1 / 16, 0, 4),
    ],
)
def test_regions_by_hand(labels, truth, covering, rand_index, variation):
    # COLUMNS, ROWS: together in one are 2 * C(8, 2) = 56 pairs of each, in both 4 * C(4, 2) = 24;
    # so 56 + 56 - 2 * 24 = 64 pairs are together in one only.
    assert compare_regions(labels, truth) == pytest.approx((covering, rand_index, variation))


def test_unequal_regions_by_hand():
    truth = np.array([[0, 0, 0, 1]])
    labels = np.array([[0, 0, 1, 1]])
    # Region 0 (3 pixels): best overlap 2/3; region 1 (1 pixel): 1/2. Pairs apart in one only: 3 of
    # 6. H(truth) = 2 - 3/4 log2 3, H(labels) = 1, H(both) = 1.5.
    expected = (3 * 2 / 3 + 1 / 2) / 4, 1 / 2, 3 - 1 - (2 - 0.75 * np.log2(3))
    assert compare_regions(labels, truth) == pytest.approx(expected)


def test_people_are_averaged():
    both = score_regions(COLUMNS, [COLUMNS, ROWS])
    assert both == pytest.approx(((1 + 1 / 3) / 2, 1 - 32 / 120, 1))


labelings = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40).map(
    np.array
)


@settings(max_examples=60, deadline=None)
@given(labelings)
def test_regions_against_loops(pairs):
    labels, truth = pairs.T
    found = compare_regions(labels, truth)
    n = len(labels)
    covering = 0.0
    for region in set(truth):
        inside = set(np.flatnonzero(truth == region))
        others = [set(np.flatnonzero(labels == other)) for other in set(labels)]
        covering += len(inside) * max(len(inside & o) / len(inside | o) for o in others) / n
    assert found.covering == pytest.approx(covering)
    assert found.rand_index == pytest.approx(rand_score(truth, labels))
    # A metric: symmetric, and at most log2 n.
    assert found.variation == pytest.approx(compare_regions(truth, labels).variation, abs=1e-12)
    assert -1e-12 <= found.variation <= np.log2(n) + 1e-12


def test_boundary_lies_before_the_change():
    assert np.argwhere(boundary(COLUMNS)).tolist() == [[0, 1], [1, 1], [2, 1], [3, 1]]
    assert not boundary(ONE).any()


def test_correspondence_is_one_to_one():
    # Three points near one: only one of them gets it.
    one = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    assert np.count_nonzero(correspond(one, np.array([[0.0, 1.0]]), 1.5) >= 0) == 1
    # The greedy choice, (0, 1) for (0, 1), would leave the other two with one partner.
    other = np.array([[0.0, 1.0], [0.0, 3.0]])
    assert np.count_nonzero(correspond(one, other, 1.0) >= 0) == 2
    # The limit belongs to it.
    assert correspond(one[:1], np.array([[3.0, 4.0]]), 5.0).tolist() == [0]
    assert correspond(one[:1], np.array([[3.0, 4.0]]), 4.9).tolist() == [-1]
    assert correspond(one, one, 0.5).tolist() == [0, 1, 2]
    assert correspond(one, np.empty((0, 2)), 1.0).tolist() == [-1, -1, -1]


def test_correspondence_has_the_most_pairs():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.integers(0, 12, (2, 30, 2)).astype(float)
        candidates = np.hypot(*(one[:, None] - other[None]).T).T <= 2
        most = np.count_nonzero(maximum_bipartite_matching(csr_array(candidates)) >= 0)
        partners = correspond(one, other, 2)
        paired = partners[partners >= 0]
        assert len(paired) == len(set(paired)) == most
        assert candidates[np.flatnonzero(partners >= 0), paired].all()


def test_boundaries_by_hand():
    labels, truth = np.zeros((2, 300, 400), dtype=int)  # a diagonal of 500: tolerance 3.75 pixels
    labels[:, 200:] = 1
    truth[:, 203:] = 1
    assert compare_boundaries(labels, [truth]) == (300, 300, 300, 300)
    truth[:, 200:204] = 0
    truth[:, 204:] = 1
    assert compare_boundaries(labels, [truth]) == (0, 300, 0, 300)
    # Found by one of two people: all is precise, half is recalled.
    counts = compare_boundaries(labels, [labels, truth])
    assert counts == (300, 300, 300, 600)
    assert counts.f_measure == pytest.approx(2 * 1 * 0.5 / 1.5)


def test_no_boundary_at_all():
    assert compare_boundaries(ONE, [ONE]).f_measure == 0
    assert BoundaryCounts(0, 0, 0, 10).f_measure == 0


ROOT = Path(__file__).parents[2]


@pytest.fixture(name="photographs")
def small_photographs(tmp_path):
    """Two discs on a background; one person saw both, one only the first."""
    folder = tmp_path / "val"
    folder.mkdir()
    rng = np.random.default_rng(0)
    rows, columns = np.indices((80, 120))
    for number in range(4):
        truth = np.ones((80, 120), dtype=np.uint16)
        image = np.full((80, 120, 3), 60.0) + rng.normal(0, 4, (80, 120, 3))
        for disc, color in enumerate([(220, 40, 40), (40, 220, 60)]):
            inside = np.hypot(rows - 35 - 3 * number, columns - 30 - 60 * disc) < 15
            truth[inside] = disc + 2
            image[inside] += np.array(color) - 60
        np.savez(folder / f"{number}.npz", segs=np.stack([truth, np.where(truth == 3, 1, truth)]))
        pixels = np.clip(image, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.jpg", quality=95)
    return tmp_path


def run(*arguments):
    command = [sys.executable, "-m", "experiments.segmentation", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_whole_run(photographs, tmp_path):
    output, page = tmp_path / "results", tmp_path / "docs" / "quality.md"
    options = "--data", photographs, "--output", output, "--jobs", 1, "--page", page
    done = run(*options, "--images", 2)
    assert done.returncode == 0, done.stderr
    assert not page.exists()  # not of all photographs
    result = json.loads((output / "segmentation.json").read_text())
    assert result["photographs"] == 2
    assert result["rows"]["shipped"]["covering"]["ods"] > 0.8
    before = {path: path.stat().st_mtime_ns for path in (output / "units").iterdir()}

    done = run(*options)
    assert done.returncode == 0, done.stderr
    assert "segment(image), as shipped" in done.stdout
    # What was done is not done again.
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())
    text = page.read_text()
    assert "as good as people" in text
    assert all((page.parent / "segmentation" / name).exists()
               for name in ("quality_course.png", "quality_pairs.png"))  # fmt: skip
    # The sweep holds what is shipped, and the best of all settings is no worse.
    result = json.loads((output / "segmentation.json").read_text())
    sweep, shipped = result["rows"]["+ merging of a finer cut"], result["rows"]["shipped"]
    assert sweep["covering"]["ods"] >= shipped["covering"]["ods"] - 1e-12
    assert sweep["variation"]["ods"] <= shipped["variation"]["ods"] + 1e-12


def test_the_page_in_the_repository_has_the_text_of_the_template():
    """Between the numbers, the page is what the template says."""
    page = (ROOT / "docs" / "segmentation_quality.md").read_text()
    for part in re.split(r"{[^}]*}", TEMPLATE.read_text()):
        assert part.strip() in page


def test_missing_photographs_are_named(tmp_path):
    done = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert done.exit_code == 1
    assert "holds no pairs of ID.jpg and ID.npz" in done.output
