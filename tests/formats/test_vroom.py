"""VROOM problems: what they say here, and what has no place."""

import json

import pytest

from hcvrp import InputError, Instance, Vehicle
from hcvrp.formats import json as own_json
from hcvrp.formats import read, vroom

HOME = [11.5, 48.1]
GLOBE = {
    "vehicles": [
        {"id": 1, "start": HOME, "end": HOME, "capacity": [4], "speed_factor": 0.5},
        {"id": 2, "start": HOME, "end": HOME, "capacity": [9], "skills": [], "breaks": []},
    ],
    "jobs": [
        {"id": 10, "location": [11.6, 48.2], "delivery": [3], "service": 0, "pickup": [0]},
        {"id": 11, "location": [11.7, 48.3], "amount": [8], "description": "school"},
    ],
    "shipments": [],
}
TABLE = {
    "vehicles": [{"id": 1, "profile": "van", "start_index": 2, "end_index": 2, "capacity": [9]}],
    "jobs": [
        {"id": 10, "location_index": 0, "delivery": [3]},
        {"id": 11, "location_index": 1, "delivery": [4]},
    ],
    "matrices": {"van": {"durations": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]}},
}
GONE = ...


def parse(document, fleet=None):
    return vroom.parse_instance(own_json.load(json.dumps(document)), fleet)


def test_jobs_on_the_globe(tmp_path):
    expected = Instance(
        [3, 8],
        [Vehicle(4, 0.5, "1"), Vehicle(9, 1, "2")],
        depot=(48.1, 11.5),
        customers=[(48.2, 11.6), (48.3, 11.7)],
        metric="great-circle",
        customer_names=["10", "11"],
    )
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(GLOBE))
    assert read(path) == expected
    assert read(path, fleet=[8]) == expected.with_vehicles([8])


def test_durations_by_index():
    instance = parse(TABLE)
    assert instance.distances.tolist() == [[0, 5, 6], [2, 0, 1], [4, 3, 0]]
    assert instance.coordinates is None


def test_distances_stand_in_for_durations():
    document = {**TABLE, "matrices": {"van": {"distances": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]}}}
    assert parse(document) == parse(TABLE)


def test_locations_beside_a_matrix_are_for_the_picture():
    document = json.loads(json.dumps(TABLE))
    document["vehicles"][0] |= {"start": HOME, "end": HOME}
    for job in document["jobs"]:
        job["location"] = [11, 48]
    instance = parse(document)
    assert instance.coordinates.tolist() == [[48.1, 11.5], [48, 11], [48, 11]]
    assert instance.distances[0, 1] == 5


@pytest.mark.parametrize(
    ("base", "place", "value", "expected"),
    [
        (GLOBE, ["shipments"], [{}], "shipments has no place in this problem: leave it out"),
        (GLOBE, ["jobs", 1, "time_windows"], [[0, 9]], "jobs[1].time_windows has no place in"),
        (GLOBE, ["jobs", 1, "skills"], [1], "jobs[1].skills has no place in this problem"),
        (GLOBE, ["jobs", 0, "service"], 5, "jobs[0].service has no place in this problem"),
        (GLOBE, ["jobs", 0, "setup"], 5, "jobs[0].setup has no place in this problem"),
        (GLOBE, ["jobs", 0, "pickup"], [1], "jobs[0].pickup has no place in this problem"),
        (GLOBE, ["jobs", 0, "priority"], 9, "jobs[0].priority has no place in this problem"),
        (GLOBE, ["vehicles", 0, "breaks"], [{}], "vehicles[0].breaks has no place in this"),
        (GLOBE, ["vehicles", 0, "time_window"], [0, 9], "vehicles[0].time_window has no place in"),
        (GLOBE, ["vehicles", 0, "max_travel_time"], 0, "vehicles[0].max_travel_time has no place"),
        (GLOBE, ["vehicles", 0, "max_tasks"], 3, "vehicles[0].max_tasks has no place in this"),
        (GLOBE, ["vehicles", 0, "costs"], {"fixed": 9}, "vehicles[0].costs has no place in this"),
        (
            GLOBE,
            ["vehicles", 0, "capacity"],
            [1, 2],
            "vehicles[0].capacity must have one dimension",
        ),
        (GLOBE, ["vehicles", 0, "capacity"], GONE, "vehicles[0].capacity is missing"),
        (GLOBE, ["jobs", 0, "delivery"], [1, 2], "jobs[0].delivery must have one dimension, not 2"),
        (GLOBE, ["jobs", 0, "delivery"], GONE, "jobs[0].delivery is missing"),
        (GLOBE, ["jobs", 0, "delivery"], ["3"], 'jobs[0].delivery[0] must be a number, not "3"'),
        (GLOBE, ["jobs", 0, "location"], [1, 2, 3], "jobs[0].location must be [longitude, latitu"),
        (GLOBE, ["jobs", 0, "location"], GONE, "jobs[0].location is missing"),
        (GLOBE, ["jobs", 0], 7, "jobs[0] must be an object, not 7"),
        (GLOBE, ["jobs", 1, "id"], 10, "customer name '10' is used twice"),
        (GLOBE, ["jobs", 1, "id"], GONE, "jobs[1].id is missing"),
        (GLOBE, ["vehicles"], [], "vehicles is empty"),
        (GLOBE, ["vehicles"], GONE, "vehicles is missing"),
        (GLOBE, ["vehicles", 1, "end"], [1, 2], "vehicles[1].end differs from start: there is one"),
        (GLOBE, ["vehicles", 1, "end"], GONE, "vehicles[1].end is missing: without it a route is"),
        (GLOBE, ["vehicles", 1, "start"], GONE, "vehicles[1].end differs from start: there is one"),
        (
            TABLE,
            ["vehicles", 0, "start_index"],
            7,
            "vehicles[0].end_index differs from start_index",
        ),
        (
            TABLE,
            ["jobs", 1, "location_index"],
            3,
            "jobs[1].location_index must be less than 3, the",
        ),
        (TABLE, ["jobs", 1, "location_index"], GONE, "jobs[1].location_index is missing"),
        (TABLE, ["matrices"], GONE, "vehicles[0].start is missing"),
        (TABLE, ["matrices", "van"], GONE, "matrices.van is missing"),
        (TABLE, ["matrices", "van"], {}, "matrices.van.durations is missing"),
        (TABLE, ["matrices", "van", "costs"], [[0]], "matrices.van.costs has no place in this"),
        (
            TABLE,
            ["matrices", "van", "durations"],
            [[0, 1]],
            "matrices.van.durations[0] must have 1",
        ),
    ],
)
def test_what_is_refused(changed, base, place, value, expected):
    with pytest.raises(InputError) as caught:
        parse(changed(base, place, value))
    assert str(caught.value).startswith(expected)


def test_two_depots_and_two_profiles():
    document = json.loads(json.dumps(GLOBE))
    document["vehicles"][1] |= {"start": [0, 0], "end": [0, 0]}
    with pytest.raises(InputError, match=r"vehicles\[1\]\.start differs from vehicle 0: there is"):
        parse(document)
    document = json.loads(json.dumps(TABLE))
    document["vehicles"].append({**document["vehicles"][0], "id": 2, "profile": "bike"})
    with pytest.raises(InputError, match="vehicles have several profiles: bike, van"):
        parse(document)
