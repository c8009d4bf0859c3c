"""Cancellation is heard while a search is still being prepared."""

import threading

import numpy as np
import pytest

from hcvrp.generator import generate
from hcvrp.instance import Instance
from hcvrp.search import native
from hcvrp.solution import Solution
from hcvrp.solver import solve
from hcvrp.task import Result


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
