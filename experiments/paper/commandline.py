"""The command line: each claim by itself, or all of them, and the page with the results."""

from __future__ import annotations

from functools import partial
from pathlib import Path

try:
    import click
    import matplotlib as mpl  # noqa: F401
    import rich  # noqa: F401
except ModuleNotFoundError as error:
    raise SystemExit(
        f"The experiments need {error.name}, which is not installed: "
        "pip install 'quickshiftpp[experiments]'"
    ) from None

from reporting.store import Store, read_json, write_json
from reporting.tables import console, fill_template, show

from ..common import RESULTS, ROOT, MissingDataError
from . import modes_and_cores, open_question, stability, table, theory, toys
from .claim import PAGES, Claim

# In the order of the page.
CLAIMS: dict[str, Claim] = {
    module.CLAIM.name: module.CLAIM
    for module in (table, stability, toys, modes_and_cores, theory, open_question)
}


def run(claim: Claim, data: Path, store: Store, page: Path) -> None:
    """Do the missing work, write JSON and figures, and print the section of the page."""
    records = store.run(claim.name, claim.units(data))
    seconds = sum(record["seconds"] for record in records)
    path = store.folder / f"{claim.name}.json"
    write_json(path, {"result": claim.summarize(records), "seconds": seconds})
    # Read back, so that the report is that of the file.
    result = read_json(path)["result"]
    if claim.draw is not None:
        claim.draw(result, page.with_suffix(""))
    show(console(), claim.section(result, page.stem))


def write_page(output: Path, page: Path) -> None:
    """Write the page again from the stored results."""
    results = {}
    for name in CLAIMS:
        path = output / f"{name}.json"
        if not path.is_file():
            raise click.ClickException(
                f"'{path}' does not exist: run `python -m experiments {name}` first."
            )
        results[name] = read_json(path)["result"]
    values = {name: claim.values(results[name]) for name, claim in CLAIMS.items()}
    parts = [fill_template(PAGES / "head.md", values)]
    parts += [claim.section(results[name], page.stem) for name, claim in CLAIMS.items()]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n\n".join(part.strip() for part in parts) + "\n")
    click.echo(f"Written to {page}")


def execute(names: list[str], output: Path, page: Path, data: Path | None = None) -> None:
    """Run some of the claims; the page is written when all have run."""
    for name in names:
        try:
            run(CLAIMS[name], data or Path(), Store(output), page)
        except MissingDataError as error:
            raise click.ClickException(str(error)) from error
    if len(names) == len(CLAIMS):
        write_page(output, page)


def options(needs_data: bool) -> list[click.Parameter]:
    """Return the options of a command."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    new_folder = click.Path(file_okay=False, path_type=Path)
    file = click.Path(dir_okay=False, path_type=Path)
    data = click.Option(
        ["--data"],
        type=folder,
        required=True,
        help="The folder with the nine sets as .npz files, or with these in paper/.",
    )
    output = click.Option(
        ["--output"],
        type=new_folder,
        default=RESULTS,
        help="The folder for results, as JSON; an interrupted run resumes from there.",
    )
    page = click.Option(
        ["--page"],
        type=file,
        default=ROOT / "docs" / "paper.md",
        help="The page to write; figures go into the folder of its name.",
    )
    return [data, output, page] if needs_data else [output, page]


def make_group() -> click.Group:
    """Return the command line with a command for each claim."""
    group = click.Group(help="The paper, reproduced: each claim with numbers or pictures, tested.")
    for name, title, names, needs_data in (
        ("all", "Test every claim and write the page", list(CLAIMS), True),
        *((name, one.title, [name], one.needs_data) for name, one in CLAIMS.items()),
    ):
        callback, parameters = partial(execute, names), options(needs_data)
        group.add_command(
            click.Command(name, callback=callback, params=parameters, help=f"{title}.")
        )
    text = "Write the page again from the stored results."
    group.add_command(click.Command("page", callback=write_page, params=options(False), help=text))
    return group


main = make_group()
