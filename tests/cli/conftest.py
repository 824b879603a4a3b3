"""A small table and a small image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(40)))
    return path


@pytest.fixture
def image(tmp_path: Path) -> Path:
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "a.png"
    values = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    image.fromarray(values).save(path)
    return path
