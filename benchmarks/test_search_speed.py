"""Iterations of SISR, against nearest-neighbour tours through the same customers, both compiled."""

import pytest

from hcvrp.generator import paper_set
from hcvrp.search import native
from hcvrp.solver import solve

COUNT = 50_000


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_sisr_iterations(ratio, objective):
    instance = paper_set("v3-c40", objective)[0]
    problem = native.problem(instance)
    ratio(
        lambda: solve(instance, objective, "sisr", iterations=COUNT, remember=False),
        lambda: native.core.nearest_neighbour_tours(problem, COUNT),
    )
