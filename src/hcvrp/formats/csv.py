"""CSV files as spreadsheets export them: customers, fleets, and solutions stop by stop.

`spreadsheet` takes a file apart, `columns` says what headers mean, `numerals` reads the numbers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from hcvrp import wording
from hcvrp.errors import InputError
from hcvrp.formats import numerals, remarks, strangers, units
from hcvrp.formats.columns import (
    CUSTOMER,
    FLEET,
    KINDS,
    PLAN,
    may_be_shared,
    normal,
    of_customers,
    resembles,
)
from hcvrp.formats.contents import Answer, Fleet, check_belongs
from hcvrp.formats.fields import SHOWN, plain
from hcvrp.formats.files import blamed
from hcvrp.formats.fleet import expanded, no_vehicles
from hcvrp.formats.labels import Label
from hcvrp.formats.places import Where, both
from hcvrp.formats.spreadsheet import Row, Sheet, Table, bare, load, safe
from hcvrp.formats.stops import Stops, detail_columns, details_in
from hcvrp.formats.totals import called, check_no_totals
from hcvrp.instance import Instance, Metric, NodeError, Vehicle
from hcvrp.schedule import timed_trips
from hcvrp.solution import Solution

__all__ = [
    "format_customers",
    "format_fleet",
    "format_solution",
    "has_customers",
    "is_fleet",
    "is_solution",
    "load",
    "parse_customers",
    "parse_fleet",
    "parse_solution",
]

_LABELS = ("vehicle name", "customer name")
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


# Reading ------------------------------------------------------------------------------------------


def is_fleet(table: Table) -> bool:
    """Whether these are vehicles."""
    capacities = ("capacity", *FLEET["capacity"])
    return not table.words.isdisjoint(capacities) and not has_customers(table)


def has_customers(table: Table) -> bool:
    """Whether there are columns of places and of demands."""
    return of_customers(table.words)


def is_solution(table: Table) -> bool:
    """Whether these are the stops of a solution."""
    return table.words.issuperset(PLAN)


def parse_customers(table: Table, fleet: Sequence[Vehicle | float] | None) -> Instance:
    """The instance of a list of customers and the fleet that serves them.

    The depot is the row whose type, or where no type says so whose name, is "depot"; else the
    first row if its demand is empty or 0. Other columns are details.
    """
    sheet = table.understood(CUSTOMER)
    metric = _metric(sheet)
    axes = ("lat", "lon") if metric == "great-circle" else ("x", "y")
    if sheet.columns.keys().isdisjoint(axes):
        raise InputError(
            "the file has no places: give columns lat and lon (degrees), or x and y; addresses"
            f" are not looked up; the file has: {sheet.listed}{sheet.misspelt('lat', 'lon')}",
            code="unclear-columns",
        )
    sheet.need(*axes, "demand")
    if fleet is None:
        raise InputError(
            "a list of customers needs a fleet",
            code="fleet-missing",
            advice="give one, such as --fleet vans.csv or --fleet 20,25,30 on the command line,"
            " or fleet=[20, 25, 30] in Python",
            upload="upload vehicles, or give fleet, such as fleet=20,25,30",
        )
    units.check_demand(sheet.header("demand"), fleet)
    with sheet.guesses_told():
        depot, customers = _split(sheet)
        nodes = [depot, *customers]
        _check_places(nodes, axes)
        with _lines_told(nodes):
            return Stops(
                details_in(nodes),
                [row.number("demand") for row in customers],
                fleet,
                depot=[depot.number(axis) for axis in axes],
                customers=[[row.number(axis) for axis in axes] for row in customers],
                metric=metric,
                customer_names=_names(customers),
                depot_row=remarks.of_depot(depot),
                unused=remarks.of_columns(sheet),
            )


@contextmanager
def _lines_told(nodes: Sequence[Row]) -> Iterator[None]:
    """Within it, what is wrong with a node begins with its line."""
    try:
        yield
    except NodeError as error:
        error.sentence = f"{nodes[error.node].where}: {error.sentence}"
        raise


def _metric(sheet: Sheet) -> Metric:
    planar = {"x", "y"} & set(sheet.columns)
    globe = {"lat", "lon"} & set(sheet.columns)
    if planar and globe:
        raise InputError(
            f"give x and y or lat and lon, not both; the file has: {sheet.listed}",
            code="unclear-columns",
        )
    return "great-circle" if globe else "euclidean"


def _split(sheet: Sheet) -> tuple[Row, list[Row]]:
    """The depot and the customers."""
    rows = sheet.rows
    depots = [row for row in rows if row.is_depot("type")]
    depots = depots or [row for row in rows if row.is_depot("name")]
    if len(depots) > 1:
        raise InputError(
            f"{both(depots[0].where, depots[1].where)} are both the depot",
            code="unclear-columns",
        )
    depot = depots[0] if depots else rows[0]
    if depot.filled("demand") and depot.number("demand") != 0:
        if depots:
            demand = depot.text("demand")
            raise InputError(
                f"{depot.where}: demand of the depot must be empty or 0, not {demand[:SHOWN]}"
            )
        raise InputError(
            'the depot is missing: name its row "depot", or put it first with a demand of 0',
            code="unclear-columns",
        )
    return depot, [row for row in rows if row is not depot]


def _check_places(nodes: list[Row], axes: tuple[str, str]) -> None:
    """Refuses a depot that is nowhere, and a customer, who as a rule is the sum of the others."""
    for row in nodes:
        if not any(map(row.filled, axes)):
            depot = "it is the depot, where all routes begin and end"
            advice = depot if row is nodes[0] else "take the row out if it is no customer"
            raise InputError(
                f"{row.where.called(called(row)[:SHOWN])} has no place, {axes[0]} and {axes[1]}"
                f" are empty: {advice}"
            )


def _names(rows: list[Row]) -> list[str] | None:
    """The customers' names, if they have any."""
    empty = [row for row in rows if not row.filled("name")]
    if empty and len(empty) < len(rows):
        raise InputError(f"{empty[0].where}: name is empty: name every customer or none")
    if empty:
        return None
    _check_distinct(rows)
    return [bare(row.text("name")) for row in rows]


