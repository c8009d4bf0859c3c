"""Jobs and how a worker process answers them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from hcvrp.auto import Auto
from hcvrp.batch import MOST_PROCESSES, solve_many
from hcvrp.bench.plan import Cell
from hcvrp.errors import InputError
from hcvrp.instance import Instance
from hcvrp.solution import Solution
from hcvrp.solver import METHODS, find_method
from hcvrp.task import Batched, Method, Result, Stop, Task
from hcvrp.workers import cores

WARM_SAMPLES = 128
"""That many at most are made before the clock runs."""


@dataclass(frozen=True)
class Job:
    """Instances of a cell that are answered together: one, or a batch."""

    cell: Cell
    numbers: tuple[int, ...]
    instances: tuple[Instance, ...]


@dataclass(frozen=True)
class Answer:
    """What a worker says about one instance; without a solution `message` says why."""

    solution: Solution | None = None
    seconds: float = 0.0
    iterations: int = 0
    bound: float | None = None
    status: Literal["feasible", "optimal"] = "feasible"
    device: str = "cpu"
    message: str = ""


def is_batched(cell: Cell) -> bool:
    """Whether batches are answered at once: the plan says so, or the method decodes them.

    That is told without importing it.
    """
    if cell.together or cell.weights is not None:
        return True
    entry = METHODS.get(cell.method or "")
    return entry is not None and entry.target.startswith("hcvrp.policy")


def answer(job: Job) -> list[Answer]:
    """One answer per instance; a method that fails says so in each."""
    try:
        method = _method(job.cell)
        if isinstance(method, Batched):
            return list(_batch(job, method))
        return list(_together(job, method) if job.cell.together else _each(job, method))
    except InputError as error:
        said = str(error)
    except Exception as error:  # noqa: BLE001
        # A defect in one method must not end the measurement of the others.
        said = f"{type(error).__name__}: {error}"
    return [Answer(message=said)] * len(job.numbers)


def _method(cell: Cell) -> Method:
    if cell.weights is None:
        return find_method(cell.method or "", **cell.parameters)
    from hcvrp.policy import Policy

    return find_method(Policy.load(cell.weights), **cell.parameters)


def _each(job: Job, method: Method) -> Iterator[Answer]:
    cell = job.cell
    for instance in job.instances:
        stop = Stop(cell.time_limit, cell.iterations)
        task = Task(instance, cell.objective, stop, cell.seed, threads=cell.threads)
        yield _told(method.solve(task))


def _told(result: Result, device: str = "cpu") -> Answer:
    return Answer(
        result.solution, result.seconds, result.iterations, result.bound, result.status, device
    )


def _batch(job: Job, method: Any) -> Iterator[Answer]:
    """All at once, after an untimed pass of few samples: the first loads and compiles."""
    from hcvrp.policy.engine import on_gpu

    cell = job.cell
    device = "cuda" if on_gpu(getattr(method, "device", "auto")) else "cpu"
    _warm_up(method, device).solve_many(
        job.instances, cell.objective, cell.seed, threads=cell.threads
    )
    stop = Stop(cell.time_limit, cell.iterations)
    begun = time.perf_counter()
    solutions = method.solve_many(
        job.instances, cell.objective, cell.seed, threads=cell.threads, stop=stop
    )
    seconds = (time.perf_counter() - begun) / len(job.instances)
    for solution in solutions:
        yield Answer(solution, seconds, device=device)


def _together(job: Job, method: Method) -> Iterator[Answer]:
    """By `solve_many` over all cores.

    Each result's own time counts, with its share of a GPU's; starting processes does not.
    """
    cell = job.cell
    device = _woken(job, method)
    results = solve_many(
        job.instances,
        cell.objective,
        method,
        time_limit=cell.time_limit,
        iterations=cell.iterations,
        seed=cell.seed,
        threads=cell.threads,
        processes=min(max(1, cores() // cell.threads), len(job.instances), MOST_PROCESSES),
    )
    for result in results:
        yield _told(result, device)


def _woken(job: Job, method: Method) -> str:
    """Which device the starts of a batch come from: awake, as in a service, and compiled for."""
    from hcvrp.policy.engine import on_gpu

    if not (isinstance(method, Auto) and on_gpu("auto")):
        return "cpu"
    cell, stop = job.cell, Stop(job.cell.time_limit, job.cell.iterations)
    solve_many(job.instances[:1], cell.objective, "fleet", device="cuda")
    starts = method.prepare([Task(i, cell.objective, stop, cell.seed) for i in job.instances])
    return "cuda" if any(starts) else "cpu"


def _warm_up(method: Any, device: str) -> Any:
    """The method as it goes first: on a GPU kernels for samples are others than for greedy."""
    if "samples" not in {field.name for field in fields(method)}:
        return method
    return replace(method, samples=min(method.samples, WARM_SAMPLES) if device == "cuda" else 0)
