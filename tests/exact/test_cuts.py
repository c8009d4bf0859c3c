"""Subset-row cuts over three customers."""

import threading
from itertools import combinations

import numpy as np
import pytest

from hcvrp.exact.cuts import PER_CUSTOMER, VIOLATION, Cut, separate
from hcvrp.exact.watch import Watch


def test_three_half_trips_over_pairs_violate_the_cut() -> None:
    # Each pair of three customers at ½: every customer is covered, 1½ > 1 trips touch two.
    found = separate([(1, 2), (2, 3), (3, 1)], np.full(3, 0.5), 3, 10, Watch(None))
    assert [set(cut.customers) for cut in found] == [{1, 2, 3}]


def test_whole_trips_violate_nothing() -> None:
    assert separate([(1, 2, 3), (4, 5)], np.ones(2), 5, 10, Watch(None)) == []


def test_no_cut_is_looked_for_when_cancelled() -> None:
    cancel = threading.Event()
    cancel.set()
    halves = np.full(3, 0.5)
    assert separate([(1, 2), (2, 3), (3, 1)], halves, 3, 10, Watch(None, cancel)) == []


def test_the_clock_is_watched_at_every_customer() -> None:
    """The triples of the first customer are found, that of 4, 5 and 6 is not."""

    class Short(Watch):
        @property
        def left(self) -> float:
            return float(next(looks))

    looks = iter([1, 0])
    pairs = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)]
    found = separate(pairs, np.full(6, 0.5), 6, 10, Short(None))
    assert [set(cut.customers) for cut in found] == [{1, 2, 3}]


@pytest.mark.parametrize("seed", range(30))
def test_every_violated_triple_that_shares_trips_is_found(seed: int) -> None:
    """The trips use three seats a customer, and some come twice to one; all triples are tried."""
    rng = np.random.default_rng(seed)
    size = 9
    trips = [tuple((1 + rng.integers(size, size=rng.integers(1, 6))).tolist()) for _ in range(14)]
    values = rng.choice([0.25, 0.5, 0.75], len(trips))
    expected: dict[frozenset[int], float] = {}
    for triple in combinations(range(1, size + 1), 3):
        use = sum(
            v * (sum(c in triple for c in t) // 2) for t, v in zip(trips, values, strict=True)
        )
        pairs = sum(any(a in t and b in t for t in trips) for a, b in combinations(triple, 2))
        if use > 1 + VIOLATION and pairs > 1:
            expected[frozenset(triple)] = use
    order = sorted(expected, key=lambda s: (-expected[s], sorted(s)))
    met = dict.fromkeys(range(1, size + 1), 0)
    kept = []
    for triple in order:
        if max(met[c] for c in triple) < PER_CUSTOMER:
            kept.append(triple)
            met.update({c: met[c] + 1 for c in triple})
    found = separate(trips, values, size, 1000, Watch(None))
    assert [cut.customers for cut in found] == kept


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
