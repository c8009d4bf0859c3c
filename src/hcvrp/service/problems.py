"""Errors as problem details (RFC 9457): one sentence naming the field and the value."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from hcvrp.errors import InputError
from hcvrp.formats.fields import Field, shown

MEDIA_TYPE = "application/problem+json"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "one sentence naming the field and the value"},
    },
}


class Problem(HTTPException):
    """A refusal with its status and its sentence."""


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """The response."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase}
    content = body | {"status": status, "detail": detail}
    return JSONResponse(content, status, headers=headers, media_type=MEDIA_TYPE)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses an endpoint may answer with, for its documentation."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": SCHEMA}},
        }
        for status in statuses
    }


def install(app: FastAPI) -> None:
    """Makes every error of `app` a problem."""
    app.add_exception_handler(InputError, _input)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _input(_request: Request, error: Exception) -> JSONResponse:
    return problem(422, printable(str(error)))


async def _validation(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return problem(422, printable(complaint(error.errors()[0])))


async def _http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers) if error.headers else None
    return problem(error.status_code, printable(str(error.detail)), headers)


async def _unexpected(_request: Request, _error: Exception) -> JSONResponse:
    return problem(500, "the server failed; its log says why")


def complaint(error: Any) -> str:
    """Pydantic's complaint as a sentence with the field and the value."""
    place = ".".join(str(part) for part in error["loc"]) or "the document"
    if error["type"] == "missing":
        return f"{place} is missing"
    if error["type"] == "extra_forbidden":
        return f"unknown field {place}"
    if error["type"] in ("model_type", "dict_type"):
        return f"{place} must be a JSON object, not {shown(Field(error.get('input')))}"
    reason = error["msg"].removeprefix("Input ").removeprefix("String ")
    reason = reason[:1].lower() + reason[1:]
    return f"{place} {reason}, not {shown(Field(error.get('input')))}"


def printable(text: str) -> str:
    """The text with � for what is no Unicode, so that an answer can always be sent."""
    return text.encode("utf-8", "replace").decode()