def parse_fleet(table: Table) -> Fleet:
    """The vehicles; a column of numbers that may be a speed or a count by any name is refused."""
    try:
        sheet = _without_kinds(table.understood(FLEET))
    except InputError as error:
        error.code = "invalid"  # columns that are unclear are asked for: these would be of stops
        raise
    if "capacity" not in sheet.columns and has_customers(table):
        raise no_vehicles("the file looks like a list of customers, not a fleet")
    sheet.need("capacity")
    _check_unknown(sheet)
    rows = sheet.rows
    with sheet.guesses_told():
        check_no_totals(rows)
        _check_distinct([row for row in rows if row.filled("name")])
        _check_speeds(rows)
        vehicles = [_vehicle(row) for row in rows]
        counts = [_count(row) for row in rows]
        return Fleet(expanded(vehicles, counts), {m: sheet.header(m) for m in sheet.columns})


def _without_kinds(sheet: Sheet) -> Sheet:
    """Without names where these are kinds, such as those of a column Typ, and two are of one."""
    column = sheet.columns.get("name")
    if column is None or normal(sheet.table.header[column]) not in KINDS:
        return sheet
    kinds = sheet.cells[column]
    if len(set(kinds)) == len(kinds):
        return sheet
    return replace(sheet, columns={m: k for m, k in sheet.columns.items() if m != "name"})


def _check_unknown(sheet: Sheet) -> None:
    """Refuses a column of numbers that resembles a known one, or any while there is no speed.

    So is one that may be a count while there is none: four vans would silently become one.
    """
    known = f"a fleet has: {', '.join(FLEET)}"
    for name, cells in sheet.unknown:
        if not any(map(numerals.is_number, cells)):
            continue
        most = None if "count" in sheet.columns else strangers.likely_count(name, cells)
        meant = _meant(name, most)
        if meant and meant not in sheet.columns:
            raise InputError(f"unknown column {name!r}; {known} (did you mean {meant}?)")
        if not meant and "speed" not in sheet.columns:
            raise InputError(f"unknown column {name!r}; {known} (rename it or take it out)")
        if most:
            raise InputError(
                f"unknown column {name!r} (up to {most}) may tell how many of each vehicle there"
                " are: call it count if it does, else delete it"
            )


def _meant(name: str, most: int | None) -> str | None:
    """The column it resembles; the number of seats is no count, and vans are not named 1 and 4."""
    meant = resembles(name, FLEET)
    mistaken = strangers.means_other(name) if meant == "count" else meant == "name" and most
    return None if mistaken else meant


def _vehicle(row: Row) -> Vehicle:
    capacity = row.number("capacity")
    speed = row.number("speed") if row.filled("speed") else 1.0
    with blamed(str(row.where)):
        return Vehicle(capacity, speed, bare(row.text("name")) or None)


def _count(row: Row) -> int:
    """How many vehicles the row stands for."""
    if not row.filled("count"):
        return 1
    if row.number("count") == 0:
        raise InputError(
            f"{row.where}: {row.sheet.places['count']} is 0: delete the row of a vehicle that is"
            " not there"
        )
    return row.whole("count", 1)


def _check_speeds(rows: Sequence[Row]) -> None:
    """Refuses a speed left out beside others: 1 would be a good default only for all."""
    empty = [row for row in rows if not row.filled("speed")]
    if empty and len(empty) < len(rows):
        place = f"{empty[0].where}: {empty[0].sheet.places['speed']}"
        raise InputError(f"{place} is empty: give every vehicle a speed or none")


def _check_distinct(rows: Sequence[Row]) -> None:
    """Refuses two rows of one name, by their lines."""
    found: dict[str, Where] = {}
    for row in rows:
        name = row.text("name")
        if name in found:
            raise InputError(
                f"{both(found[name], row.where)} have the same {row.sheet.places['name']}:"
                f" {name[:SHOWN]!r}; add something that tells them apart{_instead(row.sheet)}"
            )
        found[name] = row.where


