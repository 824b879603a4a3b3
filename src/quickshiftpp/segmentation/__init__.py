"""Image segmentation: pixels as samples, of their position and their colour.

:func:`segment` labels an image, :func:`image_tree` does the search alone and returns an
:class:`ImageTree`, which holds the segmentation for every beta, and :func:`pixel_features` shows
what is clustered. Images of any number of dimensions and channels, in scikit-image's conventions::

    image  ->  _features (with _color)  ->  the stages of the package  ->  _tree  ->  labels

``_images`` guards the entrance, ``_defaults`` holds what experiments chose, ``_connected`` splits
segments into connected ones and ``_merging`` joins those that hardly differ.
"""

from ._features import pixel_features
from ._merging import Merging
from ._segment import image_tree, segment
from ._tree import ImageTree

__all__ = ["ImageTree", "Merging", "image_tree", "pixel_features", "segment"]
