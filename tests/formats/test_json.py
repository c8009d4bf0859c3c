"""JSON that is read, and every way in which it is refused, with the sentence."""

import json

import pytest
from jsonschema import Draft202012Validator

from hcvrp import InputError, Vehicle
from hcvrp.formats import json as own_json
from hcvrp.formats import read, schema

GOOD = {
    "format": "hcvrp-instance",
    "version": 1,
    "depot": {"x": 0, "y": 0},
    "customers": [{"x": 3, "y": 4, "demand": 1}, {"x": 6, "y": 8, "demand": 2}],
    "vehicles": [
        {"name": "van", "capacity": 2, "speed": 1, "count": 2},
        {"capacity": 5, "speed": 0.5},
    ],
}
GONE = ...


def parse(text):
    return own_json.parse(own_json.load(text))


def test_an_instance_by_hand():
    instance = parse(json.dumps(GOOD))
    assert instance.vehicles == (Vehicle(2, 1, "van 1"), Vehicle(2, 1, "van 2"), Vehicle(5, 0.5))
    assert instance.distances.tolist() == [[0, 5, 10], [5, 0, 5], [10, 5, 0]]
    assert instance.demands.tolist() == [1, 2]
    assert instance.name is None


def test_latitude_and_longitude_mean_great_circle_kilometres():
    document = {
        **GOOD,
        "depot": {"lat": 0, "lon": 0},
        "customers": [{"lat": 0, "lon": 90, "demand": 1}],
    }
    instance = parse(json.dumps(document))
    assert instance.metric == "great-circle"
    assert instance.distances[0, 1] == pytest.approx(6371.0088 * 3.141592653589793 / 2)


def test_distances_alone_need_no_depot():
    document = {**GOOD, "customers": [{"demand": 1}], "distances": [[0, 2], [3, 0]]}
    del document["depot"]
    instance = parse(json.dumps(document))
    assert instance.coordinates is None
    assert instance.distances.tolist() == [[0, 2], [3, 0]]


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (["format"], GONE, "format is missing: it is one of hcvrp-instance, hcvrp-dataset,"),
        (["format"], "tsp", "format must be one of hcvrp-instance, hcvrp-dataset, hcvrp-fleet,"),
        (["format"], [], "format must be one of hcvrp-instance, hcvrp-dataset, hcvrp-fleet,"),
        (["version"], 2, "version must be 1, not 2"),
        (["version"], True, "version must be 1, not true"),
        (["version"], GONE, "version must be 1, not null"),
        (["depot"], GONE, "depot is missing"),
        (["depot"], [0, 0], "depot must be an object, not a list"),
        (["depot"], {}, "depot.x is missing"),
        (["depot"], {"lat": 0}, "depot.lon is missing"),
        (["depot", "z"], 1, "unknown field depot.z; known here: x, y"),
        (["customers"], GONE, "customers is missing"),
        (["customers"], {}, "customers must be a list, not an object"),
        (["customers"], [], "the instance has no customers"),
        (["customers", 1], 7, "customers[1] must be an object, not 7"),
        (["customers", 1, "demand"], GONE, "customers[1].demand is missing"),
        (["customers", 1, "demand"], "2", 'customers[1].demand must be a number, not "2"'),
        (["customers", 1, "demand"], True, "customers[1].demand must be a number, not true"),
        (["customers", 1, "demand"], None, "customers[1].demand must be a number, not null"),
        (["customers", 1, "demand"], "9" * 60, f'demand must be a number, not "{"9" * 39}…'),
        (["customers", 1, "demand"], -1, "demand of customer 2 is negative: -1"),
        (["customers", 1, "demand"], 10**400, "customers[1].demand must be finite, not inf"),
        (["customers", 1, "demand"], 6, "no vehicle can carry customer 2: its demand is 6,"),
        (["customers", 0, "lat"], 1, "unknown field customers[0].lat; known here: x, y, demand,"),
        (["customers", 0, "x"], GONE, "customers[0].x is missing"),
        (["customers", 0, "name"], "a", "customers[1].name is missing: name every customer or"),
        (["customers", 0, "name"], 5, "customers[0].name must be text, not 5"),
        (["customers", 0, "details"], "x", 'customers[0].details must be an object, not "x"'),
        (["customers", 0, "details"], {"phone": 5}, "customers[0].details.phone must be text,"),
        (["depot", "details"], {"n" * 999: 5}, f"depot.details.{'n' * 40}… must be text, not 5"),
        (["n" * 999], 5, f"unknown field {'n' * 40}…; known here: "),
        (["depot", "details"], {" ": "x"}, "depot.details holds a text without a name"),
        (["vehicles"], GONE, "vehicles is missing"),
        (["vehicles"], [], "the instance has no vehicles"),
        (["vehicles", 1, "speed"], GONE, "vehicles[1].speed is missing: give every vehicle a"),
        (["vehicles", 1, "speed"], 0, "vehicles[1]: vehicle speed must be positive, not 0"),
        (["vehicles", 1, "spede"], 1, "unknown field vehicles[1].spede; known here: capacity,"),
        (["vehicles", 0, "count"], 0, "vehicles[0].count must be a whole number of at least 1,"),
        (["vehicles", 0, "count"], 1.5, "vehicles[0].count must be a whole number of at least 1,"),
        (["vehicles", 0, "count"], 10**9, "a fleet has at most 10000 vehicles, not 1000000001"),
        (["vehicles", 1, "name"], "van 1", "vehicle name 'van 1' is used twice"),
        (["name"], 3, "name must be text, not 3"),
        (["distances"], [[0]], "distances must have shape 3 × 3, not 1 × 1"),
        (["distances"], [[0, 1], [1]], "distances[1] must have 2 entries, not 1"),
        (["distances"], [[0, 1], 3], "distances[1] must be a list, not 3"),
        (["distances"], [[0, "1"], [1, 0]], 'distances[0][1] must be a number, not "1"'),
        (["distances"], [[0, True], [1, 0]], "distances[0][1] must be a number, not true"),
        (["distances"], [[0, 10**400], [1, 0]], "distances holds a number that is too large"),
        (["distances"], [[0, 1, 1], [1, 0, 1], [-1, 1, 0]], "distances[2][0] is negative: -1"),
    ],
)
def test_a_wrong_field_is_named_with_its_place(changed, place, value, expected):
    with pytest.raises(InputError) as caught:
        parse(json.dumps(changed(GOOD, place, value)))
    assert expected in str(caught.value)


