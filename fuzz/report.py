"""What a run did and found, as Markdown."""

from __future__ import annotations

from reporting.tables import bold, format_bytes, plural, table

from .supervisor import CRASH, DIFFERENCE, LEAK, TIMEOUT, Finding, Run, Tally

_KINDS = (DIFFERENCE, CRASH, TIMEOUT, LEAK)
_HEADER = ["target", "cases", "checks", "differences", "crashes", "timeouts", "leaks", "seconds"]


def summary(run: Run, jobs: int, seconds: float, seed: int) -> str:
    """Return the table of all targets, and a sentence on the whole."""
    total = Tally()
    rows = []
    for name, tally in run.tallies.items():
        rows.append(_row(f"`{name}`", tally))
        total.cases += tally.cases
        total.checks += tally.checks
        total.seconds += tally.seconds
        total.findings += tally.findings
    found = plural(total.findings.total(), "finding") if run.findings else "no finding"
    said = (
        f"{total.cases:,} cases with {total.checks:,} checks in {seconds / 60:.1f} minutes on "
        f"{plural(jobs, 'process').replace('processs', 'processes')}, seed {seed}: {found}. No "
        f"process grew by more than {format_bytes(run.growth)} after its warm-up."
    )
    lines = [table(_HEADER, [*rows, _row(bold("all"), total)]), "", said]
    stopped = [f"`{name}`" for name, tally in run.tallies.items() if tally.is_given_up]
    if stopped:
        lines += ["", f"Stopped early, after too many findings: {', '.join(stopped)}."]
    return "\n".join(lines)


def _row(name: str, tally: Tally) -> list[str]:
    found = [str(tally.findings[kind]) for kind in _KINDS]
    return [name, f"{tally.cases:,}", f"{tally.checks:,}", *found, f"{tally.seconds:,.0f}"]


def describe(finding: Finding) -> str:
    """Return a finding as text, with how to repeat it."""
    if not finding.lines:
        return f"{finding.kind} in {finding.case}, like others before\n"
    return (
        f"{finding.kind} in {finding.case}\n  {finding.what}\n"
        f"  again: python -m fuzz --case {finding.case}\n\n{finding.lines}\n"
    )
