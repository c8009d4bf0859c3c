"""Distances from coordinates, in the plane and on the globe, against the referee's."""

import numpy as np
import pytest

from hcvrp.generator import generate
from hcvrp.instance import Instance, Metric
from hcvrp.search import native
from hcvrp.solver import solve


def world(customers: int, spread: float) -> Instance:
    """Customers around Suva, where the date line runs."""
    rng = np.random.default_rng(customers)
    points = np.array([-18.1, 178.4]) + rng.uniform(-spread, spread, size=(customers, 2))
    points[:, 1] = (points[:, 1] + 180) % 360 - 180
    return Instance(
        rng.integers(1, 10, customers),
        [30.0, 40.0],
        depot=(-18.1, 178.4),
        customers=points,
        metric="great-circle",
    )


@pytest.mark.parametrize("customers", [50, 3_200])  # by table, on the fly
@pytest.mark.parametrize("metric", ["euclidean", "great-circle"])
def test_the_core_measures_as_the_referee_does(customers: int, metric: Metric) -> None:
    instance = world(customers, 70) if metric == "great-circle" else generate(customers, seed=1)
    problem = native.problem(instance)
    legs = np.random.default_rng(1).integers(0, customers + 1, size=(500, 2))
    measured = [problem.distance(int(a), int(b)) for a, b in legs]
    assert measured == pytest.approx(instance.travel(*legs.T), rel=1e-12, abs=1e-9)


def test_a_quarter_of_the_globe() -> None:
    instance = Instance([1, 1], [1], depot=(0, 0), customers=[(0, 90), (-90, 12)],
                        metric="great-circle")  # fmt: skip
    quarter = 6371.0088 * np.pi / 2
    problem = native.problem(instance)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert problem.distance(a, b) == pytest.approx(quarter, rel=1e-12)


@pytest.mark.parametrize(
    "instance", [generate(700, 5, seed=3), world(700, 2.0), world(700, 60.0)], ids=str
)
def test_the_tree_finds_the_neighbours_that_a_full_look_finds(instance: Instance) -> None:
    # Savings list pairs of near neighbours at this size: from the tree, and row by row.
    twin = Instance(instance.demands, instance.vehicles, distances=instance.distances)
    assert (
        solve(instance, "min-sum", "savings").solution == solve(twin, "min-sum", "savings").solution
    )


def test_large_worlds_need_no_matrix() -> None:
    instance = world(3_200, 5.0)
    result = solve(instance, "min-max", "sisr", iterations=300)
    assert result.solution.violations(instance) == []
    assert result.cost == pytest.approx(result.history[-1].cost, rel=1e-9)
    assert "distances" not in vars(instance)


@pytest.mark.parametrize("unit", [1e-200, 1e15])
def test_coordinates_whose_squares_vanish_or_are_huge(unit: float) -> None:
    instance = Instance([1], [1], depot=(0, 0), customers=[(3 * unit, 4 * unit)])
    assert native.problem(instance).distance(0, 1) == pytest.approx(5 * unit)
    assert solve(instance, "min-max", "sisr", iterations=1).cost == pytest.approx(10 * unit)
