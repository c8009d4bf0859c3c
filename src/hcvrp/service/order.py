"""What a client asks for: an instance, an objective, a method, and for how long."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hcvrp import formats
from hcvrp.errors import InputError
from hcvrp.formats.fields import Field
from hcvrp.formats.json import parse
from hcvrp.instance import Instance
from hcvrp.service.settings import Limits
from hcvrp.solution import Objective
from hcvrp.solver import METHODS


@dataclass(frozen=True)
class Order:
    """One job as it was asked for; `document` is the instance as `hcvrp-instance` JSON."""

    document: dict[str, Any]
    objective: Objective
    method: str
    time_limit: float
    seed: int

    @cached_property
    def instance(self) -> Instance:
        """The instance itself."""
        return read_instance(self.document)

    def dump(self) -> str:
        """The order as text for the database."""
        return json.dumps(
            {
                "instance": self.document,
                "objective": self.objective,
                "method": self.method,
                "time_limit": self.time_limit,
                "seed": self.seed,
            }
        )

    @classmethod
    def load(cls, text: str) -> Order:
        """The order that `dump` wrote."""
        record = json.loads(text)
        return cls(
            record["instance"],
            Objective(record["objective"]),
            record["method"],
            record["time_limit"],
            record["seed"],
        )

    def check(self, limits: Limits) -> None:
        """Refuses what no worker should be troubled with."""
        if self.method not in METHODS:
            raise InputError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        if not 0 < self.time_limit <= limits.seconds:
            raise InputError(
                f"time_limit must lie between 0 and {limits.seconds:g} seconds,"
                f" not {self.time_limit:g}"
            )
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed must lie between 0 and 2⁶³ − 1, not {self.seed}")
        check_size(self.instance, limits)


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


def document(instance: Instance) -> dict[str, Any]:
    """The instance as a JSON document; text that is no Unicode is refused."""
    text = formats.format_json(instance)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        broken = text[error.start : error.end]
        raise InputError(f"a name holds {broken!r}, which is no Unicode text") from None
    made: dict[str, Any] = json.loads(text)
    return made
