"""Instances to try the service with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hcvrp.generator import generate
from hcvrp.instance import Instance, Vehicle

FLEET = (
    Vehicle(60, 0.6, "cargo bike"),
    Vehicle(120, 1.0, "small van"),
    Vehicle(120, 1.0, "second van"),
    Vehicle(260, 0.8, "lorry"),
)


def town(stops: int, seed: int) -> Instance:
    """A planar town with clustered stops, in kilometres, and a mixed fleet in km per minute."""
    made = generate(stops, fleet=FLEET, seed=seed, distribution="clustered", demands=(3, 30))
    assert made.coordinates is not None
    points = np.round(12 * made.coordinates, 2)
    return Instance(
        made.demands,
        FLEET,
        depot=points[0],
        customers=points[1:],
        name=f"town of {stops} stops",
        customer_names=[f"stop {k + 1}" for k in range(stops)],
    )


def munich() -> Instance:
    """Forty invented stops around Munich by latitude and longitude; speeds in km/h."""
    rng = np.random.default_rng(11)
    points = np.round(rng.normal((48.137, 11.575), (0.035, 0.055), size=(40, 2)), 5)
    fleet = [Vehicle(40, 16, "cargo bike"), Vehicle(90, 30, "small van"), Vehicle(200, 26, "lorry")]
    return Instance(
        rng.integers(2, 20, size=40),
        fleet,
        depot=(48.1915, 11.647),
        customers=points,
        metric="great-circle",
        name="Munich, 40 stops",
        customer_names=[f"stop {k + 1}" for k in range(40)],
    )


DEMOS: dict[str, tuple[str, Callable[[], Instance]]] = {
    "town-30": ("a small town, 30 stops, 4 vehicles", lambda: town(30, 3)),
    "town-100": ("a day's plan, 100 stops, 4 vehicles", lambda: town(100, 5)),
    "town-200": ("a large day, 200 stops, 4 vehicles", lambda: town(200, 8)),
    "munich": ("Munich by latitude and longitude, 40 stops, 3 vehicles", munich),
}
"""Each by its name: a description, and how it is made."""
