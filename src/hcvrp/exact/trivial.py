"""A bound that needs no linear programme: what any solution must travel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcvrp.solution import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.instance import Instance


def trivial_bound(instance: Instance, objective: Objective) -> float:
    """The larger of two bounds, less a rounding allowance.

    Every customer is left once, so the total length is at least Σ_i min_j d_ij: at the best pace
    for min-sum, shared by all vehicles for min-max. And some vehicle that can carry the hardest
    customer goes there and back: along shortest paths, max_i min_v pace_v · (d_0i + d_i0).
    """
    length = sum(_nearest(instance, customer) for customer in range(1, instance.size + 1))
    fastest = float(instance.speeds.max())
    speed = fastest if objective is Objective.MIN_SUM else float(instance.speeds.sum())
    detours = there_and_back(instance)[1:]
    able = instance.demands[:, None] <= instance.capacities * (1 + 1e-8)
    paces = np.where(able, 1 / instance.speeds, np.inf).min(axis=1)
    return max(length / speed, float((detours * paces).max())) * (1 - 1e-9)


def _nearest(instance: Instance, customer: int) -> float:
    """The distance from a customer to the nearest other node; row by row, to save memory."""
    nodes = np.arange(instance.size + 1)
    return float(instance.travel(customer, nodes[nodes != customer]).min())


def there_and_back(instance: Instance) -> NDArray[np.float64]:
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
