"""The command line: every format in and out, and the error for every bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("click")
pa = pytest.importorskip("pyarrow")

import pyarrow.csv as pacsv  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import quickshiftpp  # noqa: E402
from commands import refuse, run  # noqa: E402
from quickshiftpp import QuickshiftPP  # noqa: E402
from quickshiftpp.cli._show import STAGES  # noqa: E402

FORMATS = [".csv", ".tsv", ".parquet", ".npy", ".npz"]
PROGRESS = set(STAGES.values())


def succeed(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert set(result.stderr.splitlines()) <= PROGRESS
    return result.stdout


@pytest.fixture(scope="module", name="X")
def samples() -> Any:
    X = np.random.default_rng(0).normal(size=(80, 2)).round(4)
    X[:40] += 6
    return X


@pytest.fixture
def flowers(tmp_path: Path, X: Any) -> Path:
    """A table with text between its numbers, and cells that a careless reader would change."""
    path = tmp_path / "flowers.csv"
    rows = [f'{a:.4f},{i:04d}-x,"red, ""deep""",{b:.4f}' for i, (a, b) in enumerate(X)]
    path.write_text("\n".join(["length,code,color,width", *rows]) + "\n")
    return path


def save(path: Path, X: Any) -> Path:
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    if path.suffix in (".csv", ".tsv"):
        delimiter = "," if path.suffix == ".csv" else "\t"
        pacsv.write_csv(table, path, pacsv.WriteOptions(delimiter=delimiter))
    elif path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".npy":
        np.save(path, X)
    else:
        np.savez(path, X=X)
    return path


def load(path: Path) -> dict[str, Any]:
    """Return the columns of an output."""
    if path.suffix in (".csv", ".tsv"):
        delimiter = "," if path.suffix == ".csv" else "\t"
        table = pacsv.read_csv(path, parse_options=pacsv.ParseOptions(delimiter=delimiter))
        return {name: table[name].to_numpy() for name in table.column_names}
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return {name: table[name].to_numpy() for name in table.column_names}
    if path.suffix == ".npy":
        array = np.load(path)
        return {name: array[name] for name in array.dtype.names}
    with np.load(path) as arrays:
        return dict(arrays)


def test_demo(tmp_path: Path) -> None:
    figure = tmp_path / "figure.png"
    out = succeed("demo", "--output", figure)
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert 50_000 < figure.stat().st_size < 500_000
    assert all(word in out for word in ("two moons", "handwritten digits", "photograph", "ARI"))
    moons = next(line for line in out.splitlines() if "two moons" in line)
    assert moons.split()[2:9] == ["1500", "2", "20", "0.7", "20", "2", "1.000"]
    assert str(figure) in out
    assert "quickshiftpp cluster" in out


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_labels_are_those_of_the_estimator(
    tmp_path: Path, X: Any, source: str, target: str
) -> None:
    file, output = save(tmp_path / f"points{source}", X), tmp_path / f"result{target}"
    out = succeed("cluster", file, "--k", 10, "--beta", 0.5, "--output", output, "--n-jobs", 1)
    model = QuickshiftPP(10, 0.5).fit(X)
    columns = load(output)
    np.testing.assert_array_equal(columns["label"], model.labels_)
    np.testing.assert_array_equal(columns["core_label"], model.core_labels_)
    if "X" in columns:
        kept = columns["X"]
    else:
        names = ["x0", "x1"] if source in (".npy", ".npz") else ["a", "b"]
        kept = np.column_stack([columns[name] for name in names])
    np.testing.assert_array_equal(kept, X)
    assert str(output) in out
    assert sorted(tmp_path.iterdir()) == sorted([file, output])


@pytest.mark.parametrize("suffix", FORMATS)
def test_default_output(tmp_path: Path, X: Any, suffix: str) -> None:
    file = save(tmp_path / f"points{suffix}", X)
    succeed("cluster", file)
    written = ".csv" if suffix in (".npy", ".npz") else suffix
    columns = load(tmp_path / f"points.clusters{written}")
    np.testing.assert_array_equal(columns["label"], QuickshiftPP().fit(X).labels_)


