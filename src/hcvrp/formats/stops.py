"""What is known of the places beyond the problem: addresses, phones, notes, from file to plan."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, TypeAlias

from hcvrp.formats.columns import normal
from hcvrp.formats.spreadsheet import MARK, Row, bare
from hcvrp.instance import Instance, Vehicle

Details: TypeAlias = dict[str, str]
"""Texts about one place, by what they tell."""


class Stops(Instance):
    """An instance with the details of each node, the depot first.

    As a problem it equals one without: they are for the planner, who finds them in the plan again.
    `depot_row` and `unused` tell him how his spreadsheet was read, if it came as one.
    """

    def __init__(
        self,
        details: Sequence[Details],
        *problem: Any,
        depot_row: str | None = None,
        unused: str | None = None,
        **more: Any,
    ) -> None:
        self.details = details
        self.depot_row = depot_row
        self.unused = unused
        super().__init__(*problem, **more)

    def with_vehicles(self, vehicles: Sequence[Vehicle | float]) -> Stops:
        """The same customers, with what is known of them, and another fleet."""
        other = object.__new__(Stops)
        vars(other).update(self.__getstate__() | vars(super().with_vehicles(vehicles)))
        return other

    def __copy__(self) -> Stops:
        """Itself, for it does not change; `__reduce__` would leave the details behind."""
        return self

    def __deepcopy__(self, memo: object) -> Stops:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """The problem alone: the rest would weigh down messages to processes that search."""
        problem = self.__getstate__()
        for known in ("details", "depot_row", "unused"):
            del problem[known]
        return object.__new__, (Instance,), problem


def details(instance: Instance) -> Sequence[Details]:
    """The details of each node; none where there are none."""
    return instance.details if isinstance(instance, Stops) else [{}] * (instance.size + 1)


def details_in(rows: Sequence[Row]) -> list[Details]:
    """Those of a sheet, the depot's row first: all filled cells but names, places and demands.

    A type that all customers share tells nothing either. The depot has the columns that it leaves
    empty, too, so that their order is kept.
    """
    sheet = rows[0].sheet
    kinds = {row.text("type").strip() for row in rows[1:]}
    used = {k for meaning, k in sheet.columns.items() if meaning != "type" or len(kinds) == 1}
    columns = _distinct(
        {
            k: bare(header).removeprefix(MARK) or f"column {k + 1}"
            for k, header in enumerate(sheet.table.header)
            if k not in used and sheet.cells[k]
        }
    )
    found = [
        {
            columns[k]: bare(cell.strip())
            for k, cell in enumerate(row.cells)
            if k in columns and cell.strip()
        }
        for row in rows
    ]
    found[0] = dict.fromkeys(columns.values(), "") | found[0]
    return found


def _distinct(names: dict[int, str]) -> dict[int, str]:
    """The names of columns, a second of one name with its column's number behind it."""
    taken: set[str] = set()
    for k, name in names.items():
        while name in taken:
            name += f" ({k + 1})"
        taken.add(name)
        names[k] = name
    return names


def detail_names(instance: Instance) -> list[str]:
    """What the details tell, in the order in which it comes up."""
    return list(dict.fromkeys(chain.from_iterable(details(instance))))


def detail_columns(instance: Instance, own: Collection[str]) -> tuple[list[str], list[list[str]]]:
    """The details as columns: headers, cells by node.

    What would be taken for one of `own`, the columns that they come after, is called otherwise.
    """
    told = detail_names(instance)
    taken = set(map(normal, own))
    marked = [MARK + name if normal(name) in taken else name for name in told]
    headers = _distinct(dict(enumerate(marked, start=len(own))))
    return list(headers.values()), [
        [texts.get(name, "") for name in told] for texts in details(instance)
    ]
