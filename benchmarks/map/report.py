"""The cells of the map in words and numbers."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from reporting.tables import NOTHING, format_seconds, plural, table

from ..peers import REFERENCE, TOLERANCE
from .measure import Cell

# What is expected to take longer, in seconds, is left out.
LIMIT = 60.0

# A peer counts as faster from this ratio of times on: measurements vary by a few percent.
FASTER = 1.1

HEADER = (
    "data",
    "samples",
    "columns",
    REFERENCE,
    "fastest peer",
    "its time",
    "times as fast",
    f"peer off by > {TOLERANCE:g}",
)


def cell_row(cell: Cell) -> list[str]:
    """Return a row of the table."""
    peer, speed = cell.fastest_peer, cell.speed
    row = [cell.kind, f"{cell.n_samples:,}", str(cell.n_features)]
    row.append(format_seconds(cell.seconds[REFERENCE]))
    if peer is None or speed is None:
        return [*row, NOTHING, NOTHING, NOTHING, NOTHING]
    wrong = cell.wrong.get(peer, 0.0)
    return [
        *row,
        peer,
        format_seconds(cell.seconds[peer]),
        format_speed(speed),
        format_wrong(wrong),
    ]


def format_speed(speed: float) -> str:
    """Return a ratio of times with two digits.

    Examples
    --------
    >>> format_speed(0.714), format_speed(1.25), format_speed(9.96), format_speed(123.4)
    ('0.71', '1.2', '10', '123')
    """
    return f"{speed:.2f}" if speed < 0.995 else f"{speed:.1f}" if speed < 9.95 else f"{speed:.0f}"


def format_wrong(share: float) -> str:
    """Return the share of wrong distances in percent; nothing for none.

    Examples
    --------
    >>> format_wrong(0.25), format_wrong(0.0001), format_wrong(0.0)
    ('25.0%', '< 0.1%', '')
    """
    return f"{share:.1%}" if share >= 0.0005 else "< 0.1%" if share > 0 else ""


def peer_is_faster(cell: Cell) -> bool:
    """Return whether a peer is faster by more than measurements vary."""
    return cell.speed is not None and cell.speed < 1 / FASTER


def cell_table(cells: Sequence[Cell]) -> str:
    """Return all cells as Markdown."""
    return table(HEADER, [cell_row(cell) for cell in cells])


def summary(cells: Sequence[Cell]) -> str:
    """Return in a line how often a peer is faster, where most so, and the mean."""
    speeds = {number: speed for number, cell in enumerate(cells) if (speed := cell.speed)}
    if not speeds:
        return f"{plural(len(cells), 'cell')}, none of them with a peer."
    slower = sum(map(peer_is_faster, cells))
    number, speed = min(speeds.items(), key=lambda item: item[1])
    worst = cells[number]
    alone = len(cells) - len(speeds)
    return (
        f"{plural(len(cells), 'cell')}"
        + (f", in {alone} of which every peer would take more than {LIMIT:g} s" if alone else "")
        + f"; a peer is faster by more than {FASTER - 1:.0%} in {slower or 'none'}; "
        f"worst: {format_speed(speed)} times as fast as {worst.fastest_peer} "
        f"({worst.kind}, {worst.n_samples:,} x {worst.n_features}); "
        f"geometric mean: {format_speed(statistics.geometric_mean(speeds.values()))}."
    )
