"""The examples in the docstrings and in the README run as printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import quickshiftpp

README = Path(__file__).parents[1] / "README.md"
MODULES = ["quickshiftpp"] + [
    module.name
    for module in pkgutil.walk_packages(quickshiftpp.__path__, "quickshiftpp.")
    if module.name not in ("quickshiftpp.__main__", "quickshiftpp._core")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", quickshiftpp.__all__)
def test_public_names_are_documented(name):
    documented = getattr(quickshiftpp, name)
    assert len(documented.__doc__) > 200
    for attribute, value in vars(documented).items():
        if callable(value) and not attribute.startswith("_"):
            assert value.__doc__, f"{name}.{attribute}"


def test_readme_example():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
