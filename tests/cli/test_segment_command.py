"""The command ``segment``: what it writes, and the error for every bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("click")
Image = pytest.importorskip("PIL.Image")

from click.testing import CliRunner  # noqa: E402
from sklearn.datasets import load_sample_image  # noqa: E402

from quickshiftpp.cli import main  # noqa: E402
from quickshiftpp.segmentation import find_boundaries, mean_colors, segment  # noqa: E402


@pytest.fixture(name="photo")
def photograph(tmp_path):
    values = load_sample_image("china.jpg")[60:140:2, 200:320:2]
    Image.fromarray(values).save(tmp_path / "photo.png")
    return tmp_path / "photo.png", values


def run(*arguments):
    return CliRunner().invoke(main, ["segment", *map(str, arguments)])


def refuse(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("quickshiftpp: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_files(photo):
    path, values = photo
    result = run(path, "--k", 20)
    assert result.exit_code == 0, result.output
    expected = segment(values, k=20)
    assert f"{expected.max()}" in result.stdout
    folder = path.parent
    labels = np.asarray(Image.open(folder / "photo.labels.png"))
    assert labels.dtype == np.uint16
    np.testing.assert_array_equal(labels, expected)
    flat = np.asarray(Image.open(folder / "photo.flat.png"))
    np.testing.assert_array_equal(flat, mean_colors(values, expected))
    for label in (1, expected.max()):
        inside = expected == label
        np.testing.assert_array_equal(flat[inside][0], np.rint(values[inside].mean(axis=0)))
    drawn = np.asarray(Image.open(folder / "photo.overlay.png"))
    border = find_boundaries(expected)
    np.testing.assert_array_equal(drawn[~border], values[~border])
    assert (drawn[border] == (255, 212, 0)).all()
    summary = json.loads((folder / "photo.segments.json").read_text())
    assert summary["n_segments"] == expected.max() == len(summary["segments"])
    assert (summary["width"], summary["height"]) == (60, 40)
    assert [s["pixels"] for s in summary["segments"]] == np.bincount(expected.ravel())[1:].tolist()
    assert [s["label"] for s in summary["segments"]] == list(range(1, expected.max() + 1))
    for described in summary["segments"]:
        inside = expected == described["label"]
        assert described["mean_color"] == np.rint(values[inside].mean(axis=0)).tolist()
    assert summary["parameters"] == {"k": 20}


def test_options_reach_the_segmentation(photo):
    path, values = photo
    for options, given in (
        (["--beta", 0.6, "--min-size", 1, "--connected"],
         {"beta": 0.6, "min_size": 1, "connected": True}),
        (["--paper"], {"paper": True}),
        (["--n-segments", 4], {"n_segments": 4}),
        (["--merge", 2, "--sigma", 1, "--ratio", 3], {"merge": 2, "sigma": 1, "ratio": 3}),
    ):  # fmt: skip
        result = run(path, "--k", 20, "--labels", "npy", *options)
        assert result.exit_code == 0, result.output
        labels = np.load(path.with_name("photo.labels.npy"))
        np.testing.assert_array_equal(labels, segment(values, k=20, **given))


def test_many_files_a_directory_and_a_contact_sheet(photo, tmp_path):
    path, values = photo
    gray = tmp_path / "gray.jpg"
    Image.fromarray(values[..., 0]).save(gray)
    target = tmp_path / "new" / "folder"
    result = run(path, gray, "--k", 20, "-o", target, "--betas", "0.3,0.9,0.99")
    assert result.exit_code == 0, result.output
    assert "2/2 gray.jpg: finding neighbors" in result.stderr
    assert len(list(target.iterdir())) == 10
    assert np.asarray(Image.open(target / "photo.betas.png")).ndim == 3


def test_transparent_parts_and_16_bits(photo, tmp_path):
    _, values = photo
    alpha = np.full((*values.shape[:2], 1), 255, np.uint8)
    alpha[:10] = 0
    Image.fromarray(np.concatenate([values, alpha], axis=2)).save(tmp_path / "cut.png")
    assert run(tmp_path / "cut.png", "--k", 20).exit_code == 0
    labels = np.asarray(Image.open(tmp_path / "cut.labels.png"))
    mask = alpha[..., 0] > 0
    np.testing.assert_array_equal(labels, segment(values, k=20, mask=mask))
    deep = values[..., 0].astype(np.uint16) * 257
    Image.fromarray(deep).save(tmp_path / "deep.png")
    assert run(tmp_path / "deep.png", "--k", 20).exit_code == 0
    labels = np.asarray(Image.open(tmp_path / "deep.labels.png"))
    np.testing.assert_array_equal(labels, segment(deep, k=20, channel_axis=None))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--k", 0], "--k is 0, but it must be a whole number of 1 or more"),
        (["--k", 2401], "--k is 2401, but '"),
        (["--beta", 1], "--beta is 1, but it must be strictly between 0 and 1"),
        (["--beta", 0.5, "--n-segments", 3], "--n-segments and --beta are both given"),
        (["--n-segments", 0], "--n-segments is 0"),
        (["--merge", -1], "--merge is -1, but it must be 0 or more"),
        (["--ratio", 0], "--ratio is 0, but it must be above 0"),
        (["--sigma", -0.5], "--sigma is -0.5, but it must be 0 or more"),
        (["--min-size", 0], "--min-size is 0, but it must be 1 or more"),
        (["--n-jobs", 0], "--n-jobs is 0, but it must be from 1 to"),
        (["--n-jobs", 10**6], "--n-jobs is 1000000, but it must be from 1 to"),
        (["--betas", "0.5,x"], "--betas is '0.5,x'"),
        (["--betas", "0.5,1"], "--betas is '0.5,1'"),
        (["--labels", "gif"], "'gif' is not one of"),
    ],
)
def test_bad_options(photo, options, sentence):
    path, _ = photo
    assert sentence in refuse(path, *options)


def test_bad_files(photo, tmp_path):
    path, values = photo
    assert "missing argument" in refuse()
    assert "does not exist" in refuse(path, tmp_path / "none.png")
    assert "is a directory" in refuse(tmp_path)
    (tmp_path / "text.png").write_text("no image")
    assert "text.png' is not an image that can be read" in refuse(path, tmp_path / "text.png")
    (tmp_path / "half.png").write_bytes(path.read_bytes()[:800])
    assert "half.png' cannot be read" in refuse(tmp_path / "half.png")
    assert "which is a file" in refuse(path, "-o", tmp_path / "text.png")
    assert "cannot be created" in refuse(path, "-o", tmp_path / "text.png" / "folder")
    (tmp_path / "other").mkdir()
    Image.fromarray(values).save(tmp_path / "other" / "photo.png")
    twice = refuse(path, tmp_path / "other" / "photo.png", "-o", tmp_path)
    assert "would be written to the same files" in twice
    clear = np.zeros((4, 4, 4), np.uint8)
    Image.fromarray(clear).save(tmp_path / "clear.png")
    assert "transparent everywhere" in refuse(tmp_path / "clear.png")
