"""Image segmentation: each pixel is a sample, described by its position and its color.

:func:`segment` labels an image. :func:`image_tree` does the neighbor search alone and returns an
:class:`ImageTree`, which holds the segmentation for every beta. :func:`pixel_features` returns the
samples that are clustered. :func:`mark_boundaries` and :func:`mean_colors` draw a segmentation.
Images may have any number of dimensions and channels, in scikit-image's conventions::

    image  ->  _features (with _color)  ->  the stages of the package  ->  _tree  ->  labels

``_images`` checks the inputs, ``_defaults`` holds default values found by experiments,
``_connected`` splits segments into connected ones, ``_merging`` merges similar neighbors and
``_pictures`` draws the result.
"""

from ._features import pixel_features
from ._merging import Merging
from ._pictures import find_boundaries, mark_boundaries, mean_colors
from ._segment import image_tree, segment
from ._tree import ImageTree

__all__ = [
    "ImageTree",
    "Merging",
    "find_boundaries",
    "image_tree",
    "mark_boundaries",
    "mean_colors",
    "pixel_features",
    "segment",
]
