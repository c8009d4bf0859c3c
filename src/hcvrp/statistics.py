"""Student's t distribution, for tests and confidence intervals."""

from __future__ import annotations

import math

import numpy as np


def student_cdf(t: float, freedom: int) -> float:
    """P(T ≤ t) for Student's t with `freedom` degrees of freedom, by Simpson's rule."""
    bound = min(abs(t), 40.0)
    x = np.linspace(0.0, bound, 4001)
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    scale = math.exp(log_scale) / math.sqrt(freedom * math.pi)
    density = scale * (1 + x**2 / freedom) ** (-(freedom + 1) / 2)
    ends = density[0] + density[-1]
    simpson = ends + 4 * density[1:-1:2].sum() + 2 * density[2:-1:2].sum()
    half = float(simpson * bound / 4000 / 3)
    return max(0.0, 0.5 - half) if t < 0 else min(1.0, 0.5 + half)


def student_quantile(probability: float, freedom: int) -> float:
    """The t with P(T ≤ t) = `probability`, for 0.5 ≤ probability ≤ 0.99, by bisection."""
    low, high = 0.0, 40.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if student_cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2
