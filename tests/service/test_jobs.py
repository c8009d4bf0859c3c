"""Jobs from submission to download, with the worker called by hand."""

import asyncio
import csv
import io
import json
import time

import pytest
import sqlalchemy as sa

from hcvrp.formats.fields import Field
from hcvrp.formats.json import parse
from hcvrp.service import demo, requests
from hcvrp.service.order import document
from hcvrp.service.rounds import Rounds
from hcvrp.service.store import JOBS
from hcvrp.solution import Solution

# Savings on the town, worked out by hand for min-max: the small vehicle (capacity 5, speed 2)
# takes east and north together, 3 + 5 + 4 = 12 long, 6 in time, and west, 12 long, 6 in time;
# the large one at speed 0.5 would need 24 for west alone.
ROUTES = [[[1, 2], [3]], []]
COST = 12.0


def test_an_accepted_job_waits_in_the_queue(service, town):
    response = service.client.post(
        "/v1/jobs", json={"instance": town, "objective": "min-sum", "seed": 7}
    )
    assert response.status_code == 202
    job = response.json()
    assert response.headers["location"] == f"/v1/jobs/{job['id']}"
    assert (job["status"], job["objective"], job["seed"]) == ("queued", "min-sum", 7)
    assert (job["customers"], job["vehicles"], job["name"]) == (3, 2, "town")
    assert (job["cost"], job["bound"], job["gap"]) == (None, None, None)


def test_a_job_says_whether_its_times_are_hours(service, town):
    globe = document(demo.munich())
    walk = globe | {"vehicles": [{"capacity": 200, "speed": 2}]}  # too slow for km/h
    names = [service.submit(instance=instance) for instance in (town, globe, walk)]
    told = [service.client.get(f"/v1/jobs/{name}").json()["hours"] for name in names]
    assert told == [False, True, False]
    listed = service.client.get("/v1/jobs").json()["jobs"]
    assert [job["hours"] for job in listed] == told[::-1]


def test_a_worker_finishes_it_with_the_referees_cost(service):
    job = service.work(service.submit())
    assert (job["status"], job["cost"], job["progress"]) == ("done", COST, 1.0)
    assert job["attempts"] == 1
    assert job["improvements"] == 1


def test_the_solution_comes_as_json_csv_and_geojson(service, town):
    name = service.submit()
    service.work(name)
    url = f"/v1/jobs/{name}/solution"
    answer = service.client.get(url).json()
    solution = Solution(answer["routes"])
    instance = parse(Field(town))
    assert solution.violations(instance) == []
    assert answer["cost"] == solution.cost(instance, "min-max") == COST
    lines = service.client.get(url, params={"format": "csv"}).text.splitlines()
    assert lines[0].startswith("vehicle,vehicle name,trip,order,customer")
    assert len(lines) == 1 + 3 + 2  # the header, three stops, two returns
    features = service.client.get(url, params={"format": "geojson"}).json()["features"]
    assert [f["properties"]["kind"] for f in features].count("stop") == 3


def test_the_plan_has_times(service):
    name = service.submit()
    service.work(name)
    plan = service.client.get(f"/v1/jobs/{name}/plan").json()
    assert plan["vehicle_times"] == [COST, 0.0]
    assert sum(trip["end"] - trip["start"] for trip in plan["trips"]) == COST
    assert plan["trips"][0]["start"] == 0.0
    assert plan["curve"][-1][1] == plan["cost"] == COST


def test_a_job_without_a_plan_says_so(service):
    name = service.submit()
    response = service.client.get(f"/v1/jobs/{name}/solution")
    assert response.status_code == 409
    assert response.json()["detail"] == f"job {name} has no solution yet: it is queued"


def test_a_waiting_job_is_cancelled_at_once_and_left_alone(service):
    name = service.submit()
    assert service.client.delete(f"/v1/jobs/{name}").json()["status"] == "cancelled"
    job = service.work(name)
    assert (job["status"], job["attempts"]) == ("cancelled", 0)


