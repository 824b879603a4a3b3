"""Bugs in the kernels."""

from ..mutation import ALL_LEVELS, Mutation, Native

KERNELS = Native("kernels/test_kernels.cpp", levels=ALL_LEVELS)
SORTING = Native("kernels/test_sorting.cpp", levels=ALL_LEVELS)
SANITIZED = Native("kernels/test_kernels.cpp", levels=ALL_LEVELS, sanitized=True)

MUTATIONS = [
    Mutation(
        "within-past-the-block",
        "samples after the block are read",
        "cpp/src/kernels/blocks.hpp",
        """  int found = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {""",
        """  int found = 0;
  for (int base = 0; base <= kBlock; base += kGroup * kLanes) {""",
        [SANITIZED],
    ),
    Mutation(
        "within-abandoned-early",
        "a block is abandoned although a sample of it may be within the limit",
        "cpp/src/kernels/blocks.hpp",
        "for (int g = 0; g < kGroup; ++g) any |= at_most(sum[g], squared_limit);",
        "for (int g = 0; g < kGroup; ++g) any = at_most(sum[g], squared_limit);",
        [KERNELS],
    ),
    Mutation(
        "near-box-mask",
        "the masks of the second half of a block overwrite those of the first",
        "cpp/src/kernels/blocks.hpp",
        "mask |= at_most(sum[g], load(squared_limit + first)) << first;",
        "mask |= at_most(sum[g], load(squared_limit + first)) << (g * kLanes);",
        [KERNELS],
    ),
    Mutation(
        "near-box-lower-side",
        "samples below a box count as inside it",
        "cpp/src/kernels/blocks.hpp",
        "larger(larger(low - value, value - high), Doubles{});",
        "larger(value - high, Doubles{});",
        [KERNELS],
    ),
    Mutation(
        "denser-stale-mask",
        "samples that are no longer the nearest stay marked",
        "cpp/src/kernels/blocks.hpp",
        "    if (nearest < found.squared) found.nearest = 0;\n",
        "",
        [KERNELS],
    ),
    Mutation(
        "denser-equal-radius",
        "equally dense samples count as denser",
        "cpp/src/kernels/blocks.hpp",
        "sum[g] = other < own_squared_radius ? sum[g] : none;",
        "sum[g] = other <= own_squared_radius ? sum[g] : none;",
        [KERNELS],
    ),
    Mutation(
        "reaching-own-radius",
        "less dense samples are taken for denser neighbors",
        "cpp/src/kernels/blocks.hpp",
        "(at_most(sum[g], other) & at_most(other, own_squared_radius)) << first;",
        "at_most(sum[g], other) << first;",
        [KERNELS],
    ),
    Mutation(
        "gaussian-beyond-the-limit",
        "terms beyond the limit, and of no sample, are summed",
        "cpp/src/kernels/blocks.hpp",
        "total += (reinterpret_cast<Bits>(scaled) - offset_bits) & inside;",
        "total += reinterpret_cast<Bits>(scaled) - offset_bits;",
        [KERNELS],
    ),
    Mutation(
        "row-distances-last-columns",
        "the last columns are left out of exact distances",
        "cpp/src/kernels/rows.hpp",
        "  for (; column < columns; ++column)\n    for (int i = 0; i < kRowsTogether; ++i) {",
        "  for (; column + 1 < columns; ++column)\n    for (int i = 0; i < kRowsTogether; ++i) {",
        [KERNELS],
    ),
    Mutation(
        "row-distances-past-the-row",
        "columns after the end of a row are read",
        "cpp/src/kernels/rows.hpp",
        """for (; column + kLanes <= columns; column += kLanes)
    for (int g = 0;""",
        """for (; column < columns; column += kLanes)
    for (int g = 0;""",
        [SANITIZED],
    ),
    Mutation(
        "screen-both-base",
        "the mask of the other block is shifted to its first samples",
        "cpp/src/kernels/screens.hpp",
        """    other_mask[q] |= at_most(own_half_norm[q] - product, -load_wide(other_threshold + base))
                     << base;""",
        """    other_mask[q] |= at_most(own_half_norm[q] - product, -load_wide(other_threshold))
                     << base;""",
        [KERNELS],
    ),
    Mutation(
        "sort-sizes",
        "33 candidates are sorted as 32",
        "cpp/src/kernels/sorting.hpp",
        "if (count <= 32) return sort_keys<32 / kLanes>",
        "if (count <= 33) return sort_keys<32 / kLanes>",
        [SORTING],
    ),
    Mutation(
        "merge-tie-at-the-end",
        "a tie between the last entry of a list and the first one dropped goes unseen",
        "cpp/src/kernels/sorting.hpp",
        "    are_distinct &= key[k] - slot != last;\n",
        "",
        [SORTING],
    ),
    Mutation(
        "merge-close-distances",
        "distances that differ in the last bits alone count as ties",
        "cpp/src/kernels/kernels.hpp",
        "(__builtin_bit_cast(std::int64_t, squared) & kSlotMask) << (32 + kSlotBits)",
        "(__builtin_bit_cast(std::int64_t, squared) & 0) << (32 + kSlotBits)",
        [SORTING],
    ),
    Mutation(
        "merge-last-rivals",
        "of candidates tied for the last place, those in the list stay",
        "cpp/src/kernels/sorting.hpp",
        "    rivals.add(squared, position, kShortListSize, kShortListSize + count, order);\n",
        "",
        [SORTING],
    ),
    Mutation(
        "line-limit",
        "pixels exactly at the limit of a window are dropped",
        "cpp/src/kernels/lines.hpp",
        "found += emit(sum, at_most(sum, line.limit), line.first + i + half,",
        "found += emit(sum, at_most(sum, line.limit * 0.9999999), line.first + i + half,",
        [Native("search/test_pixels.cpp")],
    ),
    Mutation(
        "queue-tail",
        "what lies after the end of a queue is kept as well",
        "cpp/src/kernels/queues.hpp",
        "if (count - i < kWide) mask &=",
        "if (false) mask &=",
        [KERNELS],
    ),
    Mutation(
        "queue-positions",
        "positions in the second half of a block are those of the first",
        "cpp/src/kernels/queues.hpp",
        "count_from(first + base)",
        "count_from(first)",
        [KERNELS],
    ),
    Mutation(
        "queue-count",
        "the keys after the last whole vector are not counted",
        "cpp/src/kernels/queues.hpp",
        "for (; i < count; ++i) total += key[i] <= limit;",
        "",
        [KERNELS],
    ),
    Mutation(
        "store-truncated",
        "coordinates are rounded down",
        "cpp/src/kernels/screens.hpp",
        "coordinate * per_step + offset",
        "(coordinate * per_step - 0.5) + offset",
        [KERNELS],
    ),
    Mutation(
        "below-one-side",
        "values below the negative limit are accepted",
        "cpp/src/kernels/rows.hpp",
        "are &= (value < limit) & (value > -limit);",
        "are &= value < limit;",
        [KERNELS],
    ),
]
