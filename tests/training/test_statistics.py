from __future__ import annotations

import numpy as np
import pytest

from hcvrp.training.statistics import paired_p_value, student_cdf


@pytest.mark.parametrize(
    ("t", "freedom", "probability"),  # from printed tables of Student's distribution
    [(0.0, 7, 0.5), (1.0, 1, 0.75), (-2.228, 10, 0.025), (1.645, 10_000, 0.95), (2.764, 10, 0.99)],
)
def test_student_against_the_tables(t: float, freedom: int, probability: float) -> None:
    assert student_cdf(t, freedom) == pytest.approx(probability, abs=2e-5)


def test_a_worked_paired_test() -> None:
    # Mean −1, s = √(10/4), n = 5: t = −1/(√2.5/√5) = −√2 with 4 degrees of freedom.
    # For ν = 4 the distribution is ½ + ¾ (z − z³/3) with z = t/√(4 + t²) = −1/√3.
    z = -1 / np.sqrt(3)
    expected = 0.5 + 0.75 * (z - z**3 / 3)
    assert paired_p_value(np.array([-3.0, -2, -1, 0, 1])) == pytest.approx(expected, abs=1e-9)


def test_only_cheaper_counts() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=1000)
    assert paired_p_value(noise - 0.2) < 1e-5
    assert paired_p_value(noise + 0.2) > 1 - 1e-5
    assert paired_p_value(np.zeros(5)) == 0.5
    assert paired_p_value(np.full(5, -1.0)) == 0.0
    assert paired_p_value(np.full(5, 1.0)) == 1.0
