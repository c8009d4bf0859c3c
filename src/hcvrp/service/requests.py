"""Bodies of requests: JSON documents, or files as a form uploads them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

from fastapi import Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from hcvrp import formats
from hcvrp.errors import InputError
from hcvrp.formats.fields import SHOWN, plain
from hcvrp.formats.json import load
from hcvrp.instance import Instance
from hcvrp.service.order import Order, check_instance, check_vehicles, read_instance
from hcvrp.service.problems import Problem, complaint
from hcvrp.service.settings import Limits
from hcvrp.solution import Objective, Solution
from hcvrp.solver import DEFAULT_METHOD

Model = TypeVar("Model", bound=BaseModel)

JSON, FORM = "application/json", "multipart/form-data"
INSTANCE = "an hcvrp-instance document, see /v1/schemas/instance"
SUFFIXES = (".csv", ".json", ".vrp", ".txt")
DEFAULT_SECONDS = 10.0
QUICKLY_READ = 4_096
"""A body of fewer bytes is read sooner than a thread for it is found."""
MOST_FIELDS = 8
"""As many parts as a form for a job can have; files are counted apart."""


Whole: TypeAlias = Annotated[
    int, BeforeValidator(lambda value: plain(value) if isinstance(value, float) else value)
]
"""A whole number, be it written 3.0, as some languages write all of their numbers."""

Item = TypeVar("Item")
Quick: TypeAlias = Annotated[list[Item], FailFast()]
"""A list that is refused at its first wrong item: complaints about all would fill the memory."""


class Reading(NamedTuple):
    """An instance, and sentences about what is valid in it, but hardly what was meant."""

    instance: Instance
    notes: tuple[str, ...]


class Body(BaseModel):
    """A JSON document: true is no number, nor is "3"."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Choices(Body):
    """How to solve."""

    objective: Objective = Field(Objective.MIN_MAX, strict=False)  # JSON has text for it
    method: str = DEFAULT_METHOD
    time_limit: float = Field(DEFAULT_SECONDS, allow_inf_nan=False, description="seconds")
    seed: Whole = 0
    certify: float = Field(
        0.0, allow_inf_nan=False, description="seconds for a proven bound, after the search"
    )


class JobRequest(Choices):
    """An instance and how to solve it."""

    instance: dict[str, Any] = Field(description=INSTANCE)


class InstanceRequest(Body):
    """An instance alone."""

    instance: dict[str, Any] = Field(description=INSTANCE)


class CheckRequest(InstanceRequest):
    """An instance and the answer to judge."""

    routes: Quick[Quick[Quick[Whole]]] = Field(
        description="routes[vehicle][trip]: customers from 1"
    )


class Upload(BaseModel):
    """The parts of a form."""

    customers: bytes = Field(
        description="a file: CSV, JSON or VRPLIB; other columns of a CSV file become details of the"
        " stops, which the plan as CSV or GeoJSON tells again"
    )
    vehicles: bytes | None = Field(None, description="a file: CSV or JSON; replaces the fleet")
    fleet: str | None = Field(None, description="or the fleet in words, 20,25x2 or 20@30,25@28.5")


class JobUpload(Choices, Upload):
    """The parts of a form that submits a job."""


def documented(json_model: type[BaseModel], form_model: type[BaseModel] | None) -> dict[str, Any]:
    """The request body of an endpoint that reads it by itself, for its documentation."""
    models = {JSON: json_model}
    if form_model is not None:
        models[FORM] = form_model
    content = {
        media: {"schema": model.model_json_schema(ref_template="#/components/schemas/{model}")}
        for media, model in models.items()
    }
    for entry in content.values():
        _inline(entry["schema"], entry["schema"].pop("$defs", {}))
    return {"requestBody": {"required": True, "content": content}}


async def read_order(request: Request, limits: Limits) -> Order:
    """The order of a request, checked."""
    if _is_form(request):
        parts = await _parts(request, JobUpload)
        return await run_in_threadpool(_form_order, parts, limits)
    body = await _body(request)
    if len(body) < QUICKLY_READ:
        return _json_order(body, limits)
    return await run_in_threadpool(_json_order, body, limits)


async def read_upload(request: Request, limits: Limits) -> Reading:
    """The instance of a request that asks for nothing else."""
    if _is_form(request):
        return await run_in_threadpool(_form_reading, await _parts(request, Upload), limits)
    return await run_in_threadpool(_json_reading, await _body(request), limits)


async def read_check(request: Request, limits: Limits) -> tuple[Instance, Solution]:
    """A solution to judge, after its instance."""
    _media(request, JSON)
    return await run_in_threadpool(_json_check, await _body(request), limits)


def _json_reading(body: bytes, limits: Limits) -> Reading:
    wanted = _validated(InstanceRequest, load(_text(body)).value)
    return _reading(read_instance(wanted.instance), limits)


def _json_check(body: bytes, limits: Limits) -> tuple[Instance, Solution]:
    wanted = _validated(CheckRequest, load(_text(body)).value)
    instance = read_instance(wanted.instance)
    check_instance(instance, limits)
    return instance, Solution(wanted.routes)


def _json_order(body: bytes, limits: Limits) -> Order:
    wanted = _validated(JobRequest, load(_text(body)).value)
    return _order(_reading(read_instance(wanted.instance), limits), wanted, limits)


def _form_order(parts: dict[str, _Part], limits: Limits) -> Order:
    choices = {name: part.text for name, part in parts.items() if name in Choices.model_fields}
    files = {name: part for name, part in parts.items() if name not in choices}
    return _order(_form_reading(files, limits), _validated(Choices, choices, strict=False), limits)


