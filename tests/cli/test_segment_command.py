"""The command ``segment``: what it writes, and the error for every bad input."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import pytest

pytest.importorskip("click")
Image = pytest.importorskip("PIL.Image")

from sklearn.datasets import load_sample_image  # noqa: E402

from commands import refuse, run  # noqa: E402
from quickshiftpp.cli._images import _as_8_bit  # noqa: E402
from quickshiftpp.segmentation import find_boundaries, mean_colors, segment  # noqa: E402


@pytest.fixture(name="photo")
def photograph(tmp_path):
    values = load_sample_image("china.jpg")[60:140:2, 200:320:2]
    Image.fromarray(values).save(tmp_path / "photo.png")
    return tmp_path / "photo.png", values


def test_files(photo):
    path, values = photo
    result = run("segment", path, "--k", 20)
    assert result.exit_code == 0, result.output
    expected = segment(values, k=20)
    assert f"{expected.max()}" in result.stdout
    folder = path.parent
    labels = np.asarray(Image.open(folder / "photo.labels.png"))
    assert (folder / "photo.labels.png").read_bytes()[24:26] == b"\x10\0"  # 16 bits, gray
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
        result = run("segment", path, "--k", 20, "--labels", "npy", *options)
        assert result.exit_code == 0, result.output
        labels = np.load(path.with_name("photo.labels.npy"))
        np.testing.assert_array_equal(labels, segment(values, k=20, **given))


def test_many_files_a_directory_and_a_contact_sheet(photo, tmp_path):
    path, values = photo
    gray = tmp_path / "gray.jpg"
    Image.fromarray(values[..., 0]).save(gray)
    target = tmp_path / "new" / "folder"
    result = run("segment", path, gray, "--k", 20, "-o", target, "--betas", "0.3,0.9,0.99")
    assert result.exit_code == 0, result.output
    assert "2/2 gray.jpg: finding neighbors" in result.stderr
    assert len(list(target.iterdir())) == 10
    assert np.asarray(Image.open(target / "photo.betas.png")).ndim == 3


def test_transparent_parts_and_16_bits(photo, tmp_path):
    _, values = photo
    alpha = np.full((*values.shape[:2], 1), 255, np.uint8)
    alpha[:10] = 0
    Image.fromarray(np.concatenate([values, alpha], axis=2)).save(tmp_path / "cut.png")
    assert run("segment", tmp_path / "cut.png", "--k", 20).exit_code == 0
    labels = np.asarray(Image.open(tmp_path / "cut.labels.png"))
    mask = alpha[..., 0] > 0
    np.testing.assert_array_equal(labels, segment(values, k=20, mask=mask))
    deep = values[..., 0].astype(np.uint16) * 257
    Image.fromarray(deep).save(tmp_path / "deep.png")
    assert run("segment", tmp_path / "deep.png", "--k", 20).exit_code == 0
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
    assert sentence in refuse("segment", path, *options)


def test_bad_files(photo, tmp_path):
    path, values = photo
    assert "missing argument" in refuse("segment")
    assert "does not exist" in refuse("segment", path, tmp_path / "none.png")
    assert "is a directory" in refuse("segment", tmp_path)
    (tmp_path / "text.png").write_text("no image")
    assert "text.png' is not an image that can be read" in refuse(
        "segment", path, tmp_path / "text.png"
    )
    (tmp_path / "half.png").write_bytes(path.read_bytes()[:800])
    assert "half.png' cannot be read" in refuse("segment", tmp_path / "half.png")
    assert "which is a file" in refuse("segment", path, "-o", tmp_path / "text.png")
    assert "cannot be created" in refuse("segment", path, "-o", tmp_path / "text.png" / "folder")
    (tmp_path / "other").mkdir()
    Image.fromarray(values).save(tmp_path / "other" / "photo.png")
    twice = refuse("segment", path, tmp_path / "other" / "photo.png", "-o", tmp_path)
    assert "would be written to the same files" in twice
    clear = np.zeros((4, 4, 4), np.uint8)
    Image.fromarray(clear).save(tmp_path / "clear.png")
    assert "transparent everywhere" in refuse("segment", tmp_path / "clear.png")


def labels_of(path):
    result = run("segment", path, "--k", 20, "--labels", "npy")
    assert result.exit_code == 0, result.output
    notes = [line[11:] for line in result.stdout.splitlines() if line.startswith("note ")]
    summary = json.loads(path.with_name(f"{path.stem}.segments.json").read_text())
    assert summary["notes"] == notes
    return np.load(path.with_name(f"{path.stem}.labels.npy")), notes


def picture_of(path):
    return np.asarray(Image.open(path.with_name(f"{path.stem}.flat.png")))


def test_floats_from_0_to_1(photo, tmp_path):
    gray = photo[1][..., 0]
    unit = (gray / 255).astype(np.float32)
    Image.fromarray(unit).save(tmp_path / "unit.tif")
    labels, notes = labels_of(tmp_path / "unit.tif")
    np.testing.assert_array_equal(labels, segment(unit, k=20, channel_axis=None))
    assert notes == []
    assert labels.max() > 1
    np.testing.assert_array_equal(
        picture_of(tmp_path / "unit.tif"), mean_colors(np.stack([gray] * 3, axis=-1), labels)
    )


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 255, np.float32),
        (0, 65535, np.float32),
        (-1024, 3071, np.float32),  # Hounsfield units
        (-0.5, 0.5, np.float32),
        (-3e38, 3e38, np.float32),
        (-1024, 3071, np.int16),
        (-1024, 3071, np.int32),
        (0, 4e9, np.uint32),
        (-100, 100, np.int8),
    ],
)
def test_other_ranges_are_scaled(photo, tmp_path, low, high, dtype):
    path = tmp_path / "scaled.tif"
    unit = photo[1][..., 0].astype(np.float64)
    unit = (unit - unit.min()) / (unit.max() - unit.min())
    stored = (low + (high - low) * unit).astype(dtype)
    save_tiff(path, stored)
    labels, notes = labels_of(path)
    exact = stored.astype(np.float64)
    exact = ((exact - exact.min()) / (exact.max() - exact.min())).astype(np.float32)
    np.testing.assert_array_equal(labels, segment(exact, k=20, channel_axis=None))
    assert labels.max() > 1
    assert notes == [
        f"scaled.tif has values from {stored.min():g} to {stored.max():g}, which were scaled to 0 "
        "to 1"
    ]


def save_tiff(path, values, byteorder="<"):
    """Write a gray TIFF of any type of number, which Pillow cannot."""
    height, width = values.shape
    data = values.astype(values.dtype.newbyteorder(byteorder)).tobytes()
    kind = {"u": 1, "i": 2, "f": 3}[values.dtype.kind]
    tags = {256: width, 257: height, 258: 8 * values.itemsize, 259: 1, 262: 1, 273: 8, 277: 1,
            278: height, 279: len(data), 339: kind}  # fmt: skip
    head = b"II*\0" if byteorder == "<" else b"MM\0*"
    entries = [struct.pack(f"{byteorder}HHII", tag, 4, 1, value) for tag, value in tags.items()]
    directory = struct.pack(f"{byteorder}H", len(tags)) + b"".join(entries) + bytes(4)
    path.write_bytes(head + struct.pack(f"{byteorder}I", 8 + len(data)) + data + directory)


def test_one_value_out_of_range(tmp_path):
    save_tiff(tmp_path / "same.tif", np.full((8, 9), 7.5, np.float32))
    labels, notes = labels_of(tmp_path / "same.tif")
    assert (labels == 1).all()
    assert notes == ["same.tif has values from 7.5 to 7.5, which were scaled to 0 to 1"]
    assert (picture_of(tmp_path / "same.tif") == 0).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_pixels_that_are_not_finite(tmp_path, bad):
    values = np.zeros((8, 9), np.float32)
    values[2, 3] = bad
    save_tiff(tmp_path / "bad.tif", values)
    said = refuse("segment", tmp_path / "bad.tif")
    assert "bad.tif' has 1 pixel that is infinite or not a number" in said
    values[4] = bad
    save_tiff(tmp_path / "bad.tif", values)
    assert "has 10 pixels that are infinite" in refuse("segment", tmp_path / "bad.tif")


def test_integers_in_range_are_not_scaled(photo, tmp_path):
    gray = photo[1][..., 0]
    deep, dark = gray.astype(np.uint16) * 100, gray // 2
    for values, same, byteorders in (
        (deep, deep, "<>"),
        (deep.astype(np.int32), deep, "<>"),
        (deep.astype(np.uint32), deep, "<"),  # Pillow does not read the other one
        (dark.astype(np.int8), dark, "<>"),
    ):
        for byteorder in byteorders:
            save_tiff(tmp_path / "values.tif", values, byteorder)
            labels, notes = labels_of(tmp_path / "values.tif")
            np.testing.assert_array_equal(labels, segment(same, k=20, channel_axis=None))
            assert notes == []


def test_every_kind_of_pixel(photo, tmp_path):
    color = Image.fromarray(photo[1])
    gray, path = color.convert("L"), tmp_path / "kind.png"
    expected = segment(np.asarray(gray), k=20, channel_axis=None)
    gray.convert("LA").save(path)  # opaque
    np.testing.assert_array_equal(labels_of(path)[0], expected)
    bits = gray.convert("1")
    bits.save(path)
    np.testing.assert_array_equal(
        labels_of(path)[0], segment(np.asarray(bits), k=20, channel_axis=None)
    )
    palette = color.quantize(32)
    palette.save(path)
    expected = segment(np.asarray(palette.convert("RGB")), k=20)
    np.testing.assert_array_equal(labels_of(path)[0], expected)
    palette.save(path, transparency=3)
    mask = np.asarray(palette) != 3
    assert 0 < mask.sum() < mask.size
    np.testing.assert_array_equal(labels_of(path)[0] > 0, mask)
    ink = color.convert("CMYK")
    ink.save(tmp_path / "kind.tif")
    expected = segment(np.asarray(ink.convert("RGB")), k=20)
    np.testing.assert_array_equal(labels_of(tmp_path / "kind.tif")[0], expected)


def test_transparent_gray(photo, tmp_path):
    gray = photo[1][..., 0]
    mask = np.ones(gray.shape, bool)
    mask[:10] = False
    path = tmp_path / "gray.png"
    expected = segment(gray, k=20, channel_axis=None, mask=mask)
    Image.fromarray(np.stack([gray, mask * np.uint8(255)], axis=-1)).save(path)
    np.testing.assert_array_equal(labels_of(path)[0], expected)
    deep = np.where(mask, gray.astype(np.uint16) * 257, 77).astype(np.uint16)
    Image.fromarray(deep).save(path)
    content, key = path.read_bytes(), b"tRNS" + struct.pack(">H", 77)
    key = struct.pack(">I", 2) + key + struct.pack(">I", zlib.crc32(key))
    path.write_bytes(content[:33] + key + content[33:])  # after the header
    np.testing.assert_array_equal(
        labels_of(path)[0], segment(deep, k=20, channel_axis=None, mask=mask)
    )


def test_several_pages(photo, tmp_path):
    pages = [Image.fromarray(photo[1][..., channel]) for channel in range(3)]
    expected = segment(np.asarray(pages[0]), k=20, channel_axis=None)
    for suffix, note in (
        ("tif", "only the first of the 3 pages of pages.tif was read"),
        ("png", "pages.png is animated; only its first frame was read"),
    ):
        path = tmp_path / f"pages.{suffix}"
        pages[0].save(path, save_all=True, append_images=pages[1:])
        labels, notes = labels_of(path)
        np.testing.assert_array_equal(labels, expected)
        assert notes == [note]


def test_pictures_of_16_bits():
    """White is 65535, and nothing less."""
    values = np.array([0, 256, 257, 65279, 65534, 65535], dtype=np.uint16)
    assert _as_8_bit(values).tolist() == [0, 0, 1, 254, 254, 255]
