"""Load cuts: what listed trips carry for a set of customers, rounded up."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hcvrp.exact.fleet import Group, Levels
from hcvrp.exact.load_cuts import LoadCut, separate
from hcvrp.exact.master import Column
from hcvrp.exact.pool import pool_of
from hcvrp.exact.watch import Watch

CUSTOMERS = 7


def test_a_trip_counts_what_it_carries_for_the_set() -> None:
    # Demands 3, 4 and 9; the first two need ⌈7 / 5⌉ = 2.
    cut = LoadCut(frozenset({1, 2}), 5, 2, (3, 4, 9))
    assert cut.entry(0, (1,)) == -0.5
    assert cut.entry(0, (1, 3, 2)) == -1.0
    assert cut.entry(0, (3,)) == 0.0


def test_small_loads_count_less_than_a_vehicle_could_carry() -> None:
    # Three customers of demand 2, two to a trip of 4: 1½ trips carry 6, which divided by 4 is 2.
    levels = Levels((2, 2, 2), 1.0, 1, 0, exact=True)
    used = [(0, (1, 2), 0.5), (0, (2, 3), 0.5), (0, (3, 1), 0.5)]
    group = Group((0,), 4.0, 1.0, 4)
    cut = LoadCut(frozenset({1, 2, 3}), 4, 2, (2, 2, 2))
    assert separate(used, levels, [group], 10, Watch(None)) == [cut]
    assert separate(used, levels, [group], 10, Watch(0.0)) == []


@given(
    st.lists(st.integers(1, 9), min_size=CUSTOMERS, max_size=CUSTOMERS),
    st.permutations(range(1, CUSTOMERS + 1)),
    st.sets(st.integers(1, CUSTOMERS - 1)),
    st.sets(st.integers(1, CUSTOMERS), min_size=1),
    st.integers(1, 20),
)
def test_every_partition_satisfies_every_cut(
    levels: list[int], order: list[int], breaks: set[int], customers: set[int], divisor: int
) -> None:
    ends = [0, *sorted(breaks), CUSTOMERS]
    trips = [tuple(order[a:b]) for a, b in pairwise(ends)]
    demand = sum(levels[c - 1] for c in customers)
    cut = LoadCut(frozenset(customers), divisor, -(-demand // divisor), tuple(levels))
    entries = [cut.entry(0, trip) for trip in trips]
    assert sum(entries) <= cut.limit + 1e-9
    pool = pool_of(CUSTOMERS, [Column(0, trip, 1.0) for trip in trips])
    assert pool.entries(cut) == pytest.approx(np.array(entries))
