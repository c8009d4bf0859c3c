import pickle

import numpy as np
import pytest

from hcvrp import InputError, Instance, Vehicle, solve
from hcvrp.instance import EARTH_RADIUS_KM, LARGEST, SMALLEST, NodeError, fleet

SQUARE = {"depot": (0, 0), "customers": [(3, 4), (0, 1)]}


def test_distances_are_euclidean_and_depot_first():
    instance = Instance([1, 2], [5], **SQUARE)
    expected = [[0, 5, 1], [5, 0, np.sqrt(18)], [1, np.sqrt(18), 0]]
    np.testing.assert_allclose(instance.distances, expected, rtol=1e-15)


def test_what_was_made_from_it_does_not_travel_with_an_instance():
    instance = Instance([1, 2], [5], **SQUARE)
    before = len(pickle.dumps(instance))
    assert (instance.distances.size, instance.speeds.size, instance.capacities.size) == (9, 1, 1)
    assert len(pickle.dumps(instance)) == before
    again = pickle.loads(pickle.dumps(instance))
    assert again == instance
    assert (again.distances == instance.distances).all()


def test_a_matrix_takes_precedence_over_coordinates():
    instance = Instance([1], [5], depot=(0, 0), customers=[(3, 4)], distances=[[0, 7], [2, 0]])
    assert instance.travel([0, 1], [1, 0]).tolist() == [7, 2]
    assert instance.coordinates is not None


def test_great_circle_distances_are_kilometres():
    quarter = Instance(
        [1, 1], [5], depot=(0, 0), customers=[(90, 0), (0, 180)], metric="great-circle"
    )
    assert quarter.distances[0, 1] == pytest.approx(np.pi / 2 * EARTH_RADIUS_KM)
    assert quarter.distances[0, 2] == pytest.approx(np.pi * EARTH_RADIUS_KM)


def test_coincident_points_are_at_distance_zero():
    same = Instance([1, 1], [5], depot=(0.1, 0.7), customers=[(0.1, 0.7)] * 2)
    assert not same.distances.any()


