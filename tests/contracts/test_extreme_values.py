"""Values of every size that a float can have: exact results, or an error that says why not.

The judge is the oracle with distances rounded as float64 rounds them, but with exponents that have
no bounds.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

import oracle
from cases import SEARCHES, random_case
from quickshiftpp import MCores, QuickShift, QuickshiftPP, _scaling, all_neighbors, sweep
from quickshiftpp.segmentation import image_tree, segment

LARGEST = np.finfo(np.float64).max
ESTIMATORS = [QuickshiftPP(3, 0.5), MCores(3, 0.5), QuickShift()]


def rounded(value):
    """A whole number rounded to 53 binary digits, half to even."""
    shift = max(abs(value).bit_length() - 53, 0)
    return round(Fraction(value, 1 << shift)) << shift if shift else value


def unbounded_squared_distances(X, Y):
    """In whole numbers, of which 2**2148 make one: twice the exponent of the smallest float."""
    X, Y = (
        [[int(Fraction(value) * 2**1074) for value in row] for row in np.asarray(rows).tolist()]
        for rows in (X, Y)
    )
    total = np.zeros((len(X), len(Y)), dtype=object)
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            for a, b in zip(x, y, strict=True):
                total[i, j] = rounded(total[i, j] + rounded(rounded(a - b) ** 2))
    return total


def test_all_rows_are_looked_at(monkeypatch):
    """Some rows at a time, so that it takes little memory."""
    X = np.random.default_rng(0).uniform(1, 2, (100, 2))
    X[90] = 1e-200, 1.0
    new = np.ones((100, 2))
    new[95, 1] = 1e300
    scaled, exponent = _scaling.scale_samples(X)
    beyond = _scaling.rows_beyond(new, exponent)
    assert beyond.tolist() == [row == 95 for row in range(100)]
    assert scaled is not X
    monkeypatch.setattr(_scaling, "_CHUNK", 16)
    in_parts, same = _scaling.scale_samples(X)
    assert same == exponent
    np.testing.assert_array_equal(in_parts, scaled)
    np.testing.assert_array_equal(_scaling.rows_beyond(new, exponent), beyond)


@pytest.fixture
def _unbounded(monkeypatch):
    monkeypatch.setattr(oracle, "squared_distances", unbounded_squared_distances)


def check(X, k, beta, **options):
    model = QuickshiftPP(k, beta, **options).fit(X)
    expected = oracle.quickshiftpp(X, k, beta)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    np.testing.assert_array_equal(model.core_labels_, expected.core_labels)
    np.testing.assert_array_equal(model.parents_, expected.parents)
    return model, expected


def blobs(seed=0, n=30):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(-5, 1, (n, 2)), rng.normal(5, 1, (n, 2))])


def test_rounding_of_the_oracle():
    rng = np.random.default_rng(0)
    X = np.ldexp(rng.normal(size=(40, 3)), rng.integers(-60, 60, (40, 3)))
    expected = [[int(Fraction(s) * 2**2148) for s in row] for row in oracle.squared_distances(X, X)]
    assert unbounded_squared_distances(X, X).tolist() == expected


@pytest.mark.parametrize("value", [1e285, 1e290, 1e300, -1e300, LARGEST, -LARGEST])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_a_sentinel_is_refused(estimator, value):
    estimator = clone(estimator)
    X = blobs()
    X[17, 1] = value
    with pytest.raises(
        ValueError, match=rf"{re.escape(f'{value:g}')} \(row 17, column 1\)"
    ) as info:
        estimator.fit(X)
    assert "missing" in str(info.value)
    rows = re.search(r"rows (\d+) and (\d+):", str(info.value))
    first, second = (int(row) for row in rows.groups())
    assert (X[first] != X[second]).any()
    assert not hasattr(estimator, "labels_")


@pytest.mark.parametrize("call", [lambda X: all_neighbors(X, 3), lambda X: sweep(X, ks=[3, 5])])
def test_a_sentinel_is_refused_by_functions(call):
    X = blobs()
    X[0, 0] = 1e300
    with pytest.raises(ValueError, match=r"1e\+300 \(row 0, column 0\)"):
        call(X)
    call(np.where(X == 1e300, 0, X))


@pytest.mark.usefixtures("_unbounded")
@pytest.mark.parametrize("value", [1e100, 1e130, 1e150, 1e200, 1e240, 1e260])
@pytest.mark.parametrize("algorithm", SEARCHES)
def test_an_outlier_that_float64_can_square(value, algorithm):
    X = blobs()
    X[17, 1] = value
    check(X, 6, 0.5, algorithm=algorithm)


@pytest.mark.usefixtures("_unbounded")
def test_large_values_that_leave_nothing_to_lose():
    """Beside 1e300, small values are rounded, but equal samples stay equal and others differ."""
    X = np.array([[1e300], [1.0], [1.0], [1.0]])
    check(X, 2, 0.5)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=20) * 1e300, rng.normal(size=20)])
    check(X, 4, 0.5)


REFUSED = {
    "one and next to nothing": np.array([[1.0]] + [[i * 1e-310] for i in range(1, 8)]),
    "zero and next to nothing": np.array([[1.0], [0.0], [5e-324]]),
    "distances of few digits": np.array([[1.0], [3e-292], [4e-292], [6e-292]]),
    "probabilities": 10 ** -np.random.default_rng(0).uniform(0, 330, (500, 1)),
    "the largest exponent that is not scaled": np.array([[2.0**479], [2.0**-460], [1.1 * 2**-480]]),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_samples_that_only_tiny_values_tell_apart(estimator, name):
    estimator = clone(estimator)
    X = REFUSED[name]
    with pytest.raises(ValueError, match="differ only in values below") as info:
        estimator.set_params(**({} if isinstance(estimator, QuickShift) else {"k": 2})).fit(X)
    first, second = map(int, re.search(r"rows (\d+) and (\d+)", str(info.value)).groups())
    limit = float(re.search(r"below (\S+),", str(info.value)).group(1))
    assert (X[first] != X[second]).any()
    assert max(abs(X[first]).max(), abs(X[second]).max()) < limit
    estimator.fit(np.where(abs(X) < limit, 0, X))  # the remedy


def test_huge_and_tiny():
    X = np.array([[1e300]] + [[i * 1e-100] for i in range(1, 60)])
    with pytest.raises(ValueError, match=r"1e\+300 \(row 0, column 0\)"):
        QuickshiftPP(2, 0.5).fit(X)


def softmax_like(seed, n=40):
    """Two ordinary probabilities, and three that are next to nothing, subnormal or 0."""
    rng = np.random.default_rng(seed)
    likely = rng.choice([0.2, 0.4, 0.5, 0.7], (n, 2)) + (seed % 2) * rng.normal(0, 0.05, (n, 2))
    likely[:, 1] += np.arange(n) / 64  # no two rows alike
    return np.column_stack([likely, 10 ** -rng.uniform(230, 330, (n, 3))])


@pytest.mark.usefixtures("_unbounded")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("algorithm", SEARCHES)
def test_probabilities_next_to_nothing(seed, algorithm):
    X = softmax_like(seed)
    model, expected = check(X, 4, 0.5, algorithm=algorithm)
    rows = np.random.default_rng(seed).permutation(len(X))
    np.testing.assert_array_equal(QuickshiftPP(4, 0.5).fit(X[rows]).labels_, model.labels_[rows])
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new = np.concatenate([softmax_like(seed + 1), X * 3, X * 1000, np.zeros((1, 5)), X * 1e-300])
    labels = oracle.predict(X, expected, 4, new)
    np.testing.assert_array_equal(model.predict(new), labels)
    assert [model.predict(row[None])[0] for row in new[::9]] == labels[::9].tolist()


@pytest.mark.usefixtures("_unbounded")
def test_equal_rows_next_to_nothing():
    """Copies of a rounded sample are at distance zero, and no others are."""
    X = np.repeat(softmax_like(1, 12), 3, axis=0)
    model, _ = check(X, 3, 0.5)
    assert (model.radii_ == 0).all()
    check(X, 4, 0.5)


@pytest.mark.usefixtures("_unbounded")
@pytest.mark.parametrize("exponent", [-1030, -1000, -700, -480, 390, 410, 475, 485, 700, 1015])
def test_every_unit(exponent):
    """All samples tiny or all huge, the smallest subnormal and the largest near the limit."""
    for seed in range(0, 30, 3):
        case = random_case(seed, largest=25)
        X = np.ldexp(np.rint(case.X * 64), exponent)  # few digits: subnormal numbers are exact
        model, expected = check(X, case.k, case.beta)
        reference = QuickshiftPP(case.k, case.beta).fit(np.rint(case.X * 64))
        np.testing.assert_array_equal(model.labels_, reference.labels_)
        np.testing.assert_array_equal(model.radii_, np.ldexp(reference.radii_, exponent))
        new = np.ldexp(np.rint(np.random.default_rng(seed).normal(size=(15, X.shape[1])) * 99), 0)
        labels = QuickshiftPP(case.k, case.beta).fit(np.rint(case.X * 64)).predict(new)
        np.testing.assert_array_equal(model.predict(np.ldexp(new, exponent)), labels)
        far = np.ldexp(new, -exponent // 2)
        np.testing.assert_array_equal(model.predict(far), oracle.predict(X, expected, case.k, far))


def test_every_unit_of_the_other_estimators():
    X = np.rint(blobs() * 64)
    cores, shift = MCores(6, 0.5).fit(X), QuickShift(80.0, 300.0).fit(X)
    for exponent in (-1030, -700, 405, 700, 1010):
        scaled = np.ldexp(X, exponent)
        other = MCores(6, 0.5).fit(scaled)
        np.testing.assert_array_equal(other.labels_, cores.labels_)
        other = QuickShift(math.ldexp(80, exponent), math.ldexp(300, exponent)).fit(scaled)
        np.testing.assert_array_equal(other.labels_, shift.labels_)
        np.testing.assert_array_equal(other.parents_, shift.parents_)


FAR = [
    *(sign * 10.0**power for power in (120, 140, 147, 148, 150, 200) for sign in (1, -1)),
    *(10.0**power for power in (270, 275, 280, 285, 290, 295, 300, 305, 308)),
    LARGEST,
    -LARGEST,
]


@pytest.mark.usefixtures("_unbounded")
@pytest.mark.parametrize("unit", [1.0, 1e-300, 1e-160, 1e118, 1e140, 1e160, 1e290])
def test_predict_does_not_depend_on_its_batch(unit):
    X = blobs(1, 12) * unit
    model, expected = check(X, 5, 0.5)
    rng = np.random.default_rng(0)
    near = blobs(2, 6) * unit
    far = np.array(FAR)[:, None] * [1.0, 0.0] + [0.0, unit]
    both = np.array(FAR)[:, None] * rng.uniform(-1, 1, (len(FAR), 2))
    tiny = np.array([5e-324, 1e-310, 1e-200, 1e-150])[:, None] * [1.0, -1.0] + [0.0, unit]
    new = np.concatenate([near, far, both, tiny, -tiny, np.zeros((1, 2))])
    labels = oracle.predict(X, expected, 5, new)
    np.testing.assert_array_equal(model.predict(new), labels)
    alone = [model.predict(row[None])[0] for row in new]
    np.testing.assert_array_equal(alone, labels)
    order = rng.permutation(len(new))
    np.testing.assert_array_equal(model.predict(new[order]), labels[order])
    np.testing.assert_array_equal(model.predict(new[len(near) : -9]), labels[len(near) : -9])


@pytest.mark.usefixtures("_unbounded")
def test_predict_far_from_samples_of_many_magnitudes():
    """From 2**-440 to 2**450, and new samples of every magnitude."""
    rng = np.random.default_rng(0)
    X = np.ldexp(rng.uniform(1, 2, (30, 2)), rng.integers(-440, 450, (30, 2)))
    model, expected = check(X, 3, 0.5)
    powers = np.arange(-1074, 459, 31)
    new = np.ldexp(rng.uniform(1, 2, (len(powers), 2)), powers[:, None])
    labels = oracle.predict(X, expected, 3, new)
    np.testing.assert_array_equal(model.predict(new), labels)
    for value in (1e160, -1e300):
        new[3, 1] = value
        with pytest.raises(ValueError, match=re.escape(f"{value:g} in row 3")):
            model.predict(new)


@pytest.mark.usefixtures("_unbounded")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float32_extremes(dtype):
    """Float32 is never scaled; new samples may have more digits and other magnitudes."""
    X = blobs(3, 10).astype(np.float32)
    X[0], X[1], X[2] = 3e38, -1e-45, 1e-40
    model, expected = check(X, 4, 0.5)
    new = np.concatenate([X, X / 3, X * np.float32(1e-30), [[3e38, -3e38], [1e-45, 0]]])
    if dtype == np.float64:
        new = np.concatenate([new, new * 1e200, new * 1e-280, [[1e308, 0], [5e-324, -1e-320]]])
    labels = oracle.predict(X, expected, 4, new.astype(dtype))
    np.testing.assert_array_equal(model.predict(new.astype(dtype)), labels)
    np.testing.assert_array_equal(
        [model.predict(row[None])[0] for row in new.astype(dtype)], labels
    )


def test_images_with_a_sentinel():
    rng = np.random.default_rng(0)
    image = rng.random((12, 15))
    image[3, 4] = 1e300
    with pytest.raises(ValueError, match=r"float64 cannot tell.*exclude.*mask"):
        segment(image, channel_axis=None, k=5)
    usable = segment(image, channel_axis=None, k=5, mask=image < 1e300)
    assert usable[3, 4] == 0
    assert (usable > 0).sum() == image.size - 1


@pytest.mark.parametrize(
    ("dtype", "options"),
    [
        (np.float64, {}),
        (np.float32, {}),
        (np.uint8, {"ratio": 1e308}),
        (np.float64, {"spacing": 1e308}),
    ],
)
def test_images_beyond_the_largest_float(dtype, options):
    image = np.random.default_rng(0).integers(1, 200, (12, 15)).astype(dtype)
    if not options:
        image[3, 4] = np.finfo(dtype).max
    with pytest.raises(ValueError, match=r"exceed the largest float.*mask"):
        image_tree(image, channel_axis=None, k=5, **options)


def test_distances_beyond_the_largest_float_are_infinite():
    distances, indices = all_neighbors(np.array([[1.5e308], [-1.5e308], [1.6e308]]), k=3)
    near = 1.6e308 - 1.5e308
    assert distances.tolist() == [[0, near, np.inf], [0, np.inf, np.inf], [0, near, np.inf]]
    assert indices[0].tolist() == [0, 2, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_new_samples_in_another_precision_after_a_tiny_fit(dtype):
    X = np.concatenate([np.zeros((20, 2)), np.ones((20, 2))]) * 1e-160
    X += np.random.default_rng(0).normal(size=X.shape) * 1e-163
    model = QuickshiftPP(5, 0.5, min_cluster_size=5).fit(X)
    expected = [model.labels_[0], model.predict([[1.0, 1.0]])[0]]
    assert model.predict(np.array([[0, 0], [1, 1]], dtype=dtype)).tolist() == expected
    assert model.predict(np.array([[0, 0]], dtype=dtype)).tolist() == expected[:1]
