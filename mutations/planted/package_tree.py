"""Bugs in the mode tree's Python side: densities, the search for a beta, paths."""

from ..mutation import Mutation, Python

BETA_SEARCH = Python("tests/tree/test_beta_search.py")
DENSITY = Python("tests/tree/test_density.py")
MODE_TREE = Python("tests/tree/test_mode_tree.py")
CUT = Python("tests/tree/test_cut.py")
ESTIMATORS = Python("tests/estimators/test_estimators.py", "not scikit_learn_checks")

MUTATIONS = [
    Mutation(
        "beta-decimal",
        "a beta such as 0.3 is a little less than three tenths, and loses ties",
        "src/quickshiftpp/_tree/density.py",
        "share = 1 - decimal.Decimal(repr(beta))",
        "share = 1 - decimal.Decimal(beta)",
        [DENSITY, MODE_TREE],
    ),
    Mutation(
        "density-constant",
        "the density is too large by a factor",
        "src/quickshiftpp/_tree/density.py",
        "math.lgamma(0.5 * dimension + 1)",
        "math.lgamma(0.5 * dimension)",
        [DENSITY],
    ),
    Mutation(
        "density-of-scaled",
        "the log-density of extreme data is off by a constant",
        "src/quickshiftpp/_tree/density.py",
        "log_radii = 0.5 * np.log(squared_radii) - scale_exponent * math.log(2)",
        "log_radii = 0.5 * np.log(squared_radii) + scale_exponent * math.log(2)",
        [DENSITY],
    ),
    Mutation(
        "beta-search-smallest",
        "a beta of 0 is tried",
        "src/quickshiftpp/_tree/beta_search.py",
        "return min(max(middle if middle < high else low, _SMALLEST), _LARGEST)",
        "return min(middle if middle < high else low, _LARGEST)",
        [BETA_SEARCH],
    ),
    Mutation(
        "beta-search-first-guess",
        "the present beta is kept although it gives another number of clusters",
        "src/quickshiftpp/_tree/beta_search.py",
        "if first_guess is not None and self.count(first_guess) == n_clusters:",
        "if first_guess is not None and self.count(first_guess) >= n_clusters:",
        [BETA_SEARCH],
    ),
    Mutation(
        "beta-search-plateau",
        "the beta lies at an end of its range, not in the middle",
        "src/quickshiftpp/_tree/beta_search.py",
        "        last = self._reach(interval, +1, n_clusters)",
        "        last = interval",
        [BETA_SEARCH],
    ),
    Mutation(
        "beta-search-crossings",
        "numbers that change between breakpoints are looked for on the wrong side",
        "src/quickshiftpp/_tree/beta_search.py",
        "if (self._counts[middle] > n_clusters) == is_above:",
        "if (self._counts[middle] > n_clusters) != is_above:",
        [BETA_SEARCH],
    ),
    Mutation(
        "beta-search-nearest",
        "the error names as nearest the number that cannot be had",
        "src/quickshiftpp/_tree/beta_search.py",
        "set(self._counts.values()) - {n_clusters}",
        "set(self._counts.values()) | {n_clusters}",
        [BETA_SEARCH],
    ),
    Mutation(
        "rare-betas",
        "quotients of samples with distant modes are not tried",
        "src/quickshiftpp/_tree/mode_tree.py",
        "            radii, mode = radii[mode >= 0], mode[mode >= 0]\n",
        "            break\n",
        [BETA_SEARCH],
    ),
    Mutation(
        "count-at-a-breakpoint",
        "at a breakpoint itself one cluster too many is counted",
        "src/quickshiftpp/_tree/mode_tree.py",
        'np.searchsorted(self._ascending_ratios, limits, side="right")',
        'np.searchsorted(self._ascending_ratios, limits, side="left")',
        [CUT],
    ),
    Mutation(
        "path-without-the-mode",
        "a path ends at the first sample of the core",
        "src/quickshiftpp/_tree/mode_tree.py",
        "            steps += [mode] if mode != steps[-1] else []\n",
        "",
        [MODE_TREE],
    ),
    Mutation(
        "linkage-sizes",
        "the sizes of merged groups of modes are wrong",
        "src/quickshiftpp/_tree/mode_tree.py",
        "size[count + step] = size[pair[0]] + size[pair[1]]",
        "size[count + step] = size[pair[0]] + 1",
        [MODE_TREE],
    ),
    Mutation(
        "pickled-threads",
        "a model brings the number of threads of another machine",
        "src/quickshiftpp/_tree/mode_tree.py",
        "        self._threads = threads_on_this_machine(self._threads)\n",
        "",
        [ESTIMATORS],
    ),
]
