"""Bad images and parameters: each error names the value and what is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from quickshiftpp.segmentation import image_tree, pixel_features, segment

IMAGE = np.zeros((6, 8, 3), np.uint8)
GRAY = np.zeros((6, 8))


@pytest.mark.parametrize(
    ("image", "options", "sentence"),
    [
        (IMAGE, {"k": 0}, r"k is 0, but it must be a whole number from 1 to .* here 48"),
        (IMAGE, {"k": 49}, r"k is 49, .* here 48"),
        (IMAGE, {"k": 2.5}, r"k is 2\.5"),
        (IMAGE, {"k": True}, r"k is True"),
        (IMAGE, {"beta": 1}, r"beta is 1, but it must lie strictly between 0 and 1"),
        (IMAGE, {"beta": "x"}, r"beta is 'x'"),
        (IMAGE, {"beta": 0.5, "n_segments": 3}, r"beta is 0\.5 and n_segments is 3"),
        (IMAGE, {"merge": 5, "n_segments": 3}, r"merge is 5 and n_segments is 3"),
        (IMAGE, {"n_segments": 0}, r"n_segments is 0, but it must be a whole number of 1 or more"),
        (IMAGE, {"n_segments": 2.0}, r"n_segments is 2\.0"),
        (IMAGE, {"merge": -1}, r"merge is -1, but it must be a number of 0 or more"),
        (IMAGE, {"merge": "a"}, r"merge is 'a'"),
        (IMAGE, {"min_size": 0}, r"min_size is 0, but it must be a whole number of pixels"),
        (IMAGE, {"min_size": 1.5}, r"min_size is 1\.5"),
        (IMAGE, {"start_label": 2}, r"start_label is 2, but it must be 0 or 1"),
        (IMAGE, {"ratio": 0}, r"ratio is 0, but it must be a positive number"),
        (IMAGE, {"ratio": np.inf}, r"ratio is inf"),
        (IMAGE, {"ratio": "a"}, r"ratio is 'a'"),
        (IMAGE, {"sigma": -1}, r"sigma is -1, but it must be a number of 0 or more"),
        (IMAGE, {"sigma": (1, 2, 3)}, r"sigma is \(1, 2, 3\), .* each of the 2 spatial axes"),
        (IMAGE, {"sigma": "a"}, r"sigma is 'a'"),
        (IMAGE, {"spacing": (1, 0)}, r"spacing is \(1, 0\), but it must be a number above 0"),
        (IMAGE, {"spacing": (1, 1, 1)}, r"spacing is .* each of the 2 spatial axes"),
        (IMAGE, {"spacing": (1, np.nan)}, r"spacing is"),
        (IMAGE, {"channel_axis": 3}, r"channel_axis is 3, .* which has 3 axes"),
        (IMAGE, {"channel_axis": "c"}, r"channel_axis is 'c'"),
        (IMAGE, {"mask": np.ones((8, 6))}, r"mask has the shape \(8, 6\), but .* \(6, 8\)"),
        (IMAGE, {"mask": np.zeros((6, 8))}, r"mask is False everywhere"),
        (IMAGE, {"n_jobs": 0}, r"n_jobs is 0"),
        (IMAGE[..., :2], {"convert2lab": True}, r"convert2lab is True, but .* 2 channels"),
        (GRAY, {"channel_axis": None, "convert2lab": True}, r"the image has 1 channel,"),
        (GRAY, {}, r"channel_axis is -1, .* use channel_axis=None for a gray image"),
        (GRAY.astype(int), {"channel_axis": None}, r"data type int64, but it must be uint8"),
        (GRAY.astype(complex), {"channel_axis": None}, r"data type complex128"),
        (np.array([["a"]]), {"channel_axis": None}, r"data type <U1"),
        (np.float64(3), {"channel_axis": None}, r"single number, 3.0, but it must be an array"),
        (np.zeros((0, 5, 3)), {}, r"shape \(0, 5, 3\), which holds no pixels: there is nothing"),
        (GRAY + np.nan, {"channel_axis": None}, r"infinite or not a number"),
        (np.full((6, 8, 3), 200.0), {}, r"floats from 200 to 200, .* image / 255"),
    ],
)  # fmt: skip
def test_segment(image, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        segment(image, **options)


def test_nan_inside_a_mask_is_refused():
    image = np.full((6, 8), np.nan)
    with pytest.raises(ValueError, match="inside the mask"):
        segment(image, channel_axis=None, mask=np.eye(6, 8))


def test_the_same_sentences_from_the_other_functions():
    for function in (image_tree, pixel_features):
        with pytest.raises(ValueError, match="sigma is -2"):
            function(IMAGE, sigma=-2)
    tree = image_tree(IMAGE, k=5)
    for options, sentence in (
        ({"beta": 0}, "beta is 0"),
        ({"start_label": -1}, "start_label is -1"),
        ({"n_segments": 0}, "n_segments is 0"),
        ({"merge": np.nan}, "merge is nan"),
    ):
        with pytest.raises(ValueError, match=sentence):
            tree.labels(**options)


def test_large_floats_are_not_colors_but_can_be_segmented():
    volume = np.random.default_rng(0).normal(0, 1000, (6, 7, 8))
    assert segment(volume, channel_axis=None, k=5, ratio=1e-4).shape == volume.shape
    assert segment(volume * 1e300, channel_axis=None, k=5, ratio=1e-300).shape == volume.shape
