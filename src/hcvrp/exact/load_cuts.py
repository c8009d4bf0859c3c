"""Load cuts over a list of trips: what they carry for a set of customers, rounded up.

With ℓ_r(S) the load of trip r for the customers S, all trips of a solution carry d(S), so

    Σ_r ⌈ℓ_r(S) / t⌉ · x_r ≥ ⌈d(S) / t⌉        for every t:

Chvátal-Gomory cuts of the covering rows with the demands as multipliers. They surpass the rounded
capacity cuts, which count what a vehicle could carry; but the price of a trip is no longer a sum
over its legs, so they are for trips that are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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

VIOLATION = 0.003
"""The least violation worth a cut, as a share of the right-hand side."""

MOST_DIVISORS = 24


@dataclass(frozen=True)
class LoadCut:
    """Scaled and written as a row with a limit: −Σ_r ⌈ℓ_r / divisor⌉ / needed · x_r ≤ −1."""

    customers: frozenset[int]
    divisor: int
    needed: int
    levels: tuple[int, ...] = field(repr=False)  # of all customers
    limit: ClassVar[float] = -1.0

    def entry(self, group: int, trip: Trip) -> float:  # noqa: ARG002 - the same for every group
        """Minus the trip's share of what the customers need."""
        load = sum(self.levels[customer - 1] for customer in trip if customer in self.customers)
        return (-load // self.divisor) / self.needed  # rounded down, so that its size is rounded up

    def weights(self) -> NDArray[np.int64]:
        """The levels of the customers, 0 for the others."""
        weights = np.zeros(len(self.levels), dtype=np.int64)
        inside = np.array(sorted(self.customers)) - 1
        weights[inside] = np.array(self.levels)[inside]
        return weights


def separate(
    used: Sequence[Used], levels: Levels, groups: Sequence[Group], most: int, watch: Watch
) -> list[LoadCut]:
    """The most violated load cuts; when time is up, of those found so far."""
    capacities = np.array([group.level for group in groups])
    divisors = np.unique(np.linspace(2, max(2, capacities.max()), MOST_DIVISORS).astype(int))
    values = np.array([value for _, _, value in used])
    carried = np.zeros((len(levels.customers), len(used)))
    for k, (_, trip, _) in enumerate(used):
        for customer in trip:
            carried[customer - 1, k] += levels.customers[customer - 1]

    def violations(sets: Sets) -> Floats:
        loads = sets.inside @ carried  # (sets, trips)
        brought = np.stack([np.ceil(loads / t) @ values for t in divisors])
        return np.asarray(1 - brought / np.ceil(sets.demands / divisors[:, None]))

    found = Support(used, levels, capacities).most_violated(violations, VIOLATION, most, watch)
    return [
        LoadCut(
            frozenset(customers),
            int(divisors[kind]),
            -(-demand // int(divisors[kind])),
            levels.customers,
        )
        for customers, kind, demand in found
    ]
