"""The machine and the library versions of a measurement."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import quickshiftpp
from quickshiftpp import _core
from reporting.tables import format_bytes, plural

from .peers import Peer

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "joblib")


def describe_machine(peers: Sequence[Peer]) -> dict[str, Any]:
    """Return processor, memory, load, instruction set and the versions of peers and libraries."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "system": f"{platform.system()} {platform.release()}",
        "processor": processor_name(),
        "architecture": platform.machine(),
        "cores": usable_cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load_average": os.getloadavg()[0],
        "simd_level": _core.simd_level(),
        "python": platform.python_version(),
        "versions": library_versions(peers),
    }


def machine_text(machine: Mapping[str, Any]) -> str:
    """Return what `describe_machine` found, as a Markdown list."""
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        f"- **Machine**: {machine['processor']}, {plural(machine['cores'], 'core')}, "
        f"{format_bytes(machine['memory_bytes'])} of memory, {machine['simd_level']} "
        f"instructions, {machine['system'].split('-')[0]}; {machine['time'][:10]}.\n"
        f"- **Versions**: Python {machine['python']}, {versions}."
    )


def processor_name() -> str:
    """Return the name of the processor, or its architecture where that is unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def library_versions(peers: Sequence[Peer]) -> dict[str, str]:
    """Return the version of every installed library that takes part."""
    versions = {"quickshiftpp": quickshiftpp.__version__}
    for name in dict.fromkeys([*(peer.distribution for peer in peers), *LIBRARIES]):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
