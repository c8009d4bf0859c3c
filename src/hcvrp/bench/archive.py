"""The best-known archive: per set and objective the best cost seen of each instance, no routes.

A file such as `v3-c40-min-max.csv.gz` has the columns number, cost, source. Costs are the
referee's, to the last digit, and only ever fall.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hcvrp.bench.results import Measurements, Row
from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, write_bytes

FOLDER = Path("bench/best-known")
"""Where the archive lies in the source tree."""

IMPROVEMENT = 1e-9
"""The relative fall that counts: the last digits depend on the order of summation."""


class Best(NamedTuple):
    """The best cost known of an instance, and where it came from."""

    cost: float
    source: str


def read_best(folder: Path, name: str, objective: str) -> dict[int, Best]:
    """The best costs known of a set by the number of the instance; {} where there is no file."""
    path = _path(folder, name, objective)
    if not path.exists():
        return {}
    with blamed(path):
        try:
            text = gzip.decompress(path.read_bytes()).decode()
            rows = csv.DictReader(io.StringIO(text))
            return {int(r["number"]): Best(float(r["cost"]), r["source"]) for r in rows}
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            raise InputError("the archive file is damaged") from None


def update(folder: Path, measured: Measurements) -> dict[tuple[str, str], int]:
    """Takes over every better cost; how many there were in each (set, objective)."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in measured.answered():
        groups.setdefault((row.set, row.objective), []).append(row)
    better = {}
    for (name, objective), rows in groups.items():
        known = read_best(folder, name, objective)
        found = _improvements(known, rows, measured)
        if found:
            write_best(folder, name, objective, known | found)
        better[name, objective] = len(found)
    return better


def _improvements(
    known: dict[int, Best], rows: Iterable[Row], measured: Measurements
) -> dict[int, Best]:
    found: dict[int, Best] = {}
    for row in rows:
        best = found.get(row.number) or known.get(row.number)
        assert row.cost is not None
        if best is None or row.cost < best.cost * (1 - IMPROVEMENT):
            session = measured.sessions.get(row.session)
            commit = f", commit {session.commit}" if session and session.commit else ""
            found[row.number] = Best(row.cost, f"{row.label}, seed {row.seed}{commit}")
    return found


def write_best(folder: Path, name: str, objective: str, best: dict[int, Best]) -> None:
    """Writes the file of a set and objective; the same archive gives the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "cost", "source"])
    writer.writerows((number, *best[number]) for number in sorted(best))
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(_path(folder, name, objective), gzip.compress(text.getvalue().encode(), mtime=0))


def _path(folder: Path, name: str, objective: str) -> Path:
    return folder / f"{name}-{objective}.csv.gz"
