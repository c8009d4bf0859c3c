"""The test that decides whether a policy is better than its baseline."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hcvrp.statistics import student_cdf


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