def test_summary_and_cells_as_they_were(flowers: Path, X: Any) -> None:
    out = succeed("cluster", flowers, "--min-cluster-size", 9)
    lines = {line[:10].strip(): line[11:] for line in out.splitlines()}
    model = QuickshiftPP(min_cluster_size=9).fit(X)
    assert lines["samples"] == "80"
    assert lines["columns"] == "length, width"
    assert "code (text" in lines["left out"]
    assert lines["k"].startswith("9 ")
    assert lines["beta"].endswith("(default)")
    assert lines["clusters"] == str(model.n_clusters_)
    assert lines["sizes"] == ", ".join(map(str, sorted(np.bincount(model.labels_))[::-1]))
    written = flowers.with_name("flowers.clusters.csv")
    assert str(written) in lines["written to"]
    before, after = flowers.read_text().splitlines(), written.read_text().splitlines()
    assert after[0] == before[0] + ",label,core_label"
    labels = zip(model.labels_, model.core_labels_, strict=True)
    assert after[1:] == [f"{a},{b},{c}" for a, (b, c) in zip(before[1:], labels, strict=True)]


def test_hint_about_small_clusters(tmp_path: Path) -> None:
    X = np.concatenate([np.random.default_rng(0).normal(size=(60, 2)), [[50, 50], [90, 90]]])
    out = succeed("cluster", save(tmp_path / "outliers.csv", X), "--k", 5, "--beta", 0.9)
    model = QuickshiftPP(5, 0.9).fit(X)
    small = int((np.bincount(model.labels_) < 5).sum())
    assert small > 1
    hint = f"{small} clusters have fewer than k rows; --min-cluster-size 5 would dissolve them"
    assert f"hint       {hint}" in out


def test_chosen_columns(flowers: Path, X: Any, tmp_path: Path) -> None:
    output = tmp_path / "out.npz"
    out = succeed("cluster", flowers, "--columns", "width", "-o", output)
    assert "code, color" in out
    labels = QuickshiftPP().fit(X[:, 1:]).labels_
    np.testing.assert_array_equal(load(output)["label"], labels)
    array = save(tmp_path / "points.npy", X)
    succeed("cluster", array, "--columns", "1", "-o", output)
    np.testing.assert_array_equal(load(output)["label"], labels)


def test_taken_names(tmp_path: Path) -> None:
    file = tmp_path / "taken.csv"
    file.write_text("x,label\n" + "\n".join(f"{i},seen" for i in range(20)))
    out = succeed("cluster", file)
    assert "label_2" in out
    columns = load(tmp_path / "taken.clusters.csv")
    assert list(columns) == ["x", "label", "label_2", "core_label"]


def test_float32_stays_float32(tmp_path: Path, X: Any) -> None:
    file = tmp_path / "single.parquet"
    pq.write_table(pa.table({"a": X[:, 0].astype("f4"), "b": X[:, 1].astype("f4")}), file)
    succeed("cluster", file)
    table = pq.read_table(tmp_path / "single.clusters.parquet")
    assert table.schema.field("a").type == pa.float32()
    labels = QuickshiftPP().fit(X.astype(np.float32)).labels_
    np.testing.assert_array_equal(table["label"].to_numpy(), labels)


