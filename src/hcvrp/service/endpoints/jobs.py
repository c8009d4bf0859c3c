"""Jobs: submitted, watched, cancelled, answered."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from hcvrp.service import requests, views
from hcvrp.service.desk import RETRY_LATER, TheDesk
from hcvrp.service.problems import Problem, responses
from hcvrp.service.store import Status

LAST_WORD_SECONDS = 2.0
"""How long the answer to a cancellation waits for the worker."""

JobId: TypeAlias = Annotated[
    str, Path(pattern=r"^[0-9a-f-]{36}$", description="as the submission returned it")
]

PLACE = r"^[0-9]{1,12}(\.[0-9]{1,9})?_[0-9a-f-]{36}$"
"""Where a page of the list ends: when its last job was created, and its id."""

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


@router.post(
    "",
    status_code=202,
    response_model=views.JobView,
    responses=responses(400, 413, 415, 422, 429),
    openapi_extra=requests.documented(requests.JobRequest, requests.JobUpload),
)
async def submit(request: Request, response: Response, desk: TheDesk) -> views.JobView:
    """Accept a job: from now on it is never lost."""
    order = await requests.read_order(request, desk.limits)
    job = await desk.accept(order)
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    return views.job_view(job)


@router.get("", response_model=views.JobList, responses=responses(422))
def list_jobs(
    desk: TheDesk,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str | None, Query(pattern=PLACE, description="`next` of a page")] = None,
    status: Status | None = None,
) -> views.JobList:
    """The latest jobs first, page by page."""
    jobs = desk.store.jobs(limit, None if before is None else _place(before), status)
    following = f"{jobs[-1].created!r}_{jobs[-1].id}" if len(jobs) == limit else None
    return views.JobList(jobs=[views.job_view(job) for job in jobs], next=following)


def _place(text: str) -> tuple[float, str]:
    created, _, name = text.partition("_")
    return float(created), name


@router.get("/{job}", response_model=views.JobView, responses=responses(404, 422))
async def show(job: JobId, desk: TheDesk) -> views.JobView:
    """Where a job stands."""
    return views.job_view(await desk.job(job))


@router.delete("/{job}", response_model=views.JobView, responses=responses(404, 422))
async def cancel(job: JobId, desk: TheDesk) -> views.JobView:
    """End a job; its best plan so far is kept. The answer waits for the worker's last word."""
    await desk.job(job)
    await desk.stop(job)
    return views.job_view(await desk.settled(job, LAST_WORD_SECONDS))


@router.get("/{job}/solution", responses=responses(404, 409, 422))
async def solution(
    job: JobId,
    desk: TheDesk,
    format: Literal["json", "csv", "geojson"] = "json",  # noqa: A002  the word of the URL
) -> Response:
    """The best plan so far, as a file."""
    found, order = await desk.job(job), await desk.order(job)
    text = await run_in_threadpool(views.solution_text, found, order, format)
    name = f'attachment; filename="plan-{job[:8]}.{format}"'
    media = views.MEDIA_TYPES[format]
    return Response(text, media_type=media, headers={"Content-Disposition": name})


@router.get("/{job}/plan", responses=responses(404, 409, 422))
async def plan(job: JobId, desk: TheDesk) -> dict[str, Any]:
    """The best plan so far with its times, as the stream of events has it."""
    found, order = await desk.job(job), await desk.order(job)
    return await run_in_threadpool(lambda: views.best(found, order, desk.store.history(job)))


@router.get("/{job}/instance", response_model=views.InstanceView, responses=responses(404, 422))
async def instance(job: JobId, desk: TheDesk) -> views.InstanceView:
    """The instance of a job."""
    order = await desk.order(job)
    return await run_in_threadpool(views.instance_view, order.instance, order.notes)


@router.get(
    "/{job}/events",
    response_class=StreamingResponse,
    responses=responses(404, 422, 429)
    | {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(
    job: JobId, desk: TheDesk, last_event_id: Annotated[str, Header(max_length=20)] = "0"
) -> StreamingResponse:
    """Each new best as it is found; leaving the stream does not touch the job."""
    found, order = await desk.job(job), await desk.order(job)
    if desk.metrics.streams >= desk.limits.streams:
        raise Problem(429, f"{desk.limits.streams} streams are open already", RETRY_LATER)
    seen = int(last_event_id) if last_event_id.isdecimal() else 0
    body = desk.events(found, order, min(seen, found.improvements))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)
