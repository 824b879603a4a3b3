"""The experiments run, on small data made on the spot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import make_blobs, make_moons

from experiments.selection.__main__ import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(name="suite")
def small_suite(tmp_path):
    rng = np.random.default_rng(0)
    for battery, (X, y) in {
        "round": make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0),
        "bent": make_moons(300, noise=0.04, random_state=0),
    }.items():
        (tmp_path / battery).mkdir()
        noise = rng.random(len(y)) < 0.05
        np.savez(
            tmp_path / battery / "one.npz", X=X, labels0=np.where(noise, 0, y + 1), labels1=y + 1
        )
    return tmp_path


def run(*arguments):
    command = [sys.executable, "-m", "experiments.selection", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_selection(suite, tmp_path):
    done = run("--data", suite, "--output", tmp_path / "figures.json")
    assert done.returncode == 0, done.stderr
    assert "2 sets in 2 batteries" in done.stdout
    figures = json.loads((tmp_path / "figures.json").read_text())
    automatic = figures["shipped"]['QuickshiftPP(k="auto", beta="auto")']
    assert automatic["round"] > 0.98
    # The experiment's own election, with the constants as shipped, is the package's.
    assert figures["vote"]["as shipped"] == pytest.approx(automatic["all"], abs=1e-9)


def test_missing_data_is_named(tmp_path):
    done = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert done.exit_code == 1
    assert "holds no BATTERY/NAME.npz files" in done.output
