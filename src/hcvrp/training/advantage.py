"""Samples of one instance against each other."""

from __future__ import annotations

from torch import Tensor

SMALLEST_SPREAD = 1e-3
"""Of the mean cost: where samples differ by less, their differences are not blown up."""


def advantages(costs: Tensor, leader: float = 0.0) -> Tensor:
    """What each sample cost beyond the mean of its instance, in units of their spread.

        A_s = (c_s − mean) / (std + ε mean)

    Args:
        costs: (views, B, samples per view).
        leader: the best sample's advantage counts 1 + `leader` times (leader reward, Wang et al.
            2024), which trains for the best of many samples instead of the mean one.

    The mean over S samples is the baseline (Kool et al. 2019b). Divided by the spread, instances
    of all sizes, fleets and both objectives weigh the same.
    """
    mean = costs.mean((0, 2), keepdim=True)
    spread = costs.std((0, 2), keepdim=True) + SMALLEST_SPREAD * mean
    advantage = (costs - mean) / spread.clamp(min=1e-12)
    best = costs == costs.amin((0, 2), keepdim=True)
    return advantage * (1 + leader * best)
