"""What `hcvrp solve` shows: live progress, then a table."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from hcvrp import wording
from hcvrp.cli.terminal import mutter, say
from hcvrp.solution import trip_length, trip_load

if TYPE_CHECKING:
    from hcvrp.instance import Floats, Instance
    from hcvrp.solution import Trip
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
        self._bound = 0.0
        self._proven = False
        self._told = ""
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
        from hcvrp.exact.trivial import radial_bound
        from hcvrp.solution import Objective

        self._bound = 0.0 if self.quiet else radial_bound(instance, Objective.parse(objective))

    def improved(self, improvement: Improvement) -> None:
        """A new best, or a higher bound, within the current instance."""
        self._say(self._standing(improvement.cost, improvement.bound))

    def ended(self, result: Result) -> None:
        """The answer of the current instance, which is told whenever the last line was."""
        self._say(self._standing(result.cost, result.bound), last=True)

    def _standing(self, cost: float, bound: float | None) -> str:
        """The cost, and what the quick bound or the proven one says of it."""
        if bound is not None and bound >= self._bound:
            self._bound, self._proven = bound, True
        gap = 0.0 if cost == 0 else max(0.0, 1 - self._bound / cost)
        kind = "proven" if self._proven else "quick"
        return f"cost {cost:.6g}, gap at most {100 * gap:.1f} % ({kind} bound)"

    def begin_batch(self) -> None:
        """The first instances of a batch are being solved."""
        self._say(f"0/{self.instances} solved")

    def finished(self, number: int, result: Result) -> None:  # noqa: ARG002
        """An instance of a batch is solved."""
        self.done += 1
        news = f"{self.done}/{self.instances} solved, last cost {result.cost:.6g}"
        self._say(news, last=self.done == self.instances)
        self._bar.advance(self._task)

    def _say(self, news: str, *, last: bool = False) -> None:
        self._bar.update(self._task, news=news)
        if self.quiet or not self._bar.disable or news == self._told:
            return
        now = time.monotonic()
        if last or now - self._last_line > PLAIN_LINE_INTERVAL:
            self._last_line, self._told = now, news
            mutter(f"{self.method}: {news}")


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


def print_result(instance: Instance, result: Result, depot: str | None) -> None:
    """One solution: each vehicle's trips, stops, load and time, and when all is done.

    `depot` is the row of a spreadsheet that was taken as such: a wrong one spoils all figures.
    """
    hours = wording.times_are_hours(instance)
    table = Table(box=None, pad_edge=False)
    table.add_column("Vehicle")
    time_or_way = "km" if wording.times_are_kilometres(instance) else "Time"
    for column in ("Stops", "Load", time_or_way):
        table.add_column(column, justify="right")
    table.add_column("Route", overflow="fold")
    times = result.solution.vehicle_times(instance)
    for vehicle, trips in enumerate(result.solution.routes):
        time = wording.time(float(times[vehicle]), hours=hours)
        for row, style in _vehicle_rows(instance, vehicle, trips, time, hours):
            table.add_row(*map(escape, row), style=style)
    _print(_heading(instance, result, depot), table, _finish(instance, times), _summary(result))


def _vehicle_rows(
    instance: Instance, vehicle: int, trips: Sequence[Trip], time: str, hours: bool
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The vehicle's own row and one per trip, or a single one for both; with their styles."""
    label = wording.tidy(instance.vehicle_label(vehicle))
    if not trips:
        yield (label, "0", "0", "0", "stays at the depot"), "bold"
        return
    if len(trips) == 1:
        yield (label, *_trip_cells(instance, vehicle, trips[0], hours)), "bold"
        return
    stops = str(sum(map(len, trips)))
    load = wording.brief(sum(trip_load(instance, trip) for trip in trips))
    yield (label, stops, load, time, f"{len(trips)} trips:"), "bold"
    for number, trip in enumerate(trips, start=1):
        yield (f"  trip {number}", *_trip_cells(instance, vehicle, trip, hours)), ""


def _trip_cells(instance: Instance, vehicle: int, trip: Trip, hours: bool) -> tuple[str, ...]:
    """Stops, load of capacity, time and the names of the stops."""
    capacity, speed = instance.vehicles[vehicle].capacity, instance.vehicles[vehicle].speed
    return (
        str(len(trip)),
        f"{wording.brief(trip_load(instance, trip))}/{wording.brief(capacity)}",
        wording.time(trip_length(instance, trip) / speed, hours=hours),
        ", ".join(wording.tidy(instance.customer_label(c)) for c in trip),
    )


def print_batch(instances: list[Instance], results: list[Result], depots: list[str | None]) -> None:
    """Many solutions: a row each, with what is proven of it and its depot, and their mean."""
    table = Table(box=None, pad_edge=False)
    told = wording.of_one_kind(instances)
    heading = wording.heading(results[0].objective) if told else "Cost"
    table.add_column("Instance")
    for column in (heading, "Trips", "Seconds"):
        table.add_column(column, justify="right")
    table.add_column()
    if any(depots):
        table.add_column("Depot", overflow="fold")
    for instance, result, depot in zip(instances, results, depots, strict=False):
        trips = sum(len(trips) for trips in result.solution.routes)
        table.add_row(
            escape(wording.tidy(instance.name or "")),
            wording.span(instance, result.cost) if told else f"{result.cost:.6g}",
            str(trips),
            f"{result.seconds:.3f}",
            _proof(result),
            *([escape(wording.tidy(depot or ""))] if any(depots) else []),
        )
    mean = sum(r.cost for r in results) / len(results)
    figure = f"{wording.span(instances[0], mean)} ({mean:.6g})" if told else f"{mean:.6g}"
    seconds = sum(r.seconds for r in results)
    _print(
        table,
        f"mean {results[0].objective} cost {figure}"
        f" over {wording.plural(len(results), 'instance')}, {results[0].method}, {seconds:.2f} s",
    )


def _print(*things: Table | str) -> None:
    """All of it, in colours if this is a terminal; the end of a pipe is no mishap."""
    console = Console()
    with console.capture() as drawn:
        console.print(*things, sep="\n")
    say(drawn.get().rstrip("\n"))


def _heading(instance: Instance, result: Result, depot: str | None) -> str:
    name = f"[bold]{escape(wording.tidy(instance.name))}[/bold]: " if instance.name else ""
    trips = sum(len(trips) for trips in result.solution.routes)
    return (
        f"{name}{wording.plural(instance.size, 'stop')},"
        f" {wording.plural(len(instance.vehicles), 'vehicle')}, {wording.plural(trips, 'trip')}\n"
        + (f"Depot: {escape(wording.tidy(depot))}\n" if depot else "")
    )


def _finish(instance: Instance, times: Floats) -> str:
    """When the last vehicle is back, the time of all together, and what these figures are."""
    last = wording.tidy(instance.vehicle_label(int(times.argmax())))
    done = wording.span(instance, float(times.max()))
    total = wording.span(instance, float(times.sum()))
    return (
        f"\nAll done after [bold]{done}[/bold], when {escape(last)} is back;"
        f" all vehicles together {total}. {escape(wording.caution(instance))}".rstrip()
    )


def _summary(result: Result) -> str:
    facts = [f"{result.objective} cost {result.cost:.6g}", _proof(result)]
    facts += [result.method, f"{result.seconds:.2f} s"]
    return ", ".join(filter(None, facts))


def _proof(result: Result) -> str:
    """What is proven of the answer, if anything."""
    if result.status == "optimal":
        return "proven optimal"
    if result.gap is None:
        return ""
    return f"proven within {100 * result.gap:.2f} % (bound {result.bound:.6g})"
