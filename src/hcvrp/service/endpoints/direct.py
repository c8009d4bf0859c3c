"""Answers without a job to come back for: solve, check, read."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from hcvrp.service import requests, views
from hcvrp.service.desk import TheDesk
from hcvrp.service.problems import Problem, responses
from hcvrp.service.store import Status

router = APIRouter(prefix="/v1", tags=["direct"])


@router.post(
    "/solve",
    responses=responses(400, 413, 415, 422, 429, 503),
    openapi_extra=requests.documented(requests.JobRequest, requests.JobUpload),
)
async def solve(request: Request, desk: TheDesk) -> Response:
    """Solve at once and answer with the solution; leaving early cancels it."""
    order = await requests.read_order(request, desk.limits)
    seconds = order.time_limit + order.certify
    if seconds > desk.limits.direct_seconds:
        raise Problem(
            422,
            f"time_limit and certify must be at most {desk.limits.direct_seconds:g} seconds here,"
            f" not {seconds:g}: submit a job instead",
        )
    name = (await desk.accept(order)).id
    found = await desk.followed(request, name)
    if found.status == Status.FAILED:
        raise Problem(422, f"the job failed: {found.reason}", code="failed")
    if found.cost is None:
        raise Problem(503, f"job {name} was stopped before it had a plan")
    text = await run_in_threadpool(views.solution_text, found, order, "json")
    return Response(text, media_type="application/json", headers={"Location": f"/v1/jobs/{name}"})


@router.post(
    "/check",
    response_model=views.Verdict,
    responses=responses(400, 413, 415, 422),
    openapi_extra=requests.documented(requests.CheckRequest, None),
)
async def check(request: Request, desk: TheDesk) -> views.Verdict:
    """The referee: costs, or every violation."""
    instance, solution = await requests.read_check(request, desk.limits)
    return await run_in_threadpool(views.verdict, instance, solution)


@router.post(
    "/instances",
    response_model=views.InstanceView,
    responses=responses(400, 413, 415, 422),
    openapi_extra=requests.documented(requests.InstanceRequest, requests.Upload),
)
async def read(request: Request, desk: TheDesk) -> views.InstanceView:
    """Read files without solving: the instance as JSON, and where to draw it."""
    reading = await requests.read_upload(request, desk.limits)
    return await run_in_threadpool(views.instance_view, *reading)
