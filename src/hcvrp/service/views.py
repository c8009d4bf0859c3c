"""Jobs and plans as clients see them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from hcvrp import formats
from hcvrp.formats import csv, geojson
from hcvrp.formats import json as own
from hcvrp.instance import Instance
from hcvrp.layout import layout
from hcvrp.schedule import TimedTrip, timed_trips
from hcvrp.service.order import Order, document
from hcvrp.service.problems import Problem
from hcvrp.service.store import Job, Status
from hcvrp.solution import Objective, Solution
from hcvrp.task import Result

MOST_VIOLATIONS = 100
"""That a verdict tells one by one."""


class JobView(BaseModel):
    """A job: what was asked, where it stands, how good its best plan is.

    `gap` is (cost − bound) / cost where a bound was proven, `progress` the share of the time limit
    that the search has used; times of day are Unix seconds. `hours` tells whether the plan's times
    are hours, to be written as h:mm; `notes` are sentences about what is valid in the instance, but
    hardly what was meant.
    """

    id: str
    status: Status
    name: str | None
    customers: int
    vehicles: int
    hours: bool = False  # jobs kept by an earlier version do not say
    notes: list[str] = []  # likewise
    objective: Objective
    method: str
    time_limit: float
    seed: int
    certify: float
    created: float
    started: float | None
    finished: float | None
    seconds: float
    progress: float
    improvements: int
    cost: float | None
    bound: float | None
    gap: float | None
    attempts: int
    reason: str | None


class JobList(BaseModel):
    """The latest jobs first; `next` goes into `before` for the following page."""

    jobs: list[JobView]
    next: str | None


class Verdict(BaseModel):
    """The referee's: costs by objective, or every violation."""

    feasible: bool
    costs: dict[str, float]
    violations: list[str]


class InstanceView(BaseModel):
    """An instance, and a place in the plane for the depot and each customer, y upwards.

    The other columns of a spreadsheet are the `details` of the instance's depot and customers.
    `notes` are sentences about what is valid, but hardly what was meant. `depot_row` tells which
    row of an uploaded spreadsheet was taken as the depot: "Lager (line 2)", or "line 2".
    """

    instance: dict[str, Any]
    points: list[tuple[float, float]]
    notes: list[str]
    depot_row: str | None


def job_view(job: Job) -> JobView:
    """The job."""
    done = job.status in (Status.PROVING, Status.DONE)
    gap = None
    if job.bound is not None and job.cost is not None:
        gap = max(0.0, (job.cost - job.bound) / job.cost) if job.cost else 0.0
    return JobView(
        id=job.id,
        status=job.status,
        **job.summary,
        created=job.created,
        started=job.started,
        finished=job.finished,
        seconds=job.seconds,
        progress=1.0 if done else min(1.0, job.seconds / job.summary["time_limit"]),
        improvements=job.improvements,
        cost=job.cost,
        bound=job.bound,
        gap=gap,
        attempts=job.attempts,
        reason=job.reason,
    )


def instance_view(instance: Instance, notes: Sequence[str] = ()) -> InstanceView:
    """The instance and where to draw it."""
    return InstanceView(
        instance=document(instance),
        points=layout(instance).tolist(),
        notes=list(notes),
        depot_row=formats.depot_row(instance),
    )


def best(job: Job, order: Order, history: list[tuple[int, float, float]]) -> dict[str, Any]:
    """The best plan so far with its times, and (seconds, cost) of the improvements up to it."""
    solution = _solution(job)
    instance = order.instance
    return {
        "number": job.improvements,
        "cost": job.cost,
        "bound": job.bound,
        "gap": job_view(job).gap,
        "curve": [(seconds, cost) for _, seconds, cost in history],
        "routes": solution.routes,
        "vehicle_times": solution.vehicle_times(instance).tolist(),
        "trips": [_trip(trip) for trip in timed_trips(instance, solution)],
    }


def _trip(trip: TimedTrip) -> dict[str, Any]:
    return {
        "vehicle": trip.vehicle,
        "trip": trip.trip,
        "start": trip.start,
        "end": trip.end,
        "load": trip.load,
        "stops": [visit.customer for visit in trip.visits],
        "arrivals": [visit.arrival for visit in trip.visits],
    }


def verdict(instance: Instance, solution: Solution) -> Verdict:
    """The referee's word."""
    violations = solution.violations(instance)
    costs = {} if violations else {str(o): solution.cost(instance, o) for o in Objective}
    if more := violations[MOST_VIOLATIONS:]:
        violations[MOST_VIOLATIONS:] = [f"{len(more)} more"]
    return Verdict(feasible=not violations, costs=costs, violations=violations)


MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "geojson": "application/geo+json",
}
"""Of a solution, by format."""


def solution_text(job: Job, order: Order, form: str) -> str:
    """The best plan so far as a file."""
    solution = _solution(job)
    instance = order.instance
    if form == "csv":
        return csv.format_solution(solution, instance)
    if form == "geojson":
        return geojson.format_solution(solution, instance)
    assert job.cost is not None
    result = Result(
        solution=solution,
        cost=job.cost,
        objective=order.objective,
        method=order.method,
        seconds=job.seconds,
        bound=job.bound,
        status="optimal" if job.bound is not None and job.bound >= job.cost else "feasible",
    )
    return own.format_solution(result, instance)


def _solution(job: Job) -> Solution:
    if job.solution is None:
        raise Problem(409, f"job {job.id} has no solution yet: it is {job.status}")
    return job.solution


def event(kind: str, data: dict[str, Any], number: int | None = None) -> bytes:
    """One server-sent event (WHATWG HTML, 9.2)."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {kind}\ndata: {json.dumps(data)}\n\n".encode()
