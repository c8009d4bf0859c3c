"""Vehicles as the exact method sees them: groups of equal ones, and loads as whole numbers."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.instance import CAPACITY_TOLERANCE, SMALLEST
from hcvrp.solution import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.instance import Instance

    Floats = NDArray[np.float64]

GRID = 1000
"""Load levels of the largest capacity where demands have no common unit."""

MOST_LEVELS = 6000
"""A common unit that needs more levels than this is no use: the grid is taken instead."""

SLACK = 2 * CAPACITY_TOLERANCE
"""Relative slack on capacities while searching: the referee allows half of it and decides."""


@dataclass(frozen=True)
class Group:
    """Vehicles that are alike: same capacity, same pace (time per unit of distance).

    `above` is the load up to which another group is at least as good (min-sum: a faster one that
    can carry it), negative if there is none; `level` and `above_level` are both limits in levels.
    """

    vehicles: tuple[int, ...]
    capacity: float
    pace: float
    level: int
    above: float = -1.0
    above_level: int = 0

    @property
    def count(self) -> int:
        """How many vehicles are in the group."""
        return len(self.vehicles)


@dataclass(frozen=True)
class Levels:
    """Loads as whole numbers of at least 1, for the dynamic programme.

    Where the demands are multiples of a common unit the levels are the demands in that unit.
    Otherwise they are rounded down to a grid, which only enlarges the set of routes: bounds stay
    valid, and enumeration checks true loads. Where that leaves some customer without any load,
    every customer counts one more and the capacity grows by the most customers of one trip. Where
    every vehicle carries everything at once, demands do not matter: they are stretched by 0.
    """

    customers: tuple[int, ...]
    unit: float
    stretch: int
    spare: int
    exact: bool
    excess: float = 0.0
    """By how much the load of a trip may exceed its levels, by the rounding of exact ones."""
    shortfall: float = 0.0
    """By how much it may fall short of them: a demand just below a level counts as that level."""

    def of(self, capacity: float) -> int:
        """The capacity in levels: at least what it carries."""
        most = capacity * (1 + SLACK) + self.shortfall
        return math.floor(most / self.unit + 1e-6) * self.stretch + self.spare

    def surely(self, capacity: float) -> int:
        """The capacity in levels: at most what it carries."""
        least = capacity * (1 + CAPACITY_TOLERANCE) - self.excess
        return math.floor(least / self.unit) * self.stretch + self.spare

    @property
    def total(self) -> int:
        """The levels of all customers together."""
        return sum(self.customers)


def useful_capacities(instance: Instance) -> Floats:
    """What each vehicle carries, at most all that there is: "unlimited" is often written so.

    It stays a capacity, not 0, where there is nothing to carry.
    """
    return np.minimum(instance.capacities, max(SMALLEST, math.fsum(instance.demands)))


def load_levels(instance: Instance) -> Levels:
    """The demands as levels, exact where a common unit allows."""
    total = math.fsum(instance.demands)
    if all(vehicle.can_carry(total) for vehicle in instance.vehicles):
        return Levels((1,) * instance.size, 1.0, 0, instance.size, exact=True)
    largest = float(useful_capacities(instance).max())
    most = _most_customers(instance.demands, largest)
    unit = _common_unit(instance.demands)
    exact = unit is not None and largest / unit <= MOST_LEVELS
    if unit is None or not exact:
        unit = largest / GRID
    units = np.floor(instance.demands / unit + 1e-6).astype(int)
    off = instance.demands - units * unit
    excess, shortfall = most * max(0.0, float(off.max())), most * max(0.0, -float(off.min()))
    if units.min() > 0:
        return Levels(tuple(units.tolist()), unit, 1, 0, exact, excess, shortfall)
    # With a stretch above `most`, one more per customer cannot cost a trip any of its capacity.
    stretch = most + 1 if exact and (most + 1) * largest / unit <= MOST_LEVELS else 1
    levels = tuple((units * stretch + 1).tolist())
    return Levels(levels, unit, stretch, most, exact and stretch > 1, excess, shortfall)


def groups(
    instance: Instance, objective: Objective, levels: Levels, out: Container[int] = ()
) -> tuple[Group, ...]:
    """Equal vehicles as groups, by pace and by what they carry of all there is; not those `out`.

    For min-sum a trip goes to the fastest vehicle that can carry it, so a group counts only if it
    carries more than every faster one, and only with loads above theirs.
    """
    alike: dict[tuple[float, float], list[int]] = {}
    for v, capacity in enumerate(useful_capacities(instance).tolist()):
        if v not in out:
            alike.setdefault((1 / instance.vehicles[v].speed, -capacity), []).append(v)
    found: list[Group] = []
    above = -1.0
    for (pace, minus_capacity), vehicles in sorted(alike.items()):
        capacity = -minus_capacity
        if objective is Objective.MIN_MAX:
            found.append(Group(tuple(vehicles), capacity, pace, levels.of(capacity)))
        elif capacity > above:
            floor = levels.surely(above) if above > 0 and levels.exact else 0
            found.append(Group(tuple(vehicles), capacity, pace, levels.of(capacity), above, floor))
            above = capacity
    return tuple(found)


def _common_unit(demands: Floats) -> float | None:
    """The largest number of which all demands are multiples, or None; Euclid with a tolerance."""
    tolerance = 1e-9 * float(demands.max())
    unit = 0.0
    for demand in demands:
        a, b = float(demand), unit
        while b > tolerance:
            a, b = b, math.fmod(a, b)
            if a - b <= tolerance:  # fmod just below a multiple
                b = 0.0
        unit = a
    if unit <= 0:
        return None
    off = np.abs(demands / unit - np.round(demands / unit))
    return unit if off.max() <= 1e-7 else None


def _most_customers(demands: Floats, capacity: float) -> int:
    """The most customers whose demands fit one trip."""
    return int(np.searchsorted(np.cumsum(np.sort(demands)), capacity * (1 + SLACK), side="right"))
