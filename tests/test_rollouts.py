"""When the policy's rollouts pay."""

import pytest

from hcvrp import rollouts
from hcvrp.generator import generate
from hcvrp.instance import Instance
from hcvrp.solution import Objective
from hcvrp.task import Stop, Task


@pytest.mark.parametrize(
    ("customers", "objective", "stop", "expected"),
    [
        # Twice 1,200 + 11 · 160 + 160² / 100 iterations to encode and 8 · 160 for the first.
        (160, "min-max", Stop(iterations=8_991), None),
        (160, "min-max", Stop(iterations=8_992), 1),  # greedy: 3 samples are too few
        (160, "min-max", Stop(iterations=12_831), 1),
        (160, "min-max", Stop(iterations=12_832), 8),  # (0.5 · 12,832 − 3,216) / (2.5 · 160)
        (160, "min-max", Stop(iterations=22_720), 20),
        (160, "min-max", Stop(iterations=57_631), 63),
        (160, "min-max", Stop(iterations=100_000), 64),
        (160, "min-max", Stop(), 64),  # 160,000 iterations
        (160, "min-max", Stop(iterations=1_200_000), 64),  # 7,500 a customer
        (160, "min-max", Stop(iterations=1_200_001), None),
        (160, "min-max", Stop(time_limit=0.01996), None),  # 8,990 iterations of 2.22 µs
        (160, "min-max", Stop(time_limit=0.01997), 1),
        (160, "min-max", Stop(time_limit=10, iterations=22_720), 20),
        # From 300 customers on, 1.6 of them are enough: 21,120 iterations of 4.6 µs.
        (500, "min-max", Stop(time_limit=0.0971), None),
        (500, "min-max", Stop(time_limit=0.0972), 1),  # greedy: no sample fits
        (500, "min-max", Stop(time_limit=0.4), 27),
        (500, "min-max", Stop(time_limit=17.2), 64),
        (500, "min-max", Stop(time_limit=17.3), None),  # 3,760,869 iterations
        (160, "min-sum", Stop(iterations=100_000), None),
        # Up to 130 customers eight samples or none: (0.5 · 8,800 − 2,400) / (2.5 · 100).
        (100, "min-max", Stop(iterations=8_799), None),
        (100, "min-max", Stop(iterations=8_800), 8),
        (100, "min-max", Stop(iterations=750_000), 64),
        (100, "min-max", Stop(iterations=750_001), None),
        (59, "min-max", Stop(iterations=100_000), None),
        (2_000, "min-max", Stop(iterations=10**7), None),
    ],
)
def test_as_many_rollouts_as_pay(customers, objective, stop, expected):
    task = Task(generate(customers, 3, seed=1), Objective(objective), stop)
    assert rollouts.on_processor(task) == expected


def test_a_layout_takes_its_time():
    points = generate(500, 3, seed=1)
    alone = Instance(points.demands, points.vehicles, distances=points.distances)
    limits = [0.1, 0.117, 0.118]
    given = [
        rollouts.on_processor(Task(alone, Objective.MIN_MAX, Stop(time_limit=limit)))
        for limit in limits
    ]
    # 1.6 · (13,200 iterations of 4.6 µs and 0.05 µs · 500² = 12.5 ms)
    assert given == [None, None, 1]


@pytest.mark.parametrize(
    ("customers", "objective", "stop", "expected"),
    [
        # 0.3 ms + 25 µs · 40 = 1.3 ms before the first iteration, 3,000 · 40 of 1.38 µs after it
        (40, "min-max", Stop(time_limit=0.1668), True),
        (40, "min-max", Stop(time_limit=0.1670), False),
        (40, "min-max", Stop(time_limit=0.1670, iterations=40_000), True),
        # on min-sum 200 · 40
        (40, "min-sum", Stop(time_limit=0.0123), True),
        (40, "min-sum", Stop(time_limit=0.0124), False),
        # 0.3 ms + 25 µs · 160 = 4.3 ms before the first iteration, 3,000 · 160 of 2.22 µs after it
        (160, "min-max", Stop(time_limit=1.069), True),
        (160, "min-max", Stop(time_limit=1.070), False),
        (1_000, "min-max", Stop(time_limit=0.03), True),
        (1_001, "min-max", Stop(time_limit=0.03), False),
    ],
)
def test_when_free_rollouts_pay(customers, objective, stop, expected):
    task = Task(generate(customers, 3), Objective(objective), stop)
    assert rollouts.pay_if_free(task) == expected


@pytest.mark.parametrize(
    ("limit", "together", "samples"),
    [
        # The first of 40 customers takes 82 µs, the other symmetries 61, a sample 0.59, and a
        # search 1.3 ms until it begins.
        (1e-5, 10**9, 1),  # greedy: later than asked, but sooner than savings
        (1e-4, 10**9, 1),  # no time for the other symmetries
        (2e-4, 10**9, 97),  # all of the time: 58 µs, 0.59 µs each
        (1.8e-3, 10**9, 1_280),  # all of it, for 0.7 · 1.8 ms are too short to search in
        (1.903e-3, 10**9, 727),  # three tenths
        (1e-2, 10**9, 1_280),
        # Few instances share the 14 ms that the steps take.
        (1e-2, 10, 1_280),  # 1.5 ms of 3 ms
        (1e-2, 5, 97),  # 2.9 ms of 3 ms
        (1e-2, 4, None),
        (1e-4, 11, None),  # 1.4 ms: savings are there sooner
    ],
)
def test_as_many_samples_as_a_gpu_makes_in_time(limit, together, samples):
    task = Task(generate(40, 3), Objective.MIN_MAX, Stop(time_limit=limit))
    assert rollouts.on_gpu(task, together) == samples


@pytest.mark.parametrize(("objective", "samples"), [("min-max", 110), ("min-sum", 692)])
def test_on_min_sum_large_searches_begin_later(objective, samples):
    """21.6 ms before the first iteration, not 12.8: of 30 ms, seven tenths are too few."""
    task = Task(generate(500, 10), Objective(objective), Stop(time_limit=0.03))
    assert rollouts.on_gpu(task, 10**9) == samples
