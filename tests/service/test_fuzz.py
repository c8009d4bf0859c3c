"""Requests that nobody would write: never a 5xx, never a hang, never a trace."""

import json

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hcvrp.service.problems import SCHEMA

THOROUGH = settings(
    max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
QUICK = settings(THOROUGH, max_examples=25)

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
NUMBER = st.integers(-3, 12) | st.floats(width=32) | st.just(1e308) | ANY
POINT = st.fixed_dictionaries({"x": NUMBER, "y": NUMBER})
CUSTOMER = st.fixed_dictionaries(
    {"x": st.integers(-9, 9), "y": st.integers(-9, 9), "demand": st.integers(0, 9) | NUMBER},
    optional={
        "name": st.text(st.characters(), max_size=5),
        "details": st.dictionaries(st.text(max_size=3), st.text(st.characters(), max_size=3)) | ANY,
    },
)
VEHICLE = st.fixed_dictionaries(
    {"capacity": st.integers(5, 20) | NUMBER},
    optional={"speed": st.just(1) | NUMBER, "count": st.integers(1, 3) | NUMBER, "name": ANY},
)
INSTANCE = st.fixed_dictionaries(
    {
        "format": st.just("hcvrp-instance") | ANY,
        "version": st.just(1) | ANY,
        "depot": st.just({"x": 0, "y": 0}) | POINT,
        "customers": st.lists(CUSTOMER, min_size=1, max_size=5) | ANY,
        "vehicles": st.lists(VEHICLE, min_size=1, max_size=3) | ANY,
    },
    optional={"name": st.text(max_size=5), "distances": ANY, "more": ANY},
)
REQUEST = st.fixed_dictionaries(
    {"instance": INSTANCE | ANY},
    optional={
        "objective": st.sampled_from(["min-max", "min-sum"]) | ANY,
        "method": st.just("savings") | ANY,
        "time_limit": st.floats(0, 20) | NUMBER,
        "certify": st.floats(0, 20) | NUMBER,
        "seed": st.integers(0, 9) | NUMBER,
        "routes": st.lists(st.lists(st.lists(st.integers(0, 6), max_size=3), max_size=2)) | ANY,
    },
)
OPERATIONS = 18
PARTS = ("method", "url", "params", "headers", "json", "data", "files")
PATHS = ("/v1/jobs", "/v1/check", "/v1/instances")


@pytest.fixture(scope="module")
def tame(tmp_path_factory, service_class):
    """One service for thousands of requests; nothing is solved."""
    service = service_class(tmp_path_factory.mktemp("fuzz"))
    with service.client:
        yield service
    print(f"\n{service.desk.metrics.responses.total()} requests")
    service.engine.dispose()


def judge(response):
    """A success, or a refusal in one sentence."""
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        assert response.headers["content-type"] == "application/problem+json"
        body = response.json()
        assert body["code"] in SCHEMA["properties"]["code"]["enum"]
        detail = body["detail"]
        assert detail
        assert "Traceback" not in detail
        assert 'File "' not in detail


def send_json(tame, path, request):
    text = json.dumps(request)  # NaN and Infinity included: they must be refused, too
    headers = {"content-type": "application/json"}
    judge(tame.client.post(path, content=text, headers=headers))


def send_files(tame, stops, vans, fleet):
    files = {"customers": ("stops.csv", stops.encode("utf-8", "replace"))}
    if vans is not None:
        files["vehicles"] = ("vans.csv", vans.encode("utf-8", "replace"))
    data = {} if fleet is None else {"fleet": fleet}
    judge(tame.client.post("/v1/jobs", files=files, data=data))


CELLS = st.text("0123456789.,;-xe \n\"'\tdepot", max_size=40)
STOPS = st.builds("x,y,demand\n0,0,0\n{}".format, CELLS) | st.text(max_size=60)
VANS = st.none() | st.builds("capacity,speed\n{}".format, CELLS)
FLEET = st.none() | st.text("0123456789x@,. -", max_size=12) | st.text(max_size=12)


@QUICK
@given(path=st.sampled_from(PATHS), request_body=REQUEST)
def test_documents(tame, path, request_body):
    send_json(tame, path, request_body)


@QUICK
@given(stops=STOPS, vans=VANS, fleet=FLEET)
def test_files(tame, stops, vans, fleet):
    send_files(tame, stops, vans, fleet)


@pytest.mark.slow
@settings(THOROUGH, max_examples=4_000)
@given(path=st.sampled_from(PATHS), request_body=REQUEST)
def test_many_documents(tame, path, request_body):
    send_json(tame, path, request_body)


@pytest.mark.slow
@settings(THOROUGH, max_examples=2_000)
@given(stops=STOPS, vans=VANS, fleet=FLEET)
def test_many_files(tame, stops, vans, fleet):
    send_files(tame, stops, vans, fleet)


@pytest.fixture(scope="module")
def operations(tame):
    schema = schemathesis.openapi.from_dict(tame.client.get("/openapi.json").json())
    return [found.ok() for found in schema.get_all_operations()]


def test_the_description_lists_every_operation(operations):
    assert len(operations) == OPERATIONS


@pytest.mark.slow
@pytest.mark.parametrize("number", range(OPERATIONS))
def test_every_endpoint_by_its_own_description(tame, operations, number):
    """Schemathesis draws requests from the OpenAPI document."""

    @THOROUGH
    @given(case=operations[number].as_strategy())
    def send(case):
        wanted = case.as_transport_kwargs(base_url="http://localhost")
        ready = requests.Request(**{key: wanted.get(key) for key in PARTS}).prepare()
        response = tame.client.request(
            ready.method, ready.url, content=ready.body, headers=dict(ready.headers)
        )
        judge(response)

    send()
