"""Plans: TOML files that say which methods run on which sets, with which budgets and seeds.

[defaults]                              # of all cells that say nothing else
seeds = [1]

[[cells]]
label = "sisr"                          # the row's name in tables
method = "sisr"                         # a name from `hcvrp methods` …
sets = ["v3-c40[:128]", "v3-c60[:128]"]
objectives = ["min-max", "min-sum"]
time_limit = 1.0                        # seconds; or iterations, or neither
parameters = { remember = false }       # of the method

[[cells]]
label = "DRL {samples}"                 # a row for each of …
each = { samples = [1280, 12800] }      # time limits, or values of some parameter
weights = "paper-v3-c40-{objective}"    # … or a shipped policy or a weights file
sets = ["v3-c40"]
batch = 1280                            # instances decoded together

[[cells]]
label = "auto 3 ms, batch"
method = "auto"
sets = ["v5-c160"]
time_limit = 0.003
together = true                         # batches go to `solve_many`, which may use a GPU
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, read_text
from hcvrp.solution import Objective
from hcvrp.solver import METHODS
from hcvrp.task import Stop

BATCH = 128
"""Instances that are answered together where the plan does not say how many."""

SAME: dict[str, Any] = {
    "method": str,
    "time_limit": (int, float),
    "iterations": int,
    "threads": int,
    "batch": int,
    "together": bool,
    "parameters": dict,
}
"""The fields of a plan's entry that all its cells share, and their types."""

FIELDS: dict[str, Any] = SAME | {
    "label": str,
    "weights": str,
    "sets": list,
    "objectives": list,
    "seeds": list,
    "each": dict,
}


@dataclass(frozen=True)
class Cell:
    """One method on one set for one objective with one seed."""

    label: str
    set: str
    objective: Objective
    method: str | None = None
    weights: str | None = None
    seed: int = 0
    time_limit: float | None = None
    iterations: int | None = None
    threads: int = 1
    batch: int = BATCH
    together: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.label.strip():
            raise InputError("label must not be empty")
        if (self.method is None) == (self.weights is None):
            raise InputError(f"cell {self.label!r} needs either method or weights")
        if self.time_limit is not None:  # so that 1 and 1.0 are one setting
            object.__setattr__(self, "time_limit", float(self.time_limit))
        if self.method is not None and self.method not in METHODS:
            raise InputError(f"cell {self.label!r}: unknown method {self.method!r}")
        with blamed(f"cell {self.label!r}"):
            Stop(self.time_limit, self.iterations)
        for name, least in (("threads", 1), ("batch", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(
                    f"{name} of cell {self.label!r} must be at least {least},"
                    f" not {getattr(self, name)}"
                )

    @property
    def set_name(self) -> str:
        """The name of the set without its slice."""
        return self.set.partition("[")[0].lower()

    @property
    def settings(self) -> str:
        """All that decides the answers beside the instance and the seed, as canonical JSON."""
        told = {
            "method": self.method,
            "weights": self.weights,
            "time_limit": self.time_limit,
            "iterations": self.iterations,
            "threads": None if self.threads == 1 else self.threads,
            "together": self.together or None,
            **self.parameters,
        }
        return json.dumps({k: v for k, v in told.items() if v is not None}, sort_keys=True)


def read_plan(path: Path) -> list[Cell]:
    """The cells of a plan file, in its order."""
    with blamed(path):
        return parse_plan(read_text(path))


def parse_plan(text: str) -> list[Cell]:
    """The cells of a plan.

    Raises:
        InputError: naming the field and the value.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the plan is no TOML: {error}") from None
    entries, defaults = content.pop("cells", []), content.pop("defaults", {})
    if content:
        raise InputError(
            f"the plan has an unknown field {next(iter(content))!r}; it has: cells, defaults"
        )
    if not (isinstance(entries, list) and entries and all(isinstance(e, dict) for e in entries)):
        raise InputError("the plan has no [[cells]]")
    if not isinstance(defaults, dict):
        raise InputError(f"defaults of the plan must be a table, not {defaults!r}")
    full = (defaults | entry for entry in entries)
    return [cell for entry in full for one in _rows(entry) for cell in _cells(one)]


def _rows(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One entry for each value of the field or parameter that `each` names."""
    _check(entry)
    entry = dict(entry)
    each = entry.pop("each", None)
    if each is None:
        yield entry
        return
    ((name, values),) = each.items()
    for value in values:
        told = f"{value:g}" if isinstance(value, float) else str(value)
        label = entry["label"].replace(f"{{{name}}}", told)
        if name in SAME:
            yield entry | {"label": label, name: value}
        else:
            parameters = entry.get("parameters", {}) | {name: value}
            yield entry | {"label": label, "parameters": parameters}


def _cells(entry: dict[str, Any]) -> Iterator[Cell]:
    _check(entry)
    weights = entry.get("weights")
    same = {name: entry[name] for name in SAME if name in entry}
    objectives = [Objective.parse(o) for o in entry.get("objectives", list(Objective))]
    for place, objective, seed in product(entry["sets"], objectives, entry.get("seeds", [0])):
        yield Cell(
            entry["label"],
            place,
            objective,
            weights=weights and weights.replace("{objective}", objective),
            seed=seed,
            **same,
        )


def _check(entry: dict[str, Any]) -> None:
    """Refuses unknown fields, wrong types, and a cell without label or sets."""
    label = entry.get("label", "without label")
    for name, value in entry.items():
        if name not in FIELDS:
            raise InputError(f"cell {label!r} has an unknown field {name!r}")
        wanted = FIELDS[name]
        if not isinstance(value, wanted) or isinstance(value, bool) is not (wanted is bool):
            raise InputError(f"{name} of cell {label!r} has a wrong type: {value!r}")
    for name in ("label", "sets"):
        if not entry.get(name):
            raise InputError(f"cell {label!r} has no {name}")
    for name, kind in (("sets", str), ("objectives", str), ("seeds", int)):
        for value in entry.get(name, []):
            if not isinstance(value, kind):
                raise InputError(f"{name} of cell {label!r} has a wrong value: {value!r}")
    if "each" in entry:
        each = entry["each"]
        name = next(iter(each), "field")
        if len(each) != 1 or not isinstance(each[name], list) or f"{{{name}}}" not in label:
            raise InputError(
                f"each of cell {label!r} must name one field and a list of its values, and the"
                f" label must have {{{name}}} in it"
            )
