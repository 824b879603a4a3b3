"""Bugs in the helpers of the core: threads, links, sorting, bounds."""

from ..mutation import Mutation, Native, Python

PARALLEL = Native("support/test_parallel.cpp")
MODE_TREE = Native("tree/test_mode_tree.cpp")
BOUNDS = Native("search/test_error_bounds.cpp")
PROJECTED = Native("search/test_projected_samples.cpp")
ROUNDING = Native("support/test_rounding.cpp")

MUTATIONS = [
    Mutation(
        "team-numbers",
        "threads of a later round have numbers beyond the number of threads",
        "cpp/src/support/parallel.cpp",
        "    last_number_ = 0;\n",
        "",
        [PARALLEL],
    ),
    Mutation(
        "team-refused-thread",
        "a thread that the system refuses ends the process",
        "cpp/src/support/parallel.cpp",
        "  } catch (const std::system_error&) {  // the system refuses another thread\n",
        "",
        [Python("tests/contracts/test_processes.py", "refuses_threads")],
    ),
    Mutation(
        "team-cores",
        "threads may not run on the core on which the calling thread was",
        "cpp/src/support/parallel.cpp",
        "  pthread_setaffinity_np(thread.native_handle(), sizeof(allowed), &allowed);\n",
        "",
        [PARALLEL],
    ),
    Mutation(
        "parallel-polls-anywhere",
        "every thread polls, and so takes the interpreter lock",
        "cpp/include/quickshiftpp/parallel.hpp",
        "        run.monitor.check(thread == 0);",
        "        run.monitor.check(true);",
        [PARALLEL],
    ),
    Mutation(
        "parallel-no-poll-while-waiting",
        "Ctrl-C is not seen while the calling thread waits for the others",
        "cpp/include/quickshiftpp/parallel.hpp",
        "  auto wait = [&] {\n    try {\n      run.monitor.check(true);",
        "  auto wait = [&] {\n    try {\n      run.monitor.check(false);",
        [PARALLEL],
    ),
    Mutation(
        "follow-links-last-decides",
        "links are followed only until the last one of a piece has arrived",
        "cpp/src/support/follow_links.hpp",
        "        has_moved |= after != next;",
        "        has_moved = after != next;",
        [MODE_TREE],
    ),
    Mutation(
        "union-find-representative",
        "a set of modes is named by its least dense mode",
        "cpp/src/support/union_find.hpp",
        "up_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);",
        "up_[static_cast<std::size_t>(std::min(a, b))] = std::max(a, b);",
        [MODE_TREE],
    ),
    Mutation(
        "sort-merges-once",
        "sorted pieces are merged in pairs, and no further",
        "cpp/src/support/parallel_sort.hpp",
        "for (std::size_t width = kPiece; width < count; width *= 2)",
        "for (std::size_t width = kPiece; width < count; width *= 4)",
        [MODE_TREE],
    ),
    Mutation(
        "bound-distance-roundings",
        "too few roundings are allowed for in the true distance",
        "cpp/src/support/error_bounds.hpp",
        "(columns - 1) / sums + sums) + 2);",
        "(columns - 1) / sums + 2) + 2);",
        [BOUNDS],
    ),
    Mutation(
        "bound-triangle",
        "the triangle inequality is allowed the error of one distance, not of two",
        "cpp/src/support/error_bounds.hpp",
        "gamma(2 * distance_roundings(columns), kUnit64)",
        "gamma(distance_roundings(columns), kUnit64)",
        [BOUNDS],
    ),
    Mutation(
        "bound-remainder",
        "the last pixels of a line are lost to cancellation",
        "cpp/src/support/error_bounds.hpp",
        "return (rest > 0 ? rest : 0) + 32 * kUnit64 * limit;",
        "return rest > 0 ? rest : 0;",
        [BOUNDS],
    ),
    Mutation(
        "bound-remainder-sums",
        "an axis of a line is assumed to be a sum of its own, however many axes there are",
        "cpp/src/support/error_bounds.hpp",
        "+ 32 * kUnit64 * limit",
        "+ 13 * kUnit64 * limit",
        [BOUNDS],
    ),
    Mutation(
        "bound-screen",
        "the error of a sample's own norm is left out of the screen",
        "cpp/src/support/error_bounds.hpp",
        "((product + 1.5) * length + norm * longest)",
        "((product + 1.5) * length)",
        [BOUNDS],
    ),
    Mutation(
        "bound-columns",
        "conversion to float32 is assumed to move one sample of a pair",
        "cpp/src/support/error_bounds.hpp",
        "return 2 * kUnit32 * (1 + 0x1p-20)",
        "return 1 * kUnit32 * (1 + 0x1p-20)",
        [BOUNDS, PROJECTED],
    ),
    Mutation(
        "bound-exponent",
        "the smallest terms of a Gaussian sum are lost",
        "cpp/src/support/error_bounds.hpp",
        "kLargestExponent = 36.05;",
        "kLargestExponent = 36.0;",
        [BOUNDS],
    ),
    Mutation(
        "rounded-up",
        "bounds in float32 are rounded down",
        "cpp/src/support/rounding.hpp",
        "return -rounded_down(-value);",
        "return rounded_down(value);",
        [ROUNDING],
    ),
]