ODD_TABLES = {
    "latin": ("größe,ort\n1,Köln\n2,Ulm\n".encode("latin-1"), "Latin-1"),
    "utf16": ("größe,ort\n1,Köln\n2,Ulm\n".encode("utf-16"), "columns    größe"),
    "mark": ("a,b\n1,2\n3,4\n".encode("utf-8-sig"), "columns    a, b"),
    "semicolons": (b"a;b\n1,5;x\n2,5;y\n", "separated by ';'"),
    "quoted": (b'"a","b, c"\n"1","2"\n"3","4"\n', "columns    a, 'b, c'"),
    "bare": (b"1,2\n3,4\n5,6\n", "samples    3"),
    "one row": (b"a,b\n1,2\n", "clusters   1"),
    "one column": (b"a\n1\n2\n", "columns    a"),
    "booleans": (b"a,b\n1,true\n2,false\n", "b (true or false)"),
    "dates": (b"a,b\n1,2020-01-01\n2,2020-01-02\n", "b (text, such as '2020-01-01' in row 1)"),
    "blanks": (b"a,b\n1,\n2,\n", "b (nothing)"),
    "signs": (b"a,b\n +1 ,1e3\n-2,.5\n", "columns    a, b"),
    "lines": (b'a,b\r\n1,"two\nlines"\r\n2,x\r\n', "samples    2"),
    "wide": (
        b",".join(b"c%d" % i for i in range(2000)) + b"\n" + b",".join([b"1"] * 2000),
        "and 1980 more",
    ),
}


@pytest.mark.parametrize("name", ODD_TABLES)
def test_odd_tables(tmp_path: Path, name: str) -> None:
    content, expected = ODD_TABLES[name]
    file = tmp_path / f"{name}.csv"
    file.write_bytes(content)
    assert expected in succeed("cluster", file)


def test_odd_arrays(tmp_path: Path, X: Any) -> None:
    labels = QuickshiftPP().fit(X).labels_
    for number, array in enumerate([np.asfortranarray(X), X.astype(">f8"), X.astype("longdouble")]):
        np.save(tmp_path / f"{number}.npy", array)
        succeed("cluster", tmp_path / f"{number}.npy")
        columns = load(tmp_path / f"{number}.clusters.csv")
        np.testing.assert_array_equal(columns["label"], labels)
    np.savez(tmp_path / "alone.npz", points=X)
    assert "samples    80" in succeed("cluster", tmp_path / "alone.npz")
    np.save(tmp_path / "line.npy", X[:, 0])
    assert "columns    0\n" in succeed("cluster", tmp_path / "line.npy")


def test_own_output_is_readable_input(tmp_path: Path, X: Any) -> None:
    structured, again = tmp_path / "one.npy", tmp_path / "two.npy"
    succeed("cluster", save(tmp_path / "points.npy", X), "-o", structured)
    out = succeed("cluster", structured, "--columns", "x0,x1", "-o", again)
    assert "label_2" in out
    columns = load(again)
    np.testing.assert_array_equal(columns["label"], columns["label_2"])


