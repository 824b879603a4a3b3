"""What benchmarks and experiments share: stored results, tables, figures, verdicts."""

from __future__ import annotations

import doctest
import io
import json

import pytest

pytest.importorskip("rich")
pytest.importorskip("matplotlib")

from rich.console import Console

from reporting import tables
from reporting.store import Store, Unit, read_json, write_json
from reporting.style import COLORS, canvas
from reporting.tables import fill_template, show, table
from reporting.verdicts import Verdict, count_met, verdict_table


def test_store_resumes(tmp_path):
    calls = []

    def unit(value):
        return Unit("unit", {"value": value}, lambda: calls.append(value) or {"got": value})

    store = Store(tmp_path)
    assert store.obtain(unit(1))["result"] == {"got": 1}
    assert Store(tmp_path).obtain(unit(1))["result"] == {"got": 1}
    store.obtain(unit(2))
    assert calls == [1, 2]
    assert [record["result"]["got"] for record in store.run("all", [unit(2), unit(3)])] == [2, 3]
    assert calls == [1, 2, 3]


def test_json_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "folder" / "file.json"
    write_json(path, {"a": [1, 2]})
    assert read_json(path) == {"a": [1, 2]}
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert json.loads(path.read_text()) == {"a": [1, 2]}


def test_examples_in_docstrings():
    outcome = doctest.testmod(tables)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_a_table_in_markdown_and_on_the_console():
    text = table(["a", "b"], [["x", "**1**"]], "Title")
    assert text == "**Title**\n\n| a | b |\n| --- | ---: |\n| x | **1** |"
    printed = io.StringIO()
    show(Console(file=printed, width=40), f"![Alt](file.png)\n\n{text}")
    lines = [line.split() for line in printed.getvalue().splitlines()]
    assert ["Title"] in lines
    assert ["x", "1"] in lines
    assert "Alt" not in printed.getvalue()


def test_templates_take_formats_and_keys(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("It is {part[share]:.0%} of {total}.\n")
    assert fill_template(path, {"part": {"share": 0.25}, "total": 8}) == "It is 25% of 8.\n"
    with pytest.raises(KeyError):
        fill_template(path, {"total": 8})


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_same_figure_is_the_same_file(tmp_path, suffix):
    for name in ("one", "two"):
        with canvas(tmp_path / "figures" / f"{name}.{suffix}", 1, 1, (1, 1)) as (_, axes):
            axes[0, 0].plot([0, 1], color=COLORS[0])
    one, two = sorted((tmp_path / "figures").iterdir())
    assert one.read_bytes() == two.read_bytes()


def test_verdicts():
    verdicts = [
        Verdict("speed", "2x", "3x", met=True),
        Verdict("memory", "1 GB", "2 GB", met=False),
        Verdict("growth", "linear"),
    ]
    assert count_met(verdicts) == (1, 2)
    assert verdict_table(verdicts).splitlines()[2:] == [
        "| speed | 2x | 3x | yes |",
        "| memory | 1 GB | 2 GB | **no** |",
        "| growth | linear | not measured | - |",
    ]
