"""A small network and short lessons: `fleet` configs that train in a moment."""

from __future__ import annotations

from typing import Any

from hcvrp.training.fleet_config import FleetConfig
from hcvrp.training.runs import parse_config


def small_config(phase: dict[str, Any], width: int = 16, **training: Any) -> FleetConfig:
    """One phase; the clock decides nothing."""
    policy = {"kind": "fleet", "dim": width, "heads": width // 4, "layers": 1}
    made = parse_config(
        {
            "policy": policy | {"feed_forward": width},
            "training": {"minutes": 1e6, "warmup": 0} | training,
            "phases": [phase],
        }
    )
    assert isinstance(made, FleetConfig)
    return made
