"""Bugs in what surrounds the searches in Python: scaling, memory, threads, projection."""

from ..mutation import Mutation, Python

CASCADE = Python("tests/search/test_cascade.py")
BOUNDS = Python("tests/search/test_error_bounds.py")
EXTREMES = "tests/contracts/test_extreme_values.py"
NEIGHBORS = Python("tests/search/test_neighbors.py", "unit")
MEMORY = Python("tests/search/test_memory.py", "not estimate")
ESTIMATE = Python("tests/search/test_memory.py", "within_a_fifth and 150000")
THREADS = Python("tests/contracts/test_threads.py")
ESTIMATORS = Python("tests/estimators/test_estimators.py", "not scikit_learn_checks")

MUTATIONS = [
    Mutation(
        "scaling-indistinct",
        "samples that rounding makes equal are not refused",
        "src/quickshiftpp/_scaling.py",
        "    if is_rounded is not None:\n        _refuse_indistinct",
        "    if is_rounded is not None and is_rounded.all():\n        _refuse_indistinct",
        [Python(EXTREMES, "tell_apart")],
    ),
    Mutation(
        "scaling-beyond",
        "a new sample exactly at the limit is searched for, and its squares overflow",
        "src/quickshiftpp/_scaling.py",
        "is_beyond[rows] = (magnitude >= limit).any(axis=1)",
        "is_beyond[rows] = (magnitude >= limit).all(axis=1)",
        [Python(EXTREMES, "looked_at or batch")],
    ),
    Mutation(
        "scaling-chunk",
        "only the first rows of large data are looked at for their smallest value",
        "src/quickshiftpp/_scaling.py",
        "    for start in range(0, X.shape[0], count):",
        "    for start in range(0, min(X.shape[0], count), count):",
        [Python(EXTREMES, "looked_at")],
    ),
    Mutation(
        "radii-scale",
        "radii of extreme data are in the wrong unit",
        "src/quickshiftpp/_tree/density.py",
        "return unscale(np.sqrt(squared_radii), scale_exponent)",
        "return unscale(np.sqrt(squared_radii), -scale_exponent)",
        [Python(EXTREMES, "every_unit")],
    ),
    Mutation(
        "neighbors-scale",
        "distances of extreme data are in the wrong unit",
        "src/quickshiftpp/_search/neighbors.py",
        "return unscale(distances, exponent), indices",
        "return distances, indices",
        [NEIGHBORS],
    ),
    Mutation(
        "index-kept-after-refit",
        "predict searches among the samples of the fit before",
        "src/quickshiftpp/_estimators/quickshiftpp.py",
        "            self._samples = neighbors.samples\n",
        """            before = getattr(self, "_samples", None)
            self._samples = neighbors.samples
            if before is not None:
                self._samples._as_float64 = before._as_float64
""",
        [ESTIMATORS],
    ),
    Mutation(
        "index-rounded-to-float32",
        "float64 queries of a float32 fit are rounded",
        "src/quickshiftpp/_search/index.py",
        "            index = self._index_as_float64(threads)\n",
        "            samples = samples.astype(np.float32)\n",
        [ESTIMATORS],
    ),
    Mutation(
        "new-samples-find-each-other",
        "the parent of a new sample may be another new sample",
        "src/quickshiftpp/_search/new_samples.py",
        "np.full(len(limit), np.inf)])",
        "np.zeros(len(limit))])",
        [CASCADE],
    ),
    Mutation(
        "projection-error-of-both",
        "the bound covers the projection of one sample of a pair, not of both",
        "src/quickshiftpp/_search/projection.py",
        """    precision: np.dtype[Any] = np.dtype(np.float32)
    error = 2 * lengthening * projection_error(precision, *axes.shape)""",
        """    precision: np.dtype[Any] = np.dtype(np.float32)
    error = lengthening * projection_error(precision, *axes.shape)""",
        [BOUNDS],
    ),
    Mutation(
        "projection-lengthening",
        "the projection is assumed to lengthen nothing",
        "src/quickshiftpp/_search/projection.py",
        "return 1 + (excess + rounding) / 2 * PROJECTION_SLACK",
        "return 1 + rounding / 2 * PROJECTION_SLACK",
        [BOUNDS],
    ),
    Mutation(
        "projection-last-chunk",
        "the last samples keep the coordinates of others",
        "src/quickshiftpp/_search/projection.py",
        "these = slice(start, min(start + _CHUNK, n_samples))",
        "these = slice(start, max(start + 1, min(start + _CHUNK, n_samples) - 1))",
        [CASCADE],
    ),
    Mutation(
        "memory-distances",
        "the estimate leaves out the distances in lists",
        "src/quickshiftpp/_search/memory.py",
        "entry = 4 if n_features <= _core.RECOMPUTE_COLUMNS else 12",
        "entry = 4",
        [ESTIMATE],
    ),
    Mutation(
        "memory-several-k",
        "the estimate for several k leaves out the copies of lists",
        "src/quickshiftpp/_search/memory.py",
        "temporary += (k if n_ks == 1 else 1.5 * k) * entry",
        "temporary += k * entry",
        [Python("tests/search/test_memory.py", "several_k")],
    ),
    Mutation(
        "memory-not-refused",
        "a fit that cannot fit is tried",
        "src/quickshiftpp/_search/memory.py",
        "    if free is not None and needed > free:",
        "    if free is not None and needed > 8 * free:",
        [MEMORY],
    ),
    Mutation(
        "memory-process-limit",
        "a limit on the process is taken for what is left of it",
        "src/quickshiftpp/_search/memory.py",
        "        return most - pages * resource.getpagesize()",
        "        return most",
        [MEMORY],
    ),
    Mutation(
        "threads-negative",
        "-1 is one core too few",
        "src/quickshiftpp/_threads.py",
        "max(1, int(cpu_count()) + 1 + wanted)",
        "max(1, int(cpu_count()) + wanted)",
        [THREADS],
    ),
    Mutation(
        "threads-of-the-environment",
        "OMP_NUM_THREADS with one number for each level of nesting is ignored",
        "src/quickshiftpp/_threads.py",
        """os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()""",
        """os.environ.get("OMP_NUM_THREADS", "").strip()""",
        [THREADS],
    ),
    Mutation(
        "unaligned-samples",
        "samples that are not aligned reach native code",
        "src/quickshiftpp/_validation.py",
        "return samples if samples.flags.aligned else samples.copy()",
        "return samples",
        [Python("tests/contracts/test_native_border.py", "unaligned_samples")],
    ),
]