def _instead(sheet: Sheet) -> str:
    """How to take the names from another column, if this is of towns, addresses or numbers."""
    if not may_be_shared(sheet.header("name")):
        return ""
    return ", or rename the column that does to 'name'"


def parse_solution(table: Table) -> Answer:
    """The trips of a file of stops; rows may come in any order.

    Returns to the depot are passed over: after a change by hand a stop may have the order of one,
    or a trip nothing else left. A trip goes by its number in the file and the place of its
    first stop.
    """
    sheet = table.understood(dict.fromkeys((*PLAN, *_LABELS), ()))
    sheet.need(*PLAN)
    trips: dict[tuple[int, int], dict[int, tuple[int, Where]]] = {}
    labels: list[Label] = []
    for row in sheet.rows if table.lines else ():
        vehicle, trip, order = (row.whole(c, 1) for c in ("vehicle", "trip", "order"))
        customer = row.whole("customer", 0)
        if customer == 0:
            continue
        driver, name = (bare(row.text(c)) for c in _LABELS)
        labels.append(Label(row.where, vehicle, driver, customer, name))
        stops = trips.setdefault((vehicle - 1, trip), {})
        if order in stops:
            raise InputError(f"{row.where}: order {order} is given twice in one trip")
        stops[order] = customer, row.where
    in_order = [(key, [stops[order] for order in sorted(stops)]) for key, stops in trips.items()]
    in_order.sort()
    return Answer(
        trips=tuple(tuple(customer for customer, _ in stops) for _, stops in in_order),
        drivers=tuple(vehicle for (vehicle, _), _ in in_order),
        names=tuple(f"{stops[0][1]}: trip {trip}" for (_, trip), stops in in_order),
        labels=tuple(labels),
    )


# Writing ------------------------------------------------------------------------------------------


def format_customers(instance: Instance) -> str:
    """The depot and the customers; the vehicles go into a file of their own."""
    if instance.coordinates is None or instance.matrix is not None:
        raise InputError("a list of customers holds coordinates, not a distance matrix")
    if instance.customer_names and not all(name.strip() for name in instance.customer_names):
        raise InputError("a customer whose name is blank cannot be kept in a CSV file")
    axes = ("x", "y") if instance.metric == "euclidean" else ("lat", "lon")
    names = [[""], *([safe(name)] for name in instance.customer_names or ())]
    rows = []
    for k, point in enumerate(instance.coordinates.tolist()):
        kind, demand = ("customer", instance.demands[k - 1]) if k else ("depot", 0.0)
        name = names[k] if instance.customer_names else []
        rows.append([kind, *name, *map(plain, point), plain(demand)])
    header = ["type", *(["name"] if instance.customer_names else []), *axes, "demand"]
    return _text([header, *rows])


def format_fleet(vehicles: Sequence[Vehicle]) -> str:
    """A row per vehicle."""
    rows = [[safe(v.name or ""), plain(v.capacity), plain(v.speed)] for v in vehicles]
    return _text([["name", "capacity", "speed"], *rows])


def format_solution(solution: Solution, instance: Instance) -> str:
    """A row per stop, the return to the depot included as customer 0; hours as h:mm besides.

    The details of a place stand at the end of its rows.
    """
    check_belongs(solution, instance)
    hours = wording.times_are_hours(instance)
    header = (*_SOLUTION_HEADER, *(("h:mm",) if hours else ()))
    names, cells = detail_columns(instance, header)
    besides = [list(map(_cell, texts)) for texts in cells]
    rows: list[list[object]] = []
    for trip in timed_trips(instance, solution):
        driver = safe(instance.vehicle_label(trip.vehicle))
        head = [trip.vehicle + 1, driver, trip.trip + 1]
        for visit in trip.visits:
            who = [visit.customer, safe(instance.customer_label(visit.customer))]
            facts = [plain(visit.demand), wording.brief(visit.load_after)]
            facts += [*_arrival(visit.arrival, hours), *besides[visit.customer]]
            rows.append([*head, visit.order + 1, *who, *facts])
        end = [*_arrival(trip.end, hours), *besides[0]]
        rows.append([*head, len(trip.visits) + 1, 0, "depot", 0, 0, *end])
    return _text([[*header, *map(_cell, names)], *rows])


def _arrival(time: float, hours: bool) -> list[str]:
    """The time to six figures and, where it is in hours, as people read it."""
    return [wording.brief(time), *([wording.time(time, hours=True)] if hours else [])]


def _cell(text: str) -> str:
    """The text of a detail, safe; a number below zero is no formula."""
    return text if text.startswith("-") and numerals.is_number(text) else safe(text)


def _text(rows: Iterable[Iterable[object]]) -> str:
    """The rows by RFC 4180; with a byte order mark where Excel would else misread an ü."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    text = buffer.getvalue()
    return text if text.isascii() else f"\ufeff{text}"
