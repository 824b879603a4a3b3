"""Segmentation: equal to QuickshiftPP on the pixels, in scikit-image's conventions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from cases import SIMD_LEVELS, force_instruction_set
from oracle import quickshiftpp as oracle_labels
from quickshiftpp import QuickshiftPP, _core
from quickshiftpp._search.pipeline import find_pixel_neighbors
from quickshiftpp._search.pixels import Grid
from quickshiftpp.segmentation import ImageTree, image_tree, pixel_features, segment


def photograph(name="china.jpg"):
    from sklearn.datasets import load_sample_image

    return load_sample_image(name)


def random_image(seed):
    """A small image or crop: few colors, many, smooth, photographs."""
    rng = np.random.default_rng(seed)
    height, width = (int(rng.integers(1, 22)) for _ in range(2))
    kind = seed % 4
    if kind == 0:
        return rng.integers(0, 3, (height, width, 3)).astype(np.uint8) * 30
    if kind == 1:
        return rng.integers(0, 256, (height, width, 3)).astype(np.uint8)
    if kind == 2:
        smooth = ndimage.gaussian_filter(rng.random((height, width, 3)), (2, 2, 0))
        return (255 * smooth).astype(np.uint8)
    top, left = int(rng.integers(0, 400)), int(rng.integers(0, 600))
    return photograph()[top : top + height, left : left + width]


@pytest.mark.parametrize("seed", range(50))
def test_equals_quickshiftpp_on_the_five_columns(seed):
    image = random_image(seed)
    rows, columns = np.indices(image.shape[:2])
    five = np.concatenate([rows[..., None], columns[..., None], image], axis=-1).reshape(-1, 5)
    n = len(five)
    k = int(np.random.default_rng(seed).integers(1, n + 1)) if seed % 2 else min(n, 10)
    labels = segment(image, k=k, paper=True)
    model = QuickshiftPP(k, 0.9).fit(five.astype(float))
    np.testing.assert_array_equal(labels, model.labels_.reshape(labels.shape) + 1)
    np.testing.assert_array_equal(pixel_features(image, paper=True), five)
    grid = Grid(image.shape[:2], (1.0, 1.0), None)
    found = pixel_table(five.astype(np.float32), grid, k, "windows", 2)
    expected = pixel_table(five.astype(np.float32), grid, k, "kd_tree", 1)
    assert_same_lists(found, expected)


def pixel_table(samples, grid, k, algorithm, threads):
    """Return the distances and rows of every pixel's neighbors."""
    with find_pixel_neighbors(samples, grid, k, algorithm=algorithm, threads=threads) as found:
        return _core.list_table(found.samples.index, found.lists, 1)


