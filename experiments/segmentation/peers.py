"""Photographs by other libraries, each over the settings that serve it best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from skimage import color, segmentation
from sklearn.cluster import MeanShift

Image: TypeAlias = npt.NDArray[np.uint8]
Labels: TypeAlias = npt.NDArray[np.int64]
Parameters: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Peer:
    """A way to segment photographs."""

    name: str
    library: str  # where it comes from: its version is part of the result
    settings: list[Parameters]  # each is tried on every photograph
    # Returns the labels of a photograph with one of the settings.
    segment: Callable[[Image, Parameters], Labels]


def from_skimage(name: str, **fixed: Any) -> Callable[[Image, Parameters], Labels]:
    """Return one of scikit-image's algorithms."""
    function: Any = getattr(segmentation, name)
    return lambda image, parameters: np.asarray(function(image, **fixed, **parameters), np.int64)


def mean_shift(image: Image, parameters: Parameters) -> Labels:
    """Segment a smaller image by scikit-learn's `MeanShift`, and enlarge the labels.

    Positions and CIELAB colors are divided by one bandwidth each, as in Comaniciu and Meer (2002).
    At full size it takes hours.
    """
    reduction = parameters["reduction"]
    function: Any = color.rgb2lab
    colors = np.asarray(function(image), dtype=np.float64)
    height, width = (max(length // reduction, 1) for length in image.shape[:2])
    rows, columns = (
        np.minimum(np.arange(length) // reduction, kept - 1)
        for length, kept in zip(image.shape[:2], (height, width), strict=True)
    )
    block = (rows[:, None] * width + columns[None, :]).ravel()
    sizes = np.bincount(block, minlength=height * width)
    means = [np.bincount(block, weights=c) / sizes for c in colors.reshape(-1, 3).T]
    places = np.indices((height, width)).reshape(2, -1).T * reduction
    samples = np.column_stack(
        [places / parameters["space"], np.stack(means, axis=1) / parameters["color"]]
    )
    found = MeanShift(bandwidth=1.0, bin_seeding=True, n_jobs=1).fit_predict(samples)
    return np.asarray(found[block].reshape(image.shape[:2]), dtype=np.int64)


PEERS = [
    Peer(
        "felzenszwalb",
        "skimage",
        [
            {"scale": scale, "sigma": sigma, "min_size": size}
            for sigma, size, scales in (
                (0.8, 200, (100, 300)),
                (0.8, 1000, (100, 300, 500, 800, 1200)),
                (0.8, 2000, (300, 500, 800)),
                (0.5, 1000, (500,)),
                (1.5, 1000, (500,)),
            )
            for scale in scales
        ],
        from_skimage("felzenszwalb"),
    ),
    Peer(
        "quickshift",
        "skimage",
        [
            {"kernel_size": size, "max_dist": distance}
            for size, distance in ((3, 10), (3, 40), (5, 10), (5, 40), (7, 40))
        ],
        from_skimage("quickshift", rng=0),
    ),
    Peer(
        "slic",
        "skimage",
        [
            {"n_segments": count, "compactness": compactness}
            for count, compactness in ((6, 10.0), (12, 10.0), (12, 30.0), (25, 10.0), (50, 10.0))
        ],
        from_skimage("slic"),
    ),
    Peer(
        "MeanShift",
        "sklearn",
        [
            {"reduction": 10, "space": space, "color": color}
            for space, color in ((60.0, 15.0), (100.0, 20.0), (150.0, 20.0))
        ],
        mean_shift,
    ),
]
