"""Subset-row cuts over three customers (Jepsen, Petersen, Spoorendonk & Pisinger 2008).

Of the trips that visit at least two of three customers at most one is used:

    Σ_r ⌊|r ∩ S| / 2⌋ x_r ≤ 1        for every S of three customers.

With limited memory (Pecin, Pessoa, Poggi & Uchoa 2017) a visit is forgotten once the route leaves
the cut's memory, a set of customers around S; the coefficient of a route can only shrink, so the
cut stays valid, and pricing stays quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.watch import Watch
    from hcvrp.solution import Trip

    Floats = NDArray[np.float64]

VIOLATION = 0.03
"""The least violation worth a cut."""

PER_CUSTOMER = 6
"""In one round no customer is in more cuts than this."""


@dataclass(frozen=True)
class Cut:
    """Three customers, and the customers among whom a visit to them is remembered."""

    customers: frozenset[int]
    memory: frozenset[int]
    limit: ClassVar[float] = 1.0

    def entry(self, group: int, trip: Trip) -> float:  # noqa: ARG002 - the same for every group
        """The coefficient of the trip, whichever group makes it."""
        return float(self.coefficient(trip))

    def coefficient(self, trip: Trip) -> int:
        """How often the trip makes a second visit to the three within memory."""
        pairs, pending = 0, False
        for customer in trip:
            if customer in self.customers:
                pairs += pending
                pending = not pending
            elif customer not in self.memory:
                pending = False
        return pairs

    def remembering(self, trips: Iterable[Trip]) -> Cut:
        """The same cut with memory enough to count every pair of visits of these trips."""
        memory = set(self.memory)
        for trip in trips:
            between: set[int] | None = None
            for customer in trip:
                if customer in self.customers:
                    if between is None:
                        between = set()
                    else:
                        memory |= between
                        between = None
                elif between is not None:
                    between.add(customer)
        return Cut(self.customers, frozenset(memory))


def separate(
    trips: Sequence[Trip], values: Floats, size: int, most: int, watch: Watch
) -> list[Cut]:
    """The most violated cuts for trips used at these values, with just the memory they need.

    When time is up, of those found so far.
    """
    visits = np.zeros((size, len(trips)), dtype=np.uint8)
    for column, trip in enumerate(trips):
        for customer in trip:
            visits[customer - 1, column] += 1
    chosen: list[Cut] = []
    used = np.zeros(size + 1, dtype=int)
    for triple in _violated(visits, values, watch):
        if len(chosen) >= most:
            break
        if used[list(triple)].max() < PER_CUSTOMER:
            used[list(triple)] += 1
            counts = visits[[c - 1 for c in triple]].sum(axis=0)
            touched = [trips[int(k)] for k in np.flatnonzero(counts >= 2)]
            chosen.append(Cut(frozenset(triple), frozenset()).remembering(touched))
    return chosen


def _violated(
    visits: NDArray[np.uint8], values: Floats, watch: Watch
) -> list[tuple[int, int, int]]:
    """Triples whose full cut is violated, most violated first.

    A trip that visits three customers a, b and c times counts at most ⌊a/2⌋ + ⌊b/2⌋ + ⌊c/2⌋ plus
    one for each pair it visits together. Only triples for which these terms exceed 1 are looked at
    closely, and only those with a customer who shares trips with both others: without, one pair
    would have to be on more than one trip in all, unless trips come twice to the third.
    """
    joint = _together(visits, values)
    shared = joint > 0
    repeated = (visits // 2) @ values
    found: list[tuple[float, tuple[int, int, int]]] = []
    for i in range(len(visits)):
        if watch.over:
            break
        near = np.flatnonzero(shared[i])
        # A triple all of whose pairs share trips is met three times, and taken at its first.
        fresh = np.triu(~shared[np.ix_(near, near)] | (near > i)[:, None], 1)
        reach = joint[i, near][:, None] + joint[i, near] + joint[np.ix_(near, near)]
        reach += repeated[i] + repeated[near][:, None] + repeated[near]
        j, k = (near[chosen] for chosen in np.nonzero(fresh & (reach > 1 + VIOLATION)))
        columns = np.flatnonzero(visits[[i, *near]].sum(axis=0) > 1)
        met = visits[:, columns]
        use = ((met[i] + met[j] + met[k]) // 2) @ values[columns]
        for t in np.flatnonzero(use > 1 + VIOLATION):
            a, b, c = sorted((i + 1, int(j[t]) + 1, int(k[t]) + 1))
            found.append((-float(use[t]), (a, b, c)))
    return [triple for _, triple in sorted(found)]


def _together(visits: NDArray[np.uint8], values: Floats) -> Floats:
    """How much of the trips used two customers share; 0 on the diagonal."""
    together = np.zeros((len(visits), len(visits)))
    for column, value in zip(visits.T, values.tolist(), strict=True):
        inside = np.flatnonzero(column)
        together[np.ix_(inside, inside)] += value
    np.fill_diagonal(together, 0.0)
    return together
