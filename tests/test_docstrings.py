"""The examples in the docstrings and in the README run as printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import quickshiftpp
from quickshiftpp import plotting, segmentation

PAGES = [Path(__file__).parents[1] / name for name in ("README.md", "docs/segmentation.md")]
MODULES = ["quickshiftpp"] + [
    module.name
    for module in pkgutil.walk_packages(quickshiftpp.__path__, "quickshiftpp.")
    if module.name not in ("quickshiftpp.__main__", "quickshiftpp._core")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


PUBLIC = [(quickshiftpp, name) for name in quickshiftpp.__all__]
PUBLIC += [(part, name) for part in (plotting, segmentation) for name in part.__all__]


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_public_names_are_documented(module, name):
    documented = getattr(module, name)
    assert len(documented.__doc__) > 60
    for attribute, value in vars(documented).items():
        if callable(value) and not attribute.startswith("_"):
            assert value.__doc__, f"{name}.{attribute}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page):
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
