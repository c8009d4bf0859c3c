"""Bounds that need no linear programme: what any solution must travel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.fleet import SLACK, useful_capacities
from hcvrp.solution import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.watch import Watch
    from hcvrp.instance import Instance

ROUNDING = 1 - 1e-10
"""Bounds are lowered by this factor, for the rounding of sums of up to some 10⁵ terms; by less than
what makes a solution better, so that they can prove the best one."""

ROWS = 64
"""Customers whose distances to all nodes are looked at together, to save memory."""


def trivial_bounds(instance: Instance, objective: Objective, watch: Watch) -> Iterator[float]:
    """Bounds in the order of their effort; the last only where time allows."""
    yield ROUNDING * radial_bound(instance, objective)
    nearest = _nearest_total(instance, watch)
    if nearest is not None:
        speeds = instance.speeds
        speed = speeds.max() if objective is Objective.MIN_SUM else speeds.sum()
        yield ROUNDING * nearest / float(speed)


def radial_bound(instance: Instance, objective: Objective) -> float:
    """The larger of two bounds from r_i, the shortest way to customer i and back.

    A trip is at least as long as the r_i of any of its customers, so at least as long as their
    mean weighted by demand: with capacity Q, at most all that there is, Σ q_i r_i / Q (Haimovich &
    Rinnooy Kan 1985). Hence min-sum costs at least Σ_i q_i r_i min_v pace_v / Q_v over the vehicles
    that can carry i, and min-max at least Σ_i q_i r_i / Σ_v Q_v speed_v. And some vehicle goes to
    the hardest customer: max_i min_v pace_v r_i.
    """
    ways = _there_and_back(instance)[1:]
    capacities = useful_capacities(instance) * (1 + SLACK)
    able = instance.demands[:, None] <= capacities
    paces = np.where(able, 1 / instance.speeds, np.inf)
    hardest = float((ways * paces.min(axis=1)).max())
    work = instance.demands * ways
    if objective is Objective.MIN_SUM:
        return max(hardest, float(work @ (paces / capacities).min(axis=1)))
    return max(hardest, float(work.sum() / (capacities @ instance.speeds)))


def shortest_trips(instance: Instance) -> NDArray[np.float64]:
    """A time that no trip of each vehicle falls below: to the nearest customer whom it can carry.

    It is infinite where there is none.
    """
    order = np.argsort(instance.demands)
    capacities = useful_capacities(instance) * (1 + SLACK)
    able = np.searchsorted(instance.demands[order], capacities, side="right")
    nearest = np.minimum.accumulate(_there_and_back(instance)[1:][order])
    return np.asarray(ROUNDING * np.concatenate([[np.inf], nearest])[able] / instance.speeds)


def _nearest_total(instance: Instance, watch: Watch) -> float | None:
    """Σ_i min_j d_ij: every customer is left once; None when time ran out."""
    total, nodes = 0.0, np.arange(instance.size + 1)
    for first in range(1, instance.size + 1, ROWS):
        if watch.over:
            return None
        rows = nodes[first : first + ROWS]
        legs = np.array(instance.travel(rows[:, None], nodes[None, :]))
        legs[np.arange(len(rows)), rows] = np.inf
        total += float(legs.min(axis=1).sum())
    return total


def _there_and_back(instance: Instance) -> NDArray[np.float64]:
    """Length of the shortest way from the depot to each node and back."""
    if instance.matrix is not None:
        return _shortest(instance.matrix) + _shortest(instance.matrix.T)
    return 2 * instance.travel(0, np.arange(instance.size + 1))


def _shortest(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Length of a shortest path from the depot to each node (Dijkstra 1959, dense)."""
    reached = distances[0].copy()
    unseen = np.ones(len(reached), dtype=bool)
    for _ in range(len(reached)):
        node = int(np.argmin(np.where(unseen, reached, np.inf)))
        unseen[node] = False
        reached = np.minimum(reached, reached[node] + distances[node])
    return np.asarray(reached)