def assert_same_lists(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_literal_algorithm(seed):
    image = random_image(seed)[:7, :7]
    features = pixel_features(image, paper=True).astype(float)
    k = min(len(features), 6)
    expected = QuickshiftPP(k, 0.9).fit(features)
    np.testing.assert_array_equal(expected.labels_, oracle_labels(features, k, 0.9).labels)
    np.testing.assert_array_equal(segment(image, k=k, paper=True).ravel() - 1, expected.labels_)


@pytest.mark.parametrize("options", [
    {}, {"convert2lab": False}, {"sigma": 1.5}, {"ratio": 0.5}, {"spacing": (2, 0.7)},
    {"min_size": 40, "beta": 0.5}, {"sigma": (0, 3)},
])  # fmt: skip
def test_equals_quickshiftpp_on_pixel_features(options):
    image = photograph()[100:140, 300:350]
    labels = segment(image, **{"k": 25, "beta": 0.8, "min_size": 1, **options})
    given = {name: options[name] for name in options if name not in ("beta", "min_size")}
    model = QuickshiftPP(
        25, options.get("beta", 0.8), min_cluster_size=options.get("min_size", 1)
    ).fit(pixel_features(image, **given))
    np.testing.assert_array_equal(labels.ravel() - 1, model.labels_)


def test_one_pixel_one_line_one_color():
    assert segment(np.zeros((1, 1, 3), np.uint8)).tolist() == [[1]]
    assert segment(np.zeros((1, 1)), channel_axis=None, start_label=0).tolist() == [[0]]
    assert (segment(np.full((30, 50, 3), 77, np.uint8)) == 1).all()
    assert (segment(np.full((30, 50), 0.5), channel_axis=None, paper=True, k=20) == 1).all()
    assert segment(np.zeros((1, 40, 3), np.uint8), k=5).shape == (1, 40)


def test_two_colors():
    image = np.zeros((60, 80, 3), np.uint8)
    image[:, 40:] = (200, 30, 30)
    labels = segment(image)
    assert labels.max() == 2
    inner = labels[:, np.r_[:34, 46:80]]
    np.testing.assert_array_equal(inner, np.broadcast_to(inner[:1], inner.shape))
    assert labels[0, 0] != labels[0, -1]


def test_noise_gives_segments_of_the_least_size():
    image = np.random.default_rng(0).integers(0, 256, (60, 80, 3)).astype(np.uint8)
    labels = segment(image, min_size=50)
    assert np.bincount(labels.ravel())[1:].min() >= 50
    assert (np.unique(labels) == np.arange(1, labels.max() + 1)).all()


def test_volume_with_mask_and_spacing():
    rng = np.random.default_rng(1)
    volume = ndimage.gaussian_filter(rng.random((12, 24, 26)), 2).astype(np.float32)
    ball = ((np.indices(volume.shape) - 12.0) ** 2).sum(axis=0) < 130
    volume[~ball] = np.nan
    options = {"channel_axis": None, "mask": ball, "spacing": (2.5, 1, 1), "ratio": 40}
    assert image_tree(volume, k=30, **options).labels(n_segments=4).max() == 4
    labels = segment(volume, k=30, beta=0.8, min_size=50, **options)
    assert labels.shape == volume.shape
    assert (labels[~ball] == 0).all()
    assert labels[ball].min() == 1
    features = pixel_features(volume, **options)
    assert features.dtype == np.float32
    model = QuickshiftPP(30, 0.8, min_cluster_size=50).fit(features)
    np.testing.assert_array_equal(labels[ball] - 1, model.labels_)


@pytest.mark.parametrize("shape", [(300,), (20, 15), (6, 7, 8), (4, 5, 3, 6)])
@pytest.mark.parametrize("masked", [False, True])
def test_windows_equal_the_tree_in_any_dimension(shape, masked):
    rng = np.random.default_rng(len(shape))
    mask = rng.random(shape) < 0.7 if masked else None
    step = tuple(rng.uniform(0.3, 2, len(shape)))
    places = np.indices(shape).reshape(len(shape), -1).T * step
    for colors in (rng.integers(0, 4, (len(places), 2)), rng.random((len(places), 1))):
        for dtype in (np.float32, np.float64):
            samples = np.concatenate([places, colors], axis=1).astype(dtype)
            if mask is not None:
                samples = samples[mask.ravel()]
            for k in (1, 9, len(samples)):
                grid = Grid(shape, step, mask)
                found = pixel_table(samples, grid, k, "windows", 2)
                expected = pixel_table(samples, grid, k, "kd_tree", 1)
                assert_same_lists(found, expected)


@pytest.mark.parametrize("channels", [4, 120])
def test_windows_equal_the_tree_with_many_channels(channels):
    """Beyond a hundred, sums of squares in float32 are not trusted to discard."""
    rng = np.random.default_rng(channels)
    places = np.indices((12, 13)).reshape(2, -1).T
    colors = rng.random((len(places), channels)) * 1e-3
    samples = np.concatenate([places, colors], axis=1).astype(np.float32)
    grid = Grid((12, 13), (1.0, 1.0), None)
    found = pixel_table(samples, grid, 20, "windows", 1)
    expected = pixel_table(samples, grid, 20, "kd_tree", 1)
    assert_same_lists(found, expected)


def test_the_tree_is_chosen_where_windows_are_large():
    rng = np.random.default_rng(0)
    for ratio in (0.1, 1000):
        image = rng.random((40, 40, 3))
        features = pixel_features(image, ratio=ratio, sigma=0)
        grid = Grid((40, 40), (1.0, 1.0), None)
        results = [
            pixel_table(features, grid, 12, algorithm, 1)
            for algorithm in ("auto", "windows", "kd_tree")
        ]
        assert_same_lists(results[0], results[2])
        assert_same_lists(results[1], results[2])


def test_data_types_agree():
    image = photograph()[:40, :50]
    eight = segment(image, k=20)
    for other in (
        image.astype(np.uint16) * 257,
        image / 255,
        np.asfortranarray(image),
        image[:, ::-1][:, ::-1],
    ):
        np.testing.assert_array_equal(segment(other, k=20), eight)
    plain = segment(image, k=20, paper=True)
    for other in (image.astype(np.uint16) * 257, image / 255, (image / 255).astype(np.float32)):
        np.testing.assert_array_equal(segment(other, k=20, paper=True), plain)
    assert pixel_features(image).dtype == np.float32
    assert pixel_features((image / 255).astype(np.float32)).dtype == np.float32
    assert pixel_features(image / 255).dtype == np.float64
    assert eight.dtype == np.int32
    letter = np.zeros((20, 20), bool)
    letter[5:15, 8:12] = True
    labels = segment(letter, channel_axis=None, k=10, min_size=5, sigma=0)
    np.testing.assert_array_equal(labels == labels[10, 10], letter)


def test_channel_axis():
    image = photograph()[:30, :40]
    expected = segment(image, k=20)
    np.testing.assert_array_equal(
        segment(np.moveaxis(image, -1, 0), channel_axis=0, k=20), expected
    )
    np.testing.assert_array_equal(
        segment(np.moveaxis(image, -1, 1), channel_axis=1, k=20), expected
    )
    gray = image[..., 1]
    np.testing.assert_array_equal(
        segment(gray, channel_axis=None, k=20), segment(gray[..., None], k=20)
    )
    assert segment(np.dstack([image, image[..., :2]]), k=20).shape == (30, 40)


def test_inputs_are_not_written_to():
    image = photograph()[:20, :30] / 255
    mask = np.ones(image.shape[:2], bool)
    mask[:5] = False
    before = image.copy(), mask.copy()
    for array in (image, mask):
        array.setflags(write=False)
    segment(image, mask=mask, k=10, connected=True)
    np.testing.assert_array_equal(image, before[0])
    np.testing.assert_array_equal(mask, before[1])


def test_what_is_masked_out_does_not_matter():
    image = photograph()[:40, :50] / 255
    mask = np.zeros(image.shape[:2], bool)
    mask[5:30, 10:45] = True
    spoilt = np.where(mask[..., None], image, np.nan)
    for sigma in (0, 2):
        labels = segment(image, mask=mask, k=20, sigma=sigma)
        np.testing.assert_array_equal(segment(spoilt, mask=mask, k=20, sigma=sigma), labels)
        assert (labels[~mask] == 0).all()
        assert labels[mask].min() == 1
    zero_based = segment(image, mask=mask, k=20, start_label=0)
    assert (zero_based[~mask] == -1).all()
    np.testing.assert_array_equal(zero_based[mask] + 1, segment(image, mask=mask, k=20)[mask])
    np.testing.assert_array_equal(
        segment(image, mask=np.ones_like(mask), k=20), segment(image, k=20)
    )
    # A blur inside a mask is a blur of the cropped image but for the reflection at its border.
    crop = segment(image[5:30, 10:45], k=20, sigma=0)
    np.testing.assert_array_equal(segment(image, mask=mask, k=20, sigma=0)[5:30, 10:45], crop)


def test_spacing_is_scikit_images():
    image = photograph()[:30, :40]
    tall = pixel_features(image, spacing=(3, 1), sigma=1.5)
    assert tall[:, 0].max() == 29 * 3
    np.testing.assert_array_equal(tall, pixel_features(image, spacing=(3, 1), sigma=(0.5, 1.5)))


@pytest.fixture(scope="module")
def found():
    return segment(photograph()[::4, ::4], k=30, return_tree=True)


def test_tree_labels_equal_those_of_segment(found):
    labels, tree = found
    image = photograph()[::4, ::4]
    assert isinstance(tree, ImageTree)
    np.testing.assert_array_equal(tree.labels(), labels)
    for beta, size in ((0.3, 1), (0.7, 20), (0.99, 100)):
        np.testing.assert_array_equal(
            tree.labels(beta, min_size=size), segment(image, k=30, beta=beta, min_size=size)
        )


def test_number_of_segments(found):
    _, tree = found
    for wanted in (2, 10, 50):
        labels = tree.labels(n_segments=wanted, merge=0, min_size=10)
        assert abs(labels.max() - wanted) <= 0.2 * wanted
    every = tree.labels(n_segments=10**9, merge=0, min_size=1).max()
    assert every == tree.n_segments(1e-9, min_size=1)
    counts = tree.n_segments([0.2, 0.8], min_size=1)
    assert counts.tolist() == [tree.labels(b, min_size=1).max() for b in (0.2, 0.8)]


def test_connected_segments(found):
    _, tree = found
    for size in (1, 30):
        labels = tree.labels(0.9, min_size=size, connected=True)
        assert (np.unique(labels) == np.arange(1, labels.max() + 1)).all()
        for label in range(1, labels.max() + 1):
            assert ndimage.label(labels == label)[1] == 1
        assert np.bincount(labels.ravel())[1:].min() >= size
    loose = tree.labels(0.9, min_size=1)
    pieces = tree.labels(0.9, min_size=1, connected=True)
    # Each piece lies inside one segment, and pieces keep the order of the segments.
    owner = np.array([loose[pieces == p][0] for p in range(1, pieces.max() + 1)])
    assert (owner[pieces - 1] == loose).all()
    assert (np.diff(owner) >= 0).all()


def test_merged_segments_are_nested(found):
    _, tree = found
    pieces, merging = tree.superpixels(beta=0.3, min_size=10)
    assert merging.n_segments == pieces.max() + 1
    finer = None
    for wanted in (60, 20, 5, 1):
        target = merging.targets(n_segments=wanted)
        assert target.max() + 1 == wanted
        if finer is not None:
            assert len(np.unique(np.stack([finer, target]), axis=1).T) == finer.max() + 1
        finer = target
    for wanted in (1, 7, 40, 100):
        labels = tree.labels(n_segments=wanted)
        assert labels.max() == wanted
        for label in range(1, wanted + 1):
            assert ndimage.label(labels == label)[1] == 1
    counts = [tree.labels(merge=limit).max() for limit in (1e-9, 3, 10, 100)]
    assert counts == sorted(counts, reverse=True)


def test_beta_and_number_are_exclusive(found):
    _, tree = found
    for options in ({"beta": 0.5}, {"merge": 3.0}):
        with pytest.raises(ValueError, match="one of the two"):
            tree.labels(n_segments=10, **options)


def test_repr_and_pickle(found):
    import pickle

    labels, tree = found
    assert "shape=(107, 160)" in repr(tree)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(tree)).labels(), labels)