def test_arrays_are_read_only_and_cut_off_from_the_caller():
    demands = np.array([1.0, 2.0])
    instance = Instance(demands, [5], **SQUARE)
    demands[0] = 99
    assert instance.demands[0] == 1
    for array in (instance.demands, instance.coordinates, instance.distances, instance.speeds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3


def test_equality_is_by_value():
    a, b = (Instance([1, 2], [5, 6.5], **SQUARE) for _ in range(2))
    assert a == b
    assert a != Instance([1, 3], [5, 6.5], **SQUARE)
    assert a != a.with_vehicles([5])
    assert a.with_vehicles([5]).with_vehicles([5, 6.5]) == a
    assert a != "something else"


def test_labels_fall_back_to_numbers():
    named = Instance(
        [1, 2], [Vehicle(5, name="red van"), 6], customer_names=["bakery", "school"], **SQUARE
    )
    assert [named.customer_label(c) for c in (1, 2)] == ["bakery", "school"]
    assert [named.vehicle_label(v) for v in (0, 1)] == ["red van", "vehicle 2"]
    assert Instance([1, 2], [5], **SQUARE).customer_label(2) == "2"
    assert repr(named) == "Instance(2 customers, 2 vehicles)"


def test_fleet_counts_number_the_names():
    vans = fleet([Vehicle(5, name="van"), Vehicle(9, 0.5)], [2, 2])
    assert vans == (Vehicle(5, name="van 1"), Vehicle(5, name="van 2"), *[Vehicle(9, 0.5)] * 2)


def test_a_demand_equal_to_capacity_up_to_rounding_fits():
    assert Vehicle(0.3).can_carry(0.1 + 0.2)
    assert not Vehicle(0.3).can_carry(0.3001)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"demands": []}, "the instance has no customers"),
        ({"vehicles": []}, "the instance has no vehicles"),
        ({"vehicles": [0]}, "vehicle capacity must be positive, not 0"),
        ({"vehicles": [Vehicle]}, "vehicle capacity is not a number"),
        ({"vehicles": [float("nan")]}, "vehicle capacity must be finite, not nan"),
        ({"demands": [1, float("inf")]}, r"demands\[1\] must be finite, not inf"),
        ({"demands": [1, -2]}, "demand of customer 2 is negative: -2"),
        ({"demands": [1, 6]}, "no vehicle can carry customer 2: its demand is 6, the largest c"),
        ({"demands": [[1, 2]]}, "demands must have shape any, not 1 × 2"),
        ({"demands": ["many", 1]}, "demands must be numbers"),
        ({"customers": [(1, 1)]}, "customers must have shape 2 × 2, not 1 × 2"),
        ({"customers": None}, "customers coordinates are missing"),
        ({"depot": None}, "depot coordinates are missing"),
        ({"depot": None, "customers": None}, "neither coordinates nor distances"),
        ({"distances": [[0, 1], [1, 0]]}, "distances must have shape 3 × 3, not 2 × 2"),
        ({"distances": [[0, 1, -1], [1, 0, 1], [1, 1, 0]]}, r"distances\[0\]\[2\] is negative"),
        ({"distances": [[0, 1, 1], [1, 4, 1], [1, 1, 0]]}, r"distances\[1\]\[1\] must be 0, not 4"),
        ({"metric": "taxicab"}, "metric must be euclidean or great-circle, not 'taxicab'"),
        ({"customer_names": ["a"]}, "customer_names must have 2 entries, not 1"),
        ({"customer_names": ["a", "a"]}, "customer name 'a' is used twice"),
        (
            {"vehicles": [Vehicle(5, name="v"), Vehicle(6, name="v")]},
            "vehicle name 'v' is used twice",
        ),
        (
            {"metric": "great-circle", "depot": (91, 0)},
            "latitude of the depot must lie within ±90, not 91",
        ),
        (
            {"metric": "great-circle", "customers": [(0, 0), (1, 200)]},
            "longitude of customer 2 must lie within ±180, not 200",
        ),
    ],
)
def test_bad_input_is_one_sentence_naming_field_and_value(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        Instance(**{"demands": [1, 2], "vehicles": [5], **SQUARE, **arguments})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"depot": (0, -1e300)}, r"y of the depot must lie within ±1e\+16, not -1e\+300"),
        (
            {"customers": [(0, 0), (2e16, 0)], "customer_names": ["a", "b"]},
            r"x of customer b must lie within ±1e\+16, not 2e\+16",
        ),
        (
            {"distances": [[0, 1, 1], [1, 0, 1e17], [1, 1, 0]]},
            r"distances\[1\]\[2\] must be at most 1e\+16, not 1e\+17",
        ),
        (
            {"demands": [1, 1e308], "vehicles": [1e16]},
            r"no vehicle can carry customer 2: its demand is 1e\+308, the largest capacity 1e\+16",
        ),
        (
            {"demands": [1e308, 1e308], "vehicles": [1e308]},
            r"vehicle capacity must lie between 1e-09 and 1e\+16, not 1e\+308",
        ),
        ({"vehicles": [1e-10]}, r"vehicle capacity must lie between 1e-09 and 1e\+16, not 1e-10"),
        ({"vehicles": [10**400]}, "vehicle capacity is not a number"),
        ({"customer_names": [1, 2]}, "customer name must be text, not 1"),
    ],
)
def test_numbers_beyond_counting_are_refused(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        Instance(**{"demands": [1, 2], "vehicles": [5], **SQUARE, **arguments})


@pytest.mark.parametrize("speed", [1e-300, 2e16])
def test_a_speed_beyond_counting_is_refused(speed):
    with pytest.raises(InputError) as caught:
        Vehicle(5, speed)
    assert str(caught.value) == (f"vehicle speed must lie between 1e-09 and 1e+16, not {speed:g}")


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_the_largest_numbers_that_are_accepted_can_be_counted_with(objective):
    instance = Instance(
        [LARGEST, LARGEST],
        [Vehicle(LARGEST, SMALLEST)],
        depot=(-LARGEST, -LARGEST),
        customers=[(LARGEST, LARGEST)] * 2,
    )
    result = solve(instance, objective)
    assert result.solution.violations(instance) == []
    assert result.cost == pytest.approx(4 * np.sqrt(8) * LARGEST / SMALLEST, rel=1e-12)


def test_noise_around_zero_is_no_reason_to_refuse():
    assert Instance([0.1 + 0.2 - 0.3], [5], depot=(6e-17, 0), customers=[(1, 1)]).size == 1


def test_what_is_wrong_with_a_customer_tells_its_number_in_other_processes_too():
    with pytest.raises(NodeError) as caught:
        Instance([1, -2], [5], **SQUARE)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.node, str(again)) == (2, "demand of customer 2 is negative: -2")


def test_an_instance_does_not_change():
    instance = Instance([1, 2], [5], **SQUARE)
    with pytest.raises(AttributeError, match="an Instance does not change: vehicles"):
        instance.vehicles = ()


def test_speed_must_be_positive():
    with pytest.raises(InputError, match="vehicle speed must be positive, not -1"):
        Vehicle(3, -1)


def test_another_name_and_the_same_problem():
    line = Instance([1, 2], [3], depot=(0, 0), customers=[(1, 0), (2, 0)])
    named = line.with_name("line")
    assert (line.name, named.name) == (None, "line")
    assert named != line == Instance([1, 2], [3], depot=(0, 0), customers=[(1, 0), (2, 0)])
    assert named.distances.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    with pytest.raises(AttributeError, match="name cannot be set"):
        named.name = "other"
