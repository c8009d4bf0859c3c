"""The legs in use, and sets of customers that few vehicles come to, candidates for cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.fleet import Levels
    from hcvrp.exact.watch import Watch
    from hcvrp.solution import Trip

    Floats = NDArray[np.float64]
    Used = tuple[int, Trip, float]
    Found = tuple[list[int], int, int]

DEMAND_SHARES = (0.0, 0.5, 1.0)
"""How much demand counts when sets are grown: different shares find different sets."""

MOST_SETS, MOST_GROWN = 200, 120
"""Customers from which sets are grown, and those of the largest set."""


@dataclass(frozen=True)
class Sets:
    """Sets of customers, what they demand, and how often each group of vehicles comes to them."""

    inside: NDArray[np.bool_]  # (sets, customers)
    visits: Floats  # (groups, sets)
    demands: NDArray[np.int64]  # (sets)


class Support:
    """A fractional solution: trips (group, customers, value)."""

    def __init__(self, used: Sequence[Used], levels: Levels, capacities: NDArray[np.int64]) -> None:
        flows = _flows(used, len(levels.customers), len(capacities))
        self._level = np.array(levels.customers)
        self._capacities = capacities
        self._degree = flows.sum(axis=2)[:, 1:]  # (groups, customers)
        self._flows = flows[:, 1:, 1:]

    def most_violated(
        self, violations: Callable[[Sets], Floats], least: float, most: int, watch: Watch
    ) -> list[Found]:
        """Sets with a violation above `least`: their customers, the kind of cut, the demand.

        `violations` gives them by kind of cut, then by set. When time is up, no more are looked at.
        """
        found: dict[bytes, tuple[float, int, int]] = {}
        for share in DEMAND_SHARES:
            for sets in self._grown(share, watch):
                violation = violations(sets)
                kinds = violation.argmax(axis=0)
                for s in np.flatnonzero(violation.max(axis=0) > least):
                    rank = -float(violation[kinds[s], s])
                    key = np.packbits(sets.inside[s]).tobytes()
                    found[key] = (rank, int(kinds[s]), int(sets.demands[s]))
        best = sorted((rank, key) for key, rank in found.items())[:most]
        return [(self._customers(key), kind, demand) for (_, kind, demand), key in best]

    def _grown(self, share: float, watch: Watch) -> Iterator[Sets]:
        """One set for each customer, or some of many, by one customer larger each time.

        After the greedy growth of Lysgaard, Letchford & Eglese (2004), by the customer for which
        Σ_g Q_g · y_g(S) − share · d(S) is least: with a share of 0 sets with few visits are sought,
        with 1 those whose visitors are full, which rounding cuts off best.
        """
        size = len(self._level)
        seeds = np.unique(np.linspace(0, size - 1, min(size, MOST_SETS)).astype(int))
        every = np.arange(len(seeds))
        inside = np.eye(size, dtype=bool)[seeds]
        visits, demands = self._degree[:, seeds], self._level[seeds]
        joined = self._flows[:, seeds]  # (groups, sets, customers)
        for _ in range(min(size, MOST_GROWN) - 1):
            if watch.over:
                return
            more = self._degree[:, None, :] - 2 * joined
            unused = np.tensordot(self._capacities, more, 1) - share * self._level
            unused[inside] = np.inf
            chosen = unused.argmin(axis=1)
            inside[every, chosen] = True
            visits = visits + more[:, every, chosen]
            demands = demands + self._level[chosen]
            joined = joined + self._flows[:, chosen]
            yield Sets(inside, visits, demands)

    def _customers(self, key: bytes) -> list[int]:
        bits = np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=len(self._level))
        return [int(k) + 1 for k in np.flatnonzero(bits)]


def _flows(used: Sequence[Used], size: int, groups: int) -> Floats:
    """Half the use of the legs between two nodes, both ways together: (groups, nodes, nodes)."""
    flows = np.zeros((groups, size + 1, size + 1))
    for group, trip, value in used:
        nodes = [0, *trip, 0]
        np.add.at(flows[group], (nodes[:-1], nodes[1:]), value / 2)
    return flows + flows.transpose(0, 2, 1)
