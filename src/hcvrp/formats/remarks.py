"""What to tell a planner of how a spreadsheet was read, though nothing is wrong with it.

The file is read anew for that, so that an instance need not carry where it came from. Other formats
leave nothing open, and a pipe cannot be read twice: of these there is nothing to tell.
"""

from __future__ import annotations

import os
from pathlib import Path

from hcvrp.formats import csv, strangers
from hcvrp.formats.columns import CUSTOMER, FLEET, Names
from hcvrp.formats.spreadsheet import Table, read


def depot_row(path: str | os.PathLike[str]) -> str | None:
    """Which row of a list of customers was taken as the depot, such as "Lager (line 2)"."""
    table = _table(path)
    return csv.depot_told(table) if table else None


def unused_of_customers(path: str | os.PathLike[str]) -> str | None:
    """A sentence about the columns of amounts of which nothing was made; None if there are none."""
    return _unused(_table(path), CUSTOMER, "stops have: name, lat and lon (or x and y), demand")


def unused_of_fleet(path: str | os.PathLike[str]) -> str | None:
    """Likewise, of a file of vehicles."""
    return _unused(_table(path), FLEET, f"a fleet has: {', '.join(FLEET)}")


def _table(path: str | os.PathLike[str]) -> Table | None:
    file = Path(path)
    return read(file) if file.suffix.lower() == ".csv" and file.is_file() else None


def _unused(table: Table | None, names: Names, known: str) -> str | None:
    unknown = table.understood(names).unknown if table else ()
    told = [repr(name) for name, cells in unknown if strangers.worth_telling(name, cells)]
    if not told:
        return None
    columns = f"column {told[0]} is" if len(told) == 1 else f"columns {', '.join(told)} are"
    return f"{columns} not used; {known}"
