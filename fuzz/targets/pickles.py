"""Damaged pickles of fitted models: any Python exception will do, but the process survives."""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from quickshiftpp import InvalidParameterError, MCores, ModeTree, QuickShift, QuickshiftPP, sweep
from quickshiftpp.segmentation import ImageTree, image_tree

from ..checks import Checks
from ..edits import Edit
from ..resources import limited_memory
from .base import register
from .files import FileTarget

_WrittenInPython: Any = pickle._Unpickler


class _Unpickler(_WrittenInPython):  # type: ignore[misc]
    """Loads only what our own pickles name: a damaged name must not run anything else.

    The same for the states of data types: NumPy ends the process where one has the wrong length, or
    where a flipped bit makes int64 a time of no unit (numpy/numpy#30476). The unpickler is that
    written in Python, since only this one can be told to look at them first.
    """

    def __init__(self, content: bytes, seen: set[str] | None = None) -> None:
        super().__init__(io.BytesIO(content))
        self._seen = seen

    def find_class(self, module: str, name: str, /) -> Any:
        """Return a class or function that undamaged pickles need."""
        self._require(f"{module}.{name}")
        return super().find_class(module, name)

    def load_build(self) -> None:
        """Set the state of an object."""
        state, instance = self.stack[-1], self.stack[-2]
        if isinstance(instance, np.dtype):
            self._require(f"{instance} {state}")
        super().load_build()

    dispatch: ClassVar = {**_WrittenInPython.dispatch, pickle.BUILD[0]: load_build}

    def _require(self, part: str) -> None:
        if self._seen is not None:
            self._seen.add(part)
        elif part not in _allowed():
            raise pickle.UnpicklingError(f"{part} is not part of a model")


@cache
def _allowed() -> frozenset[str]:
    seen: set[str] = set()
    for make in _MODELS.values():
        for dtype in (np.float32, np.float64):
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                model = make(np.random.default_rng(0), dtype)
                _Unpickler(pickle.dumps(model, protocol), seen).load()
    return frozenset(seen)


def _fitted(rng: np.random.Generator, dtype: Any) -> QuickshiftPP:
    X = rng.normal(size=(int(rng.integers(5, 60)), int(rng.integers(1, 4)))).astype(dtype)
    algorithm = str(rng.choice(["kd_tree", "cascade", "brute"]))
    return QuickshiftPP(4, 0.3, algorithm=algorithm, n_jobs=1).fit(X)


def _image_tree(rng: np.random.Generator, dtype: Any) -> ImageTree:
    return image_tree(rng.random((6, 7, 3)).astype(dtype), k=5, n_jobs=1)


_MODELS: dict[str, Callable[[np.random.Generator, Any], Any]] = {
    "QuickshiftPP": _fitted,
    "ModeTree": lambda rng, dtype: _fitted(rng, dtype).tree_,
    "MCores": lambda rng, dtype: MCores(4, n_jobs=1).fit(rng.random((30, 2)).astype(dtype)),
    "QuickShift": lambda rng, dtype: QuickShift(n_jobs=1).fit(rng.random((30, 2)).astype(dtype)),
    "Sweep": lambda rng, dtype: sweep(rng.random((20, 2)).astype(dtype), [3, 5], n_jobs=1),
    "ImageTree": _image_tree,
}


@register
class PickleTarget(FileTarget):
    """Damaged pickles of estimators, trees and sweeps, whose methods are then called."""

    name = "pickles"
    share = 1.0

    def make(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Pickle a fitted model."""
        names = [*_MODELS, "QuickshiftPP", "ModeTree"]  # these two twice as often
        make = _MODELS[str(rng.choice(names))]
        model = make(rng, np.float32 if rng.random() < 0.5 else np.float64)
        return ".pickle", pickle.dumps(model, int(rng.integers(2, pickle.HIGHEST_PROTOCOL + 1)))

    def check(self, checks: Checks, *, file: int, edits: Sequence[Edit]) -> None:
        """Load the damaged pickle, and use what comes out in every way."""
        _allowed()  # filled before anything is damaged
        _, content = self.damaged(file, edits)
        with limited_memory(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = _Unpickler(content).load()
            except Exception:
                checks.holds("a valid pickle is loaded", edits)
                return
            for name, use in _uses(model):
                try:
                    use()
                except InvalidParameterError:  # no beta gives the number of clusters
                    pass
                except Exception as error:
                    checks.holds(f"{name} of a valid pickle", edits, repr(error))
                checks.count += 1


def _uses(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Name everything that can be done with a model."""
    yield "repr", lambda: repr(model)
    yield "pickle", lambda: pickle.dumps(model)
    if isinstance(model, QuickshiftPP | MCores | QuickShift):
        for name in ("core_labels_", "radii_", "log_density_", "parents_"):
            if not isinstance(model, QuickShift) or name in ("log_density_", "parents_"):
                yield name, partial(getattr, model, name)
        yield "get_params", lambda: model.get_params()
    if isinstance(model, QuickshiftPP):
        columns = vars(model).get("n_features_in_", 2)
        new = np.zeros((3, columns if isinstance(columns, int) and 0 < columns < 9 else 2))
        yield "predict", lambda: model.predict(new)
        yield "predict float32", lambda: model.predict(new.astype(np.float32) + 0.5)
        yield "relabel(beta)", lambda: model.relabel(0.5)
        yield "relabel(n_clusters)", lambda: model.relabel(n_clusters=1, min_cluster_size=3)
        yield "predict after relabel", lambda: model.predict(new)
    if isinstance(model, QuickShift):
        for tau in (0.0, 0.1, 100.0):
            yield "cut", partial(model.cut, tau)
    if isinstance(model, ImageTree):
        yield "labels", lambda: model.labels(0.5, connected=True)
        yield "labels(n_segments)", lambda: model.labels(n_segments=2)
        yield "labels(merge)", lambda: model.labels(merge=5.0, min_size=2)
        yield "superpixels", lambda: model.superpixels(0.3)
        yield "n_segments", lambda: model.n_segments([0.2, 0.8])
    tree = model if isinstance(model, ModeTree) else getattr(model, "tree_", None)
    tree = getattr(model, "tree", None) if isinstance(model, ImageTree) else tree
    if isinstance(tree, ModeTree):
        yield from _uses_of_tree(tree)
    if hasattr(model, "best"):
        yield "best", lambda: model.best()
        yield "stability", lambda: model.stability
        yield "to_frame", lambda: model.to_frame("pyarrow")


def _uses_of_tree(tree: ModeTree) -> Iterator[tuple[str, Callable[[], Any]]]:
    for beta in (0.1, 0.9):
        for size in (1, 4):
            yield "labels", partial(tree.labels, beta, min_cluster_size=size)
            yield "core_labels", partial(tree.core_labels, beta, min_cluster_size=size)
    yield "n_clusters", lambda: tree.n_clusters([0.2, 0.7])
    yield "n_clusters with a size", lambda: tree.n_clusters([0.2, 0.7], min_cluster_size=3)
    yield "modes", lambda: tree.modes
    yield "betas", lambda: tree.betas()
    yield "beta_for", lambda: tree.beta_for(1)
    for sample in (0, -1):
        yield "path", partial(tree.path, sample)
        yield "path with a beta", partial(tree.path, sample, 0.5)
    yield "linkage", lambda: tree.linkage()
    yield "children", lambda: tree.children
    yield "to_frame", lambda: tree.to_frame("pyarrow")
    yield "to_networkx", lambda: tree.to_networkx()
    yield "pickle of the tree", lambda: pickle.dumps(tree)
