"""CSV files as spreadsheets export them: customers, fleets, and solutions stop by stop.

Separators are commas, semicolons or tabs, whichever the header has most of; with the latter two a
comma in a number is a decimal comma. Header names ignore case and have a few synonyms.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hcvrp.errors import InputError
from hcvrp.formats.contents import Answer, Fleet, check_belongs
from hcvrp.formats.fields import number_in, plain, whole_in
from hcvrp.formats.files import blamed
from hcvrp.formats.fleet import expanded
from hcvrp.instance import Instance, Metric, Vehicle
from hcvrp.schedule import timed_trips
from hcvrp.solution import Solution

_CUSTOMER_COLUMNS = {
    "type": ("kind",),
    "name": ("customer", "stop", "id"),
    "x": (),
    "y": (),
    "lat": ("latitude",),
    "lon": ("lng", "long", "longitude"),
    "demand": ("quantity", "qty", "weight", "amount"),
}
_FLEET_COLUMNS: dict[str, tuple[str, ...]] = {
    "name": ("vehicle", "van", "id"),
    "capacity": (),
    "speed": (),
    "count": ("number",),
}
_SOLUTION_COLUMNS = ("vehicle", "trip", "order", "customer")
_SOLUTION_HEADER = (
    "vehicle",
    "vehicle name",
    "trip",
    "order",
    "customer",
    "customer name",
    "demand",
    "load",
    "arrival",
)


class _Row(NamedTuple):
    """A row of cells by column, and the line it ends on."""

    cells: dict[str, str]
    line: int
    decimal_comma: bool

    def text(self, column: str) -> str:
        """The cell as it stands, "" where the row is short or the column absent."""
        return self.cells.get(column, "")

    def number(self, column: str) -> float:
        """The cell as a number."""
        text = self.text(column).strip()
        place = f"line {self.line}: {column}"
        if not text:
            raise InputError(f"{place} is empty")
        return number_in(text.replace(",", ".") if self.decimal_comma else text, place)

    def whole(self, column: str, least: int) -> int:
        """The cell as a whole number of at least `least`."""
        return whole_in(self.text(column).strip(), f"line {self.line}: {column}", least)

    def is_depot(self, column: str) -> bool:
        """Whether the cell says so."""
        return self.text(column).strip().lower() == "depot"


class Table(NamedTuple):
    """A CSV file: its header in lower case, and its rows."""

    header: list[str]
    rows: list[_Row]

    @property
    def is_fleet(self) -> bool:
        """Whether these are vehicles."""
        return "capacity" in self.header

    @property
    def is_solution(self) -> bool:
        """Whether these are the stops of a solution."""
        return set(_SOLUTION_COLUMNS) <= set(self.header)

    def renamed(self, columns: dict[str, tuple[str, ...]]) -> Table:
        """The columns under their own names instead of synonyms; a column's own name wins."""
        names = dict(zip(self.header, self.header, strict=True))
        for column, synonyms in columns.items():
            found = [s for s in synonyms if s in self.header]
            if column not in self.header and len(found) > 1:
                raise InputError(f"columns {found[0]} and {found[1]} both mean {column}")
            if column not in self.header and found:
                names[found[0]] = column
        rows = [
            row._replace(cells={names[k]: c for k, c in row.cells.items()}) for row in self.rows
        ]
        return Table([names[column] for column in self.header], rows)

    def need(self, *columns: str) -> None:
        """Refuses a file without one of the columns."""
        for column in columns:
            if column not in self.header:
                raise InputError(f"column {column} is missing; the file has: {self.listed}")

    @property
    def listed(self) -> str:
        """The columns in one line."""
        return ", ".join(self.header)


# Reading ------------------------------------------------------------------------------------------


def load(text: str) -> Table:
    """The table of a CSV text; blank lines do not count."""
    top = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",;\t", key=top.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        lines = [(cells, reader.line_num) for cells in reader if any(c.strip() for c in cells)]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: not CSV: {error}") from None
    if not lines:
        raise InputError("the file is empty")
    header = [name.strip().lower() for name in lines[0][0]]
    for name in header:
        if name and header.count(name) > 1:
            raise InputError(f"column {name} is given twice")
    for cells, line in lines[1:]:
        if len(cells) > len(header):
            raise InputError(f"line {line} has {len(cells)} cells, the header {len(header)}")
    rows = [
        _Row(dict(zip(header, cells, strict=False)), line, separator != ",")
        for cells, line in lines[1:]
    ]
    return Table(header, rows)


def parse_customers(table: Table, fleet: Sequence[Vehicle | float] | None) -> Instance:
    """The instance of a list of customers and the fleet that serves them.

    The depot is the row whose type, or without such a column whose name, is "depot"; else the
    first row if its demand is empty or 0. Other columns are not looked at.
    """
    table = table.renamed(_CUSTOMER_COLUMNS)
    metric = _metric(table)
    axes = ("lat", "lon") if metric == "great-circle" else ("x", "y")
    table.need(*axes, "demand")
    if fleet is None:
        raise InputError(
            "a list of customers needs a fleet: give one, such as --fleet vans.csv or"
            " --fleet 20,25,30 on the command line, or fleet=[20, 25, 30] in Python"
        )
    depot, customers = _split(table)
    return Instance(
        [row.number("demand") for row in customers],
        fleet,
        depot=[depot.number(axis) for axis in axes],
        customers=[[row.number(axis) for axis in axes] for row in customers],
        metric=metric,
        customer_names=_names(customers),
    )