def _order(reading: Reading, choices: Choices, limits: Limits) -> Order:
    order = Order(
        reading.instance,
        choices.objective,
        choices.method,
        choices.time_limit,
        choices.seed,
        choices.certify,
        reading.notes,
    )
    order.check(limits)
    return order


def _reading(instance: Instance, limits: Limits, about_fleet: str | None = None) -> Reading:
    """The instance, checked, with what there is to remark."""
    check_instance(instance, limits)
    remarks = (formats.far_out(instance), formats.unused_of_customers(instance), about_fleet)
    return Reading(instance, tuple(filter(None, remarks)))


class _Part:
    """One part of a form: its content, and the suffix of its file's name."""

    def __init__(self, data: bytes, suffix: str) -> None:
        self.data = data
        self.suffix = suffix

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


async def _parts(request: Request, model: type[Upload]) -> dict[str, _Part]:
    """The parts of a form, whose fields must be those of the model."""
    charset = parse_options_header(request.headers["content-type"])[1].get(b"charset", b"utf-8")
    if charset.lower() != b"utf-8":  # the form would be read by whatever Python knows of that name
        raise Problem(415, f"a form's charset must be utf-8, not {charset.decode('latin-1')!r}")
    try:
        async with request.form(max_files=2, max_fields=MOST_FIELDS) as form:
            return await _distinct(form, model)
    except ClientDisconnect:
        raise _LEFT from None


async def _distinct(form: FormData, model: type[Upload]) -> dict[str, _Part]:
    parts: dict[str, _Part] = {}
    for name, value in form.multi_items():
        if name not in model.model_fields:
            known = ", ".join(model.model_fields)
            raise InputError(f"unknown field {name!r}; known: {known}")
        if name in parts:
            raise InputError(f"{name} is given twice")
        if isinstance(value, UploadFile):
            parts[name] = _Part(await value.read(), Path(value.filename or "").suffix.lower())
        else:
            parts[name] = _Part(value.encode("utf-8", "replace"), ".csv")
    return parts


def _form_reading(parts: dict[str, _Part], limits: Limits) -> Reading:
    """The instance of the files `customers` and `vehicles`, or of `customers` and `fleet`.

    The vehicles are checked before the stops are read: what is wrong then is in `customers`.
    """
    if "customers" not in parts:
        raise InputError("customers is missing: upload a file under that name")
    if "vehicles" in parts and "fleet" in parts:
        raise InputError("give vehicles or fleet, not both")
    fleet = unused = None
    if "fleet" in parts:
        fleet = formats.parse_fleet(_words(parts["fleet"].text))
        check_vehicles(fleet, limits)
    elif "vehicles" in parts:
        with _saved("vehicles", parts["vehicles"]) as path:
            fleet, unused = formats.parse_fleet(path), formats.unused_of_fleet(path)
            check_vehicles(fleet, limits)
    with _saved("customers", parts["customers"]) as path:
        return _reading(formats.read_instance(path, fleet=fleet), limits, unused)


def _words(text: str) -> str:
    """A fleet in words; a path would make the server read its own files."""
    if (
        "/" in text
        or not text.strip()[:1].isdecimal()
        or text.lower().endswith((".csv", ".json", ".txt"))
    ):
        raise InputError(
            "fleet must be capacities such as 20,25x2 (CAPACITYxCOUNT) or 20@30,25@28.5"
            f" (CAPACITY@SPEED), not {text[:40]!r}"
        )
    return text


@contextmanager
def _saved(name: str, part: _Part) -> Iterator[str]:
    """The path of the part as a file; a complaint about it names the part, and its advice fits."""
    with TemporaryDirectory(prefix="hcvrp-") as folder:
        path = Path(folder) / f"{name}{part.suffix}"
        try:
            if part.suffix not in SUFFIXES:
                raise InputError(
                    f"the file must end in {', '.join(SUFFIXES)}: save a workbook's sheet as CSV"
                )
            path.write_bytes(part.data)
            yield str(path)
        except InputError as error:
            error.sentence = f"{path.name[:SHOWN]}: {error.sentence.removeprefix(f'{path}: ')}"
            error.advice = error.upload
            raise Problem(422, str(error), code=error.code, part=name) from None


def _is_form(request: Request) -> bool:
    return _media(request, JSON, FORM) == FORM


def _media(request: Request, *readable: str) -> str:
    """The media type of the body, one of those that the endpoint reads."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in readable:
        raise Problem(415, f"content-type must be {' or '.join(readable)}, not {media!r}")
    return media


_LEFT = Problem(400, "the client left before its body was complete")


async def _body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise _LEFT from None


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"the body is not UTF-8 text at byte {error.start}") from None


def _validated(model: type[Model], value: object, *, strict: bool | None = None) -> Model:
    """The value as the model wants it; `strict` is False for parts of a form, which are text."""
    if isinstance(value, dict):
        unknown = [name for name in value if name not in model.model_fields]
        value = {k: value[k] for k in value.keys() - unknown[1:]}  # one complaint is enough
    try:
        return model.model_validate(value, strict=strict)
    except ValidationError as error:
        raise InputError(complaint(error.errors()[0])) from None


def _inline(schema: Any, definitions: dict[str, Any]) -> None:
    """Replaces references to `definitions` by what they stand for."""
    if isinstance(schema, list):
        for entry in schema:
            _inline(entry, definitions)
    elif isinstance(schema, dict):
        name = str(schema.pop("$ref", "")).rpartition("/")[2]
        schema |= json.loads(json.dumps(definitions.get(name, {})))
        for entry in schema.values():
            _inline(entry, definitions)
