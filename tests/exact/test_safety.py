"""A claimed bound is never above the optimum, and "optimal" never lies."""

from collections.abc import Callable

import numpy as np
import pytest

from hcvrp import Instance, Vehicle
from hcvrp.exact import bound, certificate, prover
from hcvrp.search import savings

SEEDS_PER_TEST = 25
TOLERANCE = 1e-9


def small_world(seed: int) -> Instance:
    """Up to seven customers and three vehicles, as awkward as instances may be.

    Whole, real and zero demands; whole and real capacities; equal vehicles; coordinates on a
    coarse grid (coincident customers), free ones, and matrices with and without the triangle
    inequality, both asymmetric.
    """
    rng = np.random.default_rng(seed)
    customers, vehicles = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    demands = [
        rng.uniform(0, 1, customers),
        rng.integers(0, 4, customers).astype(float),
        rng.integers(1, 10, customers).astype(float),
        rng.integers(1, 10, customers).astype(float) / 10,
    ][rng.integers(4)]
    largest = max(float(demands.max()), 1e-3)
    capacities = largest * rng.uniform(1, 3, vehicles)
    if rng.random() < 0.5:
        capacities = np.ceil(capacities)
    speeds = rng.choice([1.0, 1.0, 0.5, 2.0, 0.3], vehicles)
    fleet = [Vehicle(float(q), float(s)) for q, s in zip(capacities, speeds, strict=True)]
    if vehicles > 1 and rng.random() < 0.4:
        fleet[1] = fleet[0]
    points = rng.uniform(size=(customers + 1, 2))
    kind = rng.integers(4)
    if kind == 0:
        return Instance(demands, fleet, depot=points[0], customers=points[1:])
    if kind == 1:
        grid = np.round(2 * points) / 2
        return Instance(demands, fleet, depot=grid[0], customers=grid[1:])
    distances = rng.uniform(size=(customers + 1, customers + 1))
    if kind == 2:
        legs = points[:, None] - points[None]
        distances = np.hypot(legs[..., 0], legs[..., 1]) * (0.8 + 0.5 * distances)
    np.fill_diagonal(distances, 0.0)
    return Instance(demands, fleet, distances=distances)


def almost_full(seed: int) -> Instance:
    """Three demands are a hair more than the smaller vehicle, or the referee, allows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    points = rng.random((n + 1, 2))
    demand, small = [(33.333334, 100.0), ((1 + 1.5e-9) / 3, 1.0)][seed % 2]
    other = Vehicle(small * float(rng.uniform(1.01, 1.32)), float(rng.uniform(0.6, 0.95)))
    return Instance([demand] * n, [Vehicle(small), other], depot=points[0], customers=points[1:])


def check_proof(instance: Instance, objective: str, best: float, seed: int) -> None:
    proof = bound(instance, objective)
    assert proof.solution.violations(instance) == []
    assert proof.value <= best * (1 + TOLERANCE), f"seed {seed}: bound above the optimum"
    assert proof.optimal, f"seed {seed}: no proof"
    assert proof.cost == pytest.approx(best, rel=TOLERANCE, abs=1e-12), f"seed {seed}"


@pytest.mark.parametrize("objective", ["min-sum", "min-max"])
def test_capacities_a_hair_from_a_multiple(
    objective: str,
    optimum: Callable[[Instance, str], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    for seed in range(60):
        instance = almost_full(seed)
        check_proof(instance, objective, optimum(instance, objective), seed)


@pytest.mark.parametrize("objective", ["min-sum", "min-max"])
@pytest.mark.parametrize("block", range(10))
def test_bounds_hold_and_optima_are_optimal(
    block: int,
    objective: str,
    optimum: Callable[[Instance, str], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # From savings alone the proof has all the work to do.
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    for seed in range(block * SEEDS_PER_TEST, (block + 1) * SEEDS_PER_TEST):
        instance = small_world(seed)
        check_proof(instance, objective, optimum(instance, objective), seed)


@pytest.mark.parametrize("objective", ["min-sum", "min-max"])
def test_every_bound_on_the_way_holds(
    objective: str,
    optimum: Callable[[Instance, str], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    for seed in range(1000, 1030):
        instance = small_world(seed)
        best = optimum(instance, objective)
        steps = bound(instance, objective).history
        bounds = [step.bound for step in steps]
        assert max(bounds) <= best * (1 + TOLERANCE), f"seed {seed}"
        assert all(step.cost >= best * (1 - TOLERANCE) for step in steps), f"seed {seed}"
        rises = np.diff(bounds)
        assert (rises >= -TOLERANCE * best).all(), f"seed {seed}: the bound fell"


def test_bounds_hold_where_no_list_is_quick(
    optimum: Callable[[Instance, str], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Capacity cuts come once a first list of trips is too long.
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    monkeypatch.setattr(prover, "QUICK_LIST", 1.0)
    for seed in range(2000, 2100):
        instance = small_world(seed)
        best = optimum(instance, "min-sum")
        proof = bound(instance, "min-sum")
        assert max(step.bound for step in proof.history) <= best * (1 + TOLERANCE), f"seed {seed}"
        assert proof.optimal, f"seed {seed}: no proof"
        assert proof.cost == pytest.approx(best, rel=TOLERANCE, abs=1e-12), f"seed {seed}"
