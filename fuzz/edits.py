"""Damage to files: a few edits of their bytes, which can be listed and left out one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

# The kind of edit, where it happens (modulo the length of the file), and what is written there or
# how many bytes are concerned.
Edit: TypeAlias = tuple[str, int, bytes | int]

_INTEGERS = (-1, 0, 1, 31, 32, 255, 2**16, 2**31 - 1, -(2**31), 2**32 - 1, 2**62)
_PLACES = 2**20


def draw_edits(rng: np.random.Generator, words: Sequence[bytes] = ()) -> list[Edit]:
    """Draw one to four edits; words of the format are inserted among them."""
    return [_draw_edit(rng, words) for _ in range(int(rng.integers(1, 5)))]


def _draw_edit(rng: np.random.Generator, words: Sequence[bytes]) -> Edit:
    at, few = int(rng.integers(0, _PLACES)), int(rng.integers(1, 20))
    kinds = ("flip", "set", "number", "cut", "delete", "repeat", "random", "word")
    weights = (6, 3, 3, 1, 1, 1, 1, 4 if words else 0)
    kind = kinds[int(rng.choice(len(kinds), p=np.array(weights) / sum(weights)))]
    if kind == "flip":
        return "flip", at, int(rng.integers(0, 8))
    if kind == "set":
        return "write", at, bytes([int(rng.choice([0, 1, 127, 128, 254, 255]))])
    if kind == "number":
        number, width = int(rng.choice(_INTEGERS)), int(rng.choice([2, 4, 8]))
        unsigned = number % 256**width
        if rng.random() < 0.7:
            return "write", at, unsigned.to_bytes(width, "little")
        return "write", at, unsigned.to_bytes(width, "big")
    if kind == "random":
        return "write", at, rng.bytes(few)
    if kind == "word":
        return "insert", at, words[int(rng.integers(0, len(words)))]
    return kind, at, few


def apply_edits(content: bytes, edits: Sequence[Edit]) -> bytes:
    """Return the damaged file.

    Examples
    --------
    >>> apply_edits(b"abcdef", [("cut", 4, 0), ("insert", 1, b"--"), ("flip", 0, 1)])
    b'c--bcd'
    """
    data = bytearray(content)
    for kind, place, what in edits:
        at = place % (len(data) + 1)
        if isinstance(what, bytes):
            data[at : at if kind == "insert" else at + len(what)] = what
        elif kind == "flip":
            if data:
                data[place % len(data)] ^= 1 << what
        elif kind == "cut":
            del data[at:]
        elif kind == "delete":
            del data[at : at + what]
        else:
            data[at:at] = data[at : at + what] * 3
    return bytes(data)
