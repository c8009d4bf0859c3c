"""page(): every table and figure that result files allow, on one page with the commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hcvrp.bench.figures import make_figure, save
from hcvrp.bench.results import load, stem
from hcvrp.bench.tables import ORIGIN, make_table, origin
from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, make_folder, read_text, write_text

INTRODUCTION = """# Results

Every number here comes from a result file in `bench/results`: a row per answer, judged by the
referee, with command, commit, seed and machine. The page is made of them by

    hcvrp bench page bench/results/*.csv.gz --readme README.md

and each part by the commands beside it; `docs/results` has the tables as CSV too. To measure anew
give `bench run` another `--out`: into the files that are here it only adds what they lack.
`experiments/bench` has the plans. Gaps to the best known are to `bench/best-known`, the best that
any run has found.

V3-C40 is three vehicles and 40 customers. Learned methods decode a whole batch, on a GPU or on the
processor as the column `device` of the result file says, and their seconds are the batch's divided
by its size; all others have one thread an instance."""

HEADLINE = ("<!-- headline -->", "<!-- /headline -->")
"""The marks around the headline, on this page and in the README, which shows the same."""


@dataclass(frozen=True)
class Section:
    """A part of the page: which plans measure it, which table and which figures show it."""

    title: str
    plans: tuple[str, ...] = ()
    table: str | None = None
    figures: tuple[str, ...] = ()


TABLES = ("table-v3", "table-v5")

SECTIONS = (
    Section("Three vehicles", ("table-v3", "proofs", "peers"), "v3"),
    Section("Five vehicles", ("table-v5", "proofs", "peers"), "v5"),
    Section("Gap against time, all methods", ("frontier", *TABLES), "frontier", ("frontier",)),
    Section(
        "Cost against time",
        ("frontier", *TABLES),
        figures=("convergence-v3", "convergence-v5"),
    ),
    Section(
        "Models of one size on other sizes",
        TABLES,
        figures=tuple(
            f"generalisation-{v}-{o}" for v in ("v3", "v5") for o in ("min-max", "min-sum")
        ),
    ),
    Section("CVRPLib", ("cvrplib", "proofs"), "cvrplib"),
    Section("Fleet size and mix", ("fsmd",), "fsmd"),
    Section("Proofs", ("proofs",), "proofs"),
    Section("Beside other solvers", ("side-by-side",), "side-by-side"),
    Section("Training", figures=("training",)),
)


def page(
    results: Sequence[Path],
    folder: Path,
    archive: Path,
    logs: Sequence[Path],
    readme: Path | None = None,
) -> Path:
    """Writes FOLDER/results.md, and its tables and pictures into FOLDER/results.

    A section is made of the files that are named after its plans. Where they do not suffice it says
    which plans to run.

    Args:
        results: result files.
        folder: of the documentation.
        archive: the folder of the best-known costs.
        logs: of training runs.
        readme: a page that shows the headline between the same marks.
    """
    headline = _headline(_files(results, TABLES), folder, archive)
    parts = [INTRODUCTION, origin(load(results), lettered=False), "## In short", headline]
    for section in SECTIONS:
        parts += _section(section, _files(results, section.plans), folder, archive, logs)
    make_folder(folder)
    path = folder / "results.md"
    with blamed(path):
        write_text(path, "\n\n".join(parts) + "\n")
    if readme is not None:
        with blamed(readme):
            write_text(readme, _with_headline(read_text(readme), headline))
    return path


def _files(results: Sequence[Path], plans: Sequence[str]) -> list[Path]:
    return [path for path in results if stem(path) in plans]


def _headline(files: Sequence[Path], folder: Path, archive: Path) -> str:
    """The first table of the page, between its marks."""
    table = _table("headline", files, folder, archive)
    text = table.partition(f"\n\n{ORIGIN}")[0] if table else "Not measured yet."
    command = _code([f"hcvrp bench table headline {_listed(files)}"])
    return "\n\n".join([HEADLINE[0], text, command, HEADLINE[1]])


def _with_headline(text: str, headline: str) -> str:
    before, mark, rest = text.partition(HEADLINE[0])
    _, end, after = rest.partition(HEADLINE[1])
    if not mark or not end:
        raise InputError(f"the page has no {HEADLINE[0]} with {HEADLINE[1]} after it")
    return before + headline + after


def _section(
    section: Section, files: Sequence[Path], folder: Path, archive: Path, logs: Sequence[Path]
) -> Iterator[str]:
    made = {}
    if section.table is not None:
        command = f"hcvrp bench table {section.table} {_listed(files)}"
        made[command] = _table(section.table, files, folder, archive)
    for name in section.figures:
        sources = logs if name == "training" else files
        command = f"hcvrp bench figure {name} {_listed(sources)}"
        made[command] = _picture(name, sources, folder, archive)
    missing = all(content is None for content in made.values())
    if missing and not section.plans:
        return
    yield f"## {section.title}"
    if missing:
        yield "Not measured yet; these will do it:"
        yield _code(_run(plan, Path(f"bench/results/{plan}.csv.gz")) for plan in section.plans)
        return
    if section.plans:
        yield _code(_run(stem(path), path) for path in files)
    for command, content in made.items():
        if content is not None:
            yield _code([command])
            yield content


def _table(name: str, files: Sequence[Path], folder: Path, archive: Path) -> str | None:
    measured = load(files)
    try:
        table = make_table(name, measured, archive)
    except InputError:
        return None
    table.write(folder / "results")
    return table.markdown.strip()


def _picture(name: str, sources: Sequence[Path], folder: Path, archive: Path) -> str | None:
    try:
        figure = make_figure(name, sources, archive)
    except InputError:
        return None
    picture, _ = save(figure, name, folder / "results")
    return f"![{name}]({picture.relative_to(folder)})"


def _run(plan: str, out: Path) -> str:
    return f"hcvrp bench run experiments/bench/{plan}.toml --out {out}"


def _code(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def _listed(paths: Sequence[Path]) -> str:
    return " ".join(map(str, paths)) or "…"