def test_a_finished_job_stays_done_when_cancelled(service):
    name = service.submit()
    service.work(name)
    assert service.client.delete(f"/v1/jobs/{name}").json()["status"] == "done"


def test_the_events_of_a_finished_job_are_its_best_and_its_end(service, events_of, town):
    name = service.submit()
    service.work(name)
    response = service.client.get(f"/v1/jobs/{name}/events")
    assert response.headers["content-type"].startswith("text/event-stream")
    (first, best), (last, job) = events_of(response.text)
    assert (first, best["cost"], best["number"]) == ("best", COST, 1)
    assert Solution(best["routes"]).violations(parse(Field(town))) == []
    assert (last, job["status"]) == ("job", "done")
    seen = service.client.get(f"/v1/jobs/{name}/events", headers={"Last-Event-ID": "1"})
    assert [kind for kind, _ in events_of(seen.text)] == ["job"]


def test_jobs_are_listed_latest_first_page_by_page(service):
    names = [service.submit(seed=k) for k in range(3)]
    service.work(names[0])
    page = service.client.get("/v1/jobs", params={"limit": 2}).json()
    assert [job["id"] for job in page["jobs"]] == names[:0:-1]
    rest = service.client.get("/v1/jobs", params={"limit": 2, "before": page["next"]}).json()
    assert [job["id"] for job in rest["jobs"]] == names[:1]
    assert rest["next"] is None
    done = service.client.get("/v1/jobs", params={"status": "done"}).json()
    assert [job["id"] for job in done["jobs"]] == names[:1]


def test_jobs_of_one_moment_are_listed_once_each(service):
    order = service.store.order(service.submit())
    names = [f"{k:08x}-0000-4000-8000-000000000000" for k in range(5)]
    with service.engine.begin() as connection:
        service.store.add(connection, [(name, order) for name in names])
        connection.execute(sa.update(JOBS).values(created=1_700_000_000.25))
    listed, place = [], {}
    while place is not None:
        page = service.client.get("/v1/jobs", params={"limit": 2} | place).json()
        listed += [job["id"] for job in page["jobs"]]
        place = page["next"] and {"before": page["next"]}
    assert len(listed) == 6
    assert listed == sorted(listed, reverse=True)


def test_old_jobs_are_pruned_and_waiting_ones_kept(service):
    names = [service.submit(seed=k) for k in range(3)]
    for name in names[:2]:
        service.work(name)
    with service.engine.begin() as connection:
        old = JOBS.c.id == names[0]
        connection.execute(sa.update(JOBS).where(old).values(finished=time.time() - 100))
    assert service.queue.prune(time.time() - 50) == 1
    assert service.queue.prune(time.time() - 50) == 0
    left = service.client.get("/v1/jobs").json()["jobs"]
    assert [job["id"] for job in left] == names[:0:-1]
    assert service.store.history(names[0]) == []
    assert len(service.store.history(names[1])) == 1
    assert service.client.get(f"/v1/jobs/{names[0]}").status_code == 404


def test_a_server_that_keeps_nothing_for_long_prunes_by_itself(make_service):
    service = make_service()
    name = service.submit()
    service.work(name)
    moment = 1e-9  # days
    rounds = Rounds(service.queue, workers=0, keep=moment)
    asyncio.run(first_moment_of(rounds.prune()))
    assert service.store.job(name) is None


async def first_moment_of(task):
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(task, 0.5)


def test_waiting_jobs_are_handed_over_a_few_at_a_time_in_order(service):
    with service.engine.begin() as connection:
        order = service.store.order(service.submit())
        service.store.delete([job.id for job in service.store.jobs(9, None, None)])
        names = [f"{9 - k:08x}-0000-4000-8000-000000000000" for k in range(6)]
        service.store.add(connection, [(name, order) for name in names])
        assert service.store.hand_over(connection, 2) == (names[:2], True)
        assert service.store.hand_over(connection, 2) == ([], True)
        assert service.store.hand_over(connection, 5) == (names[2:5], True)
        assert service.store.hand_over(connection, 9) == (names[5:], False)


