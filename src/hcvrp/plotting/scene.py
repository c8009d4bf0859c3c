"""What every picture of a solution shows, worked out once for Matplotlib and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from hcvrp import wording
from hcvrp.errors import InputError
from hcvrp.layout import layout
from hcvrp.plotting import style
from hcvrp.schedule import TimedTrip, timed_trips

if TYPE_CHECKING:
    from hcvrp.instance import Floats, Instance
    from hcvrp.solution import Solution


@dataclass(frozen=True)
class Scene:
    """Places, trips and words of one picture; `points` has the depot first, y upwards."""

    instance: Instance
    points: Floats
    trips: tuple[TimedTrip, ...]
    times: Floats
    title: str

    @property
    def end(self) -> float:
        """When the last vehicle is back: the min-max objective."""
        return float(self.times.max())

    @property
    def summary(self) -> str:
        """One line of figures to stand below the title."""
        counts = (
            wording.plural(self.instance.size, "customer"),
            wording.plural(len(self.instance.vehicles), "vehicle"),
            wording.plural(len(self.trips), "trip"),
        )
        longest, total = self.time(self.end), self.time(float(self.times.sum()))
        return f"{', '.join(counts)}  ·  longest time {longest}, total {total}{self.unit}"

    @property
    def hours(self) -> bool:
        """Whether times are hours, to be written as h:mm."""
        return wording.times_are_hours(self.instance)

    @property
    def unit(self) -> str:
        """What stands behind a time, "" where nothing is known."""
        return " h" if self.hours else ""

    def time(self, value: float) -> str:
        """A time in words."""
        return wording.time(value, hours=self.hours)

    def ticks(self, most: int) -> dict[float, str]:
        """Round times from 0 to the end, and how they are written."""
        if self.hours:
            return {t: self.time(t) for t in style.clock_ticks(self.end, most)}
        return {t: f"{t:g}" for t in style.ticks(self.end, most)}

    @property
    def note(self) -> str:
        """How the places were found and what is left out, where that is not plain to see."""
        notes = []
        if self.instance.coordinates is None:
            notes.append("no coordinates: places estimated from the distances")
        elif self.instance.metric == "great-circle":
            notes.append("north is up")
        if not self.detail.leg:
            notes.append("legs from and to the depot are not drawn")
        return "; ".join(notes)

    @property
    def detail(self) -> style.Detail:
        """How much the map shows."""
        return style.detail(self.instance.size, len(self.trips))

    def trips_by_vehicle(self) -> list[tuple[TimedTrip, ...]]:
        """The trips of each vehicle, () for one that stays at the depot."""
        groups = {v: tuple(ts) for v, ts in groupby(self.trips, key=lambda t: t.vehicle)}
        return [groups.get(v, ()) for v in range(len(self.instance.vehicles))]

    def vehicle_caption(self, vehicle: int) -> str:
        """What the vehicle can do, in a few words."""
        v = self.instance.vehicles[vehicle]
        speed = wording.brief(v.speed)
        speed = f"{speed} km/h" if self.hours else f"speed {speed}"
        return f"capacity {wording.brief(v.capacity)}, {speed}"

    def time_label(self, vehicle: int) -> str:
        """When the vehicle is back for good."""
        idle = all(trip.vehicle != vehicle for trip in self.trips)
        return "no trips" if idle else self.time(float(self.times[vehicle]))


def scene(instance: Instance, solution: Solution, title: str | None) -> Scene:
    """The scene of a feasible solution; an InputError with the first violation otherwise."""
    if violations := solution.violations(instance):
        raise InputError(f"the solution cannot be drawn: {violations[0]}")
    return Scene(
        instance=instance,
        points=layout(instance),
        trips=tuple(timed_trips(instance, solution)),
        times=solution.vehicle_times(instance),
        title=wording.tidy(title or instance.name or "Routes"),
    )
