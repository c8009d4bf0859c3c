"""The project's own JSON files: instances, datasets, fleets and solutions.

The published JSON Schemas lie beside this file in `schemas/`; `schema` returns them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hcvrp.errors import InputError
from hcvrp.formats.contents import Answer, Answers, Content, Dataset, Fleet, check_belongs
from hcvrp.formats.fields import Field, clipped, plain
from hcvrp.formats.files import blamed
from hcvrp.formats.fleet import expanded
from hcvrp.formats.stops import Details, Stops, details
from hcvrp.instance import Instance, Metric, Vehicle
from hcvrp.solution import Objective, Solution
from hcvrp.task import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1
KINDS = ("instance", "dataset", "fleet", "solution", "solutions")

Kind: TypeAlias = Literal["instance", "dataset", "fleet", "solution", "solutions"]
Document: TypeAlias = dict[str, Any]
Vehicles: TypeAlias = Sequence[Vehicle | float]

_AXES: dict[Metric, tuple[str, str]] = {"euclidean": ("x", "y"), "great-circle": ("lat", "lon")}
_FACTS = ("cost", "seconds", "bound", "gap", "iterations", "seed")
_HEAD = ("format", "version")


def schema(kind: Kind) -> Document:
    """The JSON Schema (draft 2020-12) of a kind of file."""
    if kind not in KINDS:
        raise InputError(f"schema must be one of {', '.join(KINDS)}, not {kind!r}")
    path = Path(__file__).with_name("schemas") / f"{kind}.json"
    document: Document = json.loads(path.read_text("utf-8"))
    return document


# Reading ------------------------------------------------------------------------------------------


def load(text: str) -> Field:
    """The document of a JSON text, stricter than Python: no NaN, no Infinity, no repeated name."""
    try:
        return Field(json.loads(text, parse_constant=_refuse, object_pairs_hook=_distinct))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"the file is not JSON: {error.msg.lower()} at {where}") from None
    except RecursionError:
        raise InputError("the document is nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # Python's limit on the digits of a whole number
        raise InputError("the document holds a number with too many digits") from None


def parse(document: Field, fleet: Vehicles | None = None) -> Content:
    """What the document holds, by its `format`; `fleet` replaces the vehicles of instances."""
    kind = _kind(document)
    if kind == "instance":
        return _instance(document, fleet, _HEAD)
    if kind == "fleet":
        return Fleet(_vehicles(_filled(document, "vehicles")))
    if kind == "solution":
        return _answer(document, _HEAD)
    if kind == "dataset":
        entries = _filled(document, "instances").items()
        return Dataset(_instance(entry, fleet) for entry in entries)
    entries = _filled(document, "solutions").items()
    return Answers(_answer(entry) for entry in entries)


def _filled(document: Field, key: str) -> Field:
    """The list that is all a document holds, with at least one entry."""
    field = document.record((*_HEAD, key))[key]
    if not field.items():
        raise InputError(f"{key} is empty")
    return field


def _kind(document: Field) -> str:
    kinds = [f"hcvrp-{kind}" for kind in KINDS]
    if not isinstance(document.value, dict):
        raise document.wrong("an object")
    if "format" not in document.value:
        raise InputError(f"format is missing: it is one of {', '.join(kinds)}")
    kind = Field(document.value["format"], "format")
    if kind.value not in kinds:
        raise kind.wrong(f"one of {', '.join(kinds)}")
    version = Field(document.value.get("version"), "version")
    if isinstance(version.value, bool) or version.value != VERSION:
        raise version.wrong(str(VERSION))
    return kind.text().removeprefix("hcvrp-")


def _instance(document: Field, fleet: Vehicles | None, head: tuple[str, ...] = ()) -> Instance:
    record = document.record((*head, "customers", "vehicles"), ("name", "depot", "distances"))
    if "depot" not in record and "distances" not in record:
        raise InputError(f"{document.inside('depot')} is missing")
    metric = _metric(record.get("depot"))
    axes = _AXES[metric] if "depot" in record else ()
    depot = record["depot"].record(axes, ("details",)) if axes else {}
    customers = [
        entry.record((*axes, "demand"), ("name", "details"))
        for entry in record["customers"].items()
    ]
    demands = [customer["demand"].number() for customer in customers]
    vehicles = _vehicles(record["vehicles"]) if fleet is None else fleet
    points = [_point(customer, axes) for customer in customers] if axes else None
    distances = record["distances"].matrix() if "distances" in record else None
    name = record["name"].text() if "name" in record else None
    names = _names(record["customers"], customers)
    known = [_details(node) for node in (depot, *customers)]
    make = partial(Stops, known) if any(known) else Instance
    with blamed(document.place):
        return make(
            demands,
            vehicles,
            depot=_point(depot, axes) if axes else None,
            customers=points,
            distances=distances,
            metric=metric,
            name=name,
            customer_names=names,
        )


def _metric(depot: Field | None) -> Metric:
    """Great-circle where the depot has a latitude or a longitude."""
    if depot is not None and isinstance(depot.value, dict) and {"lat", "lon"} & set(depot.value):
        return "great-circle"
    return "euclidean"


def _point(record: dict[str, Field], axes: Sequence[str]) -> list[float]:
    return [record[axis].number() for axis in axes]


def _details(node: dict[str, Field]) -> Details:
    """Texts by name; in a plan a column without a name could not be told from none."""
    if "details" not in node:
        return {}
    field = node["details"]
    if not isinstance(field.value, dict):
        raise field.wrong("an object")
    if not all(map(str.strip, field.value)):
        raise InputError(f"{field.place} holds a text without a name")
    return {name: Field(text, field.inside(name)).text() for name, text in field.value.items()}


def _names(field: Field, customers: list[dict[str, Field]]) -> list[str] | None:
    """The names of all customers or None; a file that names only some is refused."""
    named = [customer["name"].text() for customer in customers if "name" in customer]
    if named and len(named) < len(customers):
        first = next(k for k, customer in enumerate(customers) if "name" not in customer)
        raise InputError(f"{field.place}[{first}].name is missing: name every customer or none")
    return named or None


def _vehicles(field: Field) -> tuple[Vehicle, ...]:
    """The vehicles; a speed left out beside others is refused, for 1 would be a surprise there."""
    vehicles, counts = [], []
    entries = field.items()
    records = [entry.record(("capacity",), ("speed", "name", "count")) for entry in entries]
    bare = [entry for entry, record in zip(entries, records, strict=True) if "speed" not in record]
    if 0 < len(bare) < len(entries):
        place = bare[0].inside("speed")
        raise InputError(f"{place} is missing: give every vehicle a speed or none")
    for entry, record in zip(entries, records, strict=True):
        capacity = record["capacity"].number()
        speed = record["speed"].number() if "speed" in record else 1.0
        name = record["name"].text() if "name" in record else None
        with blamed(entry.place):
            vehicles.append(Vehicle(capacity, speed, name))
        counts.append(record["count"].whole(least=1) if "count" in record else 1)
    return expanded(vehicles, counts)


def _answer(document: Field, head: tuple[str, ...] = ()) -> Answer:
    optional = ("instance", "objective", "method", "status", "vehicle_times", *_FACTS)
    record = document.record((*head, "routes"), optional)
    _check_facts(record)
    routes = [
        [tuple(customer.whole(least=1) for customer in trip.items()) for trip in trips.items()]
        for trips in record["routes"].items()
    ]
    return Answer(
        trips=tuple(chain.from_iterable(routes)),
        drivers=tuple(v for v, trips in enumerate(routes) for _ in trips),
        vehicles=len(routes),
        instance_name=record["instance"].text() if "instance" in record else None,
    )


def _check_facts(record: dict[str, Field]) -> None:
    """What a solution file says beside its routes is checked here and left to the referee."""
    for fact in _FACTS:
        if fact in record:
            record[fact].number()
    if "vehicle_times" in record:
        for entry in record["vehicle_times"].items():
            entry.number()
    for fact in ("method", "status"):
        if fact in record:
            record[fact].text()
    if "objective" in record and record["objective"].value not in list(Objective):
        raise record["objective"].wrong(" or ".join(Objective))


def _refuse(constant: str) -> float:
    raise InputError(f"the document holds {constant}, which is no number in JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> Document:
    record: Document = {}
    for key, value in pairs:
        if key in record:
            raise InputError(f"field {clipped(key)!r} is given twice in one object")
        record[key] = value
    return record


# Writing ------------------------------------------------------------------------------------------


def format_instance(instance: Instance) -> str:
    """The instance file."""
    return _pretty({**_head("instance"), **_instance_record(instance)})


def format_dataset(instances: Sequence[Instance]) -> str:
    """The dataset file: an instance a line."""
    return _pretty({**_head("dataset"), "instances": [_instance_record(i) for i in instances]})


def format_fleet(vehicles: Sequence[Vehicle]) -> str:
    """The fleet file."""
    return _pretty({**_head("fleet"), "vehicles": [_vehicle_record(v) for v in vehicles]})


def format_solution(
    answer: Solution | Result,
    instance: Instance | None = None,
    objective: Objective | str | None = None,
) -> str:
    """The solution file; with the instance it tells vehicle times, with the objective the cost."""
    return _pretty({**_head("solution"), **_answer_record(answer, instance, objective)})


def format_solutions(
    answers: Sequence[Solution | Result],
    instances: Sequence[Instance] | None = None,
    objective: Objective | str | None = None,
) -> str:
    """The file of the answers to a dataset: an answer a line."""
    each: Sequence[Instance | None] = instances or [None] * len(answers)
    if len(each) != len(answers):
        raise InputError(f"there are {len(answers)} solutions for {len(each)} instances")
    records = [_answer_record(a, i, objective) for a, i in zip(answers, each, strict=True)]
    return _pretty({**_head("solutions"), "solutions": records})


def _head(kind: Kind) -> Document:
    return {"format": f"hcvrp-{kind}", "version": VERSION}


def _instance_record(instance: Instance) -> Document:
    points, axes = instance.coordinates, _AXES[instance.metric]
    known = [{"details": texts} if texts else {} for texts in details(instance)]
    record: Document = {} if instance.name is None else {"name": instance.name}
    if points is not None:
        record["depot"] = dict(zip(axes, _plain(points[0]), strict=True)) | known[0]
    record["customers"] = customers = []
    for k, demand in enumerate(_plain(instance.demands)):
        customer: Document = {"name": instance.customer_names[k]} if instance.customer_names else {}
        if points is not None:
            customer |= dict(zip(axes, _plain(points[k + 1]), strict=True))
        customers.append(customer | {"demand": demand} | known[k + 1])
    record["vehicles"] = [_vehicle_record(vehicle) for vehicle in instance.vehicles]
    if instance.matrix is not None:
        record["distances"] = [_plain(row) for row in instance.matrix]
    return record


def _vehicle_record(vehicle: Vehicle) -> Document:
    name = {} if vehicle.name is None else {"name": vehicle.name}
    return name | {"capacity": plain(vehicle.capacity), "speed": plain(vehicle.speed)}


def _answer_record(
    answer: Solution | Result, instance: Instance | None, objective: Objective | str | None
) -> Document:
    record: Document = {}
    solution = answer.solution if isinstance(answer, Result) else answer
    if instance is not None:
        check_belongs(solution, instance)
    if instance is not None and instance.name is not None:
        record["instance"] = instance.name
    if isinstance(answer, Result):
        record |= {"objective": str(answer.objective), "cost": plain(answer.cost)}
        record |= {"method": answer.method, "seconds": plain(answer.seconds)}
        if answer.bound is not None and math.isfinite(answer.bound):
            record["bound"] = plain(answer.bound)
        record |= {"status": answer.status}
    elif instance is not None and objective is not None:
        record["objective"] = str(Objective.parse(objective))
        record["cost"] = plain(solution.cost(instance, objective))
    if instance is not None:
        record["vehicle_times"] = _plain(solution.vehicle_times(instance))
    return record | {"routes": solution.routes}


def _plain(numbers: NDArray[np.float64]) -> list[int | float]:
    return [plain(number) for number in numbers.tolist()]


def _pretty(document: Document) -> str:
    """JSON for people too: a field a line, and the entries of its lists one below the other."""
    lines = [f"  {_text(key)}: {_entries(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _entries(value: object) -> str:
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict | list | tuple):
        return "[\n" + ",\n".join(f"    {_text(entry)}" for entry in value) + "\n  ]"
    return _text(value)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
