"""Wrong calls of the native module and damaged models: an exception each, never a crash.

Reads out of bounds that do not crash are seen when this file runs with the address sanitizer.
"""

from __future__ import annotations

import contextlib
import io
import pickle

import numpy as np
import pytest

from quickshiftpp import MCores, QuickShift, QuickshiftPP, _core

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
WIDE = RNG.normal(size=(300, 12))


def cascade_of(index, rows, order=None, coordinates=None, scale=1.0, error=1e-6):
    return _core.CascadeFloat64(index, rows, order, coordinates, scale, error, True, True, 1)


def index_of(rows, tree=True):
    kind = _core.IndexFloat32 if rows.dtype == np.float32 else _core.IndexFloat64
    return kind(rows, tree, 1)


def unaligned(array):
    """Return a copy that starts one byte off."""
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


INDEX = index_of(X)
OTHER = index_of(X + 1)
LARGER = index_of(RNG.normal(size=(500, 2)))
LISTS = _core.neighbor_lists(INDEX, 10, 1)
RADII = _core.neighbor_lists(INDEX, 10, 1, None, True)
BRUTE = index_of(WIDE, tree=False)
COORDINATES = (WIDE[:, :4] / 10).astype(np.float32)
CASCADE = cascade_of(BRUTE, WIDE, COORDINATES, COORDINATES, 0.1, 1e-6)
CASCADE_LISTS = CASCADE.neighbor_lists(10, 1)
TREE = _core.build_mode_tree(INDEX, LISTS, None, 1)
ONES = np.ones(300)
PIXELS = index_of(np.stack([*np.indices((15, 20)).reshape(2, -1), np.arange(300)], 1).astype(float))

