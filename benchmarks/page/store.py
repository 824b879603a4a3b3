"""What has been measured so far, in one JSON file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from reporting.store import read_json, write_json
from reporting.tables import format_bytes

from ..cases import Case

Entry = dict[str, Any]

# What must be equal for two measurements to be comparable.
IDENTITY = ("processor", "cores", "memory_bytes", "python", "versions")


class Measurements:
    """Entries by section and key, with the machine and the settings that they all share.

    Parameters
    ----------
    machine, settings : mapping
        From `describe_machine` and `Protocol.settings`.
    sections : mapping of str to mapping of str to dict
        The entries.
    """

    def __init__(
        self,
        machine: Mapping[str, Any],
        settings: Mapping[str, Any],
        sections: Mapping[str, dict[str, Entry]] | None = None,
    ) -> None:
        self.machine = dict(machine)
        self.settings = dict(settings)
        self.sections = dict(sections or {})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return what `save` wrote."""
        content = read_json(path)
        return cls(content["machine"], content["settings"], content["sections"])

    def save(self, path: Path) -> None:
        """Write everything."""
        write_json(path, vars(self))

    def forget(self, sections: Iterable[str]) -> None:
        """Drop the entries of these sections."""
        for name in sections:
            self.sections.pop(name, None)

    def difference_from(
        self, machine: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> str | None:
        """Return why new measurements cannot join these; None if they can."""
        pairs = {name: (_shown(self.machine, name), _shown(machine, name)) for name in IDENTITY}
        names = self.settings.keys() | settings.keys()
        pairs |= {name: (self.settings.get(name), settings.get(name)) for name in sorted(names)}
        for name, (old, new) in pairs.items():
            if old != new:
                return f"{name} was {old}, and is {new} now"
        return None

    def entries(self, section: str) -> dict[str, Entry]:
        """Return the entries of a section, in the order of measuring."""
        return self.sections.get(section, {})

    def add(self, section: str, key: str, entry: Entry) -> None:
        """Add one entry."""
        self.sections.setdefault(section, {})[key] = entry

    def cases(self, table: str, section: str) -> Iterator[Case]:
        """Yield the comparisons of a section between the peers of a table."""
        for entry in self.entries(section).values():
            if entry.get("table") == table:
                yield Case.from_dict(entry)


def _shown(machine: Mapping[str, Any], name: str) -> Any:
    """Return a property as pages show it: a system may keep some more pages to itself next time."""
    value = machine.get(name)
    return format_bytes(value) if name == "memory_bytes" and value is not None else value
