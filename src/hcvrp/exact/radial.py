"""A bound in microseconds: what must be carried how far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcvrp.exact.trivial import there_and_back
from hcvrp.solution import Objective

if TYPE_CHECKING:
    from hcvrp.instance import Instance

ROUNDING = 1e-8
"""More than the referee's tolerance on loads and the rounding of the sums."""


def radial_bound(instance: Instance, objective: Objective) -> float:
    """What any solution costs at least (Haimovich & Rinnooy Kan 1985, for fleets that differ).

    With r_i the shortest way to customer i and back, a trip of vehicle v with customers S is no
    shorter than the farthest of them, hence than their mean weighted by demands q:

        length ≥ max_S r_i ≥ Σ_S q_i r_i / Σ_S q_i ≥ Σ_S q_i r_i / Q_v.

    So vehicle v gets at most Q_v s_v of W = Σ q_i r_i done per time. All vehicles together need
    W / Σ_v Q_v s_v for min-max; for min-sum the total is least on the best one, W / max_v Q_v s_v.
    """
    work = float((instance.demands * there_and_back(instance)[1:]).sum())
    rates = instance.capacities * instance.speeds
    rate = rates.sum() if objective is Objective.MIN_MAX else rates.max()
    return work / float(rate) * (1 - ROUNDING)
