"""SISR iterations per second, as a ratio to a plain loop in the same run, so that noise cancels.

The yardstick builds nearest-neighbour tours through the same forty customers: 40² / 2 distances
each. `iterations_per_tour` tells how many SISR iterations take the time of one such tour; on an
idle core of the kind in docs/methods/sisr.md it stands for the iterations per second given there.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest

from hcvrp.generator import paper_set
from hcvrp.search import native
from hcvrp.solver import solve

ITERATIONS = 100_000
TOURS = 50_000
LEAST_RATIO = {"min-max": 0.55, "min-sum": 0.4}
"""Half of what was measured: a fall below this is a real loss of speed."""


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_iterations_per_second(benchmark: Any, objective: str) -> None:
    instance = paper_set("v3-c40", objective)[0]
    problem = native.problem(instance)

    def search() -> None:
        solve(instance, objective, "sisr", iterations=ITERATIONS, polish="off")

    def tours() -> None:
        native.core.nearest_neighbour_tours(problem, TOURS)

    # Taken in turns, so that both see the same machine.
    pairs = [(seconds(search), seconds(tours)) for _ in range(7)]
    search_time, tour_time = min(s for s, _ in pairs), min(t for _, t in pairs)
    ratio = (ITERATIONS / search_time) / (TOURS / tour_time)
    benchmark.extra_info["iterations_per_second"] = round(ITERATIONS / search_time)
    benchmark.extra_info["iterations_per_tour"] = round(ratio, 3)
    benchmark.pedantic(search, rounds=3)
    assert ratio > LEAST_RATIO[objective]
