"""From an image to its labels."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from .._scaling import IndistinctSamplesError
from .._search.pipeline import find_pixel_neighbors
from .._threads import resolve_threads
from .._tree.build import build_tree
from .._validation import InvalidParameterError, check_beta
from ._defaults import default_parameters
from ._features import Features
from ._images import check_k, check_merge, check_min_size, check_n_segments, check_start_label
from ._tree import ImageTree

Labels = npt.NDArray[np.int32]


@overload
def segment(
    image: npt.ArrayLike,
    *,
    k: int | None = ...,
    beta: float | None = ...,
    n_segments: int | None = ...,
    merge: float | None = ...,
    channel_axis: int | None = ...,
    convert2lab: bool | None = ...,
    ratio: float | None = ...,
    sigma: float | npt.ArrayLike | None = ...,
    mask: npt.ArrayLike | None = ...,
    spacing: npt.ArrayLike | None = ...,
    min_size: int | None = ...,
    connected: bool = ...,
    start_label: int = ...,
    n_jobs: int | None = ...,
    return_tree: Literal[False] = ...,
    paper: bool = ...,
) -> Labels: ...
@overload
def segment(
    image: npt.ArrayLike,
    *,
    k: int | None = ...,
    beta: float | None = ...,
    n_segments: int | None = ...,
    merge: float | None = ...,
    channel_axis: int | None = ...,
    convert2lab: bool | None = ...,
    ratio: float | None = ...,
    sigma: float | npt.ArrayLike | None = ...,
    mask: npt.ArrayLike | None = ...,
    spacing: npt.ArrayLike | None = ...,
    min_size: int | None = ...,
    connected: bool = ...,
    start_label: int = ...,
    n_jobs: int | None = ...,
    return_tree: Literal[True],
    paper: bool = ...,
) -> tuple[Labels, ImageTree]: ...
def segment(
    image: npt.ArrayLike,
    *,
    k: int | None = None,
    beta: float | None = None,
    n_segments: int | None = None,
    merge: float | None = None,
    channel_axis: int | None = -1,
    convert2lab: bool | None = None,
    ratio: float | None = None,
    sigma: float | npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    spacing: npt.ArrayLike | None = None,
    min_size: int | None = None,
    connected: bool = False,
    start_label: int = 1,
    n_jobs: int | None = None,
    return_tree: bool = False,
    paper: bool = False,
) -> Labels | tuple[Labels, ImageTree]:
    """Segment an image by Quickshift++ on the position and color of its pixels.

    ``segment(image)`` cuts the mode tree of the pixels finely, then merges similar neighboring
    segments. With a `beta`, the segments are exactly the clusters of :class:`QuickshiftPP`.

    Parameters
    ----------
    image : array-like
        An image with any number of spatial dimensions and channels, of type uint8, uint16, bool, or
        floats from 0 to 1. It is not modified.
    k : int, optional
        The number of neighbors that the density is estimated from, including the pixel itself.
        Larger values give smoother segments and take longer. By default 100.
    beta : float, optional
        How far the density may fall below that of the mode inside a segment's core, as a share
        strictly between 0 and 1. Larger values give fewer segments.
    n_segments : int, optional
        Ask for this number of segments instead.
    merge : float, optional
        Merge neighboring segments whose difference, in units of color, is at most this; 0 merges
        none. By default 0 if `beta` or `paper` is given, and otherwise a value for photographs.
    channel_axis : int or None, default=-1
        The axis of the color channels; None for a gray image.
    convert2lab : bool, optional
        Whether to convert red, green and blue to CIELAB; by default if there are three channels.
        Without conversion, colors are scaled as in 8-bit images, white being 255.
    ratio : float, optional
        The weight of colors relative to positions in pixels.
    sigma : float or array-like, optional
        The standard deviation of a Gaussian blur that is applied to the colors first, in pixels,
        for all axes or for each; a single number is divided by `spacing`. 0 for no blur.
    mask : array-like of bool, optional
        Segment only the pixels where it is True. Other pixels may have any value, even NaN.
    spacing : array-like, optional
        The distance between pixels along each spatial axis.
    min_size : int, optional
        Segments with fewer pixels are dissolved into others; 1 keeps all.
    connected : bool, default=False
        Split segments that are not connected, as :meth:`ImageTree.labels` does. Merged segments are
        connected in any case.
    start_label : {1, 0}, default=1
        The label of the segment with the densest mode; the others follow.
    n_jobs : int or None, default=None
        The number of threads. None uses all cores, or fewer where ``OMP_NUM_THREADS``
        or threadpoolctl says so; -1 uses all cores.
    return_tree : bool, default=False
        Return the tree too, which holds the segmentation for every beta.
    paper : bool, default=False
        Follow the protocol of [1]_ for parameters that are not given: row, column, red, green and
        blue as they are, ``beta=0.9``, segments of any size, no merging.

    Returns
    -------
    labels : ndarray of int32, of the image's spatial shape
        ``start_label - 1`` outside the mask.
    tree : ImageTree
        Only if ``return_tree=True``.

    See Also
    --------
    image_tree : The search alone.
    pixel_features : What is clustered.
    quickshiftpp.QuickshiftPP : The clustering.

    References
    ----------
    .. [1] H. Jiang, J. Jang, S. Kpotufe. Quickshift++: Provably Good Initializations for
       Sample-Based Mean Shift. ICML 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from quickshiftpp.segmentation import segment
    >>> image = np.zeros((40, 60), dtype=np.uint8)
    >>> image[:, 30:] = 200
    >>> labels = segment(image, channel_axis=None)
    >>> labels.shape, labels[0, [0, -1]].tolist()
    ((40, 60), [1, 2])
    """
    for check, value in (
        (check_beta, beta),
        (check_n_segments, n_segments),
        (check_merge, merge),
        (check_min_size, min_size),
        (check_start_label, start_label),
    ):
        if value is not None:
            check(value)
    tree = image_tree(
        image,
        k=k,
        channel_axis=channel_axis,
        convert2lab=convert2lab,
        ratio=ratio,
        sigma=sigma,
        mask=mask,
        spacing=spacing,
        n_jobs=n_jobs,
        paper=paper,
    )
    labels = tree.labels(
        beta,
        n_segments,
        merge=merge,
        min_size=min_size,
        connected=connected,
        start_label=start_label,
    )
    return (labels, tree) if return_tree else labels


def image_tree(
    image: npt.ArrayLike,
    *,
    k: int | None = None,
    channel_axis: int | None = -1,
    convert2lab: bool | None = None,
    ratio: float | None = None,
    sigma: float | npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    spacing: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    paper: bool = False,
) -> ImageTree:
    """Search an image once, for segmentations at any beta.

    Parameters
    ----------
    image, k, channel_axis, convert2lab, ratio, sigma, mask, spacing, n_jobs, paper
        The same as for :func:`segment`.

    Returns
    -------
    ImageTree

    Examples
    --------
    >>> import numpy as np
    >>> from quickshiftpp.segmentation import image_tree
    >>> image = np.random.default_rng(0).random((30, 40, 3))
    >>> image_tree(image, k=20).labels(n_segments=5).shape
    (30, 40)
    """
    threads = resolve_threads(n_jobs)
    features = Features.of(
        image,
        channel_axis=channel_axis,
        convert2lab=convert2lab,
        ratio=ratio,
        sigma=sigma,
        mask=mask,
        spacing=spacing,
        paper=paper,
    )
    defaults = default_parameters(is_lab=features.is_lab, paper=paper)
    n_pixels = features.image.n_pixels
    neighbors = min(defaults.k, n_pixels) if k is None else check_k(k, n_pixels)
    samples = features.samples()
    try:
        with find_pixel_neighbors(
            samples, features.grid, neighbors, algorithm="auto", threads=threads
        ) as found:
            tree = build_tree(found, neighbors, None)
    except IndistinctSamplesError:
        raise InvalidParameterError(
            f"image has weighted colors and coordinates of up to {np.abs(samples).max():g}, beside "
            "which float64 cannot tell other pixels apart: exclude such pixels with the mask, or "
            "use another ratio or spacing."
        ) from None
    colors = samples[:, len(features.grid.shape) :] / samples.dtype.type(features.ratio)
    return ImageTree(tree, features.grid, colors, defaults)
