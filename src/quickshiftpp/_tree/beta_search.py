"""The search for a beta that gives a wanted number of clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

# How many betas are tried before giving up; each costs a pass over the samples.
_MOST_TRIALS = 200


class BetaSearch:
    """Looks for a beta with a wanted number of clusters.

    Without a least cluster size, the number of clusters falls as beta grows, one step at each
    prominence. With one it mostly does: when a mode loses its core, its samples may enlarge a
    cluster that was too small before. So a bisection comes first, then the betas around its end.

    Parameters
    ----------
    count : callable
        The number of clusters at a beta.
    prominences : ndarray
        Ascending, strictly between 0 and 1: where the number can change.
    """

    def __init__(self, count: Callable[[float], int], prominences: npt.NDArray[np.float64]) -> None:
        self._count = count
        self._edges = np.concatenate([[0.0], prominences, [1.0]])
        self._counts: dict[float, int] = {}

    def count(self, beta: float) -> int:
        """Return the number of clusters at a beta, computed once."""
        if beta not in self._counts:
            self._counts[beta] = self._count(beta)
        return self._counts[beta]

    def nearest_counts(self, n_clusters: int, most: int = 3) -> list[int]:
        """Return the numbers nearest to a wanted one, among those that were met."""
        met = sorted(set(self._counts.values()), key=lambda count: (abs(count - n_clusters), count))
        return sorted(met[:most])

    def find(self, n_clusters: int, first_guess: float | None = None) -> float:
        """Return a beta whose number of clusters is the wanted one, or else comes nearest."""
        if first_guess is not None and self.count(first_guess) == n_clusters:
            return first_guess
        place = self._bisect(n_clusters)
        for interval in self._outward(place):
            if self.count(self._middle(interval)) == n_clusters:
                return self._widen(interval, n_clusters)
            if len(self._counts) >= _MOST_TRIALS:
                break
        return min(self._counts, key=lambda b: (abs(self._counts[b] - n_clusters), b))

    def _middle(self, first: int, last: int | None = None) -> float:
        """Return the middle of an interval between prominences, or of several in a row."""
        return float(
            0.5 * (self._edges[first] + self._edges[(first if last is None else last) + 1])
        )

    def _bisect(self, n_clusters: int) -> int:
        """Return the interval at which the number falls to the wanted one or below."""
        low, high = 0, len(self._edges) - 2
        while low < high:
            middle = (low + high) // 2
            if self.count(self._middle(middle)) > n_clusters:
                low = middle + 1
            else:
                high = middle
        return low

    def _outward(self, place: int) -> list[int]:
        last = len(self._edges) - 2
        near = range(max(0, place - _MOST_TRIALS), min(last, place + _MOST_TRIALS) + 1)
        return sorted(near, key=lambda interval: (abs(interval - place), interval))

    def _widen(self, interval: int, n_clusters: int) -> float:
        """Return the middle of the intervals around one that give the same number."""
        first = self._reach(interval, -1, n_clusters)
        last = self._reach(interval, +1, n_clusters)
        middle = self._middle(first, last)
        return middle if self.count(middle) == n_clusters else self._middle(interval)

    def _reach(self, interval: int, direction: int, n_clusters: int) -> int:
        """Return how far the number stays the same in one direction, by steps that double."""
        step, has_failed = 1, False
        while step > 0:
            ahead = interval + direction * step
            is_inside = 0 <= ahead <= len(self._edges) - 2
            if is_inside and self.count(self._middle(ahead)) == n_clusters:
                interval = ahead
                step = step // 2 if has_failed else step * 2
            else:
                has_failed, step = True, step // 2
        return interval
