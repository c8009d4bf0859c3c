"""The `fleet` network in the compiled core, without torch."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.errors import InputError
from hcvrp.layout import layout, own_scale, unit_square
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.settings import SYMMETRIES, Decoding, check_count
from hcvrp.policy.weights_file import Description, description, locate, misfit, read_arrays
from hcvrp.search import native, savings
from hcvrp.solution import Objective, Solution
from hcvrp.task import AnyOf, Recorder, Result, Stop, Task
from hcvrp.threads import SharedRecorder, side_by_side
from hcvrp.workers import cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.instance import Instance

BLOCK = 16
"""Widths are whole blocks of so many numbers (`block` in cpp/policy/kernels.h)."""

GROUP = 16
"""Samples that are made side by side on one thread (`group` in cpp/policy/rollout.cpp)."""

MOST_SAMPLES = 2**40
"""Of each view, where a clock decides how many are made."""


@dataclass(frozen=True)
class NativeFleet:
    """A trained `fleet` network, ready to decode.

    Scores agree with torch's to about 1e-4; sums are made in one order on every processor, so the
    same seed gives the same answer everywhere.
    """

    path: Path
    description: Description
    network: native.core.FleetNetwork

    @classmethod
    def load(cls, name: str | Path) -> NativeFleet:
        """A shipped network by name, or one from a file; an InputError says what is wrong."""
        path = locate(name)
        arrays, metadata = read_arrays(path)
        told = description(metadata, path)
        config = told.network
        if not suits(config):
            raise InputError(
                f"{path} is for torch: the core runs fleet networks whose heads, feed_forward and"
                f" half of dim are multiples of {BLOCK} wide"
            )
        if any(array.dtype != np.float32 for array in arrays.values()):
            raise misfit(path, config)
        try:
            network = native.core.FleetNetwork(
                arrays,
                config.dim,
                config.heads,
                config.layers,
                config.feed_forward,
                config.clip,
                config.trips,
            )
        except ValueError:
            raise misfit(path, config) from None
        return cls(path, told, network)

    def solve(
        self,
        instance: Instance,
        objective: Objective | str,
        *,
        samples: int | None = 0,
        augment: bool = False,
        temperature: float | None = None,
        seed: int = 0,
        keep: int = 1,
        stop: Stop | None = None,
    ) -> list[tuple[float, Solution]]:
        """The `keep` best distinct answers with the referee's costs, best first.

        Another order of trips, or of equal vehicles, makes no other answer, nor does another
        direction where distances are symmetric.

        Args:
            instance: the problem.
            objective: "min-max" or "min-sum".
            samples: how many, 0 for greedy; None for as many as `stop` leaves time for.
            augment: whether the instance is seen under the eight symmetries of the square.
            temperature: what scores are divided by before a sample is drawn; see `Decoding`.
            seed: the same seed gives the same samples; at one temperature fewer are the first of
                more.
            keep: how many answers at most.
            stop: looked at between steps once there is an answer; its iterations are samples.
                Empty only when it is cancelled before that.
        """
        check_count("keep", keep, 1)
        task = Task(instance, Objective.parse(objective), stop or Stop(), seed)
        if samples is None and task.stop.time_limit is None and task.stop.iterations is None:
            raise InputError("samples without a number need a time_limit or iterations")
        decoding = Decoding(samples or 0, augment, temperature=temperature)
        found, _ = self._decode(
            Recorder(task, "fleet"),
            greedy=samples == 0,
            rollouts=MOST_SAMPLES if samples is None else decoding.rollouts,
            views=decoding.views,
            temperature=decoding.heat("fleet", instance.size),
            keep=keep,
        )
        return [(task.cost(solution), solution) for solution in found]

    def answer(self, task: Task, decoding: Decoding) -> Result:
        """The best rollout, or a given initial solution if that is better.

        `task.threads` share the samples, which are the same however many there are. A run that ends
        before its first rollout does falls back on savings.
        """
        recorder = SharedRecorder(task, "fleet")
        found, made = self._decode(
            recorder,
            greedy=decoding.samples == 0,
            rollouts=decoding.rollouts,
            views=decoding.views,
            temperature=decoding.heat("fleet", task.instance.size),
        )
        return recorder.result((found or task.initial or [_savings(task)])[0], made)

    def answer_many(
        self,
        instances: Sequence[Instance],
        objective: Objective,
        decoding: Decoding,
        *,
        seed: int = 0,
        threads: int | None = None,
        stop: Stop | None = None,
    ) -> list[Solution]:
        """The best rollout of each instance, one on each thread; None takes all cores.

        `stop` is for each of them. Once it is cancelled none is begun but the first.
        """
        stop = stop or Stop()
        over = AnyOf(stop.cancel)
        each = replace(stop, cancel=over)

        def solve(number: int) -> Solution | None:
            if number > 0 and over.is_set():
                return None
            return self.answer(Task(instances[number], objective, each, seed), decoding).solution

        answers: list[Solution] = []
        with ThreadPoolExecutor(threads or cores()) as pool:
            try:
                for answer in pool.map(solve, range(len(instances))):
                    if answer is None:
                        break
                    answers.append(answer)
            finally:
                over.set()  # Ctrl-C is heard here: those at work must hear of it
        return answers

    def embeddings(
        self, instance: Instance, objective: Objective, view: int = 0
    ) -> NDArray[np.float32]:
        """What the encoder makes of the nodes and then the vehicles, (n + 1 + m, dim)."""
        return self.network.embed(_ground(instance, objective), view % SYMMETRIES)

    def scores(
        self, instance: Instance, objective: Objective, moves: Sequence[tuple[int, int]]
    ) -> list[tuple[list[float], list[float]]]:
        """Scores of the vehicles, and of the nodes for the chosen one, before each (vehicle, node).

        −∞ stands for what may not be chosen.
        """
        return self.network.scores(_ground(instance, objective), list(moves))

    def _decode(
        self,
        recorder: Recorder,
        *,
        greedy: bool,
        rollouts: int,
        views: int,
        temperature: float,
        keep: int = 1,
    ) -> tuple[list[Solution], int]:
        task = recorder.task
        try:
            ground = _ground(task.instance, task.objective, task.stop.cancel)
        except native.RunOver:
            return [], 0
        stop, enough = task.stop.after(recorder.seconds), AnyOf(task.stop.cancel)
        limit, groups = stop.iterations, views * -(-rollouts // GROUP)
        parts = min(task.threads, max(1, groups), groups if limit is None else max(1, limit))

        def rolled(part: int) -> tuple[list[Solution], int]:
            """The best of one part of the samples; where it meets the target, the others stop."""
            share = None if limit is None else (limit + part) // parts
            found, made = self.network.rollouts(
                ground,
                native.core.FleetDecoding(
                    greedy=greedy,
                    samples=rollouts,
                    views=views,
                    temperature=temperature,
                    seed=task.seed,
                    keep=keep,
                    part=part,
                    parts=parts,
                ),
                native.run(recorder, replace(stop, iterations=share), enough.is_set),
            )
            solutions = [native.solution(routes) for routes in found]
            if stop.target is not None and any(task.cost(s) <= stop.target for s in solutions):
                enough.set()
            return solutions, made

        answers = side_by_side(rolled, parts, enough)
        best = sorted((s for found, _ in answers for s in found), key=task.cost)
        return best, sum(made for _, made in answers)


def suits(config: NetworkConfig) -> bool:
    """Whether the core can run such a network."""
    widths = (config.dim // config.heads, config.dim // 2, config.feed_forward)
    return config.kind == "fleet" and all(width % BLOCK == 0 for width in widths)


def _ground(
    instance: Instance, objective: Objective, cancel: threading.Event | None = None
) -> native.core.FleetGround:
    """The instance as the network sees it: laid out in the unit square, distances to match.

    Raises:
        native.RunOver: when it is cancelled before it is done.
    """

    def check() -> None:
        if cancel is not None and cancel.is_set():
            raise native.RunOver

    problem = native.problem(instance, native.preparation(cancel))
    points = np.ascontiguousarray(unit_square(layout(instance, check)))
    return native.core.FleetGround(
        problem, native.objective(objective), points, own_scale(instance, points)
    )


def _savings(task: Task) -> Solution:
    """On one thread; a trip to each customer if the task is cancelled."""
    return savings.Savings().solve(replace(task, threads=1)).solution
