"""The application: endpoints, guards and the page, around one desk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from hcvrp import __version__
from hcvrp.service import problems
from hcvrp.service.desk import Desk
from hcvrp.service.endpoints import about, direct, jobs
from hcvrp.service.guard import Guard
from hcvrp.service.metrics import Counted


def create_app(desk: Desk) -> FastAPI:
    """The whole service."""
    app = FastAPI(
        title="hcvrp",
        version=__version__,
        description="Routes for a mixed fleet: submit a job, watch it improve, take the plan.",
        lifespan=_standing_tasks,
        docs_url=None,  # the page has its own, which needs no network
        redoc_url=None,
    )
    app.state.desk = desk
    problems.install(app)
    app.add_middleware(Guard, settings=desk.settings)
    app.add_middleware(Counted, metrics=desk.metrics)
    for endpoints in (jobs, direct, about):
        app.include_router(endpoints.router)
    page = Path(__file__).with_name("page")
    app.mount("/", StaticFiles(directory=page, html=True), name="page")
    return app


@asynccontextmanager
async def _standing_tasks(app: FastAPI) -> AsyncIterator[None]:
    """Submissions are taken in, jobs handed over and pruned while the application runs."""
    desk: Desk = app.state.desk
    standing = (desk.intake.run, desk.rounds.hand_over, desk.rounds.prune)
    tasks = [asyncio.create_task(begin()) for begin in standing]
    yield
    for task in tasks:
        task.cancel()