BAD_TABLES = {
    "empty": ("", "is empty"),
    "header": ("a,b\n", "0 rows"),
    "text": ("a,b\nx,y\n", "no numeric columns among a (text), b (text)"),
    "missing": (
        "a,b\n1,2\n3,\n5,\n",
        "column 'b' has 2 values that are missing, the first in row 2",
    ),
    "nan": ("a,b\n1,2\n3,NaN\n", "column 'b' has one value that is missing, in row 2"),
    "infinite": ("a,b\n1,2\n-inf,3\n", "column 'a' has one value that is not finite"),
    "ragged": ("a,b\n1,2\n3\n", "Expected 2 columns, got 1"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables(tmp_path: Path, name: str) -> None:
    content, expected = BAD_TABLES[name]
    file = tmp_path / f"{name}.csv"
    file.write_text(content)
    assert expected in refuse("cluster", file)
    assert list(tmp_path.iterdir()) == [file]


BAD_ARRAYS = {
    "cube": (np.zeros((3, 4, 5)), "(3, 4, 5)"),
    "scalar": (np.float64(1), "0 dimensions"),
    "objects": (np.array([1, "a"], dtype=object), "dtype object"),
    "complex": (np.zeros((3, 2), dtype=complex), "complex128"),
    "text": (np.array(["a", "b"]), "<U1"),
    "rowless": (np.zeros((0, 2)), "0 rows"),
    "columnless": (np.zeros((2, 0)), "0 columns"),
    "nan": (np.array([[1.0, 2.0], [3.0, np.nan]]), "column 1 has one value that is not finite"),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_bad_arrays(tmp_path: Path, name: str, suffix: str) -> None:
    array, expected = BAD_ARRAYS[name]
    file = tmp_path / f"{name}{suffix}"
    if suffix == ".npy":
        np.save(file, array, allow_pickle=True)
    else:
        np.savez(file, X=array)
    assert expected in refuse("cluster", file)


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    class Mischief:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "mischief"),)

    np.save(tmp_path / "a.npy", np.array([Mischief()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "b.npz", X=np.array([Mischief()], dtype=object))
    refuse("cluster", tmp_path / "a.npy")
    refuse("cluster", tmp_path / "b.npz")
    assert not (tmp_path / "mischief").exists()


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".npz"])
def test_files_that_are_something_else(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"fake{suffix}"
    file.write_bytes(b"nothing of the kind, at some length")
    assert f"cannot be read as {suffix}" in refuse("cluster", file)


def test_npz_without_samples(tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", first=np.zeros(3), second=np.ones(3))
    assert "first, second" in refuse("cluster", tmp_path / "two.npz")
    np.savez(tmp_path / "none.npz")
    assert "no arrays" in refuse("cluster", tmp_path / "none.npz")


def test_bad_paths(tmp_path: Path, flowers: Path) -> None:
    assert "absent.csv' does not exist" in refuse("cluster", tmp_path / "absent.csv")
    assert "is a directory" in refuse("cluster", tmp_path)
    (tmp_path / "sheet.xlsx").touch()
    assert "'.xlsx', but only .csv, .tsv, .parquet, .npy, .npz are supported" in refuse(
        "cluster", tmp_path / "sheet.xlsx"
    )
    (tmp_path / "bare").touch()
    assert "has no suffix" in refuse("cluster", tmp_path / "bare")
    assert "'.xlsx'" in refuse("cluster", flowers, "-o", tmp_path / "out.xlsx")
    assert "is a directory" in refuse("cluster", flowers, "-o", tmp_path)
    assert "does not exist" in refuse("cluster", flowers, "-o", tmp_path / "nowhere" / "out.csv")
    assert "'.gif', but only .png" in refuse("demo", "-o", tmp_path / "figure.gif")
    assert "does not exist" in refuse("demo", "-o", tmp_path / "nowhere" / "figure.png")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_output_without_permission(tmp_path: Path, flowers: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert "permission" in refuse("cluster", flowers, "-o", closed / "out.csv")


def test_input_is_not_overwritten(flowers: Path) -> None:
    before = flowers.read_bytes()
    other_name = flowers.parent / ".." / flowers.parent.name / flowers.name
    assert "is the input" in refuse("cluster", flowers, "-o", other_name)
    assert flowers.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--k", 81], "--k is 81, but"),
        (["--k", 0], "--k is 0, but"),
        (["--k", 10**30], "has only 80 rows"),
        (["--k", "many"], "'many' is neither a whole number nor auto"),
        (["--beta", 0], "--beta is 0, but"),
        (["--beta", 1], "--beta is 1, but"),
        (["--beta", "nan"], "--beta is nan, but"),
        (["--beta", "-0.5"], "--beta is -0.5, but"),
        (["--min-cluster-size", 0], "--min-cluster-size is 0, but"),
        (["--min-cluster-size", 81], "--min-cluster-size is 81, but"),
        (["--n-jobs", 0], "--n-jobs is 0, but"),
        (["--n-jobs", 10**6], "--n-jobs is 1000000, but"),
        (["--columns", "height"], "no column 'height': choose --columns from length, code"),
        (["--columns", "code"], "column 'code' holds text, such as '0000-x' in row 1"),
        (["--columns", ","], "--columns is ','"),
        (["--bta", 0.3], "no such option"),
        (["more.csv"], "unexpected extra argument"),
    ],
)
def test_bad_options(flowers: Path, options: list[object], expected: str) -> None:
    assert expected in refuse("cluster", flowers, *options)
    assert list(flowers.parent.iterdir()) == [flowers]


def test_bad_column_numbers(tmp_path: Path, X: Any) -> None:
    file = save(tmp_path / "points.npy", X)
    assert "no column '2'" in refuse("cluster", file, "--columns", "0,2")
    assert "from 0 to 1" in refuse("cluster", file, "--columns", "a")


def test_columns_that_the_output_cannot_hold(tmp_path: Path) -> None:
    file = tmp_path / "lists.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "pairs": [[1, 2], [3, 4]]}), file)
    assert "column 'pairs' holds list" in refuse("cluster", file, "-o", tmp_path / "out.csv")
    assert "pairs (list" in succeed("cluster", file)
    file = tmp_path / "twice.csv"
    file.write_text("a,a\n1,2\n3,4\n")
    assert "named 'a'" in refuse("cluster", file, "-o", tmp_path / "out.npy")
    assert "named 'a'" in refuse("cluster", file, "--columns", "a")
    assert "columns    a, a" in succeed("cluster", file)


def test_usage_errors() -> None:
    assert "missing argument 'FILE'" in refuse("cluster")
    assert "'clster'" in refuse("clster")
    assert "--nope" in refuse("--nope")


def test_failed_writing_leaves_nothing(
    flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    result = run("cluster", flowers, "-o", tmp_path / "out.parquet")
    assert result.exit_code == 2
    *progress, sentence = result.stderr.splitlines()
    assert set(progress) == PROGRESS
    assert "No space left" in sentence
    assert list(tmp_path.iterdir()) == [flowers]


@pytest.mark.parametrize("suffix", [".pdf", ".svg", ".jpg"])
def test_formats_of_the_figure(tmp_path: Path, suffix: str) -> None:
    figure = tmp_path / f"figure{suffix}"
    succeed("demo", "-o", figure)
    starts = {".pdf": b"%PDF", ".svg": b"<?xml", ".jpg": b"\xff\xd8"}
    assert figure.read_bytes().startswith(starts[suffix])


def test_help_and_version() -> None:
    assert succeed("--version").strip().endswith(quickshiftpp.__version__)
    assert succeed() == succeed("--help")
    assert "\n    quickshiftpp cluster flowers.csv\n" in succeed("cluster", "--help")
    assert "\n    quickshiftpp demo --output" in succeed("demo", "--help")


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_as_a_process(flowers: Path) -> None:
    done = process("-m", "quickshiftpp", "cluster", flowers)
    assert done.returncode == 0
    assert done.stderr.splitlines() == list(STAGES.values())  # a line a stage, in order
    assert "flowers.clusters.csv" in done.stdout
    done = process("-m", "quickshiftpp", "cluster", "absent.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("quickshiftpp: the file 'absent.csv' does not exist")
    assert done.stderr.count("\n") == 1


def test_interrupt(flowers: Path) -> None:
    code = (
        "import signal, sys\n"
        "from quickshiftpp import QuickshiftPP\n"
        "from quickshiftpp.cli import main\n"
        # Not inherited: background jobs ignore SIGINT.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "QuickshiftPP.fit = lambda *_: signal.raise_signal(signal.SIGINT)\n"
        "main(['cluster', sys.argv[1]])\n"
    )
    done = process("-c", code, flowers)
    assert done.returncode == 130
    assert done.stderr.strip() == ""
    assert list(flowers.parent.iterdir()) == [flowers]


def test_missing_library_is_named(flowers: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['pyarrow'] = None\n"
        "from quickshiftpp.cli import main\n"
        "main(['cluster', sys.argv[1]])\n"
    )
    done = process("-c", code, flowers)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "needs pyarrow" in done.stderr
    assert "pip install 'quickshiftpp[all]'" in done.stderr


def test_a_sentinel_for_missing_values_is_named(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("a,b\n1,2\n2,3\n3,5\n1e300,4\n")
    result = run("cluster", file)
    assert result.exit_code == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"quickshiftpp: cannot cluster {file}: beside the value 1e+300")
    assert not list(tmp_path.glob("*.clusters*"))