def _metric(table: Table) -> Metric:
    planar = {"x", "y"} & set(table.header)
    globe = {"lat", "lon"} & set(table.header)
    if planar and globe:
        raise InputError(f"give x and y or lat and lon, not both; the file has: {table.listed}")
    return "great-circle" if globe else "euclidean"


def _split(table: Table) -> tuple[_Row, list[_Row]]:
    """The depot and the customers."""
    if not table.rows:
        raise InputError("the file has a header but no rows")
    column = "type" if "type" in table.header else "name"
    depots = [row for row in table.rows if row.is_depot(column)]
    if len(depots) > 1:
        raise InputError(f"lines {depots[0].line} and {depots[1].line} are both the depot")
    depot = depots[0] if depots else table.rows[0]
    if depot.text("demand").strip() and depot.number("demand") != 0:
        if depots:
            raise InputError(f"line {depot.line}: demand of the depot must be empty or 0")
        raise InputError(
            'the depot is missing: name its row "depot", or put it first with a demand of 0'
        )
    return depot, [row for row in table.rows if row is not depot]


def _names(rows: list[_Row]) -> list[str] | None:
    names = [row.text("name") for row in rows]
    empty = [row for row, name in zip(rows, names, strict=True) if not name.strip()]
    if empty and len(empty) < len(rows):
        raise InputError(f"line {empty[0].line}: name is empty: name every customer or none")
    return None if empty else names


def parse_fleet(table: Table) -> Fleet:
    """The vehicles; an unknown column is refused, for "spede" must not become a speed of 1."""
    table = table.renamed(_FLEET_COLUMNS)
    table.need("capacity")
    for column in table.header:
        if column and column not in _FLEET_COLUMNS:  # spreadsheets leave nameless columns
            known = ", ".join(_FLEET_COLUMNS)
            raise InputError(f"unknown column {column!r}; a fleet has: {known}")
    if not table.rows:
        raise InputError("the file has a header but no rows")
    vehicles = [_vehicle(row) for row in table.rows]
    counts = [row.whole("count", 1) if row.text("count").strip() else 1 for row in table.rows]
    return Fleet(expanded(vehicles, counts))


def _vehicle(row: _Row) -> Vehicle:
    capacity = row.number("capacity")
    speed = row.number("speed") if row.text("speed").strip() else 1.0
    with blamed(f"line {row.line}"):
        return Vehicle(capacity, speed, row.text("name") or None)


def parse_solution(table: Table) -> Answer:
    """The trips of a file of stops; rows may come in any order, returns to the depot are passed."""
    table.need(*_SOLUTION_COLUMNS)
    trips: dict[tuple[int, int], dict[int, int]] = {}
    for row in table.rows:
        vehicle, trip, order = (row.whole(c, 1) for c in ("vehicle", "trip", "order"))
        stops = trips.setdefault((vehicle - 1, trip), {})
        if order in stops:
            raise InputError(f"line {row.line}: order {order} is given twice in one trip")
        stops[order] = row.whole("customer", 0)
    in_order = sorted(trips.items())
    return Answer(
        trips=tuple(tuple(c for _, c in sorted(stops.items()) if c) for _, stops in in_order),
        drivers=tuple(vehicle for (vehicle, _), _ in in_order),
    )


# Writing ------------------------------------------------------------------------------------------


def format_customers(instance: Instance) -> str:
    """The depot and the customers; the vehicles go into a file of their own."""
    if instance.coordinates is None or instance.matrix is not None:
        raise InputError("a list of customers holds coordinates, not a distance matrix")
    if instance.customer_names and not all(name.strip() for name in instance.customer_names):
        raise InputError("a customer whose name is blank cannot be kept in a CSV file")
    axes = ("x", "y") if instance.metric == "euclidean" else ("lat", "lon")
    names = [[""], *([name] for name in instance.customer_names or ())]
    rows = []
    for k, point in enumerate(instance.coordinates.tolist()):
        kind, demand = ("customer", instance.demands[k - 1]) if k else ("depot", 0.0)
        name = names[k] if instance.customer_names else []
        rows.append([kind, *name, *map(plain, point), plain(demand)])
    header = ["type", *(["name"] if instance.customer_names else []), *axes, "demand"]
    return _text([header, *rows])


def format_fleet(vehicles: Sequence[Vehicle]) -> str:
    """A row per vehicle."""
    rows = [[v.name or "", plain(v.capacity), plain(v.speed)] for v in vehicles]
    return _text([["name", "capacity", "speed"], *rows])


def format_solution(solution: Solution, instance: Instance) -> str:
    """A row per stop, the return to the depot included as customer 0."""
    check_belongs(solution, instance)
    rows: list[list[object]] = []
    for trip in timed_trips(instance, solution):
        head = [trip.vehicle + 1, instance.vehicle_label(trip.vehicle), trip.trip + 1]
        for visit in trip.visits:
            who = [visit.customer, instance.customer_label(visit.customer)]
            facts = map(plain, (visit.demand, visit.load_after, visit.arrival))
            rows.append([*head, visit.order + 1, *who, *facts])
        rows.append([*head, len(trip.visits) + 1, 0, "depot", 0, 0, plain(trip.end)])
    return _text([_SOLUTION_HEADER, *rows])


def _text(rows: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)  # RFC 4180
    return buffer.getvalue()
