"""Seeded random worlds, and the paper's test sets bit for bit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from hcvrp.errors import InputError
from hcvrp.instance import MOST_VEHICLES, Instance, Vehicle
from hcvrp.solution import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

Distribution: TypeAlias = Literal["uniform", "clustered"]

PAPER_SETS = tuple(f"v3-c{n}" for n in (40, 60, 80, 100, 120)) + tuple(
    f"v5-c{n}" for n in (80, 100, 120, 140, 160)
)
"""The ten sets of the paper's tables."""

MOST_CUSTOMERS = 100_000
"""So that a slip of the keyboard does not fill the memory."""

PAPER_SEEDS = range(24601, 24611)
PAPER_BLOCK = 128
PAPER_SIZE = len(PAPER_SEEDS) * PAPER_BLOCK
"""Instances in a set of the paper's, 1,280."""


def generate(
    customers: int,
    vehicles: int | None = None,
    *,
    fleet: Sequence[Vehicle | float] | None = None,
    seed: int = 0,
    distribution: Distribution = "uniform",
    demands: tuple[int, int] = (1, 9),
    name: str | None = None,
) -> Instance:
    """A random instance on the unit square; the same arguments give the same instance.

    Args:
        customers: how many, at most `MOST_CUSTOMERS`.
        vehicles: how many, with the paper's capacities 20, 25, 30, … and speed 1 …
        fleet: … or the vehicles themselves. The default is the paper's fleet of three.
        seed: of the random numbers.
        distribution: "uniform", or "clustered": customers scattered around a few centres
            with a standard deviation of 0.07, the depot anywhere.
        demands: the smallest and the largest demand, drawn uniformly as whole numbers.
        name: of the instance.
    """
    _check_count("customers", customers, MOST_CUSTOMERS)
    if vehicles is not None and fleet is not None:
        raise InputError("give vehicles or fleet, not both")
    if seed < 0:
        raise InputError(f"seed must not be negative: {seed}")
    low, high = demands
    if not 0 <= low <= high:
        raise InputError(f"demands must be a range of non-negative numbers, not {low} to {high}")
    rng = np.random.default_rng(seed)
    if distribution == "uniform":
        points = rng.uniform(size=(customers + 1, 2))
    elif distribution == "clustered":
        points = _clustered(customers, rng)
    else:
        raise InputError(f"distribution must be uniform or clustered, not {distribution!r}")
    return Instance(
        rng.integers(low, high, size=customers, endpoint=True),
        paper_fleet(3 if vehicles is None else vehicles) if fleet is None else fleet,
        depot=points[0],
        customers=points[1:],
        name=name,
    )


def paper_fleet(vehicles: int, objective: Objective | str = Objective.MIN_MAX) -> list[Vehicle]:
    """Capacities 20, 25, 30, …; speed 1 for min-max, 5/capacity (1/4, 1/5, …) for min-sum."""
    _check_count("vehicles", vehicles, MOST_VEHICLES)
    slow = Objective.parse(objective) is Objective.MIN_SUM
    capacities = [20.0 + 5 * v for v in range(vehicles)]
    return [Vehicle(q, 5 / q if slow else 1.0) for q in capacities]


def paper_set(name: str, objective: Objective | str = Objective.MIN_MAX) -> list[Instance]:
    """The paper's 1,280 test instances of a size, such as "v3-c40", in the paper's order.

    Coordinates and demands are the same for both objectives and for V3 and V5; min-sum has the
    paper's slower speeds. Any fleet and size may be named; `PAPER_SETS` are those of the tables.
    """
    match = re.fullmatch(r"v(\d+)-c(\d+)", name.lower())
    if match is None:
        known = ", ".join(PAPER_SETS)
        raise InputError(f"unknown paper set {name!r}; a name looks like v3-c40 (known: {known})")
    fleet, size = paper_fleet(int(match[1]), objective), int(match[2])
    _check_count("customers", size, MOST_CUSTOMERS)
    instances: list[Instance] = []
    for seed in PAPER_SEEDS:
        points, demands = _paper_block(size, seed)
        for depot_last, demand in zip(points, demands, strict=True):
            instances.append(
                Instance(
                    demand,
                    fleet,
                    depot=depot_last[-1],
                    customers=depot_last[:-1],
                    name=f"{name.lower()}-{len(instances)}",
                )
            )
    return instances


def _check_count(field: str, count: int, most: int) -> None:
    if not 1 <= count <= most:
        raise InputError(f"{field} must lie between 1 and {most}, not {count}")


def _paper_block(size: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """128 instances as the authors drew them: the depot is the last point, its demand unused."""
    rng = np.random.RandomState(seed)  # the authors' generator
    points = rng.uniform(0, 1, size=(PAPER_BLOCK, size + 1, 2))
    return points, rng.randint(1, 10, [PAPER_BLOCK, size + 1])[:, :-1]


def _clustered(customers: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Depot anywhere; customers around 3 to 7 centres, kept within the unit square."""
    centres = rng.uniform(0.1, 0.9, size=(int(rng.integers(3, 8)), 2))
    around = centres[rng.integers(len(centres), size=customers)]
    points = around + rng.normal(scale=0.07, size=(customers, 2))
    return np.concatenate([rng.uniform(size=(1, 2)), np.clip(points, 0.0, 1.0)])
