"""The instances of the exact method's tables, by the name of their set."""

import math
import os
from pathlib import Path

from hcvrp import Instance, Vehicle, paper_set
from hcvrp.generator import paper_fleet

DATA = Path(os.environ.get("HCVRP_DATA", Path(__file__).parents[2] / "../shared/data"))

REPRODUCED = ("P-n60-k10", "A-n61-k9", "B-n41-k6", "M-n101-k10")
"""CVRPLIB instances whose published min-sum optimum the inferred adaptation reproduces."""

Sections = dict[str, list[list[str]]]


def instances(name: str, objective: str) -> list[Instance]:
    """A paper set ("v3-c40"), "fsmd" (Taillard) or "cvrplib" (the four reproduced ones)."""
    if name == "fsmd":
        return [fsmd(path) for path in sorted((DATA / "hvrp").glob("Taillard_*.txt"))]
    if name == "cvrplib":
        return [adapted(DATA / "cvrplib" / f"{n}.vrp", objective) for n in REPRODUCED]
    return paper_set(name, objective)


def fsmd(path: Path) -> Instance:
    """Fleet size and mix with variable costs: any number of trips, pace = cost coefficient."""
    sections = read_sections(path)
    capacities = map(float, sections["CAPACITIES"][0])
    paces = map(float, sections["COST_COEFFICIENTS"][0])
    fleet = [Vehicle(q, 1 / pace) for q, pace in zip(capacities, paces, strict=True)]
    points, demands = _nodes(sections)
    return Instance(demands[1:], fleet, depot=points[0], customers=points[1:], name=path.stem)


def adapted(path: Path, objective: str) -> Instance:
    """The paper's adaptation as inferred: demands ⌈d / k⌉ with k = ⌈d_max / 12⌉, the V3 fleet."""
    points, demands = _nodes(read_sections(path))
    k = math.ceil(max(demands) / 12)
    scaled = [math.ceil(d / k) for d in demands[1:]]
    fleet = paper_fleet(3, objective)
    return Instance(scaled, fleet, depot=points[0], customers=points[1:], name=path.stem)


def read_sections(path: Path) -> Sections:
    """The lines below each heading, split into words."""
    sections: Sections = {}
    for line in path.read_text(encoding="latin-1").splitlines():
        words = line.split()
        if not words or ":" in line:
            continue
        if words[0][0].isalpha():
            sections[words[0]] = []
        elif sections:
            sections[list(sections)[-1]].append(words)
    return sections


def _nodes(sections: Sections) -> tuple[list[list[float]], list[float]]:
    points = [[float(x), float(y)] for _, x, y in sections["NODE_COORD_SECTION"]]
    return points, [float(demand) for _, demand in sections["DEMAND_SECTION"]]
