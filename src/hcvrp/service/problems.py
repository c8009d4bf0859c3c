"""Errors as problem details (RFC 9457): one sentence naming the field and the value."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, get_args

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from hcvrp.errors import Code, InputError
from hcvrp.formats.fields import Field, shown

MEDIA_TYPE = "application/problem+json"

CODES = {
    400: "malformed",
    401: "token-needed",
    403: "forbidden",
    404: "not-found",
    405: "not-allowed",
    409: "no-plan-yet",
    413: "too-large",
    415: "media-type",
    422: "invalid",
    429: "busy",
    500: "failed",
    503: "not-ready",
}
"""What a status means, for programs; of wrong content (422) an InputError may know more."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {
            "enum": list(dict.fromkeys((*CODES.values(), *get_args(Code)))),  # each once
            "description": "what is wrong, in a word that stays; the sentence may change",
        },
        "part": {
            "enum": ["customers", "vehicles"],
            "description": "the file of a form that is wrong; the sentence begins with its name",
        },
        "detail": {"type": "string", "description": "one sentence naming the field and the value"},
    },
}


class Problem(HTTPException):
    """A refusal with its status and its sentence, and what programs shall know beyond these."""

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, **members: str
    ) -> None:
        super().__init__(status, detail, headers)
        self.members = members


def problem(
    status: int, detail: str, headers: dict[str, str] | None = None, **members: str
) -> JSONResponse:
    """The response."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    content = body | {"code": CODES.get(status, "invalid"), "detail": detail} | members
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
    assert isinstance(error, InputError)
    return problem(422, printable(str(error)), code=error.code)


async def _validation(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return problem(422, printable(complaint(error.errors()[0])))


async def _http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers) if error.headers else None
    members = error.members if isinstance(error, Problem) else {}
    return problem(error.status_code, printable(str(error.detail)), headers, **members)


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
