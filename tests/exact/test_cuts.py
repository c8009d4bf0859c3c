"""Subset-row cuts over three customers."""

import numpy as np
import pytest

from hcvrp.exact.cuts import Cut, separate


def test_three_half_trips_over_pairs_violate_the_cut() -> None:
    # Each pair of three customers at ½: every customer is covered, 1½ > 1 trips touch two.
    found = separate([(1, 2), (2, 3), (3, 1)], np.full(3, 0.5), 3, 10)
    assert [set(cut.customers) for cut in found] == [{1, 2, 3}]


def test_whole_trips_violate_nothing() -> None:
    assert separate([(1, 2, 3), (4, 5)], np.ones(2), 5, 10) == []


def test_memory_is_what_lies_between_two_visits() -> None:
    cut = Cut(frozenset({1, 2, 3}), frozenset()).remembering([(4, 1, 5, 2, 6), (7, 3, 8)])
    assert cut.memory == {5}


@pytest.mark.parametrize(
    ("trip", "memory", "coefficient"),
    [
        ((1, 2), (), 1),
        ((1, 4, 2), (), 0),
        ((1, 4, 2), (4,), 1),
        ((1, 2, 3), (), 1),
        ((1, 2, 3, 1), (), 2),
        ((4, 1, 5), (4, 5), 0),
        ((1, 4, 2, 3), (), 1),
    ],
)
def test_a_second_visit_counts_while_remembered(
    trip: tuple[int, ...], memory: tuple[int, ...], coefficient: int
) -> None:
    assert Cut(frozenset({1, 2, 3}), frozenset(memory)).coefficient(trip) == coefficient