def test_connected_segments_inside_a_mask():
    image = np.zeros((20, 30), np.uint8)
    image[:, ::10] = 255
    mask = np.ones(image.shape, bool)
    mask[10] = False
    labels = segment(image, channel_axis=None, mask=mask, k=10, sigma=0, min_size=1, connected=True)
    assert (labels[10] == 0).all()
    for label in range(1, labels.max() + 1):
        assert ndimage.label(labels == label)[1] == 1


def test_connected_segments_of_noise():
    from quickshiftpp.segmentation._connected import connected_segments

    labels = np.random.default_rng(0).integers(-1, 6, (80, 90)).astype(np.int32)
    joined = connected_segments(labels, 12)
    np.testing.assert_array_equal(joined < 0, labels < 0)
    sizes = np.bincount(joined[joined >= 0])
    for label in np.flatnonzero(sizes < 12):  # what is still small touches nothing
        around = ndimage.binary_dilation(joined == label) & (joined != label)
        assert (joined[around] < 0).all()
    for label in range(len(sizes)):
        assert ndimage.label(joined == label)[1] == 1


def test_very_many_pieces_join_before_they_are_merged(found, monkeypatch):
    from quickshiftpp.segmentation import _tree

    image = photograph()[::4, ::4]
    expected, merging = found[1].superpixels(0.3, min_size=15)
    monkeypatch.setattr(_tree, "_MOST_PIECES", merging.n_segments - 1)
    pieces, fewer = image_tree(image, k=30).superpixels(0.3, min_size=15)
    assert fewer.n_segments < merging.n_segments
    assert np.bincount(pieces.ravel()).min() >= 15
    assert pieces.shape == expected.shape