def test_files_are_taken_as_a_form_uploads_them(service):
    stops = "name,x,y,demand\ndepot,0,0,\neast,3,0,2\nnorth,0,4,3\nwest,-6,0,4\n"
    vans = "name,capacity,speed\nsmall,5,2\nlarge,9,0.5\n"
    files = {"customers": ("stops.csv", stops), "vehicles": ("vans.csv", vans)}
    data = {"method": "savings", "objective": "min-max", "time_limit": "3", "seed": "5"}
    response = service.client.post("/v1/jobs", files=files, data=data)
    assert response.status_code == 202, response.text
    job = service.work(response.json()["id"])
    assert (job["cost"], job["time_limit"], job["seed"]) == (COST, 3.0, 5)


def test_reading_files_gives_the_instance_and_its_places(service):
    stops = "type\tlat\tlon\tdemand\ndepot\t48\t11\t0\n\t48,5\t11\t2\n"
    response = service.client.post(
        "/v1/instances", files={"customers": ("paste.csv", stops)}, data={"fleet": "5@1,9@2"}
    )
    read = response.json()
    assert read["instance"]["customers"] == [{"lat": 48.5, "lon": 11, "demand": 2}]
    assert [v["speed"] for v in read["instance"]["vehicles"]] == [1, 2]
    assert [y for _, y in read["points"]] == [48.0, 48.5]
    assert read["depot_row"] == "line 2"


def test_a_document_is_read_as_files_are(service, town):
    read = service.client.post("/v1/instances", json={"instance": town}).json()
    assert read["instance"]["customers"] == town["customers"]
    assert read["points"] == [[0, 0], [3, 0], [0, 4], [-6, 0]]
    assert read["depot_row"] is None
    paths = service.client.get("/openapi.json").json()["paths"]
    content = paths["/v1/instances"]["post"]["requestBody"]["content"]
    assert list(content) == ["application/json", "multipart/form-data"]
    described = content["application/json"]["schema"]
    assert (list(described["properties"]), described["required"]) == (["instance"], ["instance"])


SWAPPED = (
    "name,lat,lon,demand\nDepot,48.13,11.59,\nA,48.12,11.58,60\nB,11.58,48.13,60\n"
    "C,48.11,11.57,60\n"
)


def test_a_stop_with_latitude_and_longitude_swapped_is_noted(service):
    form = {"files": {"customers": ("stops.csv", SWAPPED)}, "data": {"fleet": "100@30"}}
    read = service.client.post("/v1/instances", **form).json()
    (note,) = read["notes"]
    assert note.startswith("stop B lies 5288 km from the middle of all stops")
    assert note.endswith("its latitude and longitude look swapped")
    again = service.client.post("/v1/instances", json={"instance": read["instance"]}).json()
    assert again["notes"] == [note]


def test_a_job_has_the_notes_of_its_files_from_submission_to_the_end(service, events_of):
    stops = SWAPPED.replace("demand\n", "demand,cost\n").replace(",60", ",60,2.5")
    vans = "name,capacity,speed,Kosten je km\nvan,100,30,0.8\n"
    files = {"customers": ("stops.csv", stops), "vehicles": ("vans.csv", vans)}
    notes = service.client.post("/v1/instances", files=files).json()["notes"]
    assert notes[0].endswith("its latitude and longitude look swapped")
    assert notes[1:] == [
        "column 'cost' is not used; stops have: name, lat and lon (or x and y), demand",
        "column 'Kosten je km' is not used; a fleet has: name, capacity, speed, count",
    ]
    accepted = service.client.post("/v1/jobs", files=files, data={"method": "savings"}).json()
    assert accepted["notes"] == notes
    name = accepted["id"]
    ended = service.work(name)
    assert (ended["status"], ended["notes"]) == ("done", notes)
    assert service.client.get(f"/v1/jobs/{name}/instance").json()["notes"] == notes
    assert service.client.get("/v1/jobs").json()["jobs"][0]["notes"] == notes
    told = events_of(service.client.get(f"/v1/jobs/{name}/events").text)
    assert told[-1][1]["notes"] == notes


