"""Cancellation is heard while a search is still being prepared, and inside polish."""

import threading

import numpy as np
import pytest

from hcvrp.generator import generate
from hcvrp.instance import Instance
from hcvrp.search import native
from hcvrp.search.polish import Trips, polish
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve
from hcvrp.task import Result

pytest.importorskip("highspy")


class Late(threading.Event):
    """Says yes from the `after`-th question on, and counts the questions that follow."""

    def __init__(self, after: int = 0) -> None:
        super().__init__()
        self.left, self.ignored = after, -1

    def is_set(self) -> bool:
        self.left -= 1
        self.ignored += self.left < 0
        return self.left < 0


@pytest.fixture(scope="module")
def large() -> Instance:
    return generate(20_000, fleet=[40.0, 60.0, 50.0], seed=1)


def cancelled(instance: Instance, method: str, **arguments: object) -> tuple[Result, Late]:
    cancel = Late()
    result = solve(instance, "min-max", method, iterations=1, cancel=cancel, **arguments)
    return result, cancel


@pytest.mark.parametrize("method", ["savings", "sisr", "vns"])
def test_before_the_first_plan_each_customer_is_alone(large: Instance, method: str) -> None:
    result, cancel = cancelled(large, method)
    assert result.iterations == 0
    assert result.solution.routes == ((), tuple((c,) for c in range(1, 20_001)), ())
    assert [i.cost for i in result.history] == [result.cost]
    assert cancel.ignored == 0


@pytest.mark.parametrize("method", ["sisr", "vns", "firefly"])
def test_before_the_search_the_initial_solution_is_the_answer(large: Instance, method: str) -> None:
    known = Solution([[], [], [(c, c + 1) for c in range(1, 20_001, 2)]])
    result, cancel = cancelled(large, method, initial=known)
    assert (result.iterations, result.solution) == (0, known)
    assert cancel.ignored <= 1


def test_a_colony_is_not_built_to_the_end() -> None:
    instance = generate(2_500, fleet=[40.0], seed=1)
    result, cancel = cancelled(instance, "aco")
    assert result.solution.violations(instance) == []
    assert (result.iterations, cancel.ignored) == (0, 0)


def test_a_table_is_not_filled_to_the_end() -> None:
    cancel = Late(after=1)
    with pytest.raises(native.RunOver, match="ended during its preparation"):
        native.problem(generate(2_990, fleet=[40.0], seed=1), native.preparation(cancel))
    assert cancel.ignored == 0


def test_a_matrix_is_not_looked_through_to_the_end() -> None:
    points = np.random.default_rng(1).uniform(size=(4_001, 2))
    matrix = np.abs(points[:, None, 0] - points[None, :, 0])
    instance = Instance(np.ones(4_000), [40.0], distances=matrix)
    with pytest.raises(native.RunOver):
        native.problem(instance, native.preparation(Late()))


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("after", [0, 3, 40, 200])
def test_polish_stops_wherever_it_is(objective: Objective, after: int) -> None:
    instance = generate(40, seed=1)
    known = solve(instance, objective, "savings").solution
    rng = np.random.default_rng(2)
    trips = {tuple(int(c) for c in rng.choice(40, 3, replace=False) + 1) for _ in range(2_000)}
    cancel, before = Late(after), set(threading.enumerate())
    polished = polish(
        instance, objective, Trips.of(instance, sorted(trips)), known,
        columns=500, seconds=60, cancel=cancel,
    )  # fmt: skip
    assert cancel.ignored <= 2
    for left in set(threading.enumerate()) - before:  # HiGHS, until it looks
        left.join(30)
        assert not left.is_alive()
    assert polished.solution.violations(instance) == []
    assert polished.solution.cost(instance, objective) <= known.cost(instance, objective)
