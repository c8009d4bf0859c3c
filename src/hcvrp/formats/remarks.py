"""What to tell a planner of how a spreadsheet was read, though nothing is wrong with it.

Other formats leave nothing open: of these there is nothing to tell.
"""

from __future__ import annotations

import os
from pathlib import Path

from hcvrp.formats import strangers
from hcvrp.formats.columns import FLEET
from hcvrp.formats.spreadsheet import Row, Sheet, bare, read
from hcvrp.formats.stops import Stops
from hcvrp.instance import Instance


def depot_row(instance: Instance) -> str | None:
    """Which row of a list of customers was taken as the depot: "Lager (line 2)", or "line 2"."""
    depot = _depot(instance)
    if depot is None:
        return None
    name = bare(depot.text("name").strip())
    named = depot.is_depot("type") or depot.is_depot("name")
    place = f"line {depot.line}" + ("" if named else ", the first row")
    return f"{name} ({place})" if name else place


def unused_of_customers(instance: Instance) -> str | None:
    """A sentence about the columns of amounts of which nothing was made; None if there are none."""
    depot = _depot(instance)
    if depot is None:
        return None
    return _unused(depot.sheet, "stops have: name, lat and lon (or x and y), demand")


def unused_of_fleet(path: str | os.PathLike[str]) -> str | None:
    """Likewise, of a file of vehicles; it is short, and read anew unless it comes by a pipe."""
    file = Path(path)
    if file.suffix.lower() != ".csv" or not file.is_file():
        return None
    return _unused(read(file).understood(FLEET), f"a fleet has: {', '.join(FLEET)}")


def _depot(instance: Instance) -> Row | None:
    return instance.row if isinstance(instance, Stops) else None


def _unused(sheet: Sheet, known: str) -> str | None:
    told = [repr(name) for name, cells in sheet.unknown if strangers.worth_telling(name, cells)]
    if not told:
        return None
    columns = f"column {told[0]} is" if len(told) == 1 else f"columns {', '.join(told)} are"
    return f"{columns} not used; {known}"
