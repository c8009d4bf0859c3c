"""VROOM problem files (VROOM API documentation, version 1.14), as far as they say our problem.

Jobs become customers and vehicles become vehicles, named by their ids. What our problem cannot
express is refused by name, unless its value changes nothing (no service time, no skills).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hcvrp.errors import InputError
from hcvrp.formats.fields import Field
from hcvrp.instance import Instance, Vehicle

_NEUTRAL: dict[str, object] = {
    "service": 0,
    "setup": 0,
    "priority": 0,
    "pickup": [0],
    "skills": [],
    "breaks": [],
    "shipments": [],
}
"""The value with which a field asks for nothing."""

_JOB = ("id", "description", "location", "location_index", "delivery", "amount")
_VEHICLE = (
    "id",
    "description",
    "profile",
    "start",
    "start_index",
    "end",
    "end_index",
    "capacity",
    "speed_factor",
)


def is_problem(document: Field) -> bool:
    """Whether a JSON document without a `format` looks like one of VROOM's."""
    value = document.value
    return isinstance(value, dict) and "format" not in value and "jobs" in value


def parse_instance(document: Field, fleet: Sequence[Vehicle | float] | None = None) -> Instance:
    """The instance; `fleet` replaces its vehicles.

    Distances are the `durations` of `matrices` where given, and a vehicle's speed is its
    `speed_factor`; else they are great-circle kilometres.
    """
    root = _expressible(document, ("vehicles", "jobs", "matrices"), ("vehicles", "jobs"))
    jobs = [_expressible(entry, _JOB, ("id",)) for entry in root["jobs"].items()]
    vehicles = [
        _expressible(entry, _VEHICLE, ("id", "capacity")) for entry in root["vehicles"].items()
    ]
    if not vehicles:
        raise InputError("vehicles is empty")
    for vehicle in vehicles:
        _check_depot(vehicle, vehicles[0])
    points = _points(vehicles[0], jobs)
    matrix = _matrix(root, vehicles, jobs) if "matrices" in root else None
    if points is None and matrix is None:
        raise InputError(_missing(vehicles[0], jobs, "location", "start"))
    return Instance(
        [_demand(job) for job in jobs],
        [_vehicle(vehicle) for vehicle in vehicles] if fleet is None else fleet,
        depot=points[0] if points else None,
        customers=points[1:] if points else None,
        distances=matrix,
        metric="great-circle" if points else "euclidean",
        customer_names=[_id(job) for job in jobs],
    )


def _expressible(entry: Field, known: Sequence[str], required: Sequence[str]) -> dict[str, Field]:
    """The fields of an object; one that our problem does not know must ask for nothing."""
    if not isinstance(entry.value, dict):
        raise entry.wrong("an object")
    for key, value in entry.value.items():
        if key not in known and (key not in _NEUTRAL or value != _NEUTRAL[key]):
            raise InputError(f"{entry.inside(key)} has no place in this problem: leave it out")
    kept = {key: value for key, value in entry.value.items() if key in known}
    return Field(kept, entry.place).record(required, known)


def _check_depot(vehicle: dict[str, Field], first: dict[str, Field]) -> None:
    """Every vehicle starts and ends at one and the same place."""
    for suffix in ("", "_index"):
        start, end = vehicle.get(f"start{suffix}"), vehicle.get(f"end{suffix}")
        place = vehicle["id"].place.removesuffix("id")
        if start is not None and end is None:
            raise InputError(
                f"{place}end{suffix} is missing: without it a route is open in VROOM,"
                " here every trip returns to the depot"
            )
        if (start and start.value) != (end and end.value):
            raise InputError(f"{place}end{suffix} differs from start{suffix}: there is one depot")
        other = first.get(f"start{suffix}")
        if (start and start.value) != (other and other.value):
            raise InputError(f"{place}start{suffix} differs from vehicle 0: there is one depot")


def _points(depot: dict[str, Field], jobs: list[dict[str, Field]]) -> list[list[float]] | None:
    """(lat, lon) of the depot and the jobs, where all have them."""
    fields = [depot.get("start"), *(job.get("location") for job in jobs)]
    given = [field for field in fields if field is not None]
    return [_lat_lon(field) for field in given] if len(given) == len(fields) else None


def _lat_lon(field: Field) -> list[float]:
    pair = [entry.number() for entry in field.items()]
    if len(pair) != 2:
        raise InputError(f"{field.place} must be [longitude, latitude], not {len(pair)} numbers")
    return pair[::-1]


def _matrix(
    root: dict[str, Field], vehicles: list[dict[str, Field]], jobs: list[dict[str, Field]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    profiles = {v["profile"].text() if "profile" in v else "car" for v in vehicles}
    if len(profiles) > 1:
        raise InputError(f"vehicles have several profiles: {', '.join(sorted(profiles))}")
    profile = profiles.pop()
    table = root["matrices"].record((profile,), root["matrices"].value)[profile]
    tables = table.record((), ("durations", "distances", "costs"))
    if "costs" in tables:
        raise InputError(f"{tables['costs'].place} has no place in this problem: leave it out")
    chosen = tables.get("durations") or tables.get("distances")
    if chosen is None:
        raise InputError(f"{table.inside('durations')} is missing")
    matrix = chosen.matrix()
    fields = [vehicles[0].get("start_index"), *(job.get("location_index") for job in jobs)]
    if None in fields:
        raise InputError(_missing(vehicles[0], jobs, "location_index", "start_index"))
    nodes = [_index(field, len(matrix)) for field in fields if field is not None]
    return np.array(matrix[np.ix_(nodes, nodes)])


def _index(field: Field, size: int) -> int:
    index = field.whole(least=0)
    if index >= size:
        raise InputError(f"{field.place} must be less than {size}, the matrix's size, not {index}")
    return index


def _missing(
    depot: dict[str, Field], jobs: list[dict[str, Field]], of_job: str, of_vehicle: str
) -> str:
    """The sentence about the first place that is not given."""
    without = next((job for job in jobs if of_job not in job), None)
    if without is None or of_vehicle not in depot:
        without, of_job = depot, of_vehicle
    return f"{without['id'].place.removesuffix('id')}{of_job} is missing"


def _demand(job: dict[str, Field]) -> float:
    field = job.get("delivery") or job.get("amount")
    if field is None:
        raise InputError(f"{job['id'].place.removesuffix('id')}delivery is missing")
    return _single(field)


def _single(field: Field) -> float:
    """The number of an array of one dimension of goods."""
    entries = field.items()
    if len(entries) != 1:
        raise InputError(f"{field.place} must have one dimension, not {len(entries)}")
    return entries[0].number()


def _vehicle(record: dict[str, Field]) -> Vehicle:
    speed = record["speed_factor"].number() if "speed_factor" in record else 1.0
    return Vehicle(_single(record["capacity"]), speed, _id(record))


def _id(record: dict[str, Field]) -> str:
    return str(record["id"].whole(least=0))
