"""Bugs at the border between Python and the core: checks that are missing."""

from ..mutation import Mutation, Python

BORDER = Python("tests/contracts/test_native_border.py", "not pickles")

MUTATIONS = [
    Mutation(
        "border-positions",
        "positions out of range are read",
        "cpp/bindings/tree.cpp",
        "    require(p < tree.samples(), "
        '"a position must be from 0 to the number of samples less one");\n',
        "",
        [BORDER],
    ),
    Mutation(
        "border-lists-of-another-index",
        "lists of another index are read out of bounds",
        "cpp/bindings/arrays.hpp",
        '  require(lists.belong_to(index), "the lists belong to another index");\n',
        "  (void)index;\n  (void)lists;\n",
        [BORDER],
    ),
    Mutation(
        "border-cascade-of-another-index",
        "a cascade of another index is searched",
        "cpp/bindings/tree.cpp",
        """        require(cascade == nullptr || &cascade->index() == &index,
                "the cascade belongs to another index");
""",
        "",
        [BORDER],
    ),
    Mutation(
        "border-unaligned",
        "arrays that are not aligned are read as if they were",
        "cpp/bindings/arrays.hpp",
        """  require(reinterpret_cast<std::uintptr_t>(data) % alignof(decltype(*data)) == 0,
          "an array is not aligned to its type: pass a copy");
""",
        "",
        [BORDER],
    ),
    Mutation(
        "border-limits",
        "too few limits are read past their end",
        "cpp/bindings/search.cpp",
        '        require(limit.shape(0) == queries.samples(), "one limit per query");\n',
        "",
        [BORDER],
    ),
    Mutation(
        "border-mask",
        "a mask of another size is read past its end",
        "cpp/bindings/pixels.cpp",
        '            require(!mask || mask->shape(0) == pixels, "one value of the mask per pixel");\n',
        "",
        [BORDER],
    ),
    Mutation(
        "border-nan",
        "NaN reaches the searches",
        "cpp/bindings/search.cpp",
        "            require_moderate_values(rows, x.size(), threads);\n",
        "",
        [BORDER],
    ),
    Mutation(
        "border-damaged-tree",
        "a damaged tree is loaded, and climbs in a circle",
        "cpp/src/tree/mode_tree.cpp",
        ": is_below(parent, samples) && squared_radius[parent] < squared_radius[i]);",
        ": is_below(parent, samples));",
        [BORDER],
    ),
]
