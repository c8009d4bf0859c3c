"""What a client asks for: an instance, an objective, a method, and for how long."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from hcvrp import formats, wording
from hcvrp.errors import InputError
from hcvrp.formats import stops
from hcvrp.formats.fields import SHOWN, Field, clipped
from hcvrp.formats.files import blamed
from hcvrp.formats.json import parse
from hcvrp.instance import Instance, Vehicle
from hcvrp.policy.config import KINDS
from hcvrp.policy.policy import choose
from hcvrp.service.settings import Limits
from hcvrp.solution import Objective
from hcvrp.solver import METHODS
from hcvrp.task import check_seed

BESIDES = 8
"""Characters around a text in a file, such as quotes."""

LONGEST_NAME = 200
"""Characters: names travel with every view of a job, some also with every stop of a plan."""


@dataclass(frozen=True)
class Order:
    """One job as it was asked for: `time_limit` seconds of search, then `certify` for a bound.

    `notes` are sentences about what is valid in the instance, but hardly what was meant.
    """

    instance: Instance
    objective: Objective
    method: str
    time_limit: float
    seed: int
    certify: float = 0.0
    notes: tuple[str, ...] = ()

    def dump(self) -> str:
        """The order as JSON text for the database."""
        choices = {
            "objective": self.objective,
            "method": self.method,
            "time_limit": self.time_limit,
            "seed": self.seed,
            "certify": self.certify,
            "notes": self.notes,
        }
        return f'{{"instance": {formats.format_json(self.instance)}, {json.dumps(choices)[1:]}'

    @classmethod
    def load(cls, text: str) -> Order:
        """The order that `dump` wrote."""
        record = json.loads(text)
        return cls(
            read_instance(record["instance"]),
            Objective(record["objective"]),
            record["method"],
            record["time_limit"],
            record["seed"],
            record["certify"],
            tuple(record.get("notes", ())),  # jobs kept by an earlier version have none
        )

    @property
    def summary(self) -> dict[str, Any]:
        """What was asked, in a few figures."""
        return {
            "name": self.instance.name,
            "customers": self.instance.size,
            "vehicles": len(self.instance.vehicles),
            "hours": wording.times_are_hours(self.instance),
            "objective": self.objective,
            "method": self.method,
            "time_limit": self.time_limit,
            "seed": self.seed,
            "certify": self.certify,
            "notes": self.notes,
        }

    def check(self, limits: Limits) -> None:
        """Refuses what no worker should be troubled with."""
        if self.method not in METHODS:
            raise InputError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        entry = METHODS[self.method]
        if entry.package and find_spec(entry.package) is None:  # not imported: torch takes seconds
            raise InputError(
                f"method {self.method} needs the extra: pip install '.[{entry.extra}]' in the clone"
            )
        if self.objective not in entry.objectives:
            known = " and ".join(entry.objectives)
            raise InputError(f"method {self.method} is for {known}, not {self.objective}")
        if not 0 < self.time_limit <= limits.seconds:
            raise InputError(
                f"time_limit must be above 0 and at most {limits.seconds:g} seconds,"
                f" not {self.time_limit:g}"
            )
        if not 0 <= self.certify <= limits.seconds:
            raise InputError(
                f"certify must lie between 0 and {limits.seconds:g} seconds, not {self.certify:g}"
            )
        proof = "certify" if self.certify else "method exact" if self.method == "exact" else None
        if proof and self.instance.size > limits.certified:
            raise InputError(
                f"{proof} is for up to {limits.certified} customers on this server,"
                f" not {self.instance.size}"
            )
        check_seed(self.seed)
        if self.method in KINDS:
            with blamed(f"method {self.method}"):
                choose(self.method, self.instance, self.objective)


def read_instance(document: object, place: str = "instance") -> Instance:
    """The instance of a JSON document; a complaint names the field within it."""
    content = parse(Field(document, ""))
    if not isinstance(content, Instance):
        raise InputError(f"{place}.format must be hcvrp-instance")
    return content


def check_instance(instance: Instance, limits: Limits) -> None:
    """Refuses an instance beyond the limits, or one that no answer could hold."""
    _check_count("customers", instance.size, limits.customers)
    check_vehicles(instance.vehicles, limits)
    _check_names((instance.name, *(instance.customer_names or ())))
    _check_details(instance, limits)
    pairs = (pair for known in stops.details(instance) for pair in known.items())
    _check_texts(text for pair in pairs for text in pair)


def check_vehicles(vehicles: Sequence[Vehicle], limits: Limits) -> None:
    """Likewise, vehicles, which may come in a file of their own."""
    _check_count("vehicles", len(vehicles), limits.vehicles)
    _check_names(vehicle.name for vehicle in vehicles)


def _check_count(what: str, count: int, most: int) -> None:
    if count > most:
        raise InputError(f"{what} must be at most {most} on this server, not {count}")


def _check_names(names: Iterable[str | None]) -> None:
    given = [name for name in names if name]
    for name in given:
        if len(name) > LONGEST_NAME:
            raise InputError(
                f"the name {clipped(name)!r} has {len(name)} characters,"
                f" at most {LONGEST_NAME} are taken"
            )
    _check_texts(given)


def _check_details(instance: Instance, limits: Limits) -> None:
    """Their names stand in a plan with every stop, the depot's with every trip: few become many."""
    repeated = (*stops.detail_names(instance), *stops.details(instance)[0].values())
    length = sum(BESIDES + len(text) for text in repeated)
    most = limits.body_bytes // instance.size
    if length > most:
        raise InputError(
            f"the details (other columns) are too long for {wording.plural(instance.size, 'stop')}:"
            f" their names and the depot's texts, each with {BESIDES} characters added, make"
            f" {length} characters; at most {most} are taken"
        )


def _check_texts(texts: Iterable[str]) -> None:
    """Refuses names and details that are no Unicode text, or hold what Postgres cannot."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            broken = text[error.start : error.end]
            raise InputError(
                f"a name or detail holds {broken!r}, which is no Unicode text"
            ) from None
        if "\0" in text:
            raise InputError(f"the name or detail {text[:SHOWN]!r} holds a zero character")


def document(instance: Instance) -> dict[str, Any]:
    """The instance as a JSON document."""
    made: dict[str, Any] = json.loads(formats.format_json(instance))
    return made
