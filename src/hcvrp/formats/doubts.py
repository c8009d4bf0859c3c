"""Doubts about what was read: an instance that is valid, but hardly what was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcvrp import wording
from hcvrp.instance import great_circle

if TYPE_CHECKING:
    from hcvrp.instance import Floats, Instance

FAR_KM = 300.0
"""Nearer than this no stop is too far out."""

FAR_TIMES = 20.0
"""Nor nearer than so many times the median distance."""


def far_out(instance: Instance) -> str | None:
    """A sentence about the stop that lies absurdly far from the others; None if none does.

    Distances are from the median latitude and longitude, not from the depot: its own may be wrong.
    Only on the globe are they kilometres, and beside a matrix places are but for pictures.
    """
    if not wording.on_globe(instance):
        return None
    assert instance.coordinates is not None
    middle = np.median(instance.coordinates, axis=0)
    distances = great_circle(middle, instance.coordinates)
    usual = float(np.median(distances))
    limit = max(FAR_KM, FAR_TIMES * usual)
    node = int(distances.argmax())
    if distances[node] <= limit:
        return None
    who = f"stop {wording.tidy(instance.customer_label(node))}" if node else "the depot"
    others = int((distances > limit).sum()) - 1
    return (
        f"{who} lies {distances[node]:.0f} km from the middle of all stops, half of them within"
        f" {usual:.0f} km: {_suspicion(instance.coordinates[node], middle, limit)}"
        + (f" ({others} more are as far out)" if others else "")
    )


def _suspicion(point: Floats, middle: Floats, limit: float) -> str:
    swapped = point[::-1]
    if abs(swapped[0]) <= 90 and float(great_circle(middle, swapped)) <= limit:
        return "its latitude and longitude look swapped"
    return "is there a slip in its latitude or longitude?"
