"""Real numbers as the whole numbers that the peers calculate with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LOAD_GRID = 100_000
"""Units of load in the largest capacity where loads are no short decimals."""

LONGEST_LEG = 1_000_000
"""Cost of the longest leg on the slowest vehicle."""

LARGEST_MULTIPLE = 100
"""The finest fraction of the fastest vehicle's pace that is told apart."""


def loads(demands: Sequence[float], capacities: Sequence[float]) -> tuple[list[int], list[int]]:
    """Demands and capacities as whole numbers; what fits those fits the real ones.

    Short decimals are multiplied by a power of ten and stay exact. Anything else is measured in
    units of Q_max / `LOAD_GRID`, demands rounded up and capacities down.
    """
    values = np.array([*demands, *capacities])
    for power in range(6):
        scaled = values * 10**power
        if scaled.max() <= LOAD_GRID and np.abs(scaled - scaled.round()).max() < 1e-9:
            whole = scaled.round()
            break
    else:
        scaled = values * (LOAD_GRID / max(capacities))
        up = np.minimum(np.ceil(scaled[: len(demands)] - 1e-9), LOAD_GRID)
        whole = np.concatenate([up, np.floor(scaled[len(demands) :] + 1e-9)])
    numbers = [int(x) for x in whole]
    return numbers[: len(demands)], numbers[len(demands) :]


def paces(speeds: Sequence[float]) -> list[int]:
    """Whole numbers p_v in proportion to the paces 1/s_v, as small as the best fit allows.

    p_v = round(k · s_max/s_v) for the k ≤ `LARGEST_MULTIPLE` with the least relative error, so
    that the speeds 1/4, 1/5, 1/6 give exactly 4, 5, 6.
    """
    ratios = max(speeds) / np.array(speeds)

    def error(k: int) -> float:
        worst = float(np.max(np.abs(np.round(k * ratios) / (k * ratios) - 1)))
        return round(worst, 9)  # so that exact fits tie and the smallest wins

    k = min(range(1, LARGEST_MULTIPLE + 1), key=error)
    return [int(p) for p in np.round(k * ratios)]


def legs(distances: Sequence[Sequence[float]], longest: float) -> list[list[int]]:
    """Distances as whole numbers, the longest leg becoming `longest`."""
    matrix = np.array(distances)
    whole: list[list[int]] = np.round(matrix * leg_scale(distances, longest)).astype(int).tolist()
    return whole


def leg_scale(distances: Sequence[Sequence[float]], longest: float) -> float:
    """The factor by which `legs` multiplies."""
    return longest / (float(np.max(distances)) or 1.0)
