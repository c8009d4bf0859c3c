"""VRPLIB `.vrp` files, plain, with a mixed fleet, and as Taillard's benchmark spells it.

The keywords are those of TSPLIB (Reinelt 1991) and CVRPLIB (Uchoa et al. 2017). Distances are
not rounded, and a unit cost of distance is 1/speed. `docs/formats.md` says what is read and why.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hcvrp.errors import InputError
from hcvrp.formats.fields import number_in, plain, whole_in
from hcvrp.formats.fleet import expanded
from hcvrp.instance import Instance, Vehicle
from hcvrp.wording import tidy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

TYPES = ("CVRP", "ACVRP", "HVRP", "HCVRP", "HFVRP")

_SPECIFICATIONS = (
    "NAME",
    "COMMENT",
    "TYPE",
    "DIMENSION",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
    "CAPACITY",
    "VEHICLES",
    "VEHICLE_KINDS",
)
_UNIT_COSTS = ("VEHICLES_UNIT_DISTANCE_COST_SECTION", "UNIT_DISTANCE_COST_SECTION")
_SECTIONS = (
    "NODE_COORD_SECTION",
    "DISPLAY_DATA_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DEMAND_SECTION",
    "DEPOT_SECTION",
    "CAPACITY_SECTION",
    *_UNIT_COSTS,
    "VEHICLES_RELOAD_DEPOT_SECTION",
    "CAPACITIES",
    "FIXED_COSTS",
    "COST_COEFFICIENTS",
    "VEHICLES_AVAILABLE",
)

_LAYOUTS: dict[str, tuple[str | None, bool]] = {
    "FULL_MATRIX": (None, True),
    "LOWER_ROW": ("lower", False),
    "UPPER_ROW": ("upper", False),
    "LOWER_DIAG_ROW": ("lower", True),
    "UPPER_DIAG_ROW": ("upper", True),
}
"""Which triangle of the matrix is given, row by row, and whether with the diagonal."""


@dataclass
class _File:
    """The file taken apart: a value per specification, the words of each section."""

    values: dict[str, str] = field(default_factory=dict)
    sections: dict[str, list[str]] = field(default_factory=dict)

    def whole(self, key: str) -> int:
        """A whole number of at least 1."""
        if key not in self.values:
            raise InputError(f"{key} is missing")
        return whole_in(self.values[key], key, least=1)

    def numbers(self, section: str) -> list[float]:
        """All numbers of a section."""
        if section not in self.sections:
            raise InputError(f"{section} is missing")
        return [number_in(word, section) for word in self.sections[section]]

    def table(self, section: str, rows: int, columns: int) -> Floats:
        """The columns beside the row numbers 1 to `rows`, which may come in any order."""
        numbers = self.numbers(section)
        if len(numbers) != rows * (columns + 1):
            raise InputError(
                f"{section} must hold {rows} rows of {columns + 1} numbers,"
                f" not {len(numbers)} numbers"
            )
        table = np.array(numbers).reshape(rows, columns + 1)
        table = table[np.argsort(table[:, 0], kind="stable")]
        wrong = np.flatnonzero(table[:, 0] != np.arange(1, rows + 1))
        if len(wrong):
            raise InputError(f"{section} has no row {wrong[0] + 1}")
        return table[:, 1:]


# Reading ------------------------------------------------------------------------------------------


def parse_instance(text: str, fleet: Sequence[Vehicle | float] | None = None) -> Instance:
    """The instance; `fleet` replaces the vehicles of the file, or gives those it lacks."""
    file = _take_apart(text)
    kind = file.values.get("TYPE", "CVRP").upper()
    if kind not in TYPES:
        raise InputError(f"TYPE must be one of {', '.join(TYPES)}, not {kind!r}")
    nodes = file.whole("DIMENSION")
    _check_depot(file)
    demands = file.table("DEMAND_SECTION", nodes, 1)[:, 0]
    if demands[0] != 0:
        raise InputError(f"DEMAND_SECTION: the demand of the depot must be 0, not {demands[0]:g}")
    points, matrix = _geometry(file, nodes)
    return Instance(
        demands[1:],
        _fleet(file, demands) if fleet is None else fleet,
        depot=None if points is None else points[0],
        customers=None if points is None else points[1:],
        distances=matrix,
        name=file.values.get("NAME") or None,
    )


def _take_apart(text: str) -> _File:
    file, section = _File(), ""
    for number, line in enumerate(text.splitlines(), start=1):
        head, _, value = line.partition(":")
        key = head.strip().upper()
        if key == "EOF":
            break
        if key in file.values or key in file.sections:
            raise InputError(f"line {number}: {key} is given twice")
        if key in _SECTIONS:
            section = key
            file.sections[section] = value.split()
        elif key in _SPECIFICATIONS:
            section = ""
            file.values[key] = value.strip()
        elif key and (not section or key[0].isalpha()):
            raise InputError(f"line {number}: unknown keyword {tidy(key)[:40]!r}")
        elif key:
            file.sections[section] += line.split()
    return file


def _check_depot(file: _File) -> None:
    depots = [plain(d) for d in file.numbers("DEPOT_SECTION") if d != -1]
    if depots != [1]:
        raise InputError(f"DEPOT_SECTION must name node 1 alone, not {depots}")


def _geometry(file: _File, nodes: int) -> tuple[Floats | None, Floats | None]:
    """Coordinates and matrix, the one or the other or both."""
    weights = file.values.get("EDGE_WEIGHT_TYPE", "EUC_2D").upper()
    if weights == "EUC_2D":
        return file.table("NODE_COORD_SECTION", nodes, 2), None
    if weights != "EXPLICIT":
        raise InputError(f"EDGE_WEIGHT_TYPE must be EUC_2D or EXPLICIT, not {weights!r}")
    drawn = [s for s in ("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION") if s in file.sections]
    points = file.table(drawn[0], nodes, 2) if drawn else None
    return points, _matrix(file, nodes)


def _matrix(file: _File, nodes: int) -> Floats:
    """The full matrix of EDGE_WEIGHT_SECTION; its diagonal, often 9999, has no meaning."""
    layout = file.values.get("EDGE_WEIGHT_FORMAT", "FULL_MATRIX").upper()
    if layout not in _LAYOUTS:
        known = ", ".join(_LAYOUTS)
        raise InputError(f"EDGE_WEIGHT_FORMAT must be one of {known}, not {layout!r}")
    weights = np.array(file.numbers("EDGE_WEIGHT_SECTION"))
    triangle, diagonal = _LAYOUTS[layout]
    size = nodes * nodes if triangle is None else nodes * (nodes + 2 * diagonal - 1) // 2
    if len(weights) != size:
        raise InputError(
            f"EDGE_WEIGHT_SECTION must hold {size} numbers ({layout}), not {len(weights)}"
        )
    matrix = weights.reshape(nodes, nodes) if triangle is None else np.zeros((nodes, nodes))
    if triangle == "lower":
        matrix[np.tril_indices(nodes, diagonal - 1)] = weights
    if triangle == "upper":
        matrix[np.triu_indices(nodes, 1 - diagonal)] = weights
    if triangle is not None:
        matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0.0)
    return matrix


def _fleet(file: _File, demands: Floats) -> list[Vehicle]:
    """One vehicle per kind, or per row of CAPACITY_SECTION, or VEHICLES equal ones."""
    if "CAPACITIES" in file.sections:
        capacities = file.numbers("CAPACITIES")
        costs = file.numbers("COST_COEFFICIENTS") if "COST_COEFFICIENTS" in file.sections else None
        return _vehicles(capacities, costs, "COST_COEFFICIENTS")
    if "CAPACITY_SECTION" in file.sections:
        count = len(file.sections["CAPACITY_SECTION"]) // 2
        if "VEHICLES" in file.values:
            count = file.whole("VEHICLES")
        capacities = file.table("CAPACITY_SECTION", count, 1)[:, 0].tolist()
    elif "VEHICLES" in file.values and "CAPACITY" in file.values:
        capacity = number_in(file.values["CAPACITY"], "CAPACITY")
        capacities = [v.capacity for v in expanded([Vehicle(capacity)], [file.whole("VEHICLES")])]
    else:
        raise _no_fleet(file, demands)
    return _with_unit_costs(file, capacities)


def _no_fleet(file: _File, demands: Floats) -> InputError:
    """The complaint, with a fleet to type: the file's capacity, as many as its name or load asks.

    CVRPLIB's names end in the number of vehicles, X-n101-k25; a capacity alone tells the least.
    """
    if "CAPACITY" not in file.values:
        return InputError(
            "the file names no fleet",
            code="fleet-missing",
            advice="give one, such as --fleet 20,25,30 on the command line"
            " or fleet=[20, 25, 30] in Python",
            upload="upload vehicles, or give fleet, such as fleet=20,25,30",
        )
    capacity = Vehicle(number_in(file.values["CAPACITY"], "CAPACITY")).capacity
    told = re.search(r"-k(\d{1,6})$", file.values.get("NAME", ""))
    least = min(sum(demands.tolist()) / capacity, 1_000_000)  # huge demands make it infinite
    count = int(told[1]) if told else max(1, math.ceil(least))
    each, words = plain(capacity), f"{plain(capacity)}x{count}"
    return InputError(
        f"the file has a CAPACITY of {each} but does not say how many vehicles there are",
        code="fleet-missing",
        advice=f"add --fleet {words} on the command line, or fleet=[{each}] * {count} in Python",
        upload=f"upload vehicles, or give fleet, such as fleet={words}",
    )


def _with_unit_costs(file: _File, capacities: list[float]) -> list[Vehicle]:
    for section in _UNIT_COSTS:
        if section in file.sections:
            costs = file.table(section, len(capacities), 1)[:, 0].tolist()
            return _vehicles(capacities, costs, section)
    return _vehicles(capacities, None, "")


def _vehicles(capacities: list[float], costs: list[float] | None, section: str) -> list[Vehicle]:
    if costs is None:
        return [Vehicle(capacity) for capacity in capacities]
    if len(costs) != len(capacities):
        raise InputError(f"{section} must hold {len(capacities)} numbers, not {len(costs)}")
    for cost in costs:
        if cost <= 0:
            raise InputError(f"{section} must be positive (a cost is 1/speed), not {cost:g}")
    return [Vehicle(q, 1 / cost) for q, cost in zip(capacities, costs, strict=True)]


# Writing ------------------------------------------------------------------------------------------


def format_instance(instance: Instance) -> str:
    """The instance with a capacity and a unit distance cost per vehicle.

    The dialect is the one PyVRP reads; the reload depot of each vehicle lets it make many trips.
    """
    points = instance.coordinates
    nodes, vehicles = instance.size + 1, range(1, len(instance.vehicles) + 1)
    name = " ".join((instance.name or "").split())
    lines = [f"NAME : {name}"] if name else []
    lines += ["TYPE : HVRP", f"DIMENSION : {nodes}", f"VEHICLES : {len(vehicles)}"]
    if instance.is_planar:
        lines += ["EDGE_WEIGHT_TYPE : EUC_2D"]
    else:
        lines += ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX"]
    if points is not None:
        # x is the longitude, so that other tools draw the map the right way round
        drawn = points if instance.metric == "euclidean" else points[:, ::-1]
        lines += ["NODE_COORD_SECTION", *_rows(drawn)]
    if not instance.is_planar:
        lines += ["EDGE_WEIGHT_SECTION", *(_words(row) for row in instance.distances)]
    lines += ["DEMAND_SECTION", *_rows(np.concatenate([[0.0], instance.demands])[:, None])]
    lines += ["DEPOT_SECTION", "1", "-1"]
    lines += ["CAPACITY_SECTION", *_rows(instance.capacities[:, None])]
    lines += [_UNIT_COSTS[0], *_rows(1 / instance.speeds[:, None])]
    lines += ["VEHICLES_RELOAD_DEPOT_SECTION", *(f"{v} 1" for v in vehicles), "EOF", ""]
    return "\n".join(lines)


def _rows(table: Floats) -> list[str]:
    return [f"{number} {_words(row)}" for number, row in enumerate(table, start=1)]


def _words(numbers: Floats) -> str:
    return " ".join(str(plain(number)) for number in numbers.tolist())
