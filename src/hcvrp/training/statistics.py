"""The test that decides whether a policy is better than its baseline."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def paired_p_value(difference: NDArray[np.float64]) -> float:
    """One-sided paired t-test: the probability of a mean this far below 0 were the true one 0.

    With ν = n − 1 and t = mean / (s/√n), Student's distribution function at t, its density
    integrated by Simpson's rule.
    """
    n = len(difference)
    spread = float(difference.std(ddof=1))
    centre = float(difference.mean())
    if spread == 0:
        return 0.5 if centre == 0 else float(centre > 0)
    return student_cdf(centre / (spread / math.sqrt(n)), n - 1)


def student_cdf(t: float, freedom: int) -> float:
    """P(T ≤ t) for Student's t with `freedom` degrees of freedom."""
    bound = min(abs(t), 40.0)
    x = np.linspace(0.0, bound, 4001)
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    scale = math.exp(log_scale) / math.sqrt(freedom * math.pi)
    density = scale * (1 + x**2 / freedom) ** (-(freedom + 1) / 2)
    ends = density[0] + density[-1]
    simpson = ends + 4 * density[1:-1:2].sum() + 2 * density[2:-1:2].sum()
    half = float(simpson * bound / 4000 / 3)
    return max(0.0, 0.5 - half) if t < 0 else min(1.0, 0.5 + half)
