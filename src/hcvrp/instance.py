"""The problem: a depot, customers with demands, and vehicles that differ.

Nodes are numbered from 0: node 0 is the depot, nodes 1…n are the customers. The model will grow
(service times, shift limits, time windows): what belongs to a vehicle becomes a field of
`Vehicle`, what belongs to a customer an array beside `demands`, and both are judged in one place,
`hcvrp.solution`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np

from hcvrp.errors import Code, InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

Metric: TypeAlias = Literal["euclidean", "great-circle"]

EARTH_RADIUS_KM = 6371.0088
"""Mean Earth radius (IUGG), for great-circle distances."""

CAPACITY_TOLERANCE = 1e-9
"""Relative slack on capacity, so that 0.1 + 0.2 fits a capacity of 0.3."""

LARGEST = 1e16
"""Of capacities, speeds, distances and coordinates: the round number above 2⁵³, where doubles begin
to skip whole numbers. Sums, products and squares of what is accepted stay finite."""

SMALLEST = 1e-9
"""Of capacities and speeds, which are divided by."""

_AXES: dict[Metric, tuple[tuple[str, float], ...]] = {
    "euclidean": (("x", LARGEST), ("y", LARGEST)),
    "great-circle": (("latitude", 90), ("longitude", 180)),
}

MOST_VEHICLES = 10_000
"""Of a fleet that is written in a few words: a slip of the keyboard shall not fill the memory."""


class NodeError(InputError):
    """Bad input about one node, 0 being the depot; who read it from a file can tell the line."""

    def __init__(self, sentence: str, node: int = 0, code: Code = "invalid") -> None:
        super().__init__(sentence, code=code)
        self.node = node


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A vehicle: what it can carry on one trip, and distance travelled per unit of time."""

    capacity: float
    speed: float = 1.0
    name: str | None = None

    def __post_init__(self) -> None:
        for field in ("capacity", "speed"):
            value = _number(getattr(self, field), f"vehicle {field}")
            if value <= 0:
                raise InputError(f"vehicle {field} must be positive, not {value:g}")
            if not SMALLEST <= value <= LARGEST:
                raise InputError(
                    f"vehicle {field} must lie between {SMALLEST:g} and {LARGEST:g}, not {value:g}"
                )
            object.__setattr__(self, field, value)

    def can_carry(self, load: float) -> bool:
        """Whether `load` fits on one trip."""
        return load <= self.capacity * (1 + CAPACITY_TOLERANCE)


