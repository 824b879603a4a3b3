"""The benchmark of segmentation runs, and its parts say what they mean."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("skimage")

from click.testing import CliRunner

from benchmarks import segmentation


def test_program(tmp_path, monkeypatch):
    monkeypatch.setattr(segmentation, "NEIGHBORS", (5,))
    monkeypatch.setattr(
        segmentation,
        "alone",
        lambda image, options, rounds=1: segmentation.measure_once(image, options, rounds),
    )
    output = tmp_path / "results.json"
    arguments = ["--quick", "--rounds", "1", "--k", "10", "--threads", "1", "--output", str(output)]
    result = CliRunner().invoke(segmentation.main, arguments)
    assert result.exit_code == 0, result.output
    content = json.loads(output.read_text())
    assert [line["algorithm"] for line in content["photograph"]][:1] == ["quickshiftpp"]
    assert len(content["search"]) == 2
    assert len(content["growth"]) == 3
    assert content["volume"]["segments"] >= 1


def test_mirrored():
    photo = np.random.default_rng(0).integers(0, 256, (30, 40, 3)).astype(np.uint8)
    large = segmentation.mirrored(photo, 0.012)
    assert large.shape[0] * large.shape[1] == pytest.approx(12_000, rel=0.02)
    np.testing.assert_array_equal(large[:30, :40], photo)
    np.testing.assert_array_equal(large[30, :40], photo[29])
