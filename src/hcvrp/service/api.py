"""The REST interface: each endpoint in a few lines."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import FastAPI, Header, Path, Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from hcvrp import __version__, formats
from hcvrp.service import metrics as figures
from hcvrp.service import problems, requests, views
from hcvrp.service.crew import Crew
from hcvrp.service.demo import DEMOS
from hcvrp.service.events import stream
from hcvrp.service.guard import Guard
from hcvrp.service.intake import Intake
from hcvrp.service.order import Order, check_size, read_instance
from hcvrp.service.problems import Problem
from hcvrp.service.queue import FullQueueError, Queue
from hcvrp.service.settings import Settings
from hcvrp.service.store import Job, Status, Store
from hcvrp.solution import Solution
from hcvrp.solver import DEFAULT_METHOD, METHODS

RETRY_AFTER = "10"
LAST_WORD_SECONDS = 2.0
WAITING_SECONDS = 0.05

JobId = Annotated[
    str, Path(pattern=r"^[0-9a-f-]{36}$", description="as the submission returned it")
]


def create_app(settings: Settings, store: Store, queue: Queue, crew: Crew) -> FastAPI:
    """The whole service around a database and a crew of workers."""
    intake = Intake(queue)
    metrics = figures.Metrics()
    limits = settings.limits

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(intake.run())
        yield
        task.cancel()

    app = FastAPI(
        title="hcvrp",
        version=__version__,
        description="Routes for a mixed fleet: submit a job, watch it improve, take the plan.",
        lifespan=lifespan,
        docs_url=None,  # the page has its own, which needs no network
        redoc_url=None,
    )
    problems.install(app)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(figures.Counted, metrics=metrics)

    # Jobs -----------------------------------------------------------------------------------------

    @app.post(
        "/v1/jobs",
        status_code=202,
        response_model=views.JobView,
        tags=["jobs"],
        responses=problems.responses(400, 413, 415, 422, 429),
        openapi_extra=requests.documented(requests.JobRequest, requests.JobUpload),
    )
    async def submit(request: Request, response: Response) -> views.JobView:
        """Accept a job: from now on it is never lost."""
        order = await requests.read_order(request, limits)
        name = await accept(order)
        response.headers["Location"] = f"/v1/jobs/{name}"
        return views.job_view(await find(name))

    @app.get(
        "/v1/jobs", response_model=views.JobList, tags=["jobs"], responses=problems.responses(422)
    )
    def list_jobs(
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        before: Annotated[float | None, Query(allow_inf_nan=False)] = None,
        status: Status | None = None,
    ) -> views.JobList:
        """The latest jobs first."""
        jobs = store.jobs(limit, before, status)
        following = jobs[-1].created if len(jobs) == limit else None
        return views.JobList(jobs=[views.job_view(job) for job in jobs], next=following)

    @app.get(
        "/v1/jobs/{job}",
        response_model=views.JobView,
        tags=["jobs"],
        responses=problems.responses(404, 422),
    )
    async def show(job: JobId) -> views.JobView:
        """Where a job stands."""
        return views.job_view(await find(job))

    @app.delete(
        "/v1/jobs/{job}",
        response_model=views.JobView,
        tags=["jobs"],
        responses=problems.responses(404, 422),
    )
    async def cancel(job: JobId) -> views.JobView:
        """End a job; its best plan so far is kept. The answer waits for the worker's last word."""
        await find(job)
        await stop(job)
        return views.job_view(await settled(job, LAST_WORD_SECONDS))

    @app.get("/v1/jobs/{job}/solution", tags=["jobs"], responses=problems.responses(404, 409, 422))
    async def solution(
        job: JobId,
        format: Literal["json", "csv", "geojson"] = "json",  # noqa: A002  the word of the URL
    ) -> Response:
        """The best plan so far, as a file."""
        found, order = await find(job), await find_order(job)
        text = await run_in_threadpool(views.solution_text, found, order, format)
        media, suffix = views.FORMATS[format]
        name = f'attachment; filename="plan-{job[:8]}.{suffix}"'
        return Response(text, media_type=media, headers={"Content-Disposition": name})

    @app.get("/v1/jobs/{job}/plan", tags=["jobs"], responses=problems.responses(404, 409, 422))
    async def plan(job: JobId) -> dict[str, Any]:
        """The best plan so far with its times, as the stream of events has it."""
        found, order = await find(job), await find_order(job)
        return await run_in_threadpool(lambda: views.best(found, order, store.history(job)))

    @app.get(
        "/v1/jobs/{job}/instance",
        response_model=views.InstanceView,
        tags=["jobs"],
        responses=problems.responses(404, 422),
    )
    async def instance_of(job: JobId) -> views.InstanceView:
        """The instance of a job."""
        order = await find_order(job)
        return await run_in_threadpool(views.instance_view, order.instance)

    @app.get(
        "/v1/jobs/{job}/events",
        tags=["jobs"],
        response_class=StreamingResponse,
        responses=problems.responses(404, 422, 429)
        | {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )
    async def events(
        job: JobId, last_event_id: Annotated[str, Header(max_length=20)] = "0"
    ) -> StreamingResponse:
        """Each new best as it is found; leaving the stream does not touch the job."""
        found, order = await find(job), await find_order(job)
        if metrics.streams >= limits.streams:
            raise Problem(429, f"{limits.streams} streams are open", {"Retry-After": RETRY_AFTER})
        seen = int(last_event_id) if last_event_id.isdecimal() else 0
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        body = counted_stream(found, order, min(seen, found.improvements))
        return StreamingResponse(body, media_type="text/event-stream", headers=headers)

    # Without a job --------------------------------------------------------------------------------

    @app.post(
        "/v1/solve",
        tags=["direct"],
        responses=problems.responses(400, 413, 415, 422, 429, 503),
        openapi_extra=requests.documented(requests.JobRequest, requests.JobUpload),
    )
    async def solve(request: Request) -> Response:
        """Solve at once and answer with the solution; leaving early cancels it."""
        order = await requests.read_order(request, limits)
        if order.time_limit > limits.direct_seconds:
            raise Problem(
                422,
                f"time_limit must be at most {limits.direct_seconds:g} seconds here,"
                f" not {order.time_limit:g}: submit a job instead",
            )
        name = await accept(order)
        found = await followed(request, name)
        if found.status == Status.FAILED:
            raise Problem(422, f"the job failed: {found.reason}")
        if found.cost is None:
            raise Problem(503, f"job {name} was stopped before it had a plan")
        text = await run_in_threadpool(views.solution_text, found, order, "json")
        return Response(
            text, media_type="application/json", headers={"Location": f"/v1/jobs/{name}"}
        )

    @app.post(
        "/v1/check",
        response_model=views.Verdict,
        tags=["direct"],
        responses=problems.responses(400, 413, 415, 422),
        openapi_extra=requests.documented(requests.CheckRequest, None),
    )
    async def check(request: Request) -> views.Verdict:
        """The referee: costs, or every violation."""
        wanted = await requests.read_check(request)
        instance = read_instance(wanted.instance)
        check_size(instance, limits)
        return await run_in_threadpool(views.verdict, instance, Solution(wanted.routes))

    @app.post(
        "/v1/instances",
        response_model=views.InstanceView,
        tags=["direct"],
        responses=problems.responses(400, 413, 415, 422),
        openapi_extra=requests.documented(requests.JobRequest, requests.Upload),
    )
    async def read(request: Request) -> views.InstanceView:
        """Read files without solving: the instance as JSON, and where to draw it."""
        instance = await requests.read_upload(request, limits)
        return await run_in_threadpool(views.instance_view, instance)

    # What there is --------------------------------------------------------------------------------

    @app.get("/v1/policies", tags=["about"])
    def policies() -> dict[str, Any]:
        """The methods, and the trained policies that come with the package."""
        weights = files("hcvrp").joinpath("weights")
        shipped = sorted(f.name for f in weights.iterdir()) if weights.is_dir() else []
        return {
            "default": DEFAULT_METHOD,
            "methods": [{"name": n, "summary": entry.summary} for n, entry in METHODS.items()],
            "policies": [n.removesuffix(".safetensors") for n in shipped if "." in n],
            "limits": limits,
        }

    @app.get("/v1/demo-data", tags=["about"])
    def demos() -> dict[str, list[dict[str, str]]]:
        """Names of instances to try."""
        return {"demos": [{"name": n, "summary": text} for n, (text, _) in DEMOS.items()]}

    @app.get(
        "/v1/demo-data/{name}",
        response_model=views.InstanceView,
        tags=["about"],
        responses=problems.responses(404),
    )
    def demo(name: str) -> views.InstanceView:
        """One of them."""
        if name not in DEMOS:
            raise Problem(404, f"there is no demo {name[:40]!r}; there are: {', '.join(DEMOS)}")
        return views.instance_view(DEMOS[name][1]())

    @app.get("/v1/schemas/{kind}", tags=["about"], responses=problems.responses(404))
    def schema(kind: str) -> dict[str, Any]:
        """The JSON Schema of a kind of document: instance, fleet or solution."""
        if kind not in ("instance", "fleet", "solution"):
            raise Problem(
                404, f"there is no schema {kind[:40]!r}; there are: instance, fleet, solution"
            )
        return dict(formats.schema(kind))  # type: ignore[arg-type]

    # How it is ------------------------------------------------------------------------------------

    @app.get("/health/live", tags=["health"])
    async def live() -> dict[str, str]:
        """Whether the server answers."""
        return {"status": "live"}

    @app.get("/health/ready", tags=["health"], responses=problems.responses(503))
    def ready() -> dict[str, str]:
        """Whether jobs can be taken and solved."""
        try:
            store.counts()
        except sa.exc.SQLAlchemyError:
            raise Problem(503, "the database does not answer") from None
        if settings.workers and not crew.alive:
            raise Problem(503, "no worker is alive")
        return {"status": "ready"}

    @app.get("/metrics", tags=["health"], response_class=PlainTextResponse)
    def prometheus() -> Response:
        """Figures for Prometheus."""
        counts = {str(status): count for status, count in store.counts().items()}
        text = metrics.text(counts, crew.alive, crew.replaced)
        return Response(text, media_type=figures.MEDIA_TYPE)

    # The steps of these recipes -------------------------------------------------------------------

    async def accept(order: Order) -> str:
        name = str(uuid.uuid4())
        try:
            await intake.submit(name, order)
        except FullQueueError:
            raise Problem(
                429, f"{limits.queue} jobs are waiting already", {"Retry-After": RETRY_AFTER}
            ) from None
        metrics.submitted += 1
        return name

    async def find(name: str) -> Job:
        found = await run_in_threadpool(store.job, name)
        if found is None:
            raise Problem(404, f"there is no job {name}")
        return found

    async def find_order(name: str) -> Order:
        order = await run_in_threadpool(store.order, name)
        if order is None:
            raise Problem(404, f"there is no job {name}")
        return order

    async def stop(name: str) -> None:
        await run_in_threadpool(store.cancel, name)
        if (await find(name)).status == Status.CANCELLED:
            await run_in_threadpool(queue.forget, name)

    async def settled(name: str, seconds: float) -> Job:
        """The job when it is over, or after so many seconds."""
        for _ in range(int(seconds / WAITING_SECONDS)):
            found = await find(name)
            if found.status.is_final:
                return found
            await asyncio.sleep(WAITING_SECONDS)
        return await find(name)

    async def followed(request: Request, name: str) -> Job:
        """The job when it is over; it is cancelled when its client leaves."""
        while not (found := await settled(name, 10 * WAITING_SECONDS)).status.is_final:
            if await request.is_disconnected():
                await stop(name)
        return found

    async def counted_stream(job: Job, order: Order, seen: int) -> AsyncIterator[bytes]:
        metrics.streams += 1
        try:
            async for piece in stream(store, job, order, seen):
                yield piece
        finally:
            metrics.streams -= 1

    page = files("hcvrp.service").joinpath("page")
    app.mount("/", StaticFiles(directory=str(page), html=True), name="page")
    return app
