"""What a file can hold: an instance, a dataset, a fleet, or an answer to an instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias, TypeVar

import numpy as np

from hcvrp.errors import InputError
from hcvrp.formats.labels import Label, check_labels
from hcvrp.instance import Instance, Vehicle
from hcvrp.solution import Solution, Trip, trip_length, trip_load

T = TypeVar("T")


class Dataset(tuple[Instance, ...]):
    """Many instances of one file."""

    __slots__ = ()


class Fleet(tuple[Vehicle, ...]):
    """Vehicles alone; where they come from a sheet, with the headers of its columns by meaning."""

    headers: Mapping[str, str]

    def __new__(cls, vehicles: Iterable[Vehicle], headers: Mapping[str, str] | None = None) -> Self:
        """Other formats have no headers."""
        fleet = super().__new__(cls, vehicles)
        fleet.headers = headers or {}
        return fleet


class Judged(NamedTuple):
    """A solution of a file, and what the referee says of it in the terms of that file."""

    solution: Solution
    violations: list[str]


@dataclass(frozen=True)
class Answer:
    """What a solution file says, before it is held against an instance.

    `drivers[k]` is the vehicle of `trips[k]`, counted from 0; `drivers` is None where a file
    lists trips alone. `vehicles` is how many there are, where the file tells; `names` is what
    it calls the trips and `labels` are the names that it gives the stops, where it does.
    """

    trips: tuple[Trip, ...]
    drivers: tuple[int, ...] | None
    vehicles: int | None = None
    instance_name: str | None = None
    names: tuple[str, ...] | None = None
    labels: tuple[Label, ...] = ()

    def solution(self, instance: Instance | None = None) -> Solution:
        """The solution; one that cannot belong to `instance` is refused in one sentence."""
        return self._alone() if instance is None else self._held_against(instance)[0]

    def judged(self, instance: Instance) -> Judged:
        """The same, with what is wrong with it."""
        solution, names = self._held_against(instance)
        return Judged(solution, solution.violations(instance, names))

    def _held_against(self, instance: Instance) -> tuple[Solution, list[list[str]] | None]:
        """The solution, and its trips' names by vehicle where the file has some."""
        self._check_name(instance)
        check_customers(self.trips, instance)
        drivers = _share(self.trips, instance) if self.drivers is None else self.drivers
        m = len(instance.vehicles)
        told = max(m, 1 + max(drivers, default=0)) if self.vehicles is None else self.vehicles
        check_vehicles(told, instance)
        check_labels(self.labels, instance)
        names = None if self.names is None else _by_vehicle(self.names, drivers, m)
        return Solution(_by_vehicle(self.trips, drivers, m)), names

    def _alone(self) -> Solution:
        if self.drivers is None or self.vehicles is None:
            raise InputError(
                "the file does not tell how many vehicles there are: read it together with its"
                " instance, read_solution(path, instance)"
            )
        return Solution(_by_vehicle(self.trips, self.drivers, self.vehicles))

    def _check_name(self, instance: Instance) -> None:
        if None not in (self.instance_name, instance.name) and self.instance_name != instance.name:
            raise InputError(
                f"instance is {self.instance_name!r}, but the solution is held against"
                f" {instance.name!r}"
            )


class Answers(tuple[Answer, ...]):
    """The answers to a dataset, in its order."""

    __slots__ = ()


Content: TypeAlias = Instance | Dataset | Fleet | Answer | Answers


def check_belongs(solution: Solution, instance: Instance) -> None:
    """Refuses a solution with another number of vehicles or with customers who do not exist.

    Anything else that is wrong with it, such as an overloaded trip, is the referee's to say.
    """
    check_vehicles(len(solution.routes), instance)
    check_customers((trip for _, trip in solution.trips()), instance)


def check_vehicles(count: int, instance: Instance) -> None:
    """Refuses another number of vehicles than the instance has."""
    if count != len(instance.vehicles):
        raise InputError(
            f"the solution has routes for {count} vehicles,"
            f" the instance has {len(instance.vehicles)}"
        )


def check_customers(trips: Iterable[Trip], instance: Instance) -> None:
    """Refuses a trip to a customer whom the instance does not have."""
    for trip in trips:
        for customer in trip:
            if not 1 <= customer <= instance.size:
                raise InputError(
                    f"the solution visits customer {customer},"
                    f" the instance has customers 1 to {instance.size}"
                )


def _by_vehicle(things: Sequence[T], drivers: Sequence[int], vehicles: int) -> list[list[T]]:
    """What belongs to trips, put to the vehicles that drive them."""
    groups: list[list[T]] = [[] for _ in range(vehicles)]
    for thing, driver in zip(things, drivers, strict=True):
        groups[driver].append(thing)
    return groups


def _share(trips: tuple[Trip, ...], instance: Instance) -> tuple[int, ...]:
    """A vehicle for each trip: longest first, to the one that would finish it first.

    Graham's (1969) longest-processing-time rule, on machines of different speeds, among the
    vehicles that can carry the load; where none can, among the largest, and the referee complains.
    """
    lengths = [trip_length(instance, trip) for trip in trips]
    finish = np.zeros(len(instance.vehicles))
    drivers = [0] * len(trips)
    for k in sorted(range(len(trips)), key=lambda k: -lengths[k]):
        load = min(trip_load(instance, trips[k]), float(instance.capacities.max()))
        able = np.array([vehicle.can_carry(load) for vehicle in instance.vehicles])
        after = finish + lengths[k] / instance.speeds
        chosen = int(np.argmin(np.where(able, after, np.inf)))
        drivers[k], finish[chosen] = chosen, after[chosen]
    return tuple(drivers)