class Instance:
    """A mixed-fleet routing problem; immutable, validated, its arrays read-only.

    Distances come from the coordinates by `metric`, or from a full travel-distance matrix of
    shape (n+1, n+1), which may be asymmetric; when both are given the matrix counts and the
    coordinates are for pictures and for policies.

    Args:
        demands: one non-negative number per customer.
        vehicles: the fleet; a bare number is a capacity at speed 1.
        depot: its coordinates (x, y), or (lat, lon) in degrees for great-circle distances.
        customers: coordinates of the customers, shape (n, 2).
        distances: travel distances between all nodes, depot first.
        metric: how coordinates become distances; great-circle ones are in kilometres.
        name: of the instance.
        customer_names: one distinct name per customer.

    Raises:
        InputError: naming the field and the value.
    """

    def __init__(
        self,
        demands: ArrayLike,
        vehicles: Sequence[Vehicle | float],
        *,
        depot: ArrayLike | None = None,
        customers: ArrayLike | None = None,
        distances: ArrayLike | None = None,
        metric: Metric = "euclidean",
        name: str | None = None,
        customer_names: Sequence[str] | None = None,
    ) -> None:
        self.demands: Floats = _array(demands, "demands", (None,))
        self.vehicles: tuple[Vehicle, ...] = tuple(
            v if isinstance(v, Vehicle) else Vehicle(v) for v in vehicles
        )
        self.name = name
        self.metric: Metric = metric
        self.coordinates: Floats | None = None
        self.matrix: Floats | None = None
        n = len(self.demands)
        if n == 0:
            raise InputError("the instance has no customers")
        if not self.vehicles:
            raise InputError("the instance has no vehicles")
        if metric not in ("euclidean", "great-circle"):
            raise InputError(f"metric must be euclidean or great-circle, not {metric!r}")
        self.customer_names = _names(customer_names, n)
        if (depot is None) != (customers is None):
            missing = "depot" if depot is None else "customers"
            raise InputError(f"{missing} coordinates are missing")
        if depot is not None and customers is not None:
            points = [_array(depot, "depot", (2,))[None], _array(customers, "customers", (n, 2))]
            self.coordinates = _read_only(np.concatenate(points))
            self._check_coordinates(self.coordinates)
        if distances is not None:
            self.matrix = _array(distances, "distances", (n + 1, n + 1))
            _check_matrix(self.matrix)
        if self.coordinates is None and self.matrix is None:
            raise InputError("the instance has neither coordinates nor distances")
        self._check_demands()
        _check_vehicle_names(self.vehicles)
        self._sealed = True

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, "_sealed", False):
            raise AttributeError(f"an Instance does not change: {name} cannot be set")
        super().__setattr__(name, value)

    @property
    def size(self) -> int:
        """The number of customers, n."""
        return len(self.demands)

    @property
    def is_planar(self) -> bool:
        """Whether its distances are those between its points in the plane."""
        return self.metric == "euclidean" and self.matrix is None

    @cached_property
    def capacities(self) -> Floats:
        """Capacity of each vehicle, shape (m,)."""
        return _read_only(np.array([v.capacity for v in self.vehicles]))

    @cached_property
    def speeds(self) -> Floats:
        """Speed of each vehicle, shape (m,)."""
        return _read_only(np.array([v.speed for v in self.vehicles]))

    @cached_property
    def distances(self) -> Floats:
        """Travel distances between all nodes, shape (n+1, n+1); made on first use and kept."""
        if self.matrix is not None:
            return self.matrix
        nodes = np.arange(self.size + 1)
        return _read_only(self.travel(nodes[:, None], nodes[None, :]))

    def __getstate__(self) -> dict[str, object]:
        """All but what was made from it: n² distances would weigh down every message."""
        own = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(own, name, None), cached_property)
        }

    def travel(self, origins: ArrayLike, destinations: ArrayLike) -> Floats:
        """Distance of each leg, by broadcasting; coordinates suffice, no full matrix is made."""
        i, j = np.asarray(origins), np.asarray(destinations)
        if self.matrix is not None:
            return np.asarray(self.matrix[i, j])
        assert self.coordinates is not None
        a, b = self.coordinates[i], self.coordinates[j]
        if self.metric == "euclidean":
            return np.asarray(np.hypot(a[..., 0] - b[..., 0], a[..., 1] - b[..., 1]))
        return great_circle(a, b)

    def customer_label(self, customer: int) -> str:
        """The customer's name, or its number."""
        return self.customer_names[customer - 1] if self.customer_names else str(customer)

    def vehicle_label(self, vehicle: int) -> str:
        """The vehicle's name, or "vehicle 1" for the first."""
        return self.vehicles[vehicle].name or f"vehicle {vehicle + 1}"

    def with_vehicles(self, vehicles: Sequence[Vehicle | float]) -> Instance:
        """The same customers with another fleet."""
        points = self.coordinates
        return Instance(
            self.demands,
            vehicles,
            depot=None if points is None else points[0],
            customers=None if points is None else points[1:],
            distances=self.matrix,
            metric=self.metric,
            name=self.name,
            customer_names=self.customer_names,
        )

    def with_name(self, name: str) -> Self:
        """The same problem by another name."""
        other = object.__new__(type(self))
        vars(other).update(self.__getstate__() | {"name": name})
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        return (
            self.vehicles == other.vehicles
            and self.metric == other.metric
            and self.name == other.name
            and self.customer_names == other.customer_names
            and np.array_equal(self.demands, other.demands)
            and _same(self.coordinates, other.coordinates)
            and _same(self.matrix, other.matrix)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"Instance({name}{self.size} customers, {len(self.vehicles)} vehicles)"

    def _check_coordinates(self, points: Floats) -> None:
        for axis, (field, limit) in enumerate(_AXES[self.metric]):
            outside = np.flatnonzero(np.abs(points[:, axis]) > limit)
            if len(outside):
                node = int(outside[0])
                who = "the depot" if node == 0 else f"customer {self.customer_label(node)}"
                value = f"{points[node, axis]:.10g}"
                raise NodeError(f"{field} of {who} must lie within ±{limit:g}, not {value}", node)

    def _check_demands(self) -> None:
        """Capacities are within reason, hence so is every demand that fits one."""
        if (self.demands < 0).any():
            worst = int(np.argmin(self.demands))
            raise NodeError(
                f"demand of customer {self.customer_label(worst + 1)} is negative:"
                f" {self.demands[worst]:g}",
                worst + 1,
            )
        largest = max(self.vehicles, key=lambda v: v.capacity)
        worst = int(np.argmax(self.demands))
        if not largest.can_carry(float(self.demands[worst])):
            others = sum(not largest.can_carry(demand) for demand in self.demands.tolist()) - 1
            more = f"; so it is with {others} more" if others else ""
            raise NodeError(
                f"no vehicle can carry customer {self.customer_label(worst + 1)}: its demand is"
                f" {self.demands[worst]:g}, the largest capacity {largest.capacity:g}{more}",
                worst + 1,
                "fleet-too-small",
            )


def fleet(vehicles: Sequence[Vehicle], counts: Sequence[int]) -> tuple[Vehicle, ...]:
    """`counts[k]` copies of each vehicle; names become "van 1", "van 2" where a count exceeds 1."""
    out: list[Vehicle] = []
    for vehicle, count in zip(vehicles, counts, strict=True):
        named = vehicle.name is not None and count > 1
        out += [
            replace(vehicle, name=f"{vehicle.name} {k + 1}") if named else vehicle
            for k in range(count)
        ]
    return tuple(out)


def great_circle(a: Floats, b: Floats) -> Floats:
    """Haversine distance in kilometres between (lat, lon) points in degrees."""
    lat1, lon1, lat2, lon2 = (np.radians(p[..., k]) for p in (a, b) for k in (0, 1))
    half = np.sin((lat2 - lat1) / 2) ** 2
    half = half + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return np.asarray(2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0))))


