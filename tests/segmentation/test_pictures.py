"""Pictures of a segmentation: boundaries, mean colors, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.color import label2rgb

from quickshiftpp.segmentation import find_boundaries, mark_boundaries, mean_colors

RANDOM = np.random.default_rng(0)
LABELS = RANDOM.integers(1, 4, (7, 9))
PHOTO = RANDOM.integers(0, 256, (7, 9, 3)).astype(np.uint8)


def test_boundaries_lie_before_every_change_of_label():
    volume = RANDOM.integers(0, 2, (3, 4, 5))
    found = find_boundaries(volume)
    for place in np.ndindex(volume.shape):
        ahead = [tuple(np.add(place, step)) for step in np.eye(3, dtype=int)]
        inside = [next_one for next_one in ahead if np.less(next_one, volume.shape).all()]
        assert found[place] == any(volume[next_one] != volume[place] for next_one in inside)
    assert not find_boundaries(np.ones((4, 4))).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64, bool])
@pytest.mark.parametrize("is_gray", [False, True])
def test_marked_images_keep_their_type_and_all_other_pixels(dtype, is_gray):
    image = (PHOTO[..., 0] if is_gray else PHOTO).astype(dtype)
    before = image.copy()
    marked = mark_boundaries(image, LABELS, color=(1, 0.5, 0))
    assert marked.dtype == dtype
    assert marked.shape == (7, 9, 3)
    border = find_boundaries(LABELS)
    white = {np.uint8: 255, np.uint16: 65535}.get(dtype, 1)
    painted = np.multiply((1, 0.5, 0), white)
    expected = painted if np.dtype(dtype).kind == "f" else np.rint(painted).astype(dtype)
    assert (marked[border] == expected).all()
    kept = image[..., None].repeat(3, axis=2) if is_gray else image
    np.testing.assert_array_equal(marked[~border], kept[~border])
    np.testing.assert_array_equal(image, before)


def test_enlarged_images_have_thin_boundaries():
    marked = mark_boundaries(PHOTO, LABELS, color=(0, 0, 0), scale=4)
    assert marked.shape == (28, 36, 3)
    np.testing.assert_array_equal(marked[1::4, 1::4], PHOTO)
    is_black = (marked == 0).all(axis=2)
    assert is_black.sum() == find_boundaries(np.kron(LABELS, np.ones((4, 4)))).sum()


def test_mean_colors_are_those_of_scikit_image():
    floats = PHOTO / 255
    np.testing.assert_allclose(
        mean_colors(floats, LABELS), label2rgb(LABELS, floats, kind="avg", bg_label=-1)
    )
    painted = mean_colors(PHOTO, LABELS)
    assert painted.dtype == np.uint8
    np.testing.assert_array_equal(painted, np.rint(mean_colors(PHOTO.astype(float), LABELS)))
    gray = mean_colors(PHOTO[..., 0], LABELS)
    np.testing.assert_array_equal(gray, painted[..., 0])


def test_bad_pictures():
    with pytest.raises(ValueError, match=r"labels has the shape \(9, 7\), .* image of shape \(7,"):
        mean_colors(PHOTO, LABELS.T)
    with pytest.raises(ValueError, match="one label for each pixel"):
        mark_boundaries(PHOTO[None], LABELS)
    with pytest.raises(ValueError, match=r"shape \(7, 9, 2\), .* three of the channels"):
        mark_boundaries(PHOTO[..., :2], LABELS)
    with pytest.raises(ValueError, match="a slice of a volume"):
        mark_boundaries(np.zeros((3, 7, 9)), np.ones((3, 7, 9)))
    with pytest.raises(ValueError, match="scale is 0, but it must be 1 or more"):
        mark_boundaries(PHOTO, LABELS, scale=0)
