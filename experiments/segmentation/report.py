"""The page on the quality of segmentations: its tables, and the values of its template."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reporting.store import Record
from reporting.tables import bold, fill_template, format_score, table

from .figures import FILES, FOLDER
from .own import CHANGES, CUT_ONLY, DEFAULTS, RATIO, SIGMA, STEPS, SWEEP
from .peers import PEERS
from .summary import MEASURES, REFERENCE

TEMPLATE = Path(__file__).parent / "page.md"

WORDS = {"covering": "covering", "rand_index": "Rand index", "variation": "variation"}
NAMES = {
    "people": "people, each by the others",
    "shipped": "**`segment(image)`, as shipped**",
    SWEEP: "Quickshift++, merged, over the limit",
    CUT_ONLY: "Quickshift++, cut alone, over beta and least size",
    **{peer.name: f"`{peer.name}`" for peer in PEERS},
    "MeanShift": "Mean Shift (a tenth of the size)",
}


def main_table(result: Record) -> str:
    """Return all methods, each at its best setting for the set and for each photograph."""
    rows = []
    for name, text in NAMES.items():
        row = result["rows"][name]
        cells = [text, str(row["settings"])]
        for measure in (*MEASURES, "boundary"):
            best = row.get(measure)
            cells.append(format_score(best["ods"], 3) if best else "")
            cells.append(format_score(best["ois"], 3) if best and row["settings"] > 1 else "")
        rows.append(cells)
    header = ["", "settings"]
    for measure in (*WORDS.values(), "boundary F"):
        header += [measure, "OIS"]
    title = (
        f"{result['photographs']} photographs: the best setting for all (ODS) and for each (OIS)"
    )
    return table(header, rows, title)


def halves_table(result: Record) -> str:
    """Return what is shipped and the reference, on each half."""
    rows = []
    for label, half in zip(("to choose by", "to confirm"), result["halves"], strict=True):
        own, other = (
            [format_score(half[name][measure]["ods"], 3) for measure in MEASURES]
            for name in ("shipped", REFERENCE)
        )
        rows.append([f"{label}: `segment(image)`, one setting", *map(bold, own)])
        rows.append([f"{label}: `{REFERENCE}`, each at its best", *other])
    return table(["", "covering", "Rand index", "variation"], rows, "The two halves")


def chosen_table(result: Record, title: str, names: Iterable[str]) -> str:
    """Return what one setting, chosen on the first half, gives on both halves."""
    rows = []
    for name in names:
        one = result["chosen"][name]
        cells = []
        for half, merit in zip(one["halves"], one["merits"], strict=True):
            cells += [format_score(half[measure], 3) for measure in MEASURES] + [f"{merit:+.2f}"]
        rows.append([name, str(one["settings"]), *cells])
    header = ["", "settings", *2 * ["covering", "Rand", "variation", "merit"]]
    header[6] = "confirmed: covering"
    return table(header, rows, title)


def page_text(result: Record) -> str:
    """Return the page."""
    reference = result["rows"][REFERENCE]
    values = {
        "reference": REFERENCE,
        "figures": {name: f"{FOLDER}/{file}" for name, file in FILES.items()},
        "main": main_table(result),
        "best": ", ".join(f"{reference[name]['at']} ({word})" for name, word in WORDS.items()),
        "gains": "; ".join(
            f"better in {WORDS[name]} by {format_score(one['gain'], 3)} ± "
            f"{format_score(one['standard_error'], 3)} and on {one['better']} of "
            f"{result['photographs']}"
            for name, one in result["wins"].items()
        ),
        "halves": halves_table(result),
        "thorough": result["thorough"],
        "steps": chosen_table(
            result,
            "From the paper's protocol to what is shipped",
            [*(variant.name for variant in STEPS), f"{REFERENCE}, one setting"],
        ),
        "changes": chosen_table(
            result,
            "One change from what is shipped (`+ merging` above), with the limit chosen again",
            [variant.name for variant in CHANGES],
        ),
        "peers": chosen_table(
            result, "Other libraries, one setting each", [peer.name for peer in PEERS]
        ),
        "defaults": DEFAULTS,
        "ratio": RATIO,
        "sigma": SIGMA,
        "tried": result["tried"],
        "minutes": sum(result["seconds"].values()) / 60,
    }
    return fill_template(TEMPLATE, values)