def test_notes_name_few_of_many_columns(service):
    long, rest = "k" * 50, [f"cost{k}" for k in range(41)]
    stops = f"x,y,demand,{long},{','.join(rest)}\n0,0,0{',1.5' * 42}\n1,1,1{',2.5' * 42}\n"
    vans = f"capacity,speed,{long},{','.join(rest)}\n5,30{',1.5' * 42}\n"
    files = {"customers": ("stops.csv", stops), "vehicles": ("vans.csv", vans)}
    job = service.client.post("/v1/jobs", files=files).json()
    named = f"columns '{'k' * 40}', 'cost0', 'cost1', 'cost2', 'cost3' and 37 more are not used; "
    assert job["notes"] == [
        f"{named}stops have: name, lat and lon (or x and y), demand",
        f"{named}a fleet has: name, capacity, speed, count",
    ]


def test_a_job_from_a_document_has_notes_too(service):
    form = {"files": {"customers": ("stops.csv", SWAPPED)}, "data": {"fleet": "100@30"}}
    read = service.client.post("/v1/instances", **form).json()
    job = service.client.post("/v1/jobs", json={"instance": read["instance"]}).json()
    assert job["notes"] == read["notes"] != []


def test_there_is_no_note_where_nothing_is_doubtful(service, town):
    assert service.client.post("/v1/instances", json={"instance": town}).json()["notes"] == []
    assert service.client.post("/v1/jobs", json={"instance": town}).json()["notes"] == []
    assert service.client.get("/v1/demo-data/munich").json()["notes"] == []


def test_a_job_kept_by_an_earlier_version_has_no_notes(service):
    name = service.submit()
    with service.engine.begin() as connection:
        row = connection.execute(sa.select(JOBS.c.order_text, JOBS.c.summary)).one()
        old = {key: json.loads(text) for key, text in row._mapping.items()}
        for record in old.values():
            del record["notes"]
        connection.execute(sa.update(JOBS).values({k: json.dumps(r) for k, r in old.items()}))
    assert service.work(name)["notes"] == []
    assert service.client.get(f"/v1/jobs/{name}/instance").json()["notes"] == []


# The town with other columns, of which nobody fills the last one.
DETAILED = (
    "Adresse;Kunde;x;y;Menge;Tel.;=Notiz;order;leer\n"
    "Am Hof 1;Lager;0;0;;;Tor 3;;\n"
    "Weg 1;east;3;0;2;+49 89;<img src=x onerror=alert(1)>;7;\n"
    "Weg 2;north;0;4;3;;=1+1;;\n"
    "Weg 3;west;-6;0;4;0171;;8;\n"
)
VANS = "name,capacity,speed\nsmall,5,2\nlarge,9,0.5\n"
DETAILS = [
    {"Adresse": "Am Hof 1", "Tel.": "", "=Notiz": "Tor 3", "order": ""},
    {"Adresse": "Weg 1", "Tel.": "+49 89", "=Notiz": "<img src=x onerror=alert(1)>", "order": "7"},
    {"Adresse": "Weg 2", "=Notiz": "=1+1"},
    {"Adresse": "Weg 3", "Tel.": "0171", "order": "8"},
]
"""Of the depot and the customers, as the document of the instance has them."""


def details_of(instance):
    return [node.get("details", {}) for node in (instance["depot"], *instance["customers"])]


