"""Answers and their referee.

`Solution.violations` and `Solution.cost`, in plain Python and NumPy, judge every method: compiled,
learned, exact or a peer's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from operator import index
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hcvrp.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.instance import Instance

Trip: TypeAlias = tuple[int, ...]


class Objective(StrEnum):
    """What to minimise over the vehicle times T_v (Li et al. 2021, eq. 1 and 8)."""

    MIN_MAX = "min-max"
    """max_v T_v: finish early, share fairly."""
    MIN_SUM = "min-sum"
    """Σ_v T_v: least total time."""

    @classmethod
    def parse(cls, value: str | Objective) -> Objective:
        """The objective of that name, or an InputError that lists the names."""
        try:
            return cls(value)
        except ValueError:
            known = " or ".join(cls)
            raise InputError(f"objective must be {known}, not {value!r}") from None

    def of(self, vehicle_times: NDArray[np.float64]) -> float:
        """The objective's value for the times of all vehicles."""
        if self is Objective.MIN_MAX:
            return float(np.max(vehicle_times))
        return math.fsum(vehicle_times)


@dataclass(frozen=True)
class Solution:
    """`routes[v]` holds the trips of vehicle v; a trip lists customers, numbered from 1."""

    routes: tuple[tuple[Trip, ...], ...]

    def __init__(self, routes: Iterable[Iterable[Iterable[int]]]) -> None:
        frozen = tuple(tuple(tuple(index(c) for c in trip) for trip in trips) for trips in routes)
        object.__setattr__(self, "routes", frozen)

    def trips(self) -> Iterator[tuple[int, Trip]]:
        """Every (vehicle, trip), vehicle by vehicle."""
        for vehicle, trips in enumerate(self.routes):
            for trip in trips:
                yield vehicle, trip

    def vehicle_times(self, instance: Instance) -> NDArray[np.float64]:
        """T_v: the length of all trips of vehicle v divided by its speed, shape (m,)."""
        lengths = np.zeros(len(instance.vehicles))
        measured = trip_lengths(instance, [trip for _, trip in self.trips()])
        for (vehicle, _), length in zip(self.trips(), measured, strict=True):
            lengths[vehicle] += length
        return lengths / instance.speeds

    def cost(self, instance: Instance, objective: Objective | str) -> float:
        """The objective's value; meaningful when there are no violations."""
        return Objective.parse(objective).of(self.vehicle_times(instance))

    def violations(
        self, instance: Instance, names: Sequence[Sequence[str]] | None = None
    ) -> list[str]:
        """Every way in which this is no answer to `instance`, a sentence each; [] if it is one.

        `names[v]` is what the trips of vehicle v are called where they come from; else they are
        counted, "trip 1".
        """
        found: list[str] = []
        if len(self.routes) != len(instance.vehicles):
            found.append(
                f"the solution has routes for {len(self.routes)} vehicles,"
                f" the instance has {len(instance.vehicles)}"
            )
        visits = [0] * (instance.size + 1)
        for vehicle, trips in enumerate(self.routes):
            for number, trip in enumerate(trips):
                name = names[vehicle][number] if names else f"trip {number + 1}"
                found += self._trip_violations(instance, vehicle, name, trip)
                for customer in trip:
                    if 1 <= customer <= instance.size:
                        visits[customer] += 1
        for customer in range(1, instance.size + 1):
            if visits[customer] != 1:
                often = f"visited {visits[customer]} times instead of once"
                told = often if visits[customer] else "never visited"
                found.append(f"customer {instance.customer_label(customer)} is {told}")
        return found

    def _trip_violations(
        self, instance: Instance, vehicle: int, name: str, trip: Trip
    ) -> Iterator[str]:
        known = vehicle < len(instance.vehicles)
        label = instance.vehicle_label(vehicle) if known else f"vehicle {vehicle + 1}"
        where = f"{name} of {label}"
        if not trip:
            yield f"{where} is empty"
        for customer in trip:
            if not 1 <= customer <= instance.size:
                yield f"{where} visits customer {customer}, who does not exist"
        load = trip_load(instance, trip)
        if known and not instance.vehicles[vehicle].can_carry(load):
            capacity = instance.vehicles[vehicle].capacity
            yield f"{where} carries {load:g}, more than its capacity of {capacity:g}"


def trip_length(instance: Instance, trip: Trip) -> float:
    """Distance from the depot through the trip's customers and back."""
    return trip_lengths(instance, [trip])[0]


def trip_lengths(instance: Instance, trips: Sequence[Trip]) -> list[float]:
    """The length of each trip; all legs are looked up at once, for there may be thousands."""
    stops = [0]
    for trip in trips:
        stops += (*trip, 0)
    nodes = np.array(stops)
    legs = instance.travel(nodes[:-1], nodes[1:]).tolist()
    ends = list(accumulate(len(trip) + 1 for trip in trips))
    return [math.fsum(legs[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


def trip_load(instance: Instance, trip: Trip) -> float:
    """Total demand of the trip's customers; customers who do not exist weigh nothing."""
    return math.fsum(instance.demands[c - 1] for c in trip if 1 <= c <= instance.size)
