"""The entrance: samples and parameters are checked here, before any work."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array, validate_data

from . import _core

FloatArray = npt.NDArray[np.float64] | npt.NDArray[np.float32]


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value, or a type, that is not allowed.

    It is a ValueError and a TypeError, so either catches it.
    """


@dataclass(frozen=True)
class Allowed:
    """The values that a parameter may have. Alternatives are joined with ``|``.

    Attributes
    ----------
    description : str
        Completes the sentence "it must be ...".
    admits : callable
        Whether a value is allowed.
    """

    description: str
    admits: Callable[[Any], bool]

    def __or__(self, other: Allowed) -> Allowed:
        return Allowed(
            f"{self.description} or {other.description}",
            lambda value: self.admits(value) or other.admits(value),
        )

    def check(self, name: str, value: Any) -> None:
        """Raise InvalidParameterError where the value is not allowed."""
        if not self.admits(value):
            raise InvalidParameterError(f"{name} is {value!r}, but it must be {self.description}.")


NONE = Allowed("None", lambda value: value is None)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def choice(*options: str) -> Allowed:
    """Allow some strings."""
    text = ", ".join(repr(option) for option in options)
    description = text if len(options) == 1 else f"one of {text}"
    return Allowed(description, lambda value: isinstance(value, str) and value in options)


def whole_number(least: int) -> Allowed:
    """Allow whole numbers from `least` on."""
    return Allowed(f"a whole number from {least} on", lambda v: is_whole(v) and v >= least)


def real_number(description: str, admits: Callable[[float], bool]) -> Allowed:
    """Allow some real numbers."""
    return Allowed(
        description,
        lambda v: isinstance(v, Real) and not isinstance(v, bool) and admits(float(v)),
    )


POSITIVE = real_number("a number above 0", lambda v: 0 < v < math.inf)
DISTANCE = real_number("a distance, 0 or more", lambda v: v >= 0)
BETA = real_number("a number strictly between 0 and 1", lambda v: 0 < v < 1)
DIMENSION = POSITIVE | choice("intrinsic") | NONE
N_JOBS = NONE | Allowed(
    "a positive whole number or a negative one (-1 for all cores)",
    lambda v: is_whole(v) and v != 0,
)
VERBOSE = Allowed("True or False", lambda v: isinstance(v, bool | np.bool_ | Integral))


def check_parameters(values: Mapping[str, Any], allowed: Mapping[str, Allowed]) -> None:
    """Check parameters by a table of what is allowed."""
    for name, rule in allowed.items():
        rule.check(name, values[name])


def validate_samples(X: Any, *, estimator: Any = None, reset: bool = True) -> FloatArray:
    """Return X as a finite C-contiguous matrix of float32 or float64, without a copy if it is."""
    options: dict[str, Any] = {"dtype": (np.float64, np.float32), "order": "C"}
    # The sum by which scikit-learn looks for infinite values may overflow float32.
    with np.errstate(invalid="ignore", over="ignore"):
        if estimator is None:
            # Half of the time of a small search goes into check_array.
            samples: FloatArray = X if _is_plain(X) else check_array(X, input_name="X", **options)
        else:
            samples = validate_data(estimator, X, reset=reset, **options)
    if samples.shape[0] >= 2**31 - 64:
        raise ValueError(
            f"X has {samples.shape[0]} samples, but fewer than 2**31 are supported: "
            "fit a random part of them and use predict for the rest."
        )
    # Views into records may start at any byte. Native code needs whole addresses.
    return samples if samples.flags.aligned else samples.copy()


def _is_plain(X: Any) -> bool:
    """Whether X is such a matrix already."""
    return (
        type(X) is np.ndarray
        and X.dtype in (np.float64, np.float32)
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
        and X.flags.aligned
        and _core.are_finite(X, 1)
    )


def default_k(n_samples: int) -> int:
    """Return the default number of neighbors: about the square root of n, from 8 to 64."""
    return min(n_samples, max(8, min(64, round(math.sqrt(n_samples)))))


def resolve_k(k: int | None, n_samples: int) -> int:
    """Return the number of neighbors to use; each sample counts as its own first neighbor."""
    if k is None:
        return default_k(n_samples)
    if not is_whole(k) or not 1 <= k <= n_samples:
        raise InvalidParameterError(
            f"k is {k!r}, but it must be a whole number from 1 to the number of samples, here "
            f"n_samples={n_samples} (each sample counts as its own first neighbor). With k=None it "
            "is chosen for you."
        )
    return int(k)


def check_beta(beta: Any) -> float:
    """Return beta as a float strictly between 0 and 1."""
    if not BETA.admits(beta):
        raise InvalidParameterError(
            f"beta is {beta!r}, but it must lie strictly between 0 and 1: it is the share of "
            "a mode's density that may be lost inside its cluster-core."
        )
    return float(beta)


def check_min_cluster_size(size: Any) -> int:
    """Return the least size of a cluster as an int of 1 or more."""
    whole_number(1).check("min_cluster_size", size)
    return int(size)
