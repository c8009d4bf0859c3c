"""What `hcvrp solve` shows: live progress, then a table."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from hcvrp.solution import trip_length, trip_load

if TYPE_CHECKING:
    from hcvrp.instance import Instance
    from hcvrp.task import Improvement, Result

PLAIN_LINE_INTERVAL = 1.0
"""Seconds between progress lines where there is no terminal."""


class Live:
    """Progress on standard error: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, method: str, instances: int, *, quiet: bool) -> None:
        self.method = method
        self.instances = instances
        self.quiet = quiet
        self.done = 0
        self._cost, self._bound = math.inf, 0.0
        self._last_line = -math.inf
        console = Console(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[news]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        total = instances if instances > 1 else None
        self._task = self._bar.add_task(method, total=total, news="")

    def __enter__(self) -> Live:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def begin(self, instance: Instance, objective: str) -> None:
        """The next instance: a quick bound stands until a better one is proven."""
        from hcvrp.exact.radial import radial_bound
        from hcvrp.solution import Objective

        self._cost = math.inf
        self._bound = 0.0 if self.quiet else radial_bound(instance, Objective.parse(objective))

    def improved(self, improvement: Improvement) -> None:
        """A new best within the current instance."""
        self._cost = improvement.cost
        self._say_gap()

    def bounded(self, bound: float) -> None:
        """A higher bound within the current instance."""
        self._bound = max(self._bound, bound)
        self._say_gap()

    def begin_batch(self) -> None:
        """The first instances of a batch are being solved."""
        self._say(f"0/{self.instances} solved")

    def finished(self, number: int, result: Result) -> None:  # noqa: ARG002
        """An instance of a batch is solved."""
        self.done += 1
        self._say(f"{self.done}/{self.instances} solved, last cost {result.cost:.6g}")
        self._bar.advance(self._task)

    def _say_gap(self) -> None:
        if self._cost == math.inf:
            self._say(f"bound {self._bound:.6g}")
            return
        gap = 0.0 if self._cost == 0 else max(0.0, 1 - self._bound / self._cost)
        self._say(f"cost {self._cost:.6g}, gap at most {100 * gap:.1f} %")

    def _say(self, news: str) -> None:
        self._bar.update(self._task, news=news)
        now = time.monotonic()
        if self._bar.disable and not self.quiet and now - self._last_line > PLAIN_LINE_INTERVAL:
            self._last_line = now
            sys.stderr.write(f"{self.method}: {news}\n")


def record(instance: Instance, result: Result, seed: int) -> dict[str, Any]:
    """One result as a JSON object, which `hcvrp check` reads as a solution file."""
    facts = {
        "format": "hcvrp-solution",
        "version": 1,
        "instance": instance.name,
        "objective": str(result.objective),
        "method": result.method,
        "seed": seed,
        "cost": result.cost,
        "bound": result.bound,
        "gap": result.gap,
        "status": result.status,
        "seconds": result.seconds,
        "iterations": result.iterations,
        "vehicle_times": result.solution.vehicle_times(instance).tolist(),
        "routes": result.solution.routes,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def print_result(instance: Instance, result: Result) -> None:
    """One solution: a row per trip, the time of each vehicle, the cost."""
    console = Console()
    table = Table(title=escape(instance.name or ""), title_justify="left", box=None, pad_edge=False)
    for column, side in (("Vehicle", "left"), ("Trip", "right"), ("Load", "right")):
        table.add_column(column, justify=side)  # type: ignore[arg-type]
    table.add_column("Time", justify="right")
    table.add_column("Stops", overflow="fold")
    times = result.solution.vehicle_times(instance)
    for vehicle, trips in enumerate(result.solution.routes):
        label = escape(instance.vehicle_label(vehicle))
        capacity, speed = instance.vehicles[vehicle].capacity, instance.vehicles[vehicle].speed
        if len(trips) != 1:
            what = f"{len(trips)} trips" if trips else "stays at the depot"
            table.add_row(label, "", "", f"{times[vehicle]:.4g}", what, style="bold")
        for number, trip in enumerate(trips, start=1):
            alone = len(trips) == 1
            table.add_row(
                label if alone else "",
                str(number),
                f"{trip_load(instance, trip):g}/{capacity:g}",
                f"{trip_length(instance, trip) / speed:.4g}",
                escape(", ".join(instance.customer_label(c) for c in trip)),
                style="bold" if alone else "",
            )
    console.print(table)
    console.print(_summary(result))


def print_batch(instances: list[Instance], results: list[Result]) -> None:
    """Many solutions: a row each, and their mean."""
    console = Console()
    table = Table(box=None, pad_edge=False)
    table.add_column("Instance")
    for column in ("Cost", "Trips", "Seconds"):
        table.add_column(column, justify="right")
    for number, (instance, result) in enumerate(zip(instances, results, strict=False)):
        trips = sum(len(trips) for trips in result.solution.routes)
        name = escape(instance.name or f"#{number}")
        table.add_row(name, f"{result.cost:.6g}", str(trips), f"{result.seconds:.3f}")
    console.print(table)
    if len(results) < len(instances):
        console.print(f"stopped after {len(results)} of {len(instances)} instances")
    mean = sum(r.cost for r in results) / len(results)
    seconds = sum(r.seconds for r in results)
    console.print(
        f"mean {results[0].objective} cost {mean:.6g} over {len(results)} instances,"
        f" {results[0].method}, {seconds:.2f} s"
    )


def _summary(result: Result) -> str:
    proof = ""
    if result.status == "optimal":
        proof = ", proven optimal"
    elif result.gap is not None:
        proof = f", proven within {100 * result.gap:.2f} % (bound {result.bound:.6g})"
    return (
        f"{result.objective} cost [bold]{result.cost:.6g}[/bold]{proof},"
        f" {result.method}, {result.seconds:.2f} s"
    )
