"""What is written reads back the same, in every format that can hold it."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from hcvrp import Instance, Objective, Result, Solution, Vehicle
from hcvrp.formats import (
    contents,
    csv,
    fields,
    npz,
    parse_fleet,
    read,
    read_dataset,
    read_instance,
    read_solution,
    read_solutions,
    schema,
    sol,
    stops,
    vrplib,
    write,
)
from hcvrp.formats import json as own_json

KINDS = ("instance", "dataset", "fleet", "solution", "solutions")
REGISTRY = Registry().with_resources(
    [(schema(kind)["$id"], Resource.from_contents(schema(kind))) for kind in KINDS]
)

calm = settings(deadline=None, max_examples=60)

positive = st.floats(1e-3, 1e6)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@st.composite
def instances(draw, *, kinds=("planar", "globe", "matrix", "both"), named=True):
    n = draw(st.integers(1, 6))
    m = draw(st.integers(1, 4))
    vehicle_names = draw(st.lists(names, min_size=m, max_size=m, unique=True))
    capacities = draw(st.lists(positive, min_size=m, max_size=m))
    vehicles = [
        Vehicle(q, draw(positive), name if named and draw(st.booleans()) else None)
        for q, name in zip(capacities, vehicle_names, strict=True)
    ]
    kind = draw(st.sampled_from(kinds))
    shape = st.lists(
        st.tuples(st.floats(-90, 90), st.floats(-180, 180)), min_size=n + 1, max_size=n + 1
    )
    points = draw(shape) if kind != "matrix" else None
    matrix = None
    if kind in ("matrix", "both"):
        cells = draw(st.lists(st.floats(0, 1e9), min_size=(n + 1) ** 2, max_size=(n + 1) ** 2))
        matrix = np.array(cells).reshape(n + 1, n + 1) * (1 - np.eye(n + 1))
    return Instance(
        draw(st.lists(st.floats(0, max(capacities)), min_size=n, max_size=n)),
        vehicles,
        depot=points and points[0],
        customers=points and points[1:],
        distances=matrix,
        metric="great-circle" if kind == "globe" else "euclidean",
        name=draw(st.none() | names) if named else None,
        customer_names=draw(st.none() | st.lists(names, min_size=n, max_size=n, unique=True))
        if named
        else None,
    )


@st.composite
def solutions(draw, instance):
    """A partition of the customers into trips, whatever their load."""
    routes = [[] for _ in instance.vehicles]
    trip = []
    for customer in draw(st.permutations(range(1, instance.size + 1))):
        trip.append(customer)
        if draw(st.booleans()):
            routes[draw(st.integers(0, len(routes) - 1))].append(trip)
            trip = []
    if trip:
        routes[-1].append(trip)
    return Solution(routes)


def check_schema(kind, text):
    Draft202012Validator(schema(kind), registry=REGISTRY).validate(json.loads(text))


@calm
@given(instances())
def test_json_instance(instance):
    text = own_json.format_instance(instance)
    check_schema("instance", text)
    assert own_json.parse(own_json.load(text)) == instance


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
words = st.sampled_from(
    ["trip", "Order", "stops: trip", "customer", "vehicle", "order", "no", "id"]
)
details = st.dictionaries(texts.filter(str.strip) | words, texts | words)


@calm
@given(st.lists(details, min_size=3, max_size=3), st.booleans())
def test_details(known, placed):
    points = {"depot": (0, 0), "customers": [(1, 0), (2, 0)]}
    matrix = {"distances": np.ones((3, 3)) - np.eye(3)}
    known[0] = known[0] if placed else {}  # a depot without a place is not spoken of
    instance = stops.Stops(known, [1, 1], [2], **(points if placed else matrix))
    text = own_json.format_instance(instance)
    check_schema("instance", text)
    again = own_json.parse(own_json.load(text))
    assert again == instance
    assert list(stops.details(again)) == known
    assert isinstance(again, stops.Stops) == any(known)
    solution = Solution([[[2], [1]]])
    table = csv.load(csv.format_solution(solution, again))
    assert csv.parse_solution(table).solution(again) == solution
    headers, _ = stops.detail_columns(again, ("trip", "order"))
    assert len(set(headers)) == len(stops.detail_names(again))


@calm
@given(st.lists(instances(), min_size=1, max_size=3))
def test_json_dataset(dataset):
    text = own_json.format_dataset(dataset)
    check_schema("dataset", text)
    parsed = own_json.parse(own_json.load(text))
    assert isinstance(parsed, contents.Dataset)
    assert list(parsed) == dataset


@calm
@given(instances())
def test_json_fleet(instance):
    text = own_json.format_fleet(instance.vehicles)
    check_schema("fleet", text)
    assert own_json.parse(own_json.load(text)) == instance.vehicles


@calm
@given(st.data())
def test_json_solution(data):
    instance = data.draw(instances())
    solution = data.draw(solutions(instance))
    objective = data.draw(st.sampled_from(["min-max", "min-sum"]))
    text = own_json.format_solution(solution, instance, objective)
    check_schema("solution", text)
    document = json.loads(text)
    assert document["cost"] == solution.cost(instance, objective)
    assert document["vehicle_times"] == solution.vehicle_times(instance).tolist()
    answer = own_json.parse(own_json.load(text))
    assert answer.solution() == answer.solution(instance) == solution


@calm
@given(
    st.sampled_from([("planar", "globe"), ("matrix",), ("both",)]).flatmap(
        lambda kinds: st.lists(instances(kinds=kinds), min_size=1, max_size=4)
    )
)
def test_npz_dataset(dataset):
    every_name = [
        name
        for i in dataset
        for name in (i.name, *(i.customer_names or ()), *(v.name for v in i.vehicles))
    ]
    if any(name is not None and name.endswith("\0") for name in every_name):
        return
    assert list(npz.parse_dataset(npz.format_dataset(dataset))) == dataset


def close_speeds(instance, other):
    """Equal but for the last bit of a speed, which the file keeps as 1/speed."""
    return np.allclose(instance.speeds, other.speeds, rtol=1e-15, atol=0) and instance == (
        other.with_vehicles(instance.vehicles)
    )


@calm
@given(instances(kinds=("planar", "matrix", "both"), named=False))
def test_vrplib_instance(instance):
    again = vrplib.parse_instance(vrplib.format_instance(instance))
    assert close_speeds(instance, again)
    assert np.array_equal(again.capacities, instance.capacities)


@calm
@given(instances(kinds=("globe",)))
def test_vrplib_keeps_great_circle_distances_and_the_name_on_one_line(instance):
    again = vrplib.parse_instance(vrplib.format_instance(instance))
    assert np.array_equal(again.matrix, instance.distances)
    assert np.array_equal(again.coordinates[:, ::-1], instance.coordinates)
    assert again.name == (" ".join((instance.name or "").split()) or None)


@calm
@given(st.data())
def test_sol_solution(data):
    instance = data.draw(instances())
    solution = data.draw(solutions(instance))
    text = sol.format_solution(solution, instance, "min-sum")
    assert f"Cost {fields.plain(solution.cost(instance, 'min-sum'))}\n" in text
    assert sol.parse_solution(text).solution(instance) == solution


@calm
@given(instances(kinds=("planar", "globe")))
def test_csv_customers_and_fleet(instance):
    if instance.customer_names and not all(name.strip() for name in instance.customer_names):
        return
    fleet = csv.parse_fleet(csv.load(csv.format_fleet(instance.vehicles)))
    again = csv.parse_customers(csv.load(csv.format_customers(instance)), fleet)
    assert fleet == instance.vehicles
    assert np.array_equal(again.demands, instance.demands)
    assert np.array_equal(again.coordinates, instance.coordinates)
    assert (again.metric, again.customer_names) == (instance.metric, instance.customer_names)


@calm
@given(st.data())
def test_csv_solution(data):
    instance = data.draw(instances())
    solution = data.draw(solutions(instance))
    table = csv.load(csv.format_solution(solution, instance))
    assert csv.parse_solution(table).solution(instance) == solution


@pytest.mark.parametrize("suffix", [".json", ".npz", ".vrp", ".txt"])
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(instance=instances(kinds=("planar",), named=False))
def test_an_instance_goes_through_files(tmp_path, suffix, instance):
    path = tmp_path / f"instance{suffix}"
    write(path, instance)
    assert close_speeds(instance, read_instance(path))
    [only] = read_dataset(path)
    assert close_speeds(instance, only)
    assert isinstance(read(path), list if suffix == ".npz" else Instance)


@pytest.fixture
def town():
    """Depot at the origin; three customers on the axes; a slow large and a fast small vehicle."""
    return Instance(
        [2, 3, 4],
        [Vehicle(5, 2.0, "small"), Vehicle(9, 0.5, "large")],
        depot=(0, 0),
        customers=[(3, 0), (0, 4), (-6, 0)],
        name="town",
        customer_names=["east", "north", "west"],
    )


ROUTES = Solution([[[1, 2]], [[3]]])


@pytest.mark.parametrize("suffix", [".json", ".sol", ".csv"])
def test_a_solution_goes_through_files(tmp_path, town, suffix):
    path = tmp_path / f"solution{suffix}"
    write(path, ROUTES, instance=town)
    assert read_solution(path, town) == ROUTES
    assert read_solutions(path, [town]) == [ROUTES]


def test_a_result_tells_how_it_came_about(tmp_path, town):
    result = Result(ROUTES, 24.0, Objective.MIN_MAX, "by hand", 0.5, bound=23.0)
    write(tmp_path / "result.json", result, instance=town)
    text = (tmp_path / "result.json").read_text()
    check_schema("solution", text)
    assert json.loads(text) == {
        "format": "hcvrp-solution",
        "version": 1,
        "instance": "town",
        "objective": "min-max",
        "cost": 24,
        "method": "by hand",
        "seconds": 0.5,
        "bound": 23,
        "status": "feasible",
        "vehicle_times": [6, 24],
        "routes": [[[1, 2]], [[3]]],
    }
    assert read(tmp_path / "result.json") == ROUTES
    write(tmp_path / "result.sol", result)
    assert (tmp_path / "result.sol").read_text() == (
        "Route #1: 1 2\nRoute #2: 3\nCost 24\nVehicle #1: 1\nVehicle #2: 2\n"
    )
    for suffix in (".csv", ".geojson"):
        write(tmp_path / f"result{suffix}", result, instance=town)
        write(tmp_path / f"bare{suffix}", ROUTES, instance=town)
        texts = [(tmp_path / f"{stem}{suffix}").read_text() for stem in ("result", "bare")]
        assert texts[0] == texts[1]


def test_an_infinite_bound_is_left_out(town):
    result = Result(ROUTES, 24.0, Objective.MIN_MAX, "by hand", 0.5, bound=-np.inf)
    assert "bound" not in json.loads(own_json.format_solution(result, town))


def test_solutions_of_a_dataset_go_through_a_file(tmp_path, town):
    path = tmp_path / "answers.json"
    other = Solution([[[2], [1]], [[3]]])
    write(path, [ROUTES, other], instance=[town, town], objective="min-sum")
    check_schema("solutions", path.read_text())
    assert read(path) == [ROUTES, other]
    assert read_solutions(path, [town, town]) == [ROUTES, other]
    write(path, [ROUTES, other])
    assert read(path) == [ROUTES, other]


def test_a_fleet_goes_through_files(tmp_path, town):
    for suffix in (".json", ".csv"):
        path = tmp_path / f"fleet{suffix}"
        write(path, town.vehicles)
        assert tuple(parse_fleet(str(path))) == town.vehicles


def test_a_fleet_replaces_the_vehicles_of_every_format(tmp_path, town):
    for suffix in (".json", ".npz", ".vrp", ".csv"):
        path = tmp_path / f"town{suffix}"
        write(path, town)
        assert read_instance(path, fleet=[7, 8]).vehicles == (Vehicle(7), Vehicle(8))


def test_json_is_laid_out_for_people(town):
    assert own_json.format_instance(town) == Path(__file__).with_name("town.json").read_text()