WRONG_CALLS = {
    "NaN in an index": lambda: index_of(np.where(X > 1, np.nan, X)),
    "infinity in an index": lambda: index_of(np.where(X > 1, np.inf, X)),
    "values whose squares overflow": lambda: index_of(X * 1e160),
    "NaN in float32": lambda: index_of(np.full((100, 3), np.nan, np.float32)),
    "no sample": lambda: index_of(np.empty((0, 2))),
    "no column": lambda: index_of(np.empty((5, 0))),
    "unaligned samples": lambda: index_of(unaligned(X)),
    "no threads": lambda: _core.IndexFloat64(X, True, 0),
    "a million threads": lambda: _core.IndexFloat64(X, True, 1_000_000),
    "k of zero": lambda: _core.neighbor_lists(INDEX, 0, 1),
    "k of more than all": lambda: _core.neighbor_lists(INDEX, 301, 1),
    "radii alone of many columns": lambda: _core.neighbor_lists(BRUTE, 5, 1, None, True),
    "lists of another index": lambda: _core.list_table(OTHER, LISTS, 1),
    "lists of a smaller index": lambda: _core.list_table(LARGER, LISTS, 1),
    "lists of no entries": lambda: _core.list_table(INDEX, RADII, 1),
    "a prefix of another index": lambda: _core.list_prefix(LARGER, LISTS, 5, 1),
    "a prefix longer than the list": lambda: _core.list_prefix(INDEX, LISTS, 11, 1),
    "a tree from another index": lambda: _core.build_mode_tree(OTHER, LISTS, None, 1),
    "a tree from lists of the cascade": lambda: _core.build_mode_tree(
        INDEX, CASCADE_LISTS, None, 1
    ),
    "a tree with another cascade": lambda: _core.build_mode_tree(INDEX, LISTS, CASCADE, 1),
    "a sum over lists of another": lambda: _core.log_radius_sum(LARGER, LISTS, 1),
    "queries with other columns": lambda: _core.kth_squared_distances(INDEX, BRUTE, 3, 1),
    "too many neighbors of queries": lambda: _core.kth_squared_distances(INDEX, INDEX, 301, 1),
    "keys of another length": lambda: _core.nearest_below(INDEX, INDEX, ONES[1:], ONES, 1),
    "limits of another length": lambda: _core.nearest_below(INDEX, INDEX, ONES, ONES[1:], 1),
    "unaligned keys": lambda: _core.nearest_below(INDEX, INDEX, unaligned(ONES), ONES, 1),
    "unaligned limits": lambda: _core.nearest_below(INDEX, INDEX, ONES, unaligned(ONES), 1),
    "unaligned rows to check": lambda: _core.are_finite(unaligned(X), 1),
    "unaligned rows to hash": lambda: _core.coordinate_hashes(unaligned(X), 1),
    "a rate of NaN": lambda: _core.gaussian_sums(INDEX, float("nan"), 1),
    "a rate of infinity": lambda: _core.gaussian_sums(INDEX, float("inf"), 1),
    "a cascade over a tree": lambda: cascade_of(INDEX, X),
    "a cascade of other rows": lambda: cascade_of(BRUTE, X),
    "a cascade of no sample": lambda: cascade_of(None, WIDE[:0]),
    "a cascade of no column": lambda: cascade_of(None, WIDE[:, :0].copy()),
    "a cascade of NaN without an index": lambda: cascade_of(None, WIDE * np.nan),
    "a tree with a cascade without an index": lambda: _core.build_mode_tree(
        INDEX, LISTS, cascade_of(None, WIDE), 1
    ),
    "a tree from lists without an index": lambda: _core.build_mode_tree(
        BRUTE, cascade_of(None, WIDE).neighbor_lists(10, 1), None, 1
    ),
    "a table of too many neighbors": lambda: CASCADE.neighbor_table(301, 1),
    "a cascade of rows in another layout": lambda: cascade_of(BRUTE, np.asfortranarray(WIDE)),
    "a cascade of NaN": lambda: cascade_of(BRUTE, WIDE * np.nan),
    "a cascade with too few coordinates": lambda: cascade_of(BRUTE, WIDE, None, COORDINATES[1:]),
    "a cascade with an order of others": lambda: cascade_of(BRUTE, WIDE, COORDINATES[1:]),
    "a cascade with NaN": lambda: cascade_of(BRUTE, WIDE, None, COORDINATES * np.float32("nan")),
    "a cascade in an order of NaN": lambda: cascade_of(
        BRUTE, WIDE, COORDINATES * np.float32("nan")
    ),
    "a cascade with too many axes": lambda: cascade_of(
        BRUTE, WIDE, None, np.ones((300, 500), np.float32)
    ),
    "a cascade with too many axes in its order": lambda: cascade_of(
        BRUTE, WIDE, np.ones((300, 20), np.float32)
    ),
    "a cascade with a scale of NaN": lambda: cascade_of(BRUTE, WIDE, None, None, float("nan")),
    "a cascade with a negative error": lambda: cascade_of(BRUTE, WIDE, None, None, 1.0, -1.0),
    "too many neighbors from a cascade": lambda: CASCADE.neighbor_lists(301, 1),
    "no neighbors from a cascade": lambda: CASCADE.neighbor_lists(0, 1),
    "keys of another length for a cascade": lambda: CASCADE.nearest_below(ONES[1:], ONES, 1),
    "a grid of another size": lambda: _core.PixelsFloat64(PIXELS, [15, 21], [1, 1], None, 1),
    "a grid of no pixels": lambda: _core.PixelsFloat64(PIXELS, [15, 0], [1, 1], None, 1),
    "a grid whose size overflows": lambda: _core.PixelsFloat64(
        PIXELS, [2**30, 2**30, 16], [1, 1, 1], None, 1
    ),
    "a grid of other coordinates": lambda: _core.PixelsFloat64(PIXELS, [20, 15], [1, 1], None, 1),
    "a grid of negative steps": lambda: _core.PixelsFloat64(PIXELS, [15, 20], [-1, -1], None, 1),
    "a grid of no steps": lambda: _core.PixelsFloat64(PIXELS, [15, 20], [1, 0], None, 1),
    "a grid of infinite steps": lambda: _core.PixelsFloat64(
        PIXELS, [15, 20], [1, float("inf")], None, 1
    ),
    "a mask of another size": lambda: _core.PixelsFloat64(
        PIXELS, [15, 20], [1, 1], np.ones(299, np.uint8), 1
    ),
    "positions out of range": lambda: TREE.cut(1.5, 1, 1, np.array([0, 300], np.int32)),
    "negative positions": lambda: TREE.cut(1.5, 1, 1, np.array([-1], np.int32)),
    "a ratio below one": lambda: TREE.cut(0.5, 1, 1),
    "a ratio of NaN": lambda: TREE.cut(float("nan"), 1, 1),
    "a ratio of infinity": lambda: TREE.cut(float("inf"), 1, 1),
    "cores of another number": lambda: TREE.core_labels(np.zeros(1, np.int32), np.ones(1), 1),
    "core labels at positions out of range": lambda: TREE.core_labels(
        np.zeros(TREE.n_modes, np.int32), np.ones(TREE.n_modes), 1, np.array([2**30], np.int32)
    ),
    "links out of range": lambda: _core.link_roots(np.array([0, 5], np.int32), 1),
    "negative links": lambda: _core.link_roots(np.array([0, -1], np.int32), 1),
    "links that form a cycle": lambda: _core.link_roots(np.array([1, 2, 3, 4, 0], np.int32), 1),
    "an object that was never made": lambda: _core.ModeTree.__new__(_core.ModeTree).n_samples,
    "a state of too few parts": lambda: _core.ModeTree.__new__(_core.ModeTree).__setstate__((1,)),
}


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("call", WRONG_CALLS.values(), ids=WRONG_CALLS.keys())
def test_a_wrong_call_raises(call):
    with pytest.raises((ValueError, TypeError)):
        call()


