"""The sets of instances that methods are measured on, by name.

| name             | instances                                                          |
|------------------|--------------------------------------------------------------------|
| `v3-c40`         | the paper's 1,280 of that fleet and size (Li et al. 2021)          |
| `random-n20-m3`  | uniform ones; the number of an instance is its seed                |
| `cvrplib`        | the ten of the paper's CVRPLib table, adapted by an inferred rule  |
| `fsmd`           | the twelve of Golden et al. (1984) and Taillard (1999)             |

A slice picks some: `v3-c40[:128]`, `random-n20-m3[100:164]`. The last two are read from files in
the folder that HCVRP_DATA names; experiments/bench/README.md says which and where they come from.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from hcvrp.bench import published
from hcvrp.errors import InputError
from hcvrp.formats import read_instance
from hcvrp.generator import generate, paper_fleet, paper_set
from hcvrp.instance import Instance
from hcvrp.solution import Objective

CVRPLIB = tuple(dict.fromkeys(name for name, _ in published.cvrplib()))
"""The instances of the paper's CVRPLib table, in its order."""

FSMD = tuple(published.fsmd())

FRONTIER = ("v3-c40", "v3-c100", "v5-c160", "random-n500-m10")
"""The sets whose cost against time is shown for all methods, small to large."""

ADAPTED_LARGEST = 12
"""The inferred rule scales demands until the largest is at most this."""

DATA = "HCVRP_DATA"
"""The environment variable with the folder of benchmark files …"""

FOLDERS = {"cvrplib": "cvrplib", "fsmd": "hvrp"}
"""… and within it those of the sets that are read from files."""


@dataclass(frozen=True)
class InstanceSet:
    """Some instances of a named set: their numbers within it, and the instances themselves."""

    name: str
    numbers: tuple[int, ...]
    instances: tuple[Instance, ...]

    def __len__(self) -> int:
        return len(self.numbers)


def find_set(text: str, objective: Objective) -> InstanceSet:
    """The set of that name, or its slice, with the speeds that go with the objective."""
    match = re.fullmatch(r"([\w-]+)(?:\[(\d*):(\d*)\])?", text)
    if match is None:
        raise InputError(f"a set is a name or a slice such as v3-c40[:128], not {text!r}")
    name, sliced = match[1].lower(), match[2] is not None
    start, stop = int(match[2] or 0), int(match[3]) if match[3] else None
    if random := re.fullmatch(r"random-n(\d+)-m(\d+)", name):
        if not sliced or stop is None:
            raise InputError(f"a random set needs its seeds: {name}[0:64], not {text!r}")
        drawn = _random(int(random[1]), int(random[2]), objective, range(start, stop))
        return _chosen(text, name, range(start, stop), drawn)
    everything = _whole_set(name, objective)
    numbers = range(len(everything))[start:stop]
    return _chosen(text, name, numbers, [everything[k] for k in numbers])


def adapt(instance: Instance, objective: Objective) -> Instance:
    """A CVRPLIB instance for the paper's fleet of three, by the rule inferred from its table.

    Demands become ceil(d / k) with k = ceil(d_max / 12); capacities are 20, 25 and 30; the
    coordinates and their unrounded Euclidean distances stay. The paper does not say how it
    adapted the instances; of the rules tried this one reproduces the most of the published optima,
    three of nine.
    """
    points = instance.coordinates
    if points is None:
        raise InputError(f"instance {instance.name} has no coordinates to adapt")
    scale = math.ceil(float(instance.demands.max()) / ADAPTED_LARGEST)
    return Instance(
        np.ceil(instance.demands / scale),
        paper_fleet(3, objective),
        depot=points[0],
        customers=points[1:],
        name=instance.name,
    )


def _chosen(text: str, name: str, numbers: range, instances: list[Instance]) -> InstanceSet:
    if not numbers:
        raise InputError(f"the set {text!r} is empty")
    return InstanceSet(name, tuple(numbers), tuple(instances))


@lru_cache(maxsize=4)
def _whole_set(name: str, objective: Objective) -> list[Instance]:
    if name == "cvrplib":
        return [_cvrplib(instance, objective) for instance in CVRPLIB]
    if name == "fsmd":
        return [_fsmd(instance) for instance in FSMD]
    return paper_set(name, objective)


def _random(customers: int, vehicles: int, objective: Objective, seeds: range) -> list[Instance]:
    fleet = paper_fleet(vehicles, objective)
    name = f"random-n{customers}-m{vehicles}"
    return [generate(customers, fleet=fleet, seed=s, name=f"{name}-{s}") for s in seeds]


def _cvrplib(name: str, objective: Objective) -> Instance:
    path = _folder("cvrplib") / f"{name}.vrp"
    # The file's own capacity is of no interest; one that carries everything satisfies the reader.
    return adapt(read_instance(path, fleet=[1e9]), objective)


def _fsmd(name: str) -> Instance:
    """Each vehicle type once, any number of trips: min-sum is then the problem without limits."""
    found = read_instance(_folder("fsmd") / f"{name}.txt")
    points = found.coordinates
    assert points is not None
    return Instance(found.demands, found.vehicles, depot=points[0], customers=points[1:], name=name)


def _folder(name: str) -> Path:
    """Where the files of that set are."""
    text = os.environ.get(DATA)
    if not text:
        raise InputError(
            f"the set {name} is read from files: set {DATA} to their folder"
            " (experiments/bench/README.md says which)"
        )
    folder = Path(text) / FOLDERS[name]
    if not folder.is_dir():
        raise InputError(f"{DATA} is {text}, which has no folder {FOLDERS[name]} of the set {name}")
    return folder
