import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hcvrp import Instance, Solution, Vehicle, generate, solve
from hcvrp.search import native
from hcvrp.solution import Objective, trip_length


def savings(instance, objective="min-sum", **arguments):
    return solve(instance, objective, "savings", **arguments)


def test_neighbours_on_a_line_are_joined():
    line = Instance([1] * 4, [2], depot=(0, 0), customers=[(9, 0), (10, 0), (-9, 0), (-10, 0)])
    result = savings(line)
    assert result.cost == 40  # two trips of 20 instead of four
    assert sorted(sorted(trip) for _, trip in result.solution.trips()) == [[1, 2], [3, 4]]


def test_min_max_shares_trips_among_the_vehicles():
    line = Instance([1] * 4, [2, 2], depot=(0, 0), customers=[(9, 0), (10, 0), (-9, 0), (-10, 0)])
    assert savings(line, "min-max").solution.vehicle_times(line).tolist() == [20, 20]


def test_min_sum_prefers_the_fast_vehicle_and_does_not_join_into_a_slow_one():
    # Two neighbours fit together only on the truck, which is ten times slower.
    fleet = [Vehicle(1, 1.0), Vehicle(2, 0.1)]
    instance = Instance([1, 1], fleet, depot=(0, 0), customers=[(1, 0), (1.1, 0)])
    result = savings(instance)
    assert result.solution.routes[1] == ()
    assert result.cost == pytest.approx(2 + 2.2)


def test_longest_first_fills_vehicles_like_a_schedule():
    # Out and back: 10, 8, 6, 4. Longest first on two equal vehicles: 10 + 4 and 8 + 6.
    spokes = Instance([1] * 4, [1, 1], depot=(0, 0), customers=[(5, 0), (0, 4), (-3, 0), (0, -2)])
    routes = native.core.assign_longest_first(
        native.problem(spokes), [[4], [3], [2], [1]], native.objective(Objective.MIN_MAX)
    )
    assert routes == [[[1], [4]], [[2], [3]]]


def test_trips_that_few_vehicles_can_make_go_first():
    # The long trip fits either vehicle, the heavy one only the truck.
    spokes = Instance(
        [1, 1, 1], [Vehicle(2), Vehicle(1)], depot=(0, 0), customers=[(5, 0), (0, 4), (0, 4)]
    )
    routes = native.core.assign_longest_first(
        native.problem(spokes), [[1], [2, 3]], native.objective(Objective.MIN_MAX)
    )
    assert routes == [[[2, 3]], [[1]]]


def test_min_max_makes_trips_of_all_sizes():
    # Three pairs, ten away. All pairs on the truck take 60, six single trips by turns as well; the
    # truck with two pairs and the van with the third, one by one, are both home after 40.
    places = [(10, 0), (10, 0), (-10, 0), (-10, 0), (0, 10), (0, 10)]
    pairs = Instance([1] * 6, [1, 2], depot=(0, 0), customers=places)
    result = savings(pairs, "min-max")
    assert result.solution.vehicle_times(pairs).tolist() == [40, 40]
    assert [len(trips) for trips in result.solution.routes] == [2, 2]


def test_min_max_shares_by_speed():
    # A truck of twice the speed makes the trips of four while the van makes those of one.
    places = [(10, 0), (10, 0), (-10, 0), (-10, 0), (0, 10)]
    fleet = [Vehicle(1, 1.0), Vehicle(2, 2.0)]
    instance = Instance([1] * 5, fleet, depot=(0, 0), customers=places)
    assert savings(instance, "min-max").solution.vehicle_times(instance).tolist() == [20, 20]


def test_an_asymmetric_trip_is_never_reversed():
    # Clockwise legs cost 1, all others 10.
    matrix = np.full((5, 5), 10.0)
    np.fill_diagonal(matrix, 0)
    for node in range(5):
        matrix[node, (node + 1) % 5] = 1
    result = savings(Instance([1] * 4, [4], distances=matrix))
    assert result.solution == Solution([[[1, 2, 3, 4]]])
    assert result.cost == 5


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_nasty_instances_get_feasible_answers(nasty, objective):
    result = savings(nasty, objective)
    assert result.solution.violations(nasty) == []
    assert result.cost == result.solution.cost(nasty, objective)


@given(
    customers=st.integers(1, 30),
    vehicles=st.integers(1, 7),
    seed=st.integers(0, 2**32),
    objective=st.sampled_from(["min-max", "min-sum"]),
)
def test_random_instances_get_feasible_answers(customers, vehicles, seed, objective):
    instance = generate(customers, vehicles, seed=seed)
    assert savings(instance, objective).solution.violations(instance) == []


def test_it_never_loses_to_single_customer_trips():
    for seed in range(20):
        instance = generate(25, 3, seed=seed)
        alone = Solution([[[c] for c in range(1, 26)], [], []])
        assert savings(instance).cost < alone.cost(instance, "min-sum")


def test_a_better_initial_solution_is_kept():
    instance = generate(6, 1, seed=2)
    best = savings(instance)
    worse = Solution([[[c] for c in range(1, 7)]])
    assert savings(instance, initial=worse).solution == best.solution
    hand_made = Solution([[trip for _, trip in best.solution.trips()]])
    assert savings(instance, initial=hand_made).cost == best.cost


def test_many_customers_use_neighbour_lists():
    instance = generate(1500, 4, seed=1)
    result = savings(instance)
    assert result.solution.violations(instance) == []
    alone = sum(trip_length(instance, (c,)) for c in range(1, 1501))
    assert result.cost < 0.35 * alone


def test_the_core_agrees_with_the_referee(nasty):
    solution = savings(nasty, "min-max").solution
    problem = native.problem(nasty)
    for objective in Objective:
        core = problem.cost(solution.routes, native.objective(objective))
        assert core == pytest.approx(solution.cost(nasty, objective), rel=1e-12, abs=1e-12)
    for _, trip in solution.trips():
        assert problem.length(trip) == pytest.approx(trip_length(nasty, trip), rel=1e-12)
    nodes = range(nasty.size + 1)
    distances = np.array([[problem.distance(i, j) for j in nodes] for i in nodes])
    assert distances == pytest.approx(nasty.distances, rel=1e-15)


def test_only_the_asymmetric_instance_is_asymmetric(nasty):
    matrix = nasty.distances
    assert native.problem(nasty).symmetric == bool((matrix == matrix.T).all())


def test_a_trip_within_the_referees_tolerance_finds_a_vehicle():
    instance = Instance(
        [0.5, 0.5 + 0.8e-9, 0.2], [1.0], depot=(0, 0), customers=[(1, 0), (2, 0), (3, 0)]
    )
    tight = Solution([[[1, 2], [3]]])
    assert tight.violations(instance) == []
    for method in ("savings", "sisr", "vns"):
        result = solve(instance, "min-sum", method, initial=tight, iterations=50)
        assert result.solution.violations(instance) == []
        assert result.cost <= tight.cost(instance, "min-sum")
