"""Solutions on the map."""

import json

import pytest

from hcvrp import InputError, Instance, Solution, Vehicle
from hcvrp.formats import csv, read_instance, write
from hcvrp.formats.stops import Stops

ROUTES = Solution([[[1, 2]], []])


def collection(tmp_path, instance):
    path = tmp_path / "plan.geojson"
    write(path, ROUTES, instance=instance)
    return json.loads(path.read_text())


def test_a_plan_on_the_globe_has_longitude_first(tmp_path):
    instance = Instance(
        [2, 3],
        [Vehicle(5, 2, "van"), Vehicle(1)],
        depot=(48, 11),
        customers=[(48, 12), (49, 12)],
        metric="great-circle",
        customer_names=["A", "B"],
    )
    document = collection(tmp_path, instance)
    assert document["type"] == "FeatureCollection"
    assert document["coordinate_system"] == "longitude, latitude"
    depot, trip, first, second = document["features"]
    assert depot["geometry"] == {"type": "Point", "coordinates": [11, 48]}
    assert depot["properties"] == {"kind": "depot"}
    assert trip["geometry"] == {
        "type": "LineString",
        "coordinates": [[11, 48], [12, 48], [12, 49], [11, 48]],
    }
    legs = instance.distances
    assert trip["properties"] == {
        "kind": "trip",
        "vehicle": 1,
        "vehicle_name": "van",
        "trip": 1,
        "load": 5,
        "time": pytest.approx((legs[0, 1] + legs[1, 2] + legs[2, 0]) / 2),
    }
    assert second["geometry"] == {"type": "Point", "coordinates": [12, 49]}
    assert first["properties"] == {
        "kind": "stop",
        "customer": 1,
        "name": "A",
        "vehicle": 1,
        "trip": 1,
        "order": 1,
        "demand": 2,
        "arrival": pytest.approx(legs[0, 1] / 2),
    }


def test_a_stop_on_the_map_has_the_other_columns_of_its_row(tmp_path):
    path = tmp_path / "stops.csv"
    path.write_text("x,y,demand,phone,order\n0,7,0,1,\n1,7,2,+2,77\n2,7,3,,78\n")
    document = collection(tmp_path, read_instance(path, fleet=[5, 1]))
    depot, trip, first, second = (feature["properties"] for feature in document["features"])
    assert depot == {"kind": "depot", "phone": "1", "stops: order": ""}
    assert set(trip) == {"kind", "vehicle", "vehicle_name", "trip", "load", "time"}
    assert list(first.items())[-3:] == [("arrival", 1), ("phone", "+2"), ("stops: order", "77")]
    assert first["order"] == 1
    assert (second["phone"], second["stops: order"]) == ("", "78")


def test_details_of_one_name_are_told_apart_on_the_map(tmp_path):
    path = tmp_path / "stops.csv"
    path.write_text("x,y,demand,note,note\n0,7,0,,\n1,7,2,a,b\n2,7,3,c,\n")
    document = collection(tmp_path, read_instance(path, fleet=[5, 1]))
    *_, first, second = (feature["properties"] for feature in document["features"])
    assert (first["note"], first["note (5)"]) == ("a", "b")
    assert (second["note"], second["note (5)"]) == ("c", "")


def test_a_detail_that_is_marked_is_told_apart_from_one_of_that_name(tmp_path):
    points = {"depot": (0, 7), "customers": [(1, 7), (2, 7)]}
    known = [{}, {"order": "1", "stops: order": "2"}, {}]
    instance = Stops(known, [2, 3], [5, 1], **points)
    *_, first, _ = (f["properties"] for f in collection(tmp_path, instance)["features"])
    assert (first["order"], first["stops: order"], first["stops: order (10)"]) == (1, "1", "2")
    header = csv.format_solution(ROUTES, instance).splitlines()[0]
    assert header.endswith(",arrival,stops: order,stops: order (11)")


def test_a_planar_plan_says_so(tmp_path):
    instance = Instance([2, 3], [5, 1], depot=(0, 7), customers=[(1, 7), (2, 7)])
    document = collection(tmp_path, instance)
    assert document["coordinate_system"] == "planar x, y"
    assert document["features"][0]["geometry"]["coordinates"] == [0, 7]
    assert document["features"][2]["properties"]["name"] == "1"


def test_distances_alone_have_no_place_on_a_map(tmp_path):
    instance = Instance([1, 1], [5, 1], distances=[[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    with pytest.raises(InputError, match="GeoJSON needs coordinates, the instance has only dist"):
        collection(tmp_path, instance)
