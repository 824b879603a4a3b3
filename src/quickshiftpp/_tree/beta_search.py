"""The search for a beta that gives a wanted number of clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .density import least_beta

# How many betas are tried before giving up; each costs a pass over the samples.
_MOST_TRIALS = 200
_SMALLEST, _LARGEST = math.ulp(0.0), math.nextafter(1.0, 0.0)


class Breakpoints:
    """The least beta that reaches each of some quotients of squared radii.

    From one to the next, the same saddles lie inside the cores. Each breakpoint takes a while to
    compute exactly, and a search looks at few of them.

    Parameters
    ----------
    ratios : ndarray
        Ascending.
    dimension : float
    """

    def __init__(self, ratios: npt.NDArray[np.float64], dimension: float) -> None:
        self._ratios = ratios
        self._dimension = dimension

    def __len__(self) -> int:
        return len(self._ratios)

    def __getitem__(self, number: int) -> float:
        return least_beta(float(self._ratios[number]), self._dimension)


class BetaSearch:
    """Looks for a beta with a wanted number of clusters.

    Without a least cluster size, the number of clusters falls as beta grows, one step at each
    breakpoint, and a bisection finds every number that there is. With a least size the number
    mostly falls, but when a mode loses its core, its samples may enlarge a cluster that was too
    small before. The number may also change between breakpoints, since cores grow. So the betas
    around the end of the bisection come next, then those between two betas that give more and
    fewer, and last the rare ones.

    Parameters
    ----------
    count : callable
        The number of clusters at a beta.
    breakpoints : Breakpoints or ndarray
        Ascending, from 0 to 1. A cluster that ends at one of them is gone at that beta itself.
    rare : callable, optional
        Betas that may give a number of clusters which exists only in a narrow range.
    """

    def __init__(
        self,
        count: Callable[[float], int],
        breakpoints: Breakpoints | npt.NDArray[np.float64],
        rare: Callable[[int], Iterable[float]] = lambda _: (),
    ) -> None:
        self._count = count
        self._breakpoints = breakpoints
        self._rare = rare
        self._counts: dict[float, int] = {}

    def count(self, beta: float) -> int:
        """Return the number of clusters at a beta, computed once."""
        if beta not in self._counts:
            self._counts[beta] = self._count(beta)
        return self._counts[beta]

    def nearest_counts(self, n_clusters: int, most: int = 3) -> list[int]:
        """Return the numbers nearest to one that there is not, among those that were met."""
        met = set(self._counts.values()) - {n_clusters}
        return sorted(sorted(met, key=lambda count: (abs(count - n_clusters), count))[:most])

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
        for beta in self._crossings(n_clusters):
            if self.count(beta) == n_clusters:
                return beta
        for beta in self._rare(n_clusters):
            if self.count(beta) == n_clusters:
                return beta
        return min(self._counts, key=lambda b: (abs(self._counts[b] - n_clusters), b))

    @property
    def _last(self) -> int:
        """The number of the last interval; interval 0 ends at the first breakpoint."""
        return len(self._breakpoints)

    def _middle(self, first: int, last: int | None = None) -> float:
        """Return the middle of an interval between breakpoints, or of several in a row.

        An interval holds its lower end and not its upper one. Where it holds no beta at all, the
        next beta above is returned.
        """
        end = first if last is None else last
        low = 0.0 if first == 0 else float(self._breakpoints[first - 1])
        high = 1.0 if end == self._last else float(self._breakpoints[end])
        middle = 0.5 * (low + high)
        return min(max(middle if middle < high else low, _SMALLEST), _LARGEST)

    def _bisect(self, n_clusters: int) -> int:
        """Return the interval at which the number falls to the wanted one or below."""
        low, high = 0, self._last
        while low < high:
            middle = (low + high) // 2
            if self.count(self._middle(middle)) > n_clusters:
                low = middle + 1
            else:
                high = middle
        return low

    def _outward(self, place: int) -> list[int]:
        near = range(max(0, place - _MOST_TRIALS), min(self._last, place + _MOST_TRIALS) + 1)
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
            is_inside = 0 <= ahead <= self._last
            if is_inside and self.count(self._middle(ahead)) == n_clusters:
                interval = ahead
                step = step // 2 if has_failed else step * 2
            else:
                has_failed, step = True, step // 2
        return interval

    def _crossings(self, n_clusters: int) -> Iterator[float]:
        """Yield betas that close in on where the number crosses the wanted one."""
        trials = _MOST_TRIALS
        for low, high in pairwise(sorted(self._counts)):
            is_above = self._counts[low] > n_clusters
            if is_above == (self._counts[high] > n_clusters):
                continue
            middle = 0.5 * (low + high)
            while low < middle < high and trials > 0:
                yield middle
                trials -= 1
                if (self._counts[middle] > n_clusters) == is_above:
                    low = middle
                else:
                    high = middle
                middle = 0.5 * (low + high)
