"""run(): the answers of a plan that a result file does not have yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from hcvrp.bench.answers import Answer, Job, is_batched
from hcvrp.bench.archive import BOUND_TOLERANCE
from hcvrp.bench.plan import Cell
from hcvrp.bench.results import Key, ResultFile, Row, load
from hcvrp.bench.sets import InstanceSet, find_set
from hcvrp.bench.workers import answered
from hcvrp.instance import Instance
from hcvrp.provenance import this_session

Progress = Callable[[int, int, Row], None]
"""Called with the answers there are, those the plan asks for, and the last row."""


def run(
    cells: Sequence[Cell],
    out: Path,
    *,
    workers: int = 1,
    minutes: float | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> bool:
    """Brings the result file up to the plan; whether it is complete.

    Answers that the file has are not asked for again, so a run that was stopped, by `minutes` or
    by force, goes on where it was. Every answer passes the referee here, outside the method.

    Args:
        cells: of the plan.
        out: the result file.
        workers: processes; batches are answered in one, with the whole machine to themselves.
        minutes: begin no new answer after so many.
        retry: ask again where a method failed before.
        progress: called after each row.
    """
    end = None if minutes is None else time.monotonic() + 60 * minutes
    sets = {(c.set, c.objective): find_set(c.set, c.objective) for c in cells}
    wanted = {_key(c, n) for c in cells for n in sets[c.set, c.objective].numbers}
    with ResultFile(out, this_session(), retry=retry) as results:
        results.check(cells)
        left = wanted - results.rows.keys()
        jobs = [job for c in cells for job in _jobs(c, sets[c.set, c.objective], left)]
        for crew, phase in _phases(jobs, workers):
            for job, answers in answered(phase, crew, partial(_before, end)):
                fresh = [r for r in _judged(job, answers, results.session) if r.key in left]
                results.add(fresh)
                for row in fresh:
                    left.discard(row.key)
                    if progress is not None:
                        progress(len(wanted) - len(left), len(wanted), row)
    return not left


def failures(cells: Sequence[Cell], out: Path) -> int:
    """How many answers of these cells failed, as the result file has it."""
    asked = {_key(cell, 0) for cell in cells}
    rows = load([out]).rows
    return sum(r.status == "failed" and r.key._replace(number=0) in asked for r in rows)


def _before(end: float | None) -> bool:
    return end is None or time.monotonic() < end


def _jobs(cell: Cell, instances: InstanceSet, left: set[Key]) -> Iterator[Job]:
    """What is left to answer; batches are cut at fixed places, so that a second run cuts alike."""
    size = cell.batch if is_batched(cell) else 1
    for start in range(0, len(instances), size):
        piece = slice(start, start + size)
        job = Job(cell, instances.numbers[piece], instances.instances[piece])
        if any(_key(cell, number) in left for number in job.numbers):
            yield job


def _phases(jobs: list[Job], workers: int) -> Iterator[tuple[int, list[Job]]]:
    """Groups of jobs that may run side by side, and in how many processes."""

    def crew(job: Job) -> int:
        return 1 if is_batched(job.cell) else max(1, workers // job.cell.threads)

    for size, group in groupby(sorted(jobs, key=crew), crew):
        yield size, list(group)


def _judged(job: Job, answers: list[Answer], session: str) -> Iterator[Row]:
    for number, instance, answer in zip(job.numbers, job.instances, answers, strict=True):
        cost, message = _referee(job.cell, instance, answer)
        key = _key(job.cell, number)
        yield Row(
            set=key.set,
            number=number,
            instance=instance.name or "",
            objective=key.objective,
            label=key.label,
            seed=key.seed,
            status="failed" if cost is None else answer.status,
            cost=cost,
            bound=None if cost is None else answer.bound,
            seconds=round(answer.seconds, 6),
            iterations=answer.iterations,
            device=answer.device,
            message=message,
            settings=job.cell.settings,
            session=session,
        )


def _referee(cell: Cell, instance: Instance, answer: Answer) -> tuple[float | None, str]:
    """The cost, or None and the reason."""
    if answer.solution is None:
        return None, answer.message
    if violations := answer.solution.violations(instance):
        return None, f"infeasible: {violations[0]}"
    cost = answer.solution.cost(instance, cell.objective)
    if answer.bound is not None and answer.bound > cost * (1 + BOUND_TOLERANCE):
        return None, f"the bound {answer.bound:.10g} exceeds the cost {cost:.10g}"
    return cost, ""


def _key(cell: Cell, number: int) -> Key:
    return Key(cell.set_name, str(cell.objective), cell.label, cell.seed, number)