def assert_plan_has_details(service, name):
    """Beside the right stops of the plan that savings makes, and safe for spreadsheets."""
    assert service.work(name)["cost"] == COST
    url = f"/v1/jobs/{name}/solution"
    text = service.client.get(url, params={"format": "csv"}).text
    header, *rows = list(csv.reader(io.StringIO(text)))
    first = header.index("arrival") + 1
    assert header[first:] == ["Adresse", "Tel.", "'=Notiz", "stops: order"]
    assert [[row[5], *row[first:]] for row in rows] == [
        ["east", "Weg 1", "+49 89", "<img src=x onerror=alert(1)>", "7"],
        ["north", "Weg 2", "", "'=1+1", ""],
        ["depot", "Am Hof 1", "", "Tor 3", ""],
        ["west", "Weg 3", "0171", "", "8"],
        ["depot", "Am Hof 1", "", "Tor 3", ""],
    ]
    features = service.client.get(url, params={"format": "geojson"}).json()["features"]
    points = [f["properties"] for f in features if f["properties"]["kind"] != "trip"]
    keys = {"Adresse": "Adresse", "Tel.": "Tel.", "=Notiz": "=Notiz", "order": "stops: order"}
    told = [{name: point[key] for name, key in keys.items()} for point in points]
    assert told == [dict.fromkeys(keys, "") | known for known in DETAILS]
    assert [point.get("order") for point in points] == [None, 1, 2, 1]


def test_a_plan_has_the_other_columns_of_an_uploaded_sheet(service):
    files = {"customers": ("stops.csv", DETAILED), "vehicles": ("vans.csv", VANS)}
    job = service.client.post("/v1/jobs", files=files, data={"method": "savings"}).json()
    assert_plan_has_details(service, job["id"])
    kept = service.client.get(f"/v1/jobs/{job['id']}/instance").json()["instance"]
    assert details_of(kept) == DETAILS


def test_details_travel_in_documents_as_the_page_sends_them(service):
    files = {"customers": ("stops.csv", DETAILED), "vehicles": ("vans.csv", VANS)}
    read = service.client.post("/v1/instances", files=files).json()["instance"]
    assert details_of(read) == DETAILS
    assert_plan_has_details(service, service.submit(instance=read))
    document = {"customers": ("day.json", json.dumps(read)), "vehicles": ("vans.csv", VANS)}
    again = service.client.post("/v1/instances", files=document).json()["instance"]
    assert again == read


def test_details_stay_with_their_stop_when_another_is_taken_out(service):
    files = {"customers": ("stops.csv", DETAILED), "vehicles": ("vans.csv", VANS)}
    read = service.client.post("/v1/instances", files=files).json()["instance"]
    del read["customers"][0]
    read["customers"].append({"name": "new", "x": 1, "y": 1, "demand": 1})
    name = service.submit(instance=read)
    service.work(name)
    text = service.client.get(f"/v1/jobs/{name}/solution", params={"format": "csv"}).text
    rows = csv.DictReader(io.StringIO(text))
    told = {row["customer name"]: (row["Adresse"], row["stops: order"]) for row in rows}
    assert told == {
        "north": ("Weg 2", ""),
        "west": ("Weg 3", "8"),
        "new": ("", ""),
        "depot": ("Am Hof 1", ""),
    }


def test_a_job_kept_by_an_earlier_version_has_no_details(service, town):
    name = service.submit()
    choices = {"objective": "min-max", "method": "savings", "time_limit": 10.0, "seed": 0}
    old = {"instance": town} | choices | {"certify": 0.0, "notes": []}
    with service.engine.begin() as connection:
        assert json.loads(connection.scalar(sa.select(JOBS.c.order_text))) == old
        connection.execute(sa.update(JOBS).values(order_text=json.dumps(old)))
    assert service.work(name)["cost"] == COST
    text = service.client.get(f"/v1/jobs/{name}/solution", params={"format": "csv"}).text
    assert text.splitlines()[0].endswith(",load,arrival")
    assert service.client.get(f"/v1/jobs/{name}/instance").json()["instance"] == town


def test_details_are_described(service):
    described = service.client.get("/v1/schemas/instance").json()["$defs"]
    assert described["customers"]["items"]["properties"]["details"] == {"$ref": "#/$defs/details"}
    assert described["details"]["additionalProperties"] == {"type": "string"}
    form = service.client.get("/openapi.json").json()["paths"]["/v1/jobs"]["post"]["requestBody"]
    parts = form["content"]["multipart/form-data"]["schema"]["properties"]
    assert "details" in parts["customers"]["description"]


