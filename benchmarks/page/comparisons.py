"""Peers side by side on one dataset, as an entry of the page."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .. import clustering, neighbors
from ..commandline import Program
from ..data import Dataset
from ..peers import REFERENCE, Peer
from ..process import GIB
from ..session import Announce, Case, Plan, Result, run_case
from .foresight import reason_to_leave_out
from .scope import Protocol
from .store import Entry, Measurements

# The sections with blobs of growing size, from which the chances of a peer are foreseen.
HOME_SECTIONS = {"CLUSTERERS": "fit", "NEIGHBOR_SEARCHES": "search"}

PROGRAMS = {program.table: program for program in (clustering.PROGRAM, neighbors.PROGRAM)}

# Beyond this the first import compiles for too long; what is compiled is kept.
SETUP_TIMEOUT = 300.0


def make_plan(program: Program, protocol: Protocol) -> Plan:
    """Return the rules of the page in the form that a session takes."""
    return Plan(
        table=program.table,
        peers=[peer for peer in program.peers if takes_part(peer, protocol)],
        judge=program.judge,
        k=protocol.k,
        threads=protocol.threads,
        repeats=protocol.repeats,
        timeout=protocol.timeout,
        setup_timeout=SETUP_TIMEOUT,
        memory_limit=protocol.memory_limit,
        patience=protocol.patience,
    )


def takes_part(peer: Peer, protocol: Protocol) -> bool:
    """Whether a peer is on the page; this package always is."""
    return peer.name == REFERENCE or protocol.peers is None or peer.name in protocol.peers


def compare(plan: Plan, dataset: Dataset, measured: Measurements, announce: Announce) -> Entry:
    """Measure everyone who has a chance to come to an end, and name the others.

    Parameters
    ----------
    plan : Plan
        Who takes part, and how.
    dataset : Dataset
        What to fit.
    measured : Measurements
        What is known already, to judge the chances by.
    announce : callable
        Told what is under way.
    """
    home = HOME_SECTIONS[plan.table]
    cases = [case for case in measured.cases(plan.table, home) if case.k == plan.k]
    left_out = {}
    for peer in plan.peers:
        reason = peer.name != REFERENCE and reason_to_leave_out(
            peer.name, dataset, cases, plan.timeout, plan.memory_limit * GIB
        )
        if reason:
            left_out[peer.name] = Result(peer.name, "left out", reason)
    return {"table": plan.table, **run_some(plan, dataset, left_out, announce).to_dict()}


def run_some(plan: Plan, dataset: Dataset, left_out: dict[str, Result], announce: Announce) -> Case:
    """Run the peers of a plan but for those left out, whose results are given."""
    running = replace(plan, peers=[peer for peer in plan.peers if peer.name not in left_out])
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        case = run_case(running, dataset, Path(folder), announce)
    results = left_out | {result.peer: result for result in case.results}
    return replace(case, results=[results[peer.name] for peer in plan.peers])


def run_alone(
    plan: Plan,
    dataset: Dataset,
    measured: Measurements,  # noqa: ARG001
    announce: Announce,
) -> Entry:
    """Measure this package alone, where the size is beyond everyone else."""
    left_out = {
        peer.name: Result(peer.name, "left out", "not tried")
        for peer in plan.peers
        if peer.name != REFERENCE
    }
    return {"table": plan.table, **run_some(plan, dataset, left_out, announce).to_dict()}


def some_of(peers: Sequence[Peer], names: Sequence[str] | None) -> list[Peer]:
    """Return the peers of these names; all for None."""
    return [peer for peer in peers if names is None or peer.name in names]
