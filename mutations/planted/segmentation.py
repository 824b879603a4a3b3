"""Bugs in the segmentation of images."""

from ..mutation import Mutation, Python

MERGING = Python("tests/segmentation/test_merging.py")
SEGMENT = Python("tests/segmentation/test_segment.py")

MUTATIONS = [
    Mutation(
        "connected-longest-border",
        "a small piece joins the neighbor with the shortest border",
        "src/quickshiftpp/segmentation/_connected.py",
        "best = np.lexsort((other, -length, one))",
        "best = np.lexsort((other, length, one))",
        [MERGING],
    ),
    Mutation(
        "connected-mask",
        "pixels outside the mask connect segments",
        "src/quickshiftpp/segmentation/_connected.py",
        "both = (labels[tuple(behind)] >= 0) & (labels[tuple(ahead)] >= 0)",
        "both = np.ones(labels[tuple(ahead)].shape, dtype=bool)",
        [MERGING],
    ),
    Mutation(
        "connected-size",
        "a piece of exactly the least size is joined to another",
        "src/quickshiftpp/segmentation/_connected.py",
        "(sizes < min_size)",
        "(sizes <= min_size)",
        [MERGING],
    ),
    Mutation(
        "connected-number-of-the-large",
        "a large piece takes the number of a small one that joins it",
        "src/quickshiftpp/segmentation/_connected.py",
        "        name[linked[large]] = large\n",
        "",
        [MERGING],
    ),
    Mutation(
        "merging-limit",
        "segments that differ by exactly the limit are not merged",
        "src/quickshiftpp/segmentation/_merging.py",
        'np.searchsorted(self.differences, limit, side="right")',
        'np.searchsorted(self.differences, limit, side="left")',
        [MERGING],
    ),
    Mutation(
        "merging-stale-pair",
        "segments that were merged already are merged again",
        "src/quickshiftpp/segmentation/_merging.py",
        "            version[other] = -1\n",
        "",
        [MERGING],
    ),
    Mutation(
        "merging-mean-color",
        "the color of merged segments is that of the first",
        "src/quickshiftpp/segmentation/_merging.py",
        "            (n * a + m * b) / (n + m)\n",
        "            a + 0 * b\n",
        [MERGING],
    ),
    Mutation(
        "merging-border",
        "the border of merged segments with a common neighbor is that of one of them",
        "src/quickshiftpp/segmentation/_merging.py",
        "both = before[0] + width, before[1] + radii",
        "both = width, radii",
        [MERGING],
    ),
    Mutation(
        "lab-line",
        "dark colors are converted by the wrong part of the curve",
        "src/quickshiftpp/segmentation/_color.py",
        "_LAB_LINE = (6 / 29) ** 3",
        "_LAB_LINE = (6 / 29) ** 2",
        [SEGMENT],
    ),
    Mutation(
        "blur-mask",
        "pixels outside the mask darken those at its border",
        "src/quickshiftpp/segmentation/_features.py",
        "np.divide(kept, share, out=out[..., channel], where=mask)",
        "out[..., channel] = kept",
        [SEGMENT],
    ),
    Mutation(
        "spacing-blur",
        "the blur does not follow the spacing of the pixels",
        "src/quickshiftpp/segmentation/_features.py",
        "widths / step if np.ndim(width) == 0 else widths,",
        "widths,",
        [SEGMENT],
    ),
    Mutation(
        "pixels-transposed-mask",
        "the mask of the window search is in another order than the pixels",
        "src/quickshiftpp/_search/pixels.py",
        "np.ascontiguousarray(grid.mask).view(np.uint8).ravel()",
        "np.ascontiguousarray(grid.mask.T).view(np.uint8).ravel()",
        [SEGMENT],
    ),
    Mutation(
        "image-labels-outside",
        "labels outside the mask are those of a segment",
        "src/quickshiftpp/segmentation/_tree.py",
        "image = np.full(self.shape, -1, dtype=np.int32)",
        "image = np.full(self.shape, 0, dtype=np.int32)",
        [SEGMENT],
    ),
]