STATE = TREE.__getstate__()
PARTS = ["rows", "radii", "parents", "basins", "modes", "saddles", "parent_modes", "sizes"]


def rebuilt(**changed):
    state = tuple(changed.get(name, part) for name, part in zip(PARTS, STATE, strict=True))
    tree = _core.ModeTree.__new__(_core.ModeTree)
    tree.__setstate__(state)
    return tree


def with_entry(name, place, value):
    part = STATE[PARTS.index(name)].copy()
    part[place] = value
    return {name: part}


def test_a_tree_survives_its_state():
    for first, second in zip(STATE, rebuilt().__getstate__(), strict=True):
        np.testing.assert_array_equal(first, second)
    for first, second in zip(rebuilt().cut(1.5, 5, 1), TREE.cut(1.5, 5, 1), strict=True):
        np.testing.assert_array_equal(first, second)
    moved = {name: unaligned(part) for name, part in zip(PARTS, STATE, strict=True)}
    np.testing.assert_array_equal(rebuilt(**moved).basins, TREE.basins)


LOWEST = int(np.argmin(TREE.squared_radii))
HIGHEST = int(np.argmax(TREE.squared_radii))
MERGES = int(np.flatnonzero(TREE.saddle_positions >= 0)[-1])
DAMAGED = {
    "a row twice": with_entry("rows", 0, int(STATE[0][1])),
    "a row out of range": with_entry("rows", 0, 300),
    "a negative row": with_entry("rows", 0, -1),
    "a radius of NaN": with_entry("radii", 3, np.nan),
    "a radius of infinity": with_entry("radii", 3, np.inf),
    "a negative radius": with_entry("radii", 3, -1.0),
    "a new smallest radius": with_entry("radii", HIGHEST, 1e-300),
    "a parent out of range": with_entry("parents", HIGHEST, 300),
    "a parent below -1": with_entry("parents", HIGHEST, -2),
    "a parent that is no denser": with_entry("parents", LOWEST, HIGHEST),
    "its own parent": with_entry("parents", HIGHEST, HIGHEST),
    "no parent": with_entry("parents", HIGHEST, -1),
    "a basin out of range": with_entry("basins", 0, TREE.n_modes),
    "a negative basin": with_entry("basins", 0, -1),
    "a mode out of range": with_entry("modes", 0, 300),
    "modes out of order": {"modes": STATE[4][::-1].copy()},
    "a saddle out of range": with_entry("saddles", MERGES, 300),
    "a parent mode out of range": with_entry("parent_modes", MERGES, TREE.n_modes),
    "its own parent mode": with_entry("parent_modes", MERGES, MERGES),
    "a saddle without a parent mode": with_entry("parent_modes", MERGES, -1),
    "too few rows": {"rows": STATE[0][1:]},
    "too few radii": {"radii": STATE[1][1:]},
    "too few parents": {"parents": STATE[2][1:]},
    "too few basins": {"basins": STATE[3][1:]},
    "too few modes": {"modes": STATE[4][1:]},
    "too few saddles": {"saddles": STATE[5][1:]},
    "too few sizes": {"sizes": STATE[7][1:]},
    "nothing at all": {name: part[:0] for name, part in zip(PARTS, STATE, strict=True)},
}


