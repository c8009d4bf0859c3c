"""What to tell a planner of how a spreadsheet was read, though nothing is wrong with it.

Other formats leave nothing open: of these there is nothing to tell.
"""

from __future__ import annotations

import os
from pathlib import Path

from hcvrp.formats import strangers
from hcvrp.formats.columns import FLEET
from hcvrp.formats.constraints import means_constraint, tells_pickups
from hcvrp.formats.fields import SHOWN
from hcvrp.formats.spreadsheet import Row, Sheet, bare, read_if_sheet
from hcvrp.formats.stops import Stops
from hcvrp.instance import Instance

UNKNOWN = "time windows, shifts, service times, pickups or priorities"
"""What a planner may take for planned with, if nobody says otherwise."""

NAMED = 5
"""How many columns a sentence names: a file may have thousands."""


def depot_row(instance: Instance) -> str | None:
    """Which row of a list of customers was taken as the depot: "Lager (line 2)", or "line 2"."""
    return instance.depot_row if isinstance(instance, Stops) else None


def unused_of_customers(instance: Instance) -> str | None:
    """A sentence about columns of constraints and amounts that are not used; None if none are."""
    return instance.unused if isinstance(instance, Stops) else None


def unused_of_fleet(path: str | os.PathLike[str]) -> str | None:
    """Likewise, of a file of vehicles; it is short, and read anew unless it comes by a pipe."""
    table = read_if_sheet(Path(path)) if Path(path).is_file() else None
    if table is None:
        return None
    return _unused(table.understood(FLEET), f"a fleet has: {', '.join(FLEET)}")


def of_depot(row: Row) -> str:
    """What `depot_row` is to tell of an instance with that depot."""
    name = bare(row.text("name").strip())
    named = row.is_depot("type") or row.is_depot("name")
    place = row.where.listed + ("" if named else ", the first row")
    return f"{name} ({place})" if name else place


def of_columns(sheet: Sheet) -> str | None:
    """What `unused_of_customers` is to tell of an instance from that sheet."""
    return _unused(sheet, "stops have: name, lat and lon (or x and y), demand")


def _unused(sheet: Sheet, known: str) -> str | None:
    unknown = list(sheet.unknown)
    limits = [name for name, cells in unknown if means_constraint(name, cells)]
    amounts = [name for name, cells in unknown if strangers.worth_telling(name, cells)]
    if "type" in sheet.columns and tells_pickups(sheet.cells[sheet.columns["type"]]):
        limits.append(sheet.header("type"))
    sentences = []
    if limits:
        sentences.append(f"{_columns(limits)} not planned with: hcvrp knows no {UNKNOWN}")
    if rest := [name for name in amounts if name not in limits]:
        sentences.append(f"{_columns(rest)} not used; {known}")
    return "; ".join(sentences) or None


def _columns(names: list[str]) -> str:
    """The columns as the beginning of a sentence, the first few by name."""
    named = ", ".join(repr(name[:SHOWN]) for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"column {named} is" if len(names) == 1 else f"columns {named}{more} are"
