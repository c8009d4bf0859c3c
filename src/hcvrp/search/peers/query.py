"""What a peer is asked: plain numbers that travel to its process as one line of JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from hcvrp.solution import Objective

if TYPE_CHECKING:
    from hcvrp.task import Task

Routes: TypeAlias = list[list[list[int]]]
"""`routes[v]` holds the trips of vehicle v, as in `Solution`."""


@dataclass(frozen=True)
class Kind:
    """Vehicles that are alike: their numbers, and what they share."""

    capacity: float
    speed: float
    vehicles: tuple[int, ...]


@dataclass(frozen=True)
class Query:
    """One task for a peer, free of arrays and of our own types."""

    distances: list[list[float]]
    demands: list[float]
    capacities: list[float]
    speeds: list[float]
    objective: str
    time_limit: float | None
    seed: int
    threads: int

    @classmethod
    def of(cls, task: Task) -> Query:
        """The query that a task becomes."""
        instance = task.instance
        return cls(
            distances=instance.distances.tolist(),
            demands=instance.demands.tolist(),
            capacities=instance.capacities.tolist(),
            speeds=instance.speeds.tolist(),
            objective=task.objective.value,
            time_limit=task.stop.time_limit,
            seed=task.seed,
            threads=task.threads,
        )

    @classmethod
    def parse(cls, line: str) -> Query:
        """The query that `line` says."""
        return cls(**json.loads(line))

    def line(self) -> str:
        """This query as one line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @property
    def is_min_max(self) -> bool:
        """Whether the longest vehicle time counts, rather than the total."""
        return self.objective == Objective.MIN_MAX

    def kinds(self) -> list[Kind]:
        """The fleet by distinct (capacity, speed), in the order of their first vehicles."""
        alike: dict[tuple[float, float], list[int]] = {}
        for vehicle, key in enumerate(zip(self.capacities, self.speeds, strict=True)):
            alike.setdefault(key, []).append(vehicle)
        return [Kind(*key, tuple(vehicles)) for key, vehicles in alike.items()]

    def trips_enough(self, kind: Kind) -> int:
        """So many trips of one kind that no good solution needs more: min(n, ⌈2·Σdᵢ/Q⌉ + 1).

        Of the trips of one kind no two fit one vehicle together, or they would be joined; that
        this pays takes the triangle inequality.
        """
        return min(len(self.demands), math.ceil(2 * sum(self.demands) / kind.capacity) + 1)

    def deal(self, trips: Iterable[tuple[Kind, Sequence[int]]]) -> Routes:
        """Each trip to a vehicle of its kind, in turn; which one makes no odds to min-sum."""
        routes: Routes = [[] for _ in self.capacities]
        for kind, trip in trips:
            vehicle = min(kind.vehicles, key=lambda v: len(routes[v]))
            routes[vehicle].append(list(trip))
        return routes
