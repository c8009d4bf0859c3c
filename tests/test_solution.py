"""The referee, against costs worked out by hand."""

import numpy as np
import pytest

from hcvrp import InputError, Instance, Objective, Solution, Vehicle

# Depot at the origin; a 3-4-5 triangle; each leg can be read off.
CROSS = {"depot": (0, 0), "customers": [(3, 0), (3, 4), (0, 4), (-1, 0)]}


def test_one_vehicle_makes_several_trips():
    instance = Instance([1, 1, 1, 1], [3], **CROSS)
    solution = Solution([[[1, 2, 3], [4]]])  # 3 + 4 + 3 + 4 = 14, then 1 + 1 = 2
    assert solution.violations(instance) == []
    assert solution.vehicle_times(instance).tolist() == [16]
    assert solution.cost(instance, "min-max") == 16
    assert solution.cost(instance, "min-sum") == 16


def test_three_vehicles_with_their_own_speeds():
    fleet = [Vehicle(2, 1.0), Vehicle(2, 0.5), Vehicle(1, 2.0)]
    instance = Instance([1, 1, 1, 1], fleet, **CROSS)
    solution = Solution([[[1, 2]], [[3]], [[4]]])  # (3+4+5)/1, (4+4)/0.5, (1+1)/2
    assert solution.violations(instance) == []
    assert solution.vehicle_times(instance).tolist() == [12, 16, 1]
    assert solution.cost(instance, Objective.MIN_MAX) == 16
    assert solution.cost(instance, Objective.MIN_SUM) == 29


def test_seven_vehicles_most_of_them_idle():
    instance = Instance([1, 1, 1, 1], [4] * 7, **CROSS)
    solution = Solution([[], [[2]], [], [[3, 4]], [], [[1]], []])
    assert solution.violations(instance) == []
    expected = [0, 10, 0, 4 + np.sqrt(17) + 1, 0, 6, 0]
    np.testing.assert_allclose(solution.vehicle_times(instance), expected, rtol=1e-15)
    assert solution.cost(instance, "min-max") == 10
    assert solution.cost(instance, "min-sum") == pytest.approx(21 + np.sqrt(17), rel=1e-15)


def test_an_asymmetric_matrix_is_travelled_in_its_direction():
    matrix = [[0, 1, 10], [20, 0, 2], [3, 40, 0]]
    instance = Instance([1, 1], [2], distances=matrix)
    assert Solution([[[1, 2]]]).cost(instance, "min-sum") == 1 + 2 + 3
    assert Solution([[[2, 1]]]).cost(instance, "min-sum") == 10 + 40 + 20


def test_every_kind_of_violation_is_a_sentence():
    instance = Instance(
        [1, 2, 2, 1], [Vehicle(3, name="van"), 3], customer_names=["a", "b", "c", "d"], **CROSS
    )
    cases = {
        "customer d is never visited": [[[1, 2]], [[3]]],
        "customer a is visited 2 times instead of once": [[[1, 2], [1]], [[3, 4]]],
        "trip 1 of van carries 4, more than its capacity of 3": [[[2, 3]], [[1, 4]]],
        "trip 2 of vehicle 2 is empty": [[[1, 2]], [[3, 4], []]],
        "trip 1 of vehicle 2 visits customer 5, who does not exist": [[[1, 2]], [[3, 5, 4]]],
        "trip 1 of vehicle 2 visits customer 0, who does not exist": [[[1, 2]], [[3, 0, 4]]],
        "the solution has routes for 1 vehicles, the instance has 2": [[[1, 2], [3, 4]]],
        "the solution has routes for 3 vehicles, the instance has 2": [[[1, 2]], [[3, 4]], []],
    }
    for sentence, routes in cases.items():
        assert Solution(routes).violations(instance) == [sentence]


def test_all_violations_are_listed_not_only_the_first():
    instance = Instance([1, 2, 2, 1], [3], **CROSS)
    assert Solution([[[1, 2, 3], []]]).violations(instance) == [
        "trip 1 of vehicle 1 carries 5, more than its capacity of 3",
        "trip 2 of vehicle 1 is empty",
        "customer 4 is never visited",
    ]


def test_loads_that_equal_capacity_up_to_rounding_are_fine():
    instance = Instance([0.1, 0.2], [0.3], depot=(0, 0), customers=[(1, 0), (2, 0)])
    assert Solution([[[1, 2]]]).violations(instance) == []


def test_solutions_are_values():
    assert Solution([[[1, 2]], []]) == Solution((((1, 2),), ()))
    assert hash(Solution([[[1]]])) == hash(Solution([[[1]]]))
    assert Solution([[[np.int64(1)]]]).routes == (((1,),),)
    assert list(Solution([[[1], [2]], [[3]]]).trips()) == [(0, (1,)), (0, (2,)), (1, (3,))]


def test_customers_are_whole_numbers():
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        Solution([[[1.9]]])


def test_an_unknown_objective_names_the_known_ones():
    with pytest.raises(InputError, match="objective must be min-max or min-sum, not 'fastest'"):
        Objective.parse("fastest")