@pytest.mark.parametrize("n_jobs", [2, 3, None])
def test_threads(n_jobs):
    image = photograph()[100:200, 200:330]
    for options in ({}, {"paper": True}):
        expected = segment(image, k=40, n_jobs=1, **options)
        np.testing.assert_array_equal(segment(image, k=40, n_jobs=n_jobs, **options), expected)


@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_instruction_set(level, monkeypatch):
    image = photograph()[100:160, 200:290]
    cases = [{"paper": True}, {}, {"convert2lab": False, "ratio": 3.3}]
    images = [image, image / 255]
    expected = [segment(image, k=40, **case) for case in cases for image in images]
    force_instruction_set(level, monkeypatch)
    found = [segment(image, k=40, **case) for case in cases for image in images]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_float32_gives_the_labels_of_the_same_numbers_in_float64():
    image = (photograph()[100:160, 200:290] / 255).astype(np.float32)
    options = {"convert2lab": False, "sigma": 0, "ratio": 2.0}
    single = pixel_features(image, **options)
    grid = Grid(image.shape[:2], (1.0, 1.0), None)
    found = pixel_table(single, grid, 40, "windows", 1)
    expected = pixel_table(single.astype(np.float64), grid, 40, "windows", 1)
    assert_same_lists(found, expected)