SOLUTION = {"format": "hcvrp-solution", "version": 1, "routes": [[[1, 2], [3]], []]}


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (["routes"], GONE, "routes is missing"),
        (["routes", 0, 1, 0], 0, "routes[0][1][0] must be a whole number of at least 1, not 0"),
        (["routes", 0, 1, 0], "3", 'routes[0][1][0] must be a number, not "3"'),
        (["routes", 0, 1], 3, "routes[0][1] must be a list, not 3"),
        (["cost"], "1", 'cost must be a number, not "1"'),
        (["method"], 1, "method must be text, not 1"),
        (["objective"], "fast", 'objective must be min-max or min-sum, not "fast"'),
        (["objective"], [], "objective must be min-max or min-sum, not a list"),
        (["vehicle_times"], [1, None], "vehicle_times[1] must be a number, not null"),
        (["instance"], 1, "instance must be text, not 1"),
        (["routs"], [], "unknown field routs; known here: format, version, routes, instance,"),
    ],
)
def test_a_wrong_field_of_a_solution(changed, place, value, expected):
    with pytest.raises(InputError) as caught:
        parse(json.dumps(changed(SOLUTION, place, value)))
    assert str(caught.value).startswith(expected)


def test_a_wrong_field_in_a_dataset_names_the_instance(changed):
    entry = {key: value for key, value in GOOD.items() if key not in ("format", "version")}
    dataset = {"format": "hcvrp-dataset", "version": 1, "instances": [entry, entry]}
    for place, value, expected in (
        (["customers", 0, "demand"], "1", "instances[1].customers[0].demand must be a number, not"),
        (["customers", 0, "demand"], -1, "instances[1]: demand of customer 1 is negative: -1"),
        (["depot"], GONE, "instances[1].depot is missing"),
    ):
        with pytest.raises(InputError) as caught:
            parse(json.dumps(changed(dataset, ["instances", 1, *place], value)))
        assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("kind", ["dataset", "fleet", "solutions"])
def test_an_empty_list_of_things(kind):
    key = {"dataset": "instances", "fleet": "vehicles", "solutions": "solutions"}[kind]
    with pytest.raises(InputError) as caught:
        parse(json.dumps({"format": f"hcvrp-{kind}", "version": 1, key: []}))
    assert str(caught.value) == f"{key} is empty"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the file is not JSON: expecting value at line 1, column 1"),
        ("hello", "the file is not JSON: expecting value at line 1, column 1"),
        ('{\n "a": 1,\n}', "the file is not JSON: expecting property name enclosed in double"),
        ('{"a": NaN}', "the document holds NaN, which is no number in JSON"),
        ('{"a": -Infinity}', "the document holds -Infinity, which is no number in JSON"),
        ('{"a": 1, "a": 2}', "field 'a' is given twice in one object"),
        ("[" * 100_000, "the document is nested too deeply"),
        ('{"a": ' + "1" * 5000 + "}", "the document holds a number with too many digits"),
        ("[1, 2]", "the document must be an object, not a list"),
        ("null", "the document must be an object, not null"),
        ('{"format": "hcvrp-fleet", "version": 1, "vehicles": [{"capacity": 1e999}]}',
         "vehicles[0].capacity must be finite, not inf"),
    ],
)  # fmt: skip
def test_text_that_is_no_document(tmp_path, text, expected):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value).startswith(expected)
    if text:
        path = tmp_path / "bad.json"
        path.write_text(text)
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: {expected}")


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    path = tmp_path / "marked.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert read(path).size == 2


def test_the_schema_wants_a_speed_for_all_vehicles_or_none():
    fast, bare = {"capacity": 5, "speed": 2}, {"capacity": 5}
    for vehicles, expected in (([fast] * 2, True), ([bare] * 2, True), ([fast, bare], False)):
        document = {"format": "hcvrp-fleet", "version": 1, "vehicles": vehicles}
        assert Draft202012Validator(schema("fleet")).is_valid(document) == expected


def test_schemas_go_by_name():
    assert schema("instance")["title"] == "An instance"
    with pytest.raises(InputError, match=r"schema must be one of instance, dataset, .* not '../x'"):
        schema("../x")
