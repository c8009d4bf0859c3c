"""The instance of a spreadsheet, which keeps the rows that it was made of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from hcvrp.formats.columns import normal
from hcvrp.formats.spreadsheet import Row, bare
from hcvrp.instance import Instance


class Stops(Instance):
    """An instance with the row of each node, the depot first.

    As a problem it equals one without: the rows are for the planner, who is told how they were
    read, and finds their other cells in the plan again.
    """

    def __init__(self, rows: Sequence[Row], *problem: Any, **more: Any) -> None:
        self.rows = rows
        super().__init__(*problem, **more)

    def __reduce__(self) -> tuple[Any, ...]:
        """The problem alone: rows would weigh down messages to processes that search."""
        problem = {name: value for name, value in self.__getstate__().items() if name != "rows"}
        return object.__new__, (Instance,), problem


def others(instance: Instance, own: Collection[str]) -> tuple[list[str], list[list[str]]]:
    """The columns of the sheet but those of names, places and demands: headers, cells by node.

    A type that all customers share tells nothing either. What would be taken for one of `own`, the
    columns that they come after, is called otherwise.
    """
    if not isinstance(instance, Stops):
        return [], [[]] * (instance.size + 1)
    sheet = instance.rows[0].sheet
    kinds = {row.text("type") for row in instance.rows[1:]}
    used = {k for meaning, k in sheet.columns.items() if meaning != "type" or len(kinds) == 1}
    taken = set(map(normal, own))
    names = {
        k: f"stops: {name}" if normal(name) in taken else name or f"column {k + 1}"
        for k, name in enumerate(sheet.table.header)
        if k not in used and (name or any(sheet.cells(k)))
    }
    cells = [
        [bare(row.cells[k].strip()) if k < len(row.cells) else "" for k in names]
        for row in instance.rows
    ]
    return list(names.values()), cells
