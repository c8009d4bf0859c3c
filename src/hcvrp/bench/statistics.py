"""What is said about many costs: means, gaps, paired differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from hcvrp.statistics import student_quantile

Key = TypeVar("Key")


class Interval(NamedTuple):
    """A mean with its 95 % confidence interval, over `size` observations."""

    mean: float
    low: float
    high: float
    size: int


def interval(values: list[float]) -> Interval:
    """x̄ ± t(0.975, n − 1) · s / √n; a single value has an infinite interval."""
    array = np.array(values)
    count, mean = len(array), float(array.mean())
    if count == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    half = student_quantile(0.975, count - 1) * float(array.std(ddof=1)) / math.sqrt(count)
    return Interval(mean, mean - half, mean + half, count)


def paired(costs: Mapping[Key, float], reference: Mapping[Key, float]) -> Interval | None:
    """The mean of cost / reference − 1 over the instances that both have, or None without any."""
    common = sorted(costs.keys() & reference.keys())  # type: ignore[type-var]
    if not common:
        return None
    return interval([costs[key] / reference[key] - 1 for key in common])


def whole_mean(costs: Mapping[Key, float], control: Mapping[Key, float]) -> Interval | None:
    """The mean of `costs` over all that `control` has, estimated from what both have.

    The ratio estimator (Cochran, *Sampling Techniques*, 1977, ch. 6): R X̄ with R = Σ y / Σ x over
    the n in common and X̄ the mean of the control x over all N. With e = y − R x the interval is
    ± t(0.975, n − 1) · X̄ / x̄ · s_e · √((1 − n / N) / n), nothing where all were measured.
    """
    common = list(costs.keys() & control.keys())
    if not common:
        return None
    y, x = (np.array([values[key] for key in common]) for values in (costs, control))
    scale, everything = float(y.sum() / x.sum()), float(np.mean(list(control.values())))
    errors = interval(list(y - scale * x))
    share = 1 - len(common) / len(control)
    half = (errors.high - errors.mean) * everything / float(x.mean()) * math.sqrt(share)
    mean = scale * everything
    return Interval(mean, mean - half, mean + half, len(common))


def mean_gap(costs: Mapping[Key, float], anchors: Mapping[Key, float]) -> float | None:
    """The mean of cost / anchor − 1 where there is a positive anchor, or None."""
    gaps = [costs[k] / anchors[k] - 1 for k in costs if anchors.get(k, 0) > 0]
    return float(np.mean(gaps)) if gaps else None