@pytest.mark.parametrize("changed", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_tree_is_refused(changed):
    with pytest.raises(ValueError, match="damaged"):
        rebuilt(**changed)


class OwnClassesOnly(pickle.Unpickler):
    """Damage can turn a name into another one; only those that models consist of are loaded."""

    def find_class(self, module, name):
        if module.split(".")[0] in {"numpy", "quickshiftpp"}:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


def uses_of(model):
    """Return what a user may do with a loaded model, as functions."""
    names = ["core_labels_", "parents_", "radii_", "log_density_", "labels_"]
    uses = [lambda name=name: getattr(model, name) for name in names if hasattr(type(model), name)]
    uses += [lambda: pickle.dumps(model), lambda: model.labels_.sum()]
    if hasattr(model, "predict"):
        uses += [lambda: model.predict(X[:5]), lambda: model.predict(X[:150])]
    if hasattr(model, "relabel"):
        uses += [lambda: model.relabel(0.5), lambda: model.relabel(n_clusters=2)]
    if hasattr(model, "tree_"):
        uses += [
            lambda: model.tree_.labels(0.5, min_cluster_size=3),
            lambda: model.tree_.core_labels(0.5),
            lambda: model.tree_.linkage(),
            lambda: model.tree_.path(0),
            lambda: model.tree_.to_frame(),
        ]
    return uses


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize(
    "model", [QuickshiftPP(), QuickshiftPP(algorithm="cascade"), MCores(), QuickShift()]
)
def test_damaged_pickles_raise_or_load(model, protocol):
    """Of models with flipped bytes or cut short, each loads or raises; none crashes or hangs."""
    whole = pickle.dumps(model.fit(X), protocol=protocol)
    rng = np.random.default_rng(protocol)
    for _ in range(250):
        damaged = np.frombuffer(whole, dtype=np.uint8).copy()
        places = rng.integers(0, len(damaged), size=rng.integers(1, 6))
        damaged[places] = rng.integers(0, 256, size=len(places))
        if rng.random() < 0.05:
            damaged = damaged[: rng.integers(len(damaged))]
        with contextlib.suppress(Exception):  # any will do
            loaded = OwnClassesOnly(io.BytesIO(damaged.tobytes())).load()
            for use in uses_of(loaded):
                with contextlib.suppress(Exception):
                    use()
    for use in uses_of(pickle.loads(whole)):
        use()


def test_unaligned_samples_are_copied():
    model = QuickshiftPP(10, 0.5).fit(X)
    np.testing.assert_array_equal(QuickshiftPP(10, 0.5).fit(unaligned(X)).labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(unaligned(X)), model.labels_)
    records = np.zeros(300, dtype=[("flag", "u1"), ("position", "f8", 2)])
    records["position"] = X
    np.testing.assert_array_equal(model.predict(records["position"]), model.labels_)


def test_images_of_tiny_numbers():
    """Squared distances whose inverse is infinite."""
    rows = np.stack([*np.indices((15, 20)).reshape(2, -1), RNG.integers(0, 9, 300)], axis=1)
    index = index_of(rows * 2.0**-530)
    pixels = _core.PixelsFloat64(index, [15, 20], [2.0**-530, 2.0**-530], None, 1)
    for k in (1, 30, 300):
        pixels.window_size(k, 1e9)
        pixels.neighbor_lists(k, 2)