def _number(value: object, field: str) -> float:
    """`value` as a finite float."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{field} is not a number: {value!r}") from None
    if not math.isfinite(number):
        raise InputError(f"{field} must be finite, not {number}")
    return number


def _array(values: ArrayLike, field: str, shape: tuple[int | None, ...]) -> Floats:
    """`values` as a read-only array of finite floats of the given shape (None: any length)."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{field} must be numbers in an array of shape {_shape(shape)}") from None
    fits = array.ndim == len(shape) and all(
        want in (None, got) for want, got in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise InputError(f"{field} must have shape {_shape(shape)}, not {_shape(array.shape)}")
    bad = ~np.isfinite(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        place = "".join(f"[{i}]" for i in where)
        raise InputError(f"{field}{place} must be finite, not {array[where]}")
    return _read_only(array)


def _shape(shape: tuple[int | None, ...]) -> str:
    return " × ".join("any" if s is None else str(s) for s in shape) or "a single number"


def _read_only(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


def _same(a: Floats | None, b: Floats | None) -> bool:
    return (a is None) == (b is None) and (a is None or b is None or np.array_equal(a, b))


def _check_matrix(matrix: Floats) -> None:
    if (matrix < 0).any():
        i, j = np.argwhere(matrix < 0)[0]
        raise InputError(f"distances[{i}][{j}] is negative: {matrix[i, j]:g}")
    if (matrix > LARGEST).any():
        i, j = np.argwhere(matrix > LARGEST)[0]
        raise InputError(f"distances[{i}][{j}] must be at most {LARGEST:g}, not {matrix[i, j]:g}")
    if np.diagonal(matrix).any():
        i = int(np.flatnonzero(np.diagonal(matrix))[0])
        raise InputError(f"distances[{i}][{i}] must be 0, not {matrix[i, i]:g}")


def _names(names: Sequence[str] | None, n: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    if len(names) != n:
        raise InputError(f"customer_names must have {n} entries, not {len(names)}")
    _check_distinct(names, "customer")
    return tuple(names)


def _check_vehicle_names(vehicles: Sequence[Vehicle]) -> None:
    _check_distinct([v.name for v in vehicles if v.name is not None], "vehicle")


def _check_distinct(names: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{what} name must be text, not {name!r}")
        if name in seen:
            raise InputError(f"{what} name {name!r} is used twice")
        seen.add(name)
