"""The search for a beta with a wanted number of clusters."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from cases import random_case
from quickshiftpp import InvalidParameterError, QuickshiftPP
from quickshiftpp._tree import mode_tree
from quickshiftpp._tree.beta_search import BetaSearch, Breakpoints
from quickshiftpp._tree.density import radius_ratio_limit

PROMINENCES = np.linspace(0.05, 0.95, 19)


def test_every_number_of_a_falling_count_is_found():
    search = BetaSearch(lambda beta: 1 + int((beta < PROMINENCES).sum()), PROMINENCES)
    for wanted in range(1, 21):
        beta = search.find(wanted)
        assert search.count(beta) == wanted
    assert search.nearest_counts(50) == [18, 19, 20]


def test_the_middle_of_a_plateau_is_taken():
    search = BetaSearch(lambda beta: 5 if 0.2 < beta < 0.8 else 9 - 8 * (beta > 0.5), PROMINENCES)
    assert search.find(5) == pytest.approx(0.5)


def test_a_count_that_rises_again_is_found():
    """With a least size the number of clusters may rise with beta."""

    def count(beta):
        return 7 if 0.70 < beta < 0.75 else 1 + int((beta < PROMINENCES).sum()) // 4

    assert count(BetaSearch(count, PROMINENCES).find(7)) == 7


def test_the_nearest_number_is_taken_where_there_is_none():
    search = BetaSearch(lambda beta: 10 if beta < 0.5 else 3, PROMINENCES)
    assert search.count(search.find(4)) == 3
    assert search.count(search.find(9)) == 10


def test_a_first_guess_that_fits_is_kept():
    search = BetaSearch(lambda beta: 10 if beta < 0.5 else 3, PROMINENCES)
    assert search.find(3, first_guess=0.91) == 0.91
    assert search.count(search.find(3, first_guess=0.11)) == 3
    assert search.count(search.find(10, first_guess=0.91)) == 10


def test_what_cannot_be_had_is_told_with_what_can():
    X = np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 4, axis=0)
    tree = QuickshiftPP(4, 0.5).fit(X).tree_
    with pytest.raises(InvalidParameterError, match=r"n_clusters is 3.*nearest numbers.*6"):
        tree.beta_for(3)


def test_neighboring_floats_as_breakpoints():
    """Each number exists at one float only, the lower end of its interval."""
    first = 4e-16
    betas = [first]
    for _ in range(6):
        betas.append(math.nextafter(betas[-1], 1))
    breakpoints = np.array(betas)
    search = BetaSearch(lambda beta: 1 + int((beta < breakpoints).sum()), breakpoints)
    for wanted in range(1, 9):
        assert search.count(search.find(wanted)) == wanted


def test_a_number_between_breakpoints_is_found():
    """With a least size the number also changes where no mode does."""

    def count(beta):
        return 9 if beta < 0.5123 else 4 if beta < 0.5124 else 2

    assert count(BetaSearch(count, PROMINENCES).find(4)) == 4


def test_the_ends_of_the_range():
    smallest, largest = math.ulp(0.0), 1 - 2**-53
    search = BetaSearch(lambda beta: 3 if beta < largest else 1, np.array([largest]))
    assert search.find(1) == largest
    search = BetaSearch(lambda beta: 1 + (beta < smallest), np.array([smallest, 1.0]))
    assert search.find(1) > 0


def test_every_beta_that_is_tried_is_one():
    smallest = math.ulp(0.0)
    breakpoints = np.array([smallest, 0.5, math.nextafter(1.0, 0)])

    def count(beta):
        assert 0 < beta < 1
        return 1 + int((beta < breakpoints).sum())

    for wanted in range(1, 5):
        search = BetaSearch(count, breakpoints)
        assert count(search.find(wanted)) == min(wanted, 3)  # no beta is below the smallest


def circle(n, k):
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)]), k


def hexagons(rows, columns, k):
    i, j = np.mgrid[:rows, :columns]
    return np.column_stack([(i + 0.5 * j).ravel(), (math.sqrt(0.75) * j).ravel()]), k


def grid(rows, columns, k):
    return np.argwhere(np.ones((rows, columns))).astype(float), k


def random(seed):
    case = random_case(seed)
    return case.X, case.k


PROBLEMS = {
    "circles": [circle(n, k) for n in range(3, 18) for k in range(2, min(n, 9))],
    "hexagons": [hexagons(a, b, k) for a in (2, 3, 4, 6) for b in (4, 5, 6) for k in (2, 3, 5, 7)],
    "grids": [grid(a, b, k) for a in (2, 3, 5) for b in (3, 5, 6) for k in (2, 4, 5)],
    "random": [random(seed) for seed in range(60)],
}


def every_beta(tree):
    """A beta for every clustering that the tree may hold, and its neighbors among the floats."""
    native = tree._native
    radii = native.squared_radii
    with np.errstate(all="ignore"):
        ratios = np.append((radii[:, None] / radii[native.mode_positions]).ravel(), 1.0)
        ratios = np.unique(np.append(ratios, native.saddle_ratios()))
        betas = 1 - ratios ** (-0.5 * tree.dimension)
        betas = np.append(betas, -np.expm1(-0.5 * tree.dimension * np.log(ratios)))
    betas = np.unique(betas[(betas >= 0) & (betas < 1)])
    below, above = np.nextafter(betas, 0), np.nextafter(betas, 1)
    middles = 0.5 * (betas[1:] + betas[:-1])
    betas = np.concatenate([betas, below, above, middles, 0.5 * betas, 0.75 * betas, [1 - 2**-53]])
    return np.unique(betas[(betas > 0) & (betas < 1)])


@pytest.mark.filterwarnings("ignore::quickshiftpp.DegenerateClusteringWarning")
@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_number_that_exists_is_found(name, size):
    for X, k in PROBLEMS[name]:
        tree = QuickshiftPP(k, 0.3).fit(X).tree_
        existing = set(tree.n_clusters(every_beta(tree), min_cluster_size=size).tolist())
        for wanted in range(1, max(existing) + 2):
            try:
                beta = tree.beta_for(wanted, min_cluster_size=size)
            except InvalidParameterError as error:
                assert wanted not in existing
                nearest = re.search(r"numbers are \[(.*)\]", str(error)).group(1)
                assert {int(number) for number in nearest.split(",")} <= existing
            else:
                assert len(set(tree.labels(beta=beta, min_cluster_size=size))) == wanted


@pytest.mark.filterwarnings("ignore::quickshiftpp.DegenerateClusteringWarning")
def test_a_number_that_exists_where_a_core_meets_a_distant_basin():
    """Only quotients of samples with modes two steps up the tree tell where that is."""
    X = [[-2, 0], [5, 7], [2, 4], [4, 7], [-7, -10], [-4, -5], [-7, -3], [-1, -14], [-9, -2],
         [-2, -4], [-16, -1], [-15, -9], [-1, 5]]  # fmt: skip
    tree = QuickshiftPP(4, 0.3).fit(np.array(X) / 10).tree_
    beta = tree.beta_for(1, min_cluster_size=3)
    assert len(set(tree.labels(beta=beta, min_cluster_size=3))) == 1


def test_rare_numbers_are_searched_for_in_small_trees_only(monkeypatch):
    X = np.random.default_rng(1000).normal(size=(1000, 1))
    tree = QuickshiftPP(8, 0.3).fit(X).tree_
    ratios = tree._core_ratios(1)
    assert (np.diff(ratios) > 0).all()
    betas = list(tree._rare_betas(20, 8))
    assert all(tree.n_clusters(beta, min_cluster_size=8) == 20 for beta in betas)
    assert len(betas) > 10
    assert not list(tree._rare_betas(20, 1))
    monkeypatch.setattr(mode_tree, "_MOST_VISITS", 10_000)
    assert not list(tree._rare_betas(20, 8))
    for wanted in (0, -5, 10_000):
        with pytest.raises(InvalidParameterError, match="no beta was found"):
            tree.beta_for(wanted)


@pytest.mark.parametrize("dimension", [0.5, 1.0, 2.0, 3.7, 784.0])
def test_breakpoints_are_exact(dimension):
    """The least beta that reaches a quotient: the float below it does not."""
    ratios = [1 + 2**-52, 1 + 2**-51, 1 + 2**-40, 1.0001, 1.09, 1.5, 2.0, 10 / 7, 1e10, 1e300]
    breakpoints = Breakpoints(np.array(ratios), dimension)
    assert len(breakpoints) == len(ratios)
    for number, ratio in enumerate(ratios):
        beta = breakpoints[number]
        if beta < 1:
            assert radius_ratio_limit(beta, dimension) >= ratio
        else:
            assert beta == 1
        assert radius_ratio_limit(math.nextafter(beta, 0), dimension) < ratio