def test_a_plain_csv_of_excel_keeps_its_umlauts(service):
    stops = "Kunde;Breite;Länge;Menge\nLager;48,19;11,65;\nMüller;48,14;11,57;12,5\n"
    form = {"files": {"customers": ("stops.csv", stops.encode("cp1252"))}, "data": {"fleet": "20"}}
    read = service.client.post("/v1/instances", **form).json()
    assert [customer["name"] for customer in read["instance"]["customers"]] == ["Müller"]


def test_whole_seconds_are_numbers(service, town):
    body = {"instance": town, "objective": "min-sum", "time_limit": 3, "certify": 1}
    job = service.client.post("/v1/jobs", json=body).json()
    assert (job["objective"], job["time_limit"], job["certify"]) == ("min-sum", 3.0, 1.0)


def test_whole_numbers_may_be_written_with_a_point(service, town):
    town = town | {"version": 1.0, "vehicles": [{"capacity": 9, "count": 2.0}]}
    job = service.client.post("/v1/jobs", json={"instance": town, "seed": 3.0}).json()
    assert (job["seed"], job["vehicles"]) == (3, 2)
    stops = ("stops.csv", "name,x,y,demand\ndepot,0,0,\neast,3,0,2\n")
    form = {"files": {"customers": stops}, "data": {"fleet": "5", "seed": "4.0"}}
    assert service.client.post("/v1/jobs", **form).json()["seed"] == 4
    check = {"instance": town, "routes": [[[1.0, 2], [3.0]], []]}
    assert service.client.post("/v1/check", json=check).json()["violations"] == []
    page = service.client.get("/v1/jobs", params={"limit": "1.0"})
    assert len(page.json()["jobs"]) == 1


def test_the_referee_judges(service, town):
    good = {"instance": town, "routes": ROUTES}
    assert service.client.post("/v1/check", json=good).json() == {
        "feasible": True,
        "costs": {"min-max": COST, "min-sum": COST},
        "violations": [],
    }
    bad = {"instance": town, "routes": [[[1, 2, 3]], []]}
    verdict = service.client.post("/v1/check", json=bad).json()
    assert verdict["violations"] == ["trip 1 of small carries 9, more than its capacity of 5"]


def test_the_referee_reads_beside_the_event_loop(service, town, monkeypatch):
    within = []

    def watched(model, value, **options):
        within.append(asyncio._get_running_loop())
        return validated(model, value, **options)

    validated = requests._validated
    monkeypatch.setattr(requests, "_validated", watched)
    service.client.post("/v1/check", json={"instance": town, "routes": ROUTES})
    assert within == [None]


@pytest.mark.parametrize("name", ["town-30", "town-100", "town-200", "munich"])
def test_every_demo_is_an_instance(service, name):
    assert name in [d["name"] for d in service.client.get("/v1/demo-data").json()["demos"]]
    made = service.client.get(f"/v1/demo-data/{name}").json()
    instance = parse(Field(made["instance"]))
    assert len(made["points"]) == instance.size + 1


def test_what_there_is(service):
    about = service.client.get("/v1/policies").json()
    assert about["default"] in [method["name"] for method in about["methods"]]
    schema = service.client.get("/v1/schemas/instance").json()
    assert schema["title"] == "An instance"
    assert service.client.get("/health/live").json() == {"status": "live"}
    assert service.client.get("/health/ready").json() == {"status": "ready"}
    assert "/v1/jobs" in service.client.get("/openapi.json").json()["paths"]
    assert "Routes for a mixed fleet" in service.client.get("/").text
    assert "The interface" in service.client.get("/docs").text


def test_metrics_count(service):
    service.work(service.submit())
    service.submit()
    lines = service.client.get("/metrics").text.splitlines()
    assert 'hcvrp_jobs{status="done"} 1' in lines
    assert 'hcvrp_jobs{status="queued"} 1' in lines
    assert "hcvrp_submitted_total 2" in lines
    assert 'hcvrp_responses_total{method="POST",status="202"} 2' in lines
