"""What a client asks for: an instance, an objective, a method, and for how long."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, cast, get_args

from hcvrp import formats, wording
from hcvrp.errors import InputError
from hcvrp.formats.fields import Field
from hcvrp.formats.files import blamed
from hcvrp.formats.json import parse
from hcvrp.instance import Instance
from hcvrp.policy.config import Kind
from hcvrp.policy.policy import choose
from hcvrp.service.settings import Limits
from hcvrp.solution import Objective
from hcvrp.solver import METHODS
from hcvrp.task import check_seed


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
        if self.certify and self.instance.size > limits.certified:
            raise InputError(
                f"certify is for up to {limits.certified} customers on this server,"
                f" not {self.instance.size}"
            )
        check_seed(self.seed)
        check_size(self.instance, limits)
        check_names(self.instance)
        if self.method in get_args(Kind):
            with blamed(f"method {self.method}"):
                choose(cast("Kind", self.method), self.instance, self.objective)


def read_instance(document: object, place: str = "instance") -> Instance:
    """The instance of a JSON document; a complaint names the field within it."""
    content = parse(Field(document, ""))
    if not isinstance(content, Instance):
        raise InputError(f"{place}.format must be hcvrp-instance")
    return content


def check_size(instance: Instance, limits: Limits) -> None:
    """Refuses an instance beyond the limits."""
    counts = (("customers", instance.size), ("vehicles", len(instance.vehicles)))
    for name, count in counts:
        most = getattr(limits, name)
        if count > most:
            raise InputError(f"{name} must be at most {most} on this server, not {count}")


def check_names(instance: Instance) -> None:
    """Refuses names that are no Unicode text, or hold what Postgres cannot: no answer could."""
    names = (instance.name, *(instance.customer_names or ()), *(v.name for v in instance.vehicles))
    for name in names:
        try:
            (name or "").encode()
        except UnicodeEncodeError as error:
            broken = (name or "")[error.start : error.end]
            raise InputError(f"a name holds {broken!r}, which is no Unicode text") from None
        if "\0" in (name or ""):
            raise InputError(f"the name {name!r} holds a zero character")


def document(instance: Instance) -> dict[str, Any]:
    """The instance as a JSON document."""
    made: dict[str, Any] = json.loads(formats.format_json(instance))
    return made
