"""Bugs in the estimators."""

from ..mutation import Mutation, Python

ESTIMATORS = Python("tests/estimators/test_estimators.py", "not scikit_learn_checks")
BAD_INPUTS = Python("tests/contracts/test_bad_inputs.py")

MUTATIONS = [
    Mutation(
        "predict-equally-dense",
        "a sample of the fit does not find itself",
        "src/quickshiftpp/_estimators/quickshiftpp.py",
        "at_least_as_dense = np.nextafter(own, np.inf)",
        "at_least_as_dense = own",
        [ESTIMATORS],
    ),
    Mutation(
        "predict-densest",
        "new samples denser than all others get the label of the last sample",
        "src/quickshiftpp/_estimators/quickshiftpp.py",
        "            row[row < 0] = nearest[row < 0]\n",
        "",
        [ESTIMATORS],
    ),
    Mutation(
        "fit-keeps-half",
        "a fit that fails leaves some of its attributes",
        "src/quickshiftpp/_estimators/base.py",
        "            self.__dict__.clear()\n            self.__dict__.update(before)\n",
        "",
        [BAD_INPUTS],
    ),
    Mutation(
        "relabel-size",
        "relabel with another least size leaves the old one for the next call",
        "src/quickshiftpp/_estimators/quickshiftpp.py",
        "        self._set_clustering(self.tree_, chosen, size)\n"
        "        self.min_cluster_size_ = size\n",
        "        self._set_clustering(self.tree_, chosen, size)\n",
        [Python("tests/tree/test_mode_tree.py")],
    ),
    Mutation(
        "quick-shift-tau",
        "a parent at distance exactly tau is not linked",
        "src/quickshiftpp/_estimators/quick_shift.py",
        "(self.parent_distances_ <= tau)",
        "(self.parent_distances_ < tau)",
        [ESTIMATORS],
    ),
    Mutation(
        "quick-shift-equal-rows",
        "equal samples without a denser one are a cluster each",
        "src/quickshiftpp/_estimators/quick_shift.py",
        "link = np.where(linked, self.parents_, self._first_equal)",
        "link = np.where(linked, self.parents_, np.arange(len(linked), dtype=np.int32))",
        [ESTIMATORS],
    ),
    Mutation(
        "core-labels-of-the-last-fit",
        "core labels that were computed once stay after relabel",
        "src/quickshiftpp/_estimators/core_clusterer.py",
        '        self._fitted_tree("core_labels_")\n        return self._clustering.core_labels',
        '        self._fitted_tree("core_labels_")\n'
        '        return vars(self).setdefault("_cores", self._clustering.core_labels)',
        [ESTIMATORS, Python("tests/tree/test_mode_tree.py")],
    ),
    Mutation(
        "mcores-tie",
        "of two equally near cores the one with the smaller coordinates wins, not the denser",
        "src/quickshiftpp/_estimators/mcores.py",
        "key = np.where(is_core, tree._squared_radii, np.inf)",
        "key = np.where(is_core, 0.0, np.inf)",
        [ESTIMATORS],
    ),
]
