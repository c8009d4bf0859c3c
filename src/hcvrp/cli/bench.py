"""`hcvrp bench`: measure methods, and make the tables and figures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from hcvrp.cli import Interrupted, options
from hcvrp.cli.terminal import mutter, say
from hcvrp.cli.usage import Command
from hcvrp.errors import InputError
from hcvrp.wording import plural

if TYPE_CHECKING:
    from hcvrp.bench.plan import Cell
    from hcvrp.bench.results import Row

app = typer.Typer(
    help="Measure methods on test sets; make the tables and figures.",
    epilog=options.examples(
        "hcvrp bench --quick   # a miniature of everything, in about a minute",
        "hcvrp bench run experiments/bench/table-v3.toml --out table-v3.csv.gz",
    ),
    rich_markup_mode=None,
)

LINE_INTERVAL = 5.0
"""Seconds between progress lines where there is no terminal."""

ResultFiles: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="RESULTS…", help="Result files of `bench run`.")
]
Folder: TypeAlias = Annotated[Path, typer.Option("--out", "-o", help="Folder to write into.")]
Archive: TypeAlias = Annotated[
    Path, typer.Option("--archive", help="Folder of the best-known costs.")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Processes; by default every core.")
]
BEST_KNOWN = Path("bench/best-known")


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    quick: Annotated[
        bool, typer.Option("--quick", help="A miniature of everything, in about a minute.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", "-o", help="With --quick: where to.")] = Path(
        "bench/quick"
    ),
    workers: Workers = None,
) -> None:
    if quick:
        from hcvrp.bench.quick import quick as everything
        from hcvrp.workers import cores

        with _Live() as live:
            written = everything(out, workers=workers or cores(), progress=live.show, tell=mutter)
        for path in written:
            say(str(path))
    elif context.invoked_subcommand is None:
        say(context.get_help())


@app.command(
    "run",
    cls=Command,
    epilog=options.examples(
        "hcvrp bench run experiments/bench/table-v3.toml --out table-v3.csv.gz --minutes 30",
    ),
)
def run_plan(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan (TOML).")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Result file, .csv or .csv.gz; it may exist.")
    ],
    workers: Workers = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0, help="Begin no answer after so many.")
    ] = None,
    labels: Annotated[
        list[str] | None, typer.Option("--label", help="Only this label; may be repeated.")
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="Only this set; may be repeated.")
    ] = None,
    objective: Annotated[
        options.ObjectiveName | None, typer.Option("--objective", "-b", help="Only this one.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask again where a method failed.")
    ] = False,
) -> None:
    """Run what PLAN asks for and the result file does not have; exit 1 while some is missing."""
    from hcvrp.bench.plan import read_plan
    from hcvrp.bench.runner import failures, run
    from hcvrp.workers import cores

    _check_result_file(out)
    cells = _selected(read_plan(plan), labels, sets, objective)
    with _kept(out), _Live() as live:
        complete = run(
            cells,
            out,
            workers=workers or cores(),
            minutes=minutes,
            retry=retry,
            progress=live.show,
        )
    failed = failures(cells, out)
    note = f"; {plural(failed, 'answer')} failed, --retry asks again" if failed else ""
    say(f"{out} is {'complete' if complete else 'not complete yet: run this again'}{note}")
    if not complete:
        raise typer.Exit(1)


@app.command(
    "merge",
    cls=Command,
    epilog=options.examples("hcvrp bench merge one.csv.gz other.csv.gz --out all.csv.gz"),
)
def merge_results(
    results: ResultFiles,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Result file; newer answers take the place of its own."),
    ],
) -> None:
    """Bring result files together, from several machines for instance; .csv.gz packs them."""
    from hcvrp.bench.results import merge

    _check_result_file(out)
    say(f"{out} has {merge(results, out):,} rows")


@app.command(
    "table",
    cls=Command,
    epilog=options.examples("hcvrp bench table v3 table-v3.csv.gz --out tables"),
)
def table(
    name: Annotated[
        str,
        typer.Argument(help="headline, v3, v5, cvrplib, fsmd, frontier, side-by-side, …"),
    ],
    results: ResultFiles,
    out: Folder = Path("docs/results"),
    archive: Archive = BEST_KNOWN,
    reference: Annotated[
        str | None, typer.Option("--reference", help="The label that others are compared with.")
    ] = None,
) -> None:
    """Make a table from result files: NAME.md and NAME.csv."""
    from hcvrp.bench.results import load
    from hcvrp.bench.tables import make_table

    options.keep_inputs(out / f"{name}.csv", results)
    measured = load(results)
    _check_archive(archive)
    for path in make_table(name, measured, archive, reference).write(out):
        say(str(path))


@app.command(
    "figure",
    cls=Command,
    epilog=options.examples("hcvrp bench figure frontier frontier.csv.gz --out figures"),
)
def figure(
    name: Annotated[
        str, typer.Argument(help="frontier, convergence-v3, generalisation-v3-min-max, training, …")
    ],
    results: ResultFiles,
    out: Folder = Path("docs/results"),
    archive: Archive = BEST_KNOWN,
) -> None:
    """Draw a figure from result files (training: from log.csv files): NAME.svg and NAME.png."""
    from hcvrp.bench.figures import make_figure, save, shows_gaps

    if shows_gaps(name):
        _check_archive(archive)
    for path in save(make_figure(name, results, archive), name, out):
        say(str(path))


@app.command(
    "page",
    cls=Command,
    epilog=options.examples("hcvrp bench page bench/results/*.csv.gz --readme README.md"),
)
def results_page(
    results: ResultFiles,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the documentation.")] = Path(
        "docs"
    ),
    archive: Archive = BEST_KNOWN,
    curves: Annotated[
        Path, typer.Option("--curves", help="Folder with logs of training runs.")
    ] = Path("experiments/paper/curves"),
    readme: Annotated[
        Path | None, typer.Option("--readme", help="A page that shows the headline as well.")
    ] = None,
) -> None:
    """Make every table and figure, and OUT/results.md that shows them with their commands."""
    from hcvrp.bench.page import page

    _check_archive(archive)
    say(str(page(results, out, archive, sorted(curves.glob("*.csv")), readme)))


@app.command(
    "archive",
    cls=Command,
    epilog=options.examples("hcvrp bench archive bench/results/*.csv.gz"),
)
def archive_best(results: ResultFiles, archive: Archive = BEST_KNOWN) -> None:
    """Take better costs over into the archive of the best known."""
    from hcvrp.bench.archive import update
    from hcvrp.bench.results import load

    for (name, objective), count in update(archive, load(results)).items():
        say(f"{name} {objective}: {count} better")


def _check_result_file(out: Path) -> None:
    if not out.exists() and not out.name.endswith((".csv", ".csv.gz")):  # else its content tells
        raise InputError(f"--out must end in .csv or .csv.gz, not {out}")


def _check_archive(archive: Path) -> None:
    """Refuses a missing archive: the best known would be the results themselves, and gaps 0."""
    if not archive.is_dir():
        raise InputError(
            f"--archive: there is no folder {archive} of best-known costs to compare with"
            " (`hcvrp bench archive` makes one)"
        )


@contextmanager
def _kept(out: Path) -> Iterator[None]:
    """Within it, Ctrl-C ends with a word on what the result file has by then."""
    from hcvrp.bench.results import load

    try:
        yield
    except KeyboardInterrupt:
        answers = len(load([out]).rows) if out.exists() else 0
        raise Interrupted(
            f"{out} has {plural(answers, 'answer')}, and the same command goes on"
        ) from None


def _selected(
    cells: list[Cell],
    labels: list[str] | None,
    sets: list[str] | None,
    objective: str | None,
) -> list[Cell]:
    """The cells that the options leave; an option that leaves none is a mistake."""
    for option, known, asked in (
        ("--label", {c.label for c in cells}, labels),
        ("--set", {c.set_name for c in cells}, sets),
    ):
        for value in asked or []:
            if value not in known:
                raise InputError(f"{option} {value} is not in the plan; it has: {_listed(known)}")
    left = [
        c
        for c in cells
        if (not labels or c.label in labels)
        and (not sets or c.set_name in sets)
        and (objective is None or c.objective == objective)
    ]
    if not left:
        raise InputError("no cell of the plan is left by --label, --set and --objective together")
    return left


def _listed(names: set[str]) -> str:
    return "; ".join(sorted(names))  # labels have commas of their own


class _Live:
    """Progress on standard error: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        self._bar = Progress(console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("", total=None)
        self._last_line = 0.0

    def __enter__(self) -> _Live:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, done: int, wanted: int, row: Row) -> None:
        told = row.message or f"{row.cost:.6g}"
        news = f"{row.label} {row.set} {row.objective} #{row.number}: {told}"
        self._bar.update(self._task, completed=done, total=wanted, description=news)
        now = time.monotonic()
        if self._bar.disable and now - self._last_line > LINE_INTERVAL:
            self._last_line = now
            mutter(f"{done}/{wanted} {news}")
