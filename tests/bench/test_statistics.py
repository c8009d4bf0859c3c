"""Intervals and gaps, worked out by hand."""

import math

import pytest

from hcvrp.bench.statistics import interval, mean_gap, paired
from hcvrp.statistics import student_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),  # printed tables: 97.5 %
    [(1, 12.7062), (2, 4.30265), (10, 2.22814), (63, 1.99834), (1279, 1.96184)],
)
def test_quantiles_of_student(freedom, quantile):
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, rel=1e-5)


def test_an_interval_by_hand():
    found = interval([1.0, 2.0, 3.0])  # s = 1, t(0.975, 2) = 4.30265
    assert (found.mean, found.size) == (2.0, 3)
    assert found.high - 2 == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert 2 - found.low == pytest.approx(found.high - 2)


def test_one_value_says_nothing_about_its_spread():
    assert interval([5.0]) == (5.0, -math.inf, math.inf, 1)


def test_pairs_are_the_common_instances():
    found = paired({1: 11.0, 2: 10.0, 3: 99.0}, {1: 10.0, 2: 10.0, 4: 1.0})
    assert found is not None
    assert (found.mean, found.size) == (pytest.approx(0.05), 2)
    assert found.high == pytest.approx(0.05 + 12.7062 * 0.05, rel=1e-5)
    assert paired({1: 1.0}, {2: 1.0}) is None


def test_gaps_are_to_the_anchors_there_are():
    assert mean_gap({1: 11.0, 2: 30.0, 3: 7.0}, {1: 10.0, 2: 20.0}) == pytest.approx(0.3)
    assert mean_gap({1: 11.0}, {}) is None
