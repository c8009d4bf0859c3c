"""The best-known archive: per set and objective what is known of each instance, no routes.

A file such as `v3-c40-min-max.csv.gz` has the columns number, cost, bound, source: the best cost
seen, the best proven lower bound if there is one, and where the cost came from. Costs are the
referee's, to the last digit; they only ever fall, and bounds only ever rise.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import zlib
from pathlib import Path
from typing import NamedTuple

from hcvrp.bench.packing import pack
from hcvrp.bench.results import Measurements, Row
from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, make_folder, write_bytes

FOLDER = Path("bench/best-known")
"""Where the archive lies in the source tree."""

IMPROVEMENT = 1e-9
"""The relative fall that counts: the last digits depend on the order of summation."""


BOUND_TOLERANCE = 1e-6
"""By how much, relatively, a proven bound may exceed a cost before one of them must be wrong."""


class Best(NamedTuple):
    """The best cost known of an instance, where it came from, and the best proven bound."""

    cost: float
    source: str
    bound: float | None = None


def read_best(folder: Path, name: str, objective: str) -> dict[int, Best]:
    """The best costs known of a set by the number of the instance; {} where there is no file."""
    path = _path(folder, name, objective)
    if not path.exists():
        return {}
    with blamed(path):
        try:
            text = gzip.decompress(path.read_bytes()).decode()
            rows = csv.DictReader(io.StringIO(text))
            return {int(r["number"]): _best(r) for r in rows}
        except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error, csv.Error):
            raise InputError("the archive file is damaged") from None


def _best(values: dict[str, str]) -> Best:
    bound = float(values["bound"]) if values["bound"] else None
    return Best(float(values["cost"]), values["source"], bound)


def update(folder: Path, measured: Measurements) -> dict[tuple[str, str], int]:
    """Takes over every better cost and bound; of how many instances in each (set, objective)."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in measured.answered():
        groups.setdefault((row.set, row.objective), []).append(row)
    better = {}
    for (name, objective), rows in groups.items():
        known = read_best(folder, name, objective)
        found = dict(known)
        for row in rows:
            found[row.number] = _better(found.get(row.number), row, measured)
        news = [number for number in found if found[number] != known.get(number)]
        if news:
            write_best(folder, name, objective, found)
        better[name, objective] = len(news)
    return better


def _better(known: Best | None, row: Row, measured: Measurements) -> Best:
    """What is known with the row's cost if that is lower, and its bound if that is higher."""
    assert row.cost is not None
    best = known or Best(math.inf, "")
    if row.cost < best.cost * (1 - IMPROVEMENT):
        best = best._replace(cost=row.cost, source=_source(row, measured))
    if row.bound is not None and row.bound > (best.bound or 0.0) * (1 + IMPROVEMENT):
        best = best._replace(bound=row.bound)
    if best.bound is not None and best.bound > best.cost * (1 + BOUND_TOLERANCE):
        raise InputError(
            f"{row.set} {row.objective} #{row.number}: a bound of {best.bound:.10g} is said to be"
            f" proven, but {best.source} has the cost {best.cost:.10g}"
        )
    return best


def _source(row: Row, measured: Measurements) -> str:
    session = measured.sessions.get(row.session)
    commit = f", commit {session.commit}" if session and session.commit else ""
    return f"{row.label}, seed {row.seed}{commit}"


def write_best(folder: Path, name: str, objective: str, best: dict[int, Best]) -> None:
    """Writes the file of a set and objective; the same archive gives the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "cost", "bound", "source"])
    for number, (cost, source, bound) in sorted(best.items()):
        writer.writerow([number, cost, bound, source])
    make_folder(folder)
    write_bytes(_path(folder, name, objective), pack(text.getvalue().encode()))


def _path(folder: Path, name: str, objective: str) -> Path:
    return folder / f"{name}-{objective}.csv.gz"
