"""Capacity cuts: however its demand is split, a set of customers needs so many vehicles.

Let y_g(S) be how often vehicles of group g come to the customers S from outside, and Q_g what one
of them carries. Then Σ_g Q_g · y_g(S) ≥ d(S) with whole y, so for any weights a ≥ 0

    Σ_g a_g · y_g(S) ≥ κ_a(d(S)),    κ_a(D) = min {Σ_g a_g · z_g : Σ_g Q_g · z_g ≥ D, z whole}.

The weights a_g = ⌈Q_g / t⌉ contain the rounded capacity cuts of a mixed fleet, whose right-hand
side is ⌈d(S) / t⌉ ≤ κ_a(d(S)) (Yaman 2006); a_g = pace of g says that the cheapest fleet for the
set is paid for. A cut changes only what legs cost that cross the border of S: the pricing of
routes is as quick as before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hcvrp.exact.support import Support

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.fleet import Group, Levels
    from hcvrp.exact.support import Sets, Used
    from hcvrp.exact.watch import Watch
    from hcvrp.solution import Trip

    Floats = NDArray[np.float64]

VIOLATION = 0.005
"""The least violation worth a cut, as a share of the right-hand side."""

MOST_ROUNDED, MOST_SMALL = 16, 48
"""Weights that are tried: ⌈Q / t⌉ from the largest t down, and whole numbers from 1 up …"""

TABLES = 3
"""Tables of κ in memory at once while it is made."""

MOST_TRIED = 20_000
"""… among so many: of twenty kinds of vehicles that carry nearly the same most are surpassed."""


@dataclass(frozen=True)
class CapacityCut:
    """Σ_g shares_g · y_g(customers) ≥ 1, written as a row with a limit: −Σ … ≤ −1.

    With `once` a trip counts once however often it comes to the customers: stronger, and true of
    trips that visit nobody twice (Baldacci, Christofides & Mingozzi 2008), but the price of a
    trip is no longer a sum over its legs.
    """

    customers: frozenset[int]
    shares: tuple[float, ...]
    once: bool = False
    limit: ClassVar[float] = -1.0

    def entry(self, group: int, trip: Trip) -> float:
        """Minus the group's share for each time that the trip comes to the customers."""
        times = visits_from_outside(self.customers, trip)
        return -self.shares[group] * (min(times, 1) if self.once else times)


def visits_from_outside(customers: frozenset[int], trip: Trip) -> int:
    """How often the trip comes to these customers from another one or from the depot."""
    times, before = 0, False
    for customer in trip:
        inside = customer in customers
        times += inside and not before
        before = inside
    return times


def premiums(priced: Sequence[tuple[CapacityCut, float]], group: int, nodes: int) -> Floats:
    """What cuts at these prices pay a trip of the group for each leg, by origin and destination.

    A trip leaves a set as often as it comes to it; half for either keeps the legs of a symmetric
    instance symmetric.
    """
    inside = np.zeros((len(priced), nodes))
    for row, (cut, _) in zip(inside, priced, strict=True):
        row[list(cut.customers)] = 1
    paid = np.array([price * cut.shares[group] for cut, price in priced])
    coming = (1 - inside).T @ (paid[:, None] * inside)
    return (coming + coming.T) / 2


class FleetCovers:
    """The weights that are tried, and κ_a(D) for every level of demand D.

    `complete` says whether time and memory allowed the table; without it there are no cuts.
    """

    def __init__(
        self, groups: Sequence[Group], levels: Levels, memory: float, watch: Watch
    ) -> None:
        # A vehicle too small for anybody may as well carry one level.
        self.capacities = np.array([max(1, group.level) for group in groups])
        paces = tuple(group.pace for group in groups)
        self.weights = np.array([*_whole_weights(self.capacities), paces])  # (weights, groups)
        self.complete = TABLES * 8 * len(self.weights) * (levels.total + 1) <= memory
        if self.complete:
            self.least: Floats = np.full((len(self.weights), levels.total + 1), np.inf)
            self.least[:, 0] = 0.0
            self.complete = all(
                self._allow(weights[:, None], capacity, watch)
                for weights, capacity in zip(self.weights.T, self.capacities.tolist(), strict=True)
            )

    def _allow(self, weights: Floats, capacity: int, watch: Watch) -> bool:
        """Lets any number of one more kind of vehicle be used; False: time is up.

        After steps by 1, 2, 4, … of them every number was tried.
        """
        times, most = 1, self.least.shape[1] - 1
        while not watch.over:
            carried = min(times * capacity, most)
            rest = self.least[:, 1 : most + 1 - carried] + times * weights
            self.least[:, carried + 1 :] = np.minimum(self.least[:, carried + 1 :], rest)
            enough = self.least[:, 1 : carried + 1]
            np.minimum(enough, times * weights, out=enough)
            if carried == most:
                return True
            times *= 2
        return False

    def cut(self, customers: Iterable[int], weights: int, demand: int) -> CapacityCut:
        """The cut with these weights for customers of that demand in all."""
        shares = self.weights[weights] / self.least[weights, demand]
        return CapacityCut(frozenset(customers), tuple(shares.tolist()))

    def violations(self, visits: Floats, demands: NDArray[np.int64]) -> Floats:
        """1 − Σ_g a_g · y_g / κ_a(D): by weights, then by set; visits are by group, then by set."""
        return 1 - self.weights @ visits / self.least[:, demands]


def _whole_weights(capacities: NDArray[np.int64]) -> Iterable[tuple[float, ...]]:
    """Rounded capacities and small whole numbers."""
    divisors = range(int(capacities.max()), 0, -1)
    rounded = dict.fromkeys(tuple(np.ceil(capacities / t).tolist()) for t in divisors)
    small = _small_weights(capacities)
    return dict.fromkeys([*islice(rounded, MOST_ROUNDED), *islice(small, MOST_SMALL)])


def _small_weights(capacities: NDArray[np.int64]) -> Iterator[tuple[float, ...]]:
    """Whole weights by their largest, less those that lower ones surpass.

    A weight above that of a larger vehicle, or above that of as many of the smallest vehicles as
    carry the same, can be lowered without changing κ.
    """
    order = np.argsort(capacities)
    carried = np.ceil(capacities[order] / capacities.min())
    weights = np.empty(len(capacities))
    candidates = (
        (*rest, largest)
        for largest in range(1, MOST_SMALL + 1)
        for rest in combinations_with_replacement(
            range(math.ceil(largest / carried[-1]), largest + 1), len(order) - 1
        )
    )
    for rising in islice(candidates, MOST_TRIED):
        if math.gcd(*rising) == 1 and (rising <= rising[0] * carried).all():
            weights[order] = rising
            yield tuple(weights.tolist())


def separate(
    used: Sequence[Used], levels: Levels, covers: FleetCovers, most: int, watch: Watch
) -> list[CapacityCut]:
    """The most violated capacity cuts; when time is up, of those found so far."""
    if not covers.complete:
        return []
    support = Support(used, levels, covers.capacities)

    def violations(sets: Sets) -> Floats:
        return covers.violations(sets.visits, sets.demands)

    found = support.most_violated(violations, VIOLATION, most, watch)
    return [covers.cut(*cut) for cut in found]
