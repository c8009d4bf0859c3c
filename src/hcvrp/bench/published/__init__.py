"""Numbers that others published, as data.

`random.csv` and `cvrplib.csv`: Li et al., "Deep Reinforcement Learning for Solving the
Heterogeneous Capacitated Vehicle Routing Problem", IEEE Transactions on Cybernetics, 2021, the
tables for three vehicles, for five, and for CVRPLib. `fsmd.csv`: the best known values of the
fleet size and mix problem with variable costs on the instances of Golden et al. (1984) and
Taillard (1999), proven where it says so (Pessoa, Sadykov & Uchoa 2018; values as collected with
AILS-HVRP).
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


class Published(NamedTuple):
    """A published mean cost, and the seconds per instance that it took."""

    cost: float
    seconds: float


@cache
def random_sets() -> dict[tuple[str, str], dict[str, Published]]:
    """The means of the paper's tables by (set, objective) and method."""
    found: dict[tuple[str, str], dict[str, Published]] = {}
    for row in _rows("random"):
        cell = found.setdefault((row["set"], row["objective"]), {})
        cell[row["method"]] = Published(float(row["cost"]), float(row["seconds"]))
    return found


@cache
def cvrplib() -> dict[tuple[str, str], dict[str, float]]:
    """The costs of the paper's CVRPLib table by (instance, objective) and method."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in _rows("cvrplib"):
        found.setdefault((row["instance"], row["objective"]), {})[row["method"]] = float(
            row["cost"]
        )
    return found


@cache
def fsmd() -> dict[str, tuple[float, bool]]:
    """The best known cost of each instance, and whether it is proven optimal."""
    return {
        row["instance"]: (float(row["cost"]), row["optimal"] == "true") for row in _rows("fsmd")
    }


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
