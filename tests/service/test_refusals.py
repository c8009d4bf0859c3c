"""What is refused, with which status, and in which words."""

import json
import re
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hcvrp.cli import main
from hcvrp.errors import InputError
from hcvrp.service import Limits, Settings
from hcvrp.service.database import migrate
from hcvrp.service.desk import Desk
from hcvrp.service.store import JOBS, TABLES, Status

CUSTOMERS = "name,x,y,demand\ndepot,0,0,\na,1,1,1\n"
PROBLEM = "application/problem+json"
USUAL = {
    400: "malformed",
    401: "token-needed",
    403: "forbidden",
    404: "not-found",
    405: "not-allowed",
    413: "too-large",
    415: "media-type",
    422: "invalid",
    429: "busy",
}


def refusal(response, status, code=None, part=None):
    """The sentence of a refusal with that status, and the usual code of it unless told."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == PROBLEM
    body = response.json()
    assert body["status"] == status
    assert set(body) - {"part"} == {"type", "title", "status", "code", "detail"}
    assert (body["code"], body.get("part")) == (code or USUAL[status], part)
    return body["detail"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"objective": "min"}, "objective should be 'min-max' or 'min-sum', not \"min\""),
        ({"time_limit": "0.1"}, 'time_limit should be a valid number, not "0.1"'),
        ({"time_limit": True}, "time_limit should be a valid number, not true"),
        ({"certify": "1"}, 'certify should be a valid number, not "1"'),
        ({"certify": False}, "certify should be a valid number, not false"),
        ({"seed": "3"}, 'seed should be a valid integer, not "3"'),
        ({"seed": True}, "seed should be a valid integer, not true"),
        ({"seed": 3.5}, "seed should be a valid integer, not 3.5"),
        ({"seed": 1e300}, "seed should be a valid integer, not 1e+300"),
        ({"seed": -1.0}, "seed must lie between 0 and 2⁶³ − 1, not -1"),
        ({"certify": -1}, "certify must lie between 0 and 3600 seconds, not -1"),
        ({"time_limit": 0}, "time_limit must be above 0 and at most 3600 seconds, not 0"),
        ({"time_limit": 1e9}, "time_limit must be above 0 and at most 3600 seconds, not 1e+09"),
        ({"seed": -1}, "seed must lie between 0 and 2⁶³ − 1, not -1"),
        ({"speed": 3}, "unknown field speed"),
        ({"instance": 3}, "instance must be a JSON object, not 3"),
        ({"instance": {"format": "x"}}, None),
    ],
)
def test_a_wrong_choice_is_named(service, town, change, sentence):
    body = {"instance": town} | change
    detail = refusal(service.client.post("/v1/jobs", json=body), 422)
    if sentence is not None:
        assert detail == sentence


def test_an_unknown_method_is_named(service, town):
    body = {"instance": town, "method": "magic"}
    detail = refusal(service.client.post("/v1/jobs", json=body), 422)
    assert detail.startswith("method must be one of auto, ")
    assert detail.endswith(", not 'magic'")


@pytest.mark.parametrize(
    ("method", "package", "extra"),
    [
        ("paper", "torch", "learn"),
        ("am", "torch", "learn"),
        ("pyvrp", "pyvrp", "peers"),
        ("ortools", "ortools", "peers"),
        ("vroom", "vroom", "peers"),
    ],
)
def test_a_method_whose_extra_is_not_installed_is_refused(
    service, town, monkeypatch, method, package, extra
):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not there
    body = {"instance": town, "method": method}
    detail = refusal(service.client.post("/v1/jobs", json=body), 422)
    assert detail == f"method {method} needs the extra: pip install '.[{extra}]' in the clone"


def test_a_method_without_the_objective_is_refused(service, town, monkeypatch):
    monkeypatch.setattr("hcvrp.service.order.find_spec", lambda _: object())  # it may be missing
    asked = {"instance": town, "method": "vroom", "objective": "min-max"}
    detail = refusal(service.client.post("/v1/jobs", json=asked), 422)
    assert detail == "method vroom is for min-sum, not min-max"


def test_a_wrong_choice_in_a_form_is_named(service):
    files = {"customers": ("stops.csv", "name,x,y,demand\ndepot,0,0,\na,1,1,1\n")}
    data = {"fleet": "5", "time_limit": "soon"}
    detail = refusal(service.client.post("/v1/jobs", files=files, data=data), 422)
    assert detail == (
        'time_limit should be a valid number, unable to parse string as a number, not "soon"'
    )


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/solve"])
def test_a_method_without_a_network_for_the_fleet_is_refused(service, town, path):
    asked = {"instance": town, "method": "paper", "time_limit": 1}
    detail = refusal(service.client.post(path, json=asked), 422)
    begin = "method paper: no paper weights for 2 vehicles and min-max; there are some for: "
    assert detail.startswith(begin)
    assert "3 vehicles min-max" in detail.removeprefix(begin).split(", ")
    assert service.client.get("/v1/jobs").json()["jobs"] == []


def test_methods_with_a_network_for_the_fleet_are_taken(service, town):
    pytest.importorskip("torch")
    three = town | {"vehicles": [*town["vehicles"], {"capacity": 9, "speed": 1}]}
    for method, instance in (("paper", three), ("am", town), ("am", three), ("fleet", town)):
        assert service.submit(instance=instance, method=method)


VANS = "Kennzeichen;Nutzlast (kg);Geschwindigkeit (km/h)\nLastenrad;120;14\n"
FLEET = '{"format": "hcvrp-fleet", "version": 1, "vehicles": [{"capacity": 1}]}'


@pytest.mark.parametrize(("name", "text"), [("vans.csv", VANS), ("vans.json", FLEET)])
def test_vehicles_in_place_of_stops_are_told_so(service, name, text):
    form = {"files": {"customers": (name, text)}, "data": {"fleet": "5"}}
    response = service.client.post("/v1/instances", **form)
    detail = refusal(response, 422, "vehicles-not-stops", "customers")
    suffix = name.rpartition(".")[2]
    assert detail == f"customers.{suffix}: the file holds a fleet, not an instance"


def test_an_instance_in_place_of_vehicles_is_told_so(service, town):
    files = {"customers": ("a.csv", CUSTOMERS), "vehicles": ("b.json", json.dumps(town))}
    response = service.client.post("/v1/jobs", files=files)
    detail = refusal(response, 422, "stops-not-vehicles", "vehicles")
    assert detail == "vehicles.json: the file holds an instance, not a fleet"


@pytest.mark.parametrize(
    ("vehicles", "code", "part", "sentence"),
    [
        ("[]", "invalid", "vehicles", "vehicles.json: vehicles is empty"),
        (
            '[{"capacity": "1,500"}]',
            "invalid",
            "vehicles",
            'vehicles.json: vehicles[0].capacity must be a number, not "1,500"',
        ),
        (
            '[{"capacity": 5}]',
            "fleet-too-small",
            "customers",
            (
                "customers.csv: line 3: no vehicle can carry customer a: its demand is 7,"
                " the largest capacity 5"
            ),
        ),
    ],
)
def test_complaints_about_vehicles_are_known_by_code_and_part(
    service, vehicles, code, part, sentence
):
    stops = ("stops.csv", "name,x,y,demand\ndepot,0,0,\na,1,1,7\n")
    fleet = f'{{"format": "hcvrp-fleet", "version": 1, "vehicles": {vehicles}}}'
    files = {"customers": stops, "vehicles": ("fleet.json", fleet)}
    assert refusal(service.client.post("/v1/instances", files=files), 422, code, part) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,x,y\na,1,1\n", "column demand is missing; the file has: name, x, y"),
        ("name,addr,demand\na,b,1\n", "the file has no places: give columns lat and lon"),
        ("name,x,x,y,demand\na,1,1,1,1\n", "column x is given twice"),
        ("x,y,menge,qty\n1,1,1,1\n", "columns menge and qty both mean demand"),
        ("x,y,lat,lon,demand\n1,1,1,1,1\n", "give x and y or lat and lon, not both"),
        ("a,0,0\nb,3,4\n", "the first line must name the columns"),
        ("name,x,y,demand\na,1,1,1\n", "the depot is missing: name its row"),
        (f"{CUSTOMERS}depot,2,2,\n", "lines 2 and 4 are both the depot"),
    ],
)
def test_columns_that_are_not_understood_have_a_code(service, text, sentence):
    form = {"files": {"customers": ("stops.csv", text)}, "data": {"fleet": "5"}}
    response = service.client.post("/v1/instances", **form)
    detail = refusal(response, 422, "unclear-columns", "customers")
    assert detail.startswith(f"customers.csv: {sentence}")


@pytest.mark.parametrize("part", ["customers", "vehicles"])
def test_unclear_columns_of_vehicles_are_not_asked_for(service, part):
    table = ("vans.csv", "name;payload;max load\nvan;1;2\n")
    files = {"customers": ("stops.csv", CUSTOMERS)} | {part: table}
    detail = refusal(service.client.post("/v1/instances", files=files), 422, part=part)
    assert detail == (
        f"{part}.csv: columns payload and max load both mean capacity: call the right one capacity"
    )


def test_a_plan_that_is_not_there_and_a_job_that_failed_have_codes(service, town, monkeypatch):
    unsolved = service.client.get(f"/v1/jobs/{service.submit()}/plan")
    assert "has no solution yet" in refusal(unsolved, 409, "no-plan-yet")

    async def broken(desk, _request, name):
        return replace(await desk.job(name), status=Status.FAILED, reason="it broke")

    monkeypatch.setattr(Desk, "followed", broken)
    failed = service.client.post("/v1/solve", json={"instance": town, "time_limit": 1})
    assert refusal(failed, 422, "failed") == "the job failed: it broke"


def test_every_code_is_described(service):
    paths = service.client.get("/openapi.json").json()["paths"]
    answers = paths["/v1/jobs"]["post"]["responses"]["422"]["content"]
    described = answers[PROBLEM]["schema"]["properties"]
    guide = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
    table = guide.partition("| status | code |")[2].partition("\n\n")[0]
    assert set(re.findall(r"\| `([a-z-]+)` \|", table)) == set(described["code"]["enum"])
    assert set(USUAL.values()) < set(described["code"]["enum"])
    assert described["part"]["enum"] == ["customers", "vehicles"]


def test_routes_are_lists_of_whole_numbers(service, town):
    for routes, sentence in (
        ([[[True, "2"]], [[3]]], "routes.0.0.0 should be a valid integer, not true"),
        ([[[1, "2"]], [[3]]], 'routes.0.0.1 should be a valid integer, not "2"'),
        ([[[1, 2.5]], [[3]]], "routes.0.0.1 should be a valid integer, not 2.5"),
    ):
        body = {"instance": town, "routes": routes}
        assert refusal(service.client.post("/v1/check", json=body), 422) == sentence


def test_a_bare_instance_is_refused(service, town):
    assert refusal(service.client.post("/v1/instances", json=town), 422) == "instance is missing"
    body = {"instance": town, "seed": 3}
    assert refusal(service.client.post("/v1/instances", json=body), 422) == "unknown field seed"


def test_a_wrong_field_of_the_instance_is_named(service, town):
    town["customers"][1]["demand"] = "three"
    detail = refusal(service.client.post("/v1/jobs", json={"instance": town}), 422)
    assert detail == 'customers[1].demand must be a number, not "three"'


def test_a_customer_whom_nobody_can_carry_is_named(service, town):
    town["customers"][2]["demand"] = 10
    response = service.client.post("/v1/jobs", json={"instance": town})
    detail = refusal(response, 422, "fleet-too-small")
    assert detail.startswith("no vehicle can carry customer west: its demand is 10")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "the file is not JSON: expecting property name enclosed in double quotes at"),
        (b"\xff", "the body is not UTF-8 text at byte 0"),
        (b"[]", "the document must be a JSON object, not a list"),
        (b'{"instance": NaN}', "the document holds NaN"),
        (b'{"a": 1, "a": 2}', "field 'a' is given twice"),
        (b"[" * 100_000, "the document is nested too deeply"),
        (b'{"seed": 1' + b"0" * 5000 + b"}", "the document holds a number with too many digits"),
        (b'{"instance": {}, "\\ud800": 1}', "unicode"),
    ],
)
def test_what_is_no_document_is_refused(service, body, sentence):
    headers = {"content-type": "application/json"}
    response = service.client.post("/v1/jobs", content=body, headers=headers)
    assert sentence in refusal(response, 422)


def test_names_that_are_no_text_are_refused(service):
    body = (
        b'{"instance": {"format": "hcvrp-instance", "version": 1, "name": "\\ud800",'
        b' "depot": {"x": 0, "y": 0}, "customers": [{"x": 1, "y": 0, "demand": 1}],'
        b' "vehicles": [{"capacity": 1}]}}'
    )
    headers = {"content-type": "application/json"}
    response = service.client.post("/v1/jobs", content=body, headers=headers)
    assert "is no Unicode text" in refusal(response, 422)


def test_details_are_texts_by_name(service, town):
    for details, sentence in (
        ({"phone": 7}, "customers[1].details.phone must be text, not 7"),
        (["a"], "customers[1].details must be an object, not a list"),
        ({"": "a"}, "customers[1].details holds a text without a name"),
        ({"note": "a\0"}, "the name or detail 'a\\x00' holds a zero character"),
    ):
        town["customers"][1]["details"] = details
        for path in ("/v1/jobs", "/v1/instances"):
            response = service.client.post(path, json={"instance": town})
            assert refusal(response, 422) == sentence


def test_details_that_would_swell_a_plan_are_refused(make_service, small_limits):
    service = make_service(limits=small_limits)  # 2,000 bytes: 666 characters with three stops
    names, depot = ",".join("abcdefghij"), ",".join(["x" * 12] * 10)
    text = f"x,y,demand,{names}\n0,0,0,{depot}\n" + "1,0,1\n" * 3
    form = {"files": {"customers": ("stops.csv", text)}, "data": {"fleet": "9"}}
    assert service.client.post("/v1/instances", **form).status_code == 200
    form["files"]["customers"] = ("stops.csv", text.replace("a,b,", f"{'a' * 400},b,"))
    for path in ("/v1/instances", "/v1/jobs"):
        assert refusal(service.client.post(path, **form), 422, part="customers") == (
            "customers.csv: the details (other columns) are too long for 3 stops: their names and"
            " the depot's texts, each with 8 characters added, make 689 characters; at most 666"
            " are taken"
        )


@pytest.mark.parametrize(
    ("name", "text", "fleet", "sentence", "part"),
    [
        ("stops.csv", f"{CUSTOMERS}b,1,x,1\n", "5", "customers.csv: line 4: y is not", "customers"),
        ("stops.xlsx", "PK", "5", "customers.xlsx: the file must end in .csv, .json", "customers"),
        ("stops", "PK", "5", "customers: the file must end in .csv, .json", "customers"),
        ("stops.csv", CUSTOMERS, "/etc/passwd", "fleet must be capacities", None),
        ("stops.csv", CUSTOMERS, "a.csv", "fleet must be capacities", None),
        ("stops.csv", CUSTOMERS, "5x", "fleet item '5x': it must look like 20", None),
    ],
)
def test_a_wrong_file_is_refused_by_its_own_name(service, name, text, fleet, sentence, part):
    form = {"files": {"customers": (name, text)}, "data": {"fleet": fleet}}
    detail = refusal(service.client.post("/v1/jobs", **form), 422, part=part)
    assert detail.startswith(sentence)
    assert "/tmp" not in detail


CAPACITY_ALONE = (
    "NAME : two-n3-k7\nTYPE : CVRP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\n"
    "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\nDEMAND_SECTION\n1 0\n2 5\n3 7\n"
    "DEPOT_SECTION\n1\n-1\nEOF\n"
)
NO_CAPACITY = CAPACITY_ALONE.replace("CAPACITY : 10\n", "")


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/instances"])
@pytest.mark.parametrize(
    ("name", "text", "complaint", "fleet"),
    [
        ("a.csv", CUSTOMERS, "a list of customers needs a fleet", "20,25,30"),
        ("a.vrp", NO_CAPACITY, "the file names no fleet", "20,25,30"),
        (
            "a.vrp",
            CAPACITY_ALONE,
            "the file has a CAPACITY of 10 but does not say how many vehicles there are",
            "10x7",
        ),
    ],
)
def test_a_form_without_a_fleet_hears_how_to_give_one(service, path, name, text, complaint, fleet):
    response = service.client.post(path, files={"customers": (name, text)})
    detail = refusal(response, 422, "fleet-missing", "customers")
    advice = f"upload vehicles, or give fleet, such as fleet={fleet}"
    assert detail == f"customers{name[1:]}: {complaint}: {advice}"


def test_stops_as_vehicles_hear_where_they_belong(service):
    files = {"customers": ("a.csv", "capacity\n5\n"), "vehicles": ("b.csv", CUSTOMERS)}
    response = service.client.post("/v1/jobs", files=files)
    detail = refusal(response, 422, "stops-not-vehicles", "vehicles")
    assert detail == (
        "vehicles.csv: the file looks like a list of customers, not a fleet:"
        " upload the stops as customers"
    )


@pytest.mark.parametrize("text", [CAPACITY_ALONE, NO_CAPACITY])
def test_a_file_of_vrplib_as_vehicles_hears_where_it_belongs(service, text):
    files = {"customers": ("a.csv", CUSTOMERS), "vehicles": ("b.vrp", text)}
    response = service.client.post("/v1/jobs", files=files)
    detail = refusal(response, 422, "stops-not-vehicles", "vehicles")
    assert detail == (
        "vehicles.vrp: the file holds stops, not vehicles: upload the stops as customers"
    )


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/v1/jobs", "customers, vehicles, fleet, objective, method, time_limit, seed, certify"),
        ("/v1/solve", "customers, vehicles, fleet, objective, method, time_limit, seed, certify"),
        ("/v1/instances", "customers, vehicles, fleet"),
    ],
)
def test_an_unknown_part_hears_which_are_known(service, path, known):
    files = {"customers": ("stops.csv", CUSTOMERS)}
    data = {"fleet": "5", "colour": "red"}
    detail = refusal(service.client.post(path, files=files, data=data), 422)
    assert detail == f"unknown field 'colour'; known: {known}"


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/solve", "/v1/instances"])
def test_other_media_types_are_refused(service, path):
    response = service.client.post(path, content="x", headers={"content-type": "text/csv"})
    assert refusal(response, 415) == (
        "content-type must be application/json or multipart/form-data, not 'text/csv'"
    )


def test_the_referee_reads_json_alone(service):
    table = service.client.post("/v1/check", content="x", headers={"content-type": "text/csv"})
    assert refusal(table, 415) == "content-type must be application/json, not 'text/csv'"
    form = service.client.post("/v1/check", files={"customers": ("stops.csv", CUSTOMERS)})
    assert refusal(form, 415) == "content-type must be application/json, not 'multipart/form-data'"


def test_a_broken_form_is_refused(service):
    headers = {"content-type": "multipart/form-data"}
    response = service.client.post("/v1/jobs", content=b"x", headers=headers)
    assert refusal(response, 400) == "Missing boundary in multipart."


@pytest.mark.parametrize("charset", ["punycode", "undefined", "latin-1"])
def test_forms_in_other_encodings_are_refused(service, charset):
    headers = {"content-type": f"multipart/form-data; boundary=b; charset={charset}"}
    for path in ("/v1/jobs", "/v1/instances"):
        response = service.client.post(path, content=b"--b--", headers=headers)
        assert refusal(response, 415) == f"a form's charset must be utf-8, not '{charset}'"


def test_one_complaint_is_enough(service, town):
    """A list of all would be a hundred times as long as the body."""
    zeros = {"instance": town, "routes": [[[0] * 50_000]]}
    verdict = service.client.post("/v1/check", json=zeros).json()
    assert len(verdict["violations"]) == 101
    assert verdict["violations"][-1].endswith(" more")
    wrong = {"instance": town, "routes": [["x"] * 50_000]}
    detail = refusal(service.client.post("/v1/check", json=wrong), 422)
    assert detail.startswith("routes.0.0 should be a valid list")
    odd = {"instance": town} | {f"x{k}": 1 for k in range(50_000)}
    detail = refusal(service.client.post("/v1/jobs", json=odd), 422)
    assert re.fullmatch(r"unknown field x\d+", detail)


def test_a_field_given_twice_is_found_at_once(service):
    many = ",".join(f'"{k}":0' for k in range(100_000))
    body = f'{{{many},"last":1,"last":2}}'
    headers = {"content-type": "application/json"}
    response = service.client.post("/v1/jobs", content=body, headers=headers)
    assert refusal(response, 422) == "field 'last' is given twice in one object"


def test_a_table_with_many_columns_is_refused_at_once(service):
    table = "lat,lon," + ",".join(f"demnd{k}" for k in range(5_000)) + "\n"
    files = {"customers": ("stops.csv", table + "0," * 5_001 + "0\n"), "fleet": (None, "5")}
    response = service.client.post("/v1/instances", files=files)
    detail = refusal(response, 422, "unclear-columns", "customers")
    assert "demnd47, and 4952 more" in detail


def test_what_is_not_there(service):
    nobody = "00000000-0000-0000-0000-000000000000"
    for tail in ("", "/solution", "/plan", "/instance", "/events"):
        response = service.client.get(f"/v1/jobs/{nobody}{tail}")
        assert refusal(response, 404) == f"there is no job {nobody}"
    assert refusal(service.client.delete(f"/v1/jobs/{nobody}"), 404)
    assert refusal(service.client.get("/v1/jobs/x"), 422).startswith("path.job should match")
    assert "there is no demo 'x'" in refusal(service.client.get("/v1/demo-data/x"), 404)
    assert "there is no schema 'x'" in refusal(service.client.get("/v1/schemas/x"), 404)
    assert refusal(service.client.get("/nothing"), 404) == "Not Found"
    assert refusal(service.client.put("/v1/jobs"), 405) == "Method Not Allowed"


def test_limits_hold(make_service, small_limits, town):
    service = make_service(limits=small_limits)
    four = town | {"customers": [*town["customers"], {"name": "n", "x": 1, "y": 1, "demand": 1}]}
    detail = refusal(service.client.post("/v1/jobs", json={"instance": four}), 422)
    assert detail == "customers must be at most 3 on this server, not 4"
    crowd = town | {"vehicles": [{"capacity": 9, "count": 3}]}
    detail = refusal(service.client.post("/v1/jobs", json={"instance": crowd}), 422)
    assert detail == "vehicles must be at most 2 on this server, not 3"
    sure = {"instance": town, "certify": 1}
    strict = make_service(limits=replace(small_limits, certified=2))
    detail = refusal(strict.client.post("/v1/jobs", json=sure), 422)
    assert detail == "certify is for up to 2 customers on this server, not 3"
    slow = {"instance": town, "time_limit": 4}
    detail = refusal(service.client.post("/v1/solve", json=slow), 422)
    assert detail.startswith("time_limit and certify must be at most 2 seconds here, not 4")


def test_files_beyond_the_limits_are_named(make_service, small_limits):
    service = make_service(limits=small_limits)
    vans = ("vans.csv", "capacity,count\n9,3\n")
    files = {"customers": ("stops.csv", CUSTOMERS), "vehicles": vans}
    for path in ("/v1/jobs", "/v1/instances"):
        detail = refusal(service.client.post(path, files=files), 422, part="vehicles")
        assert detail == "vehicles.csv: vehicles must be at most 2 on this server, not 3"
    many = CUSTOMERS + "b,1,1,1\nc,1,1,1\nd,1,1,1\n"
    form = {"files": {"customers": ("stops.csv", many)}, "data": {"fleet": "9"}}
    detail = refusal(service.client.post("/v1/jobs", **form), 422, part="customers")
    assert detail == "customers.csv: customers must be at most 3 on this server, not 4"
    form["data"] = {"fleet": "9x3"}
    detail = refusal(service.client.post("/v1/jobs", **form), 422)
    assert detail == "vehicles must be at most 2 on this server, not 3"


def test_long_names_are_refused(service, town):
    for named in (town, town["customers"][1], town["vehicles"][0]):
        for path, status in (("/v1/jobs", 202), ("/v1/instances", 200)):
            named["name"] = "ü" * 201
            assert refusal(service.client.post(path, json={"instance": town}), 422) == (
                f"the name '{'ü' * 40}…' has 201 characters, at most 200 are taken"
            )
            named["name"] = "ü" * 200
            assert service.client.post(path, json={"instance": town}).status_code == status
    vans = f"name,capacity\n{'v' * 201},9\n"
    files = {"customers": ("stops.csv", CUSTOMERS), "vehicles": ("vans.csv", vans)}
    detail = refusal(service.client.post("/v1/jobs", files=files), 422, part="vehicles")
    assert detail.startswith("vehicles.csv: the name 'vvv")


def test_large_bodies_are_refused_with_and_without_a_stated_length(make_service, small_limits):
    service = make_service(limits=small_limits)
    headers = {"content-type": "application/json"}
    stated = service.client.post("/v1/jobs", content=b" " * 2_001, headers=headers)
    assert refusal(stated, 413) == "the body is larger than 2000 bytes"
    pieces = (b" " * 500 for _ in range(5))
    streamed = service.client.post("/v1/jobs", content=pieces, headers=headers)
    assert refusal(streamed, 413) == "the body is larger than 2000 bytes"


def test_a_full_queue_asks_to_come_back(make_service, small_limits, town):
    service = make_service(limits=small_limits)
    names = [service.submit(), service.submit()]
    response = service.client.post("/v1/jobs", json={"instance": town})
    assert refusal(response, 429) == "2 jobs are waiting already"
    assert response.headers["retry-after"] == "10"
    service.work(names[0])
    service.submit()


def test_a_token_opens_the_door(make_service):
    service = make_service(token="open-sesame")
    assert "Authorization: Bearer" in refusal(service.client.get("/v1/jobs"), 401)
    wrong = {"Authorization": "Bearer open-sesamo"}
    assert refusal(service.client.get("/metrics", headers=wrong), 401)
    right = {"Authorization": "Bearer open-sesame"}
    assert service.client.get("/v1/jobs", headers=right).status_code == 200
    assert service.client.get("/health/live").status_code == 200
    assert service.client.get("/").status_code == 200


def test_pages_from_elsewhere_are_kept_out(service):
    stranger = {"Origin": "https://example.com"}
    detail = refusal(service.client.post("/v1/jobs", headers=stranger), 403)
    assert detail == "pages from 'https://example.com' may not use this server"
    rebound = {"Host": "example.com"}
    assert refusal(service.client.get("/v1/jobs", headers=rebound), 403)
    own = {"Origin": "http://localhost"}
    assert service.client.get("/v1/jobs", headers=own).status_code == 200


def test_headers_that_mean_nothing_are_refused(service):
    nowhere = service.client.get("/v1/jobs", headers={"Host": "["})
    assert refusal(nowhere, 403) == "host '[' is not this machine"
    stranger = service.client.get("/v1/jobs", headers={"Origin": "http://["})
    assert refusal(stranger, 403) == "pages from 'http://[' may not use this server"
    endless = service.client.post("/v1/jobs", headers={"Content-Length": "9" * 5_000})
    assert refusal(endless, 413) == "the body is larger than 16777216 bytes"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"host": "0.0.0.0"}, "host 0.0.0.0 can be reached by others: a token is needed"),
        ({"token": "short"}, "token must have at least 8 printable characters and no spaces"),
        ({"port": 70000}, "port must lie between 0 and 65535, not 70000"),
        ({"workers": -1}, "workers must lie between 0 and 1024, not -1"),
        ({"keep": 0}, "keep must be a positive number of days, not 0"),
        ({"keep": float("inf")}, "keep must be a positive number of days, not inf"),
        (
            {"tiles": "https://a.example/{z}/{x}"},
            "tiles must be an http address with {z}, {x} and {y}, not 'https://a.example/{z}/{x}'",
        ),
        ({"name": "a b"}, "name must be 1 to 64 letters, digits or _.-, not 'a b'"),
        (
            {"database": "mysql://me:secret@host/x"},
            "database must begin with sqlite:/// or postgresql://, not 'mysql'",
        ),
    ],
)
def test_wrong_settings_are_named(changes, sentence):
    with pytest.raises(InputError) as caught:
        Settings(**changes)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("url", ["postgresql://u:p@h:abc/db", "sqlite:///", "sqlite:///:memory:"])
def test_odd_addresses_of_databases_get_a_sentence(url):
    with pytest.raises(InputError, match="the database cannot be used: "):
        migrate(url, TABLES)


def test_a_database_of_another_version_is_refused(tmp_path):
    url = f"sqlite:///{tmp_path}/jobs.db"
    with sqlite3.connect(tmp_path / "jobs.db") as old:
        columns = ", ".join(c.name for c in JOBS.columns if c.name != "handed")
        old.execute(f"CREATE TABLE hcvrp_jobs ({columns})")
    old.close()
    with pytest.raises(InputError) as caught:
        migrate(url, TABLES)
    assert str(caught.value) == (
        "the database was made by another version: hcvrp_jobs has no column handed"
    )


def test_pictures_come_from_this_server_and_its_tiles_alone(make_service):
    policy = make_service().client.get("/").headers["content-security-policy"]
    assert policy.endswith("img-src 'self'")
    tiles = "https://tiles.example:8443/{z}/{x}/{y}.png?key=1"
    service = make_service(tiles=tiles, attribution="© the makers")
    policy = service.client.get("/").headers["content-security-policy"]
    assert policy.endswith("img-src 'self' https://tiles.example:8443")
    about = service.client.get("/v1/policies").json()
    assert (about["tiles"], about["attribution"]) == (tiles, "© the makers")


def test_limits_must_be_positive():
    with pytest.raises(InputError, match="limit queue must be positive, not 0"):
        Limits(queue=0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host", "0.0.0.0"], "host 0.0.0.0 can be reached by others: a token is needed"),
        (
            ["--database", "sqlite:////nowhere/jobs.db"],
            "the database cannot be used: /nowhere/jobs",
        ),
        (
            ["--database", "postgresql://me:secret@127.0.0.1:1/jobs"],
            "the database cannot be used: connection failed",
        ),
        (["--max-queue", "0"], "--max-queue must be at least 1, not 0"),
    ],
)
def test_the_command_refuses_in_one_sentence(options, sentence, capsys):
    with pytest.raises(SystemExit) as left:
        main(["serve", *options])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]
