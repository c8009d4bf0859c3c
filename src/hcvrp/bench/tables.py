"""The tables: our rows beside the published ones, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path

from hcvrp.bench.archive import FOLDER
from hcvrp.bench.frontier_table import frontier_table
from hcvrp.bench.headline import headline_table
from hcvrp.bench.instance_tables import cvrplib_table, fsmd_table
from hcvrp.bench.paper_table import paper_table
from hcvrp.bench.proof_table import proof_table
from hcvrp.bench.results import Measurements
from hcvrp.bench.sets import FRONTIER
from hcvrp.bench.side_by_side import side_by_side_table
from hcvrp.bench.summary import Line
from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, make_folder, write_text
from hcvrp.generator import PAPER_SETS
from hcvrp.provenance import shipped_weights

ORIGIN = "Measured, by date and commit:"

NETWORKS = {"auto": "fleet", "fleet": "fleet", "paper": "paper-", "am": "am-"}
"""What the names of the networks begin with that a method may use."""


@dataclass(frozen=True)
class Table:
    """A table in both forms."""

    name: str
    markdown: str
    csv: str

    def write(self, folder: Path) -> list[Path]:
        """Writes NAME.md and NAME.csv; their paths."""
        make_folder(folder)
        paths = [folder / f"{self.name}.md", folder / f"{self.name}.csv"]
        for path, text in zip(paths, (self.markdown, self.csv), strict=True):
            with blamed(path):
                write_text(path, text)
        return paths


def make_table(
    name: str, measured: Measurements, archive: Path = FOLDER, reference: str | None = None
) -> Table:
    """The table of that name, made of these measurements.

    Args:
        name: one of `TABLES`.
        measured: rows of any sets; those of other tables are left aside.
        archive: the folder of the best-known costs.
        reference: the label that others are compared with, pair by pair.
    """
    if name not in TABLES:
        raise InputError(f"unknown table {name!r}; known: {', '.join(TABLES)}")
    sets, make = TABLES[name]
    own = measured.on(sets)
    if not any(own.answered()):
        raise InputError(f"table {name}: the results have no answers on {', '.join(sets)}")
    if reference is not None and reference not in {row.label for row in own.answered()}:
        raise InputError(f"table {name}: the results have no answers of the reference {reference}")
    parts, lines = make(own, archive, reference)
    notes = [*failures(own), origin(own), *earlier_weights(own)]
    return Table(name, "\n\n".join([*parts, *notes]) + "\n", _csv(lines))


def failures(measured: Measurements) -> list[str]:
    """A sentence for each method that failed, with the first of its reasons."""
    failed: dict[str, list[str]] = {}
    for row in measured.rows:
        if row.cost is None:
            failed.setdefault(row.label, []).append(row.message)
    return [
        f"{label} has no answer in {len(messages)} cases, the first time because: {messages[0]}."
        for label, messages in failed.items()
    ]


def earlier_weights(measured: Measurements) -> list[str]:
    """A sentence on the labels whose networks have been trained further since."""
    shipped, found = shipped_weights(), set()
    for label, text, key in {(r.label, r.settings, r.session) for r in measured.answered()}:
        settings, session = json.loads(text), measured.sessions.get(key)
        network = settings.get("weights") or NETWORKS.get(settings.get("method"))
        if network is None or session is None:
            continue
        mine = {name: mark for name, mark in shipped.items() if name.startswith(network)}
        if any(session.weights.get(name, mark) != mark for name, mark in mine.items()):
            found.add(label)
    if not found:
        return []
    return [f"Networks of earlier training, not the shipped ones: {'; '.join(sorted(found))}."]


def origin(measured: Measurements, *, lettered: bool = True) -> str:
    """Where, when and from which commits the rows were measured: a line per machine."""
    runs: dict[str, dict[str, dict[str, None]]] = {}
    for session in sorted(measured.sessions.values(), key=lambda s: s.date):
        day = runs.setdefault(session.machine(), {}).setdefault(session.date[:10], {})
        day[session.commit or "an unknown commit"] = None
    lines, letters = [], measured.machines()
    for machine, days in runs.items():
        told = "; ".join(f"{day} at {', '.join(commits)}" for day, commits in days.items())
        letter = f"{letters[machine]}: " if lettered else ""
        lines.append(f"- {letter}{machine}: {told}")
    return "\n".join([f"{ORIGIN}\n", *(lines or ["- session unknown"])])


def _csv(lines: list[Line]) -> str:
    text = io.StringIO()
    plain = [f.name for f in fields(Line) if f.name not in ("difference", "whole")]
    ends = {
        "difference": ["difference", "difference_low", "difference_high", "paired"],
        "whole": ["whole", "whole_low", "whole_high", "whole_from"],
    }
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*plain, *chain.from_iterable(ends.values())])
    for line in lines:
        intervals = (getattr(line, name) or [None] * 4 for name in ends)
        writer.writerow([*(getattr(line, n) for n in plain), *chain.from_iterable(intervals)])
    return text.getvalue()


Maker = Callable[[Measurements, Path, str | None], tuple[list[str], list[Line]]]

TABLES: dict[str, tuple[tuple[str, ...], Maker]] = {
    "headline": (PAPER_SETS, headline_table),
    "v3": (tuple(n for n in PAPER_SETS if n.startswith("v3")), paper_table),
    "v5": (tuple(n for n in PAPER_SETS if n.startswith("v5")), paper_table),
    "cvrplib": (("cvrplib",), cvrplib_table),
    "fsmd": (("fsmd",), fsmd_table),
    "frontier": (FRONTIER, frontier_table),
    "side-by-side": ((*PAPER_SETS, "fsmd"), side_by_side_table),
    "proofs": ((*PAPER_SETS, "cvrplib", "fsmd"), proof_table),
}
"""Each table's sets, and what makes it of their rows."""
