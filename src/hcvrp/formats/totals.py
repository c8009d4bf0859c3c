"""Rows at the end of a sheet that add up the others, and would be vehicles that nobody has."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hcvrp.errors import InputError
from hcvrp.formats.columns import TOTALS, normal
from hcvrp.formats.fields import SHOWN
from hcvrp.formats.spreadsheet import Row, bare


def check_no_totals(rows: Sequence[Row]) -> None:
    """Refuses a row that is called a total, and a last row whose figures are those of the others.

    Stops need no such check: a total has no place.
    """
    for row in rows:
        name = called(row)
        if normal(name) in TOTALS:
            raise InputError(
                f"{row.where.called(name[:SHOWN])} looks like a total of the other rows:"
                " take the row out, or give it another name if it is a vehicle"
            )
    if _adds_up(rows):
        where, name = rows[-1].where, called(rows[-1])
        raise InputError(
            f"{where.called(name[:SHOWN])} has the figures of the rows above it added up:"
            " take the row out if it is a total, or put it first if it is a vehicle"
        )


def called(row: Row) -> str:
    """The name in the row, or else whatever it begins with."""
    return bare(row.text("name").strip() or next(filter(str.strip, row.cells)).strip())


def _adds_up(rows: Sequence[Row]) -> bool:
    """Whether the last row holds sums.

    That of the capacities alone may be chance, 100, 200 and 300: the counts must add up as well,
    or the row be the only one without a name.
    """
    *above, last = rows
    if len(above) < 2 or not last.filled("capacity"):
        return False
    counts = [row.number("count") if row.filled("count") else 1.0 for row in above]
    capacities = [row.number("capacity") for row in above]
    together = math.fsum(c * n for c, n in zip(capacities, counts, strict=True))
    sums = (math.fsum(capacities), together)
    if not any(math.isclose(last.number("capacity"), total) for total in sums):
        return False
    if last.filled("count"):
        return last.number("count") == math.fsum(counts)
    return not last.filled("name") and all(row.filled("name") for row in above)
