"""The search for a beta with a wanted number of clusters."""

from __future__ import annotations

import numpy as np
import pytest

from quickshiftpp import InvalidParameterError, QuickshiftPP
from quickshiftpp._tree.beta_search import BetaSearch

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


def test_what_cannot_be_had_is_told_with_what_can():
    X = np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 4, axis=0)
    tree = QuickshiftPP(4, 0.5).fit(X).tree_
    with pytest.raises(InvalidParameterError, match=r"n_clusters is 3.*nearest numbers.*6"):
        tree.beta_for(3)