def test_mirrored_images_have_mirrored_segments():
    """Up to ties, which the coordinates decide, and which real colors hardly ever have."""
    image = ndimage.gaussian_filter(np.random.default_rng(3).random((50, 60, 3)), (2, 2, 0))
    options = {"k": 20, "beta": 0.5, "min_size": 1}
    np.testing.assert_array_equal(segment(image[:, ::-1], **options)[:, ::-1],
                                  segment(image, **options))  # fmt: skip


def test_lab_is_scikit_images():
    color = pytest.importorskip("skimage.color")
    from quickshiftpp.segmentation import _color

    every_eighth = np.stack(np.meshgrid(*[np.arange(0, 256, 15)] * 3), axis=-1).astype(np.uint8)
    np.testing.assert_allclose(
        _color.lab(every_eighth, np.float64), color.rgb2lab(every_eighth), atol=0.01
    )
    floats = np.random.default_rng(0).random((40, 50, 3))
    np.testing.assert_allclose(_color.lab(floats, np.float64), color.rgb2lab(floats), atol=0.01)
    np.testing.assert_allclose(
        _color.lab((every_eighth.astype(np.uint16) * 257), np.float64),
        _color.lab(every_eighth, np.float64),
        atol=1e-12,
    )


def test_blur_is_scikit_images():
    filters = pytest.importorskip("skimage.filters")
    image = photograph()[:40, :50] / 255
    expected = filters.gaussian(image, sigma=2, mode="reflect", channel_axis=-1) * 255
    found = pixel_features(image, convert2lab=False, sigma=2, ratio=1)[:, 2:]
    np.testing.assert_allclose(found.reshape(image.shape), expected, atol=1e-9)


def test_blur_inside_a_mask():
    """A color stays what it is up to the border of the mask."""
    mask = np.ones((20, 30), bool)
    mask[:, 12:20] = mask[5:9] = False
    image = np.where(mask, 100, 255).astype(np.uint8)
    colors = pixel_features(image, channel_axis=None, sigma=2, ratio=1, mask=mask)[:, 2]
    np.testing.assert_allclose(colors, 100, rtol=1e-5)
