"""What to tell a planner of how a spreadsheet was read, though nothing is wrong with it.

Other formats leave nothing open: of these there is nothing to tell.
"""

from __future__ import annotations

import os
from pathlib import Path

from hcvrp.formats import strangers
from hcvrp.formats.columns import FLEET
from hcvrp.formats.fields import SHOWN
from hcvrp.formats.spreadsheet import Row, Sheet, bare, read
from hcvrp.formats.stops import Stops
from hcvrp.instance import Instance

NAMED = 5
"""How many columns a sentence names: a file may have thousands."""


def depot_row(instance: Instance) -> str | None:
    """Which row of a list of customers was taken as the depot: "Lager (line 2)", or "line 2"."""
    return instance.depot_row if isinstance(instance, Stops) else None


def unused_of_customers(instance: Instance) -> str | None:
    """A sentence about the columns of amounts of which nothing was made; None if there are none."""
    return instance.unused if isinstance(instance, Stops) else None


def unused_of_fleet(path: str | os.PathLike[str]) -> str | None:
    """Likewise, of a file of vehicles; it is short, and read anew unless it comes by a pipe."""
    file = Path(path)
    if file.suffix.lower() != ".csv" or not file.is_file():
        return None
    return _unused(read(file).understood(FLEET), f"a fleet has: {', '.join(FLEET)}")


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
    told = [name for name, cells in sheet.unknown if strangers.worth_telling(name, cells)]
    if not told:
        return None
    named = ", ".join(repr(name[:SHOWN]) for name in told[:NAMED])
    more = f" and {len(told) - NAMED} more" if len(told) > NAMED else ""
    columns = f"column {named} is" if len(told) == 1 else f"columns {named}{more} are"
    return f"{columns} not used; {known}"
