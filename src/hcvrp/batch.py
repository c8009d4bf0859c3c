"""solve_many(): a batch of instances, decoded together and searched side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import Any

from hcvrp.auto import Auto
from hcvrp.errors import InputError
from hcvrp.instance import Instance
from hcvrp.rollouts import too_short_to_search
from hcvrp.solution import Objective, Solution
from hcvrp.solver import DEFAULT_METHOD, find_method
from hcvrp.task import Batched, Improvement, Method, Recorder, Result, Stop, Task, check_whole
from hcvrp.workers import Crew, Died

MOST_PROCESSES = 256


def solve_many(
    instances: Sequence[Instance],
    objective: Objective | str = Objective.MIN_MAX,
    method: str | Method = DEFAULT_METHOD,
    *,
    time_limit: float | None = None,
    iterations: int | None = None,
    target: float | None = None,
    seed: int = 0,
    threads: int = 1,
    processes: int = 1,
    on_result: Callable[[int, Result], None] | None = None,
    cancel: threading.Event | None = None,
    **parameters: Any,
) -> list[Result]:
    """Good routes for each of `instances`, in their order.

    Learned methods encode and decode all instances of one size and number of vehicles at once,
    with torch without looking at limits; `auto` does so for its starts where there is a GPU, within
    them. Searches are spread over `processes`. All limits are per instance, and the same seed gives
    the same answers however many processes there are, wherever time does not decide.

    Args:
        instances: the problems; their sizes and fleets may differ.
        objective: "min-max" or "min-sum".
        method: a name from `METHODS`, or an object with `solve(task)`; other processes need one
            that can be pickled.
        time_limit: seconds for each instance, and likewise `iterations` and `target`.
        iterations: of the method.
        target: a cost that is good enough.
        seed: of every instance's run.
        threads: that the method may use for each instance.
        processes: that work side by side.
        on_result: called with an instance's number and its result, as they are done.
        cancel: an event that ends the batch: what is being solved is answered with the best so
            far, and the results of instances that were not begun are missing at the end.
        **parameters: of the method.
    """
    check_whole(processes, "processes")
    if not 1 <= processes <= MOST_PROCESSES:
        raise InputError(f"processes must lie between 1 and {MOST_PROCESSES}, not {processes}")
    cancel = cancel or threading.Event()
    chosen = find_method(method, **parameters)
    stop = Stop(time_limit, iterations, target, cancel)
    goal = Objective.parse(objective)
    tasks = [Task(instance, goal, stop, seed, threads=threads) for instance in instances]
    tell = on_result or (lambda _number, _result: None)
    if isinstance(chosen, Batched):
        return _decoded(chosen, tasks, processes, tell)
    if isinstance(chosen, Auto):
        return _started(chosen, tasks, processes, tell)
    return _searched([chosen] * len(tasks), tasks, processes, tell)


Tell = Callable[[int, Result], None]


def _decoded(method: Batched, tasks: Sequence[Task], processes: int, tell: Tell) -> list[Result]:
    """By a learned method, all of one size and fleet size at once; each has its share of the time.

    The paper's policies are one for each fleet, and rows of one length need no filling.
    """
    alike: dict[tuple[int, int], list[int]] = {}
    for number, task in enumerate(tasks):
        key = (task.instance.size, len(task.instance.vehicles))
        alike.setdefault(key, []).append(number)
    found: dict[int, Result] = {}
    for numbers in alike.values():
        first = tasks[numbers[0]]
        if found and first.stop.cancel.is_set():
            break
        begun = time.perf_counter()
        answers = method.solve_many(
            [tasks[number].instance for number in numbers],
            first.objective,
            first.seed,
            threads=processes,
            stop=first.stop,
        )
        seconds = (time.perf_counter() - begun) / len(answers)
        for number, answer in zip(numbers, answers, strict=False):  # fewer if it was cancelled
            cost = tasks[number].cost(answer)
            history = (Improvement(cost, seconds, 0, answer),)
            found[number] = Result(
                answer, cost, first.objective, method.name, seconds, history=history
            )
            tell(number, found[number])
    return _first(found)


def _started(method: Auto, tasks: list[Task], processes: int, tell: Tell) -> list[Result]:
    """By auto: from starts made together where they pay, each with its share of that time."""
    begun = time.perf_counter()
    starts = method.prepare(tasks)
    if not any(starts):
        return _searched([method] * len(tasks), tasks, processes, tell)
    share = (time.perf_counter() - begun) / sum(map(bool, starts))
    found: dict[int, Result] = {}

    def hear(number: int, result: Result) -> None:
        found[number] = _later(result, share) if starts[number] else result
        tell(number, found[number])

    left: list[int] = []
    for number, start in enumerate(starts):
        if start:
            task = tasks[number]
            tasks[number] = replace(task, initial=start, stop=task.stop.after(share))
        if start and too_short_to_search(tasks[number]):
            recorder = Recorder(tasks[number], method.name)
            recorder.improved(start[0])
            hear(number, recorder.result(start[0]))
        else:
            left.append(number)
    search = replace(method, samples=0)
    _searched(
        [search if starts[number] else method for number in left],
        [tasks[number] for number in left],
        processes,
        lambda k, result: hear(left[k], result),
    )
    return _first(found)


def _first(found: dict[int, Result]) -> list[Result]:
    """The results up to the first that is missing, as some are where the run was cancelled."""
    return [found[number] for number in takewhile(found.__contains__, count())]


def _later(result: Result, seconds: float) -> Result:
    """The result of a run that began so long before its search."""
    history = tuple(replace(step, seconds=step.seconds + seconds) for step in result.history)
    return replace(result, seconds=result.seconds + seconds, history=history)


def _searched(
    methods: Sequence[Method], tasks: Sequence[Task], processes: int, tell: Tell
) -> list[Result]:
    """Each task by the method beside it."""
    if processes == 1 or len(tasks) < 2:
        return _one_by_one(methods, tasks, tell)
    return _side_by_side(methods, tasks, processes, tell)


def _one_by_one(methods: Sequence[Method], tasks: Sequence[Task], tell: Tell) -> list[Result]:
    results: list[Result] = []
    for number, (method, task) in enumerate(zip(methods, tasks, strict=True)):
        if number > 0 and task.stop.cancel.is_set():
            break
        results.append(method.solve(task))
        tell(number, results[-1])
    return results


@dataclass(frozen=True)
class _Job:
    """A task on its way to another process: all but the event, which does not travel."""

    number: int
    method: Method
    instance: Instance
    objective: Objective
    limits: tuple[float | None, int | None, float | None]
    seed: int
    initial: tuple[Solution, ...]
    threads: int

    @classmethod
    def of(cls, number: int, method: Method, task: Task) -> _Job:
        stop = task.stop
        limits = (stop.time_limit, stop.iterations, stop.target)
        return cls(
            number, method, task.instance, task.objective, limits, task.seed, task.initial,
            task.threads,
        )  # fmt: skip

    def task(self, cancel: threading.Event) -> Task:
        stop = Stop(*self.limits, cancel)
        return Task(self.instance, self.objective, stop, self.seed, self.initial, self.threads)


def _side_by_side(
    methods: Sequence[Method], tasks: Sequence[Task], processes: int, tell: Tell
) -> list[Result]:
    cancel = tasks[0].stop.cancel
    pairs = enumerate(zip(methods, tasks, strict=True))
    jobs = (_Job.of(number, method, task) for number, (method, task) in pairs)
    found: dict[int, Result] = {}
    crew = Crew(_work, min(processes, len(tasks)), cancel)
    for job, result in crew.answers(jobs, lambda: not found or not cancel.is_set()):
        if isinstance(result, InputError):
            raise result
        if isinstance(result, Died):
            raise RuntimeError(f"instance {job.number}: {result}")
        found[job.number] = result
        tell(job.number, result)
    return _first(found)


def _work(job: _Job, cancel: threading.Event) -> Result | InputError:
    try:
        return job.method.solve(job.task(cancel))
    except InputError as error:
        return error
