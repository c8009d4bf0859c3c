"""Instances that every method is tried on, and the public benchmark files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import hcvrp

settings.register_profile("hcvrp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hcvrp")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of public benchmark files, or a skip that says where it was looked for."""
    folder = Path(os.environ.get("HCVRP_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark files at {folder} (set HCVRP_DATA)")
    return folder


def nasty_instances() -> dict[str, hcvrp.Instance]:
    """What breaks methods: extremes of size, geometry, load and direction."""
    rng = np.random.default_rng(5)
    points = rng.uniform(size=(13, 2))
    matrix = rng.uniform(1, 9, size=(9, 9))
    np.fill_diagonal(matrix, 0)
    return {
        "one customer": hcvrp.Instance([3], [5], depot=(0, 0), customers=[(1, 1)]),
        "one vehicle": hcvrp.Instance(
            rng.integers(1, 9, 12), [15], depot=points[0], customers=points[1:]
        ),
        "everything at the depot": hcvrp.Instance(
            [1, 2, 3], [3, 4], depot=(0, 0), customers=[(0, 0)] * 3
        ),
        "coincident customers": hcvrp.Instance(
            [2] * 8, [4, 6], depot=(0, 0), customers=[(1, 1)] * 4 + [(2, 0)] * 4
        ),
        "demands equal to capacity": hcvrp.Instance(
            [7.5] * 6, [7.5, 7.5], depot=points[0], customers=points[1:7]
        ),
        "one giant vehicle": hcvrp.Instance(
            [1] * 12, [100, 1], depot=points[0], customers=points[1:]
        ),
        "real-valued": hcvrp.Instance(
            [0.1, 0.2, 0.3, 0.7, 1.1],
            [hcvrp.Vehicle(1.1, 0.3), hcvrp.Vehicle(0.6, 2.5)],
            depot=points[0],
            customers=points[1:6],
        ),
        "zero demands": hcvrp.Instance([0] * 5 + [4], [4], depot=points[0], customers=points[1:7]),
        "asymmetric": hcvrp.Instance(
            rng.integers(1, 9, 8), [10, hcvrp.Vehicle(12, 0.5)], distances=matrix
        ),
        "more vehicles than customers": hcvrp.Instance(
            [1, 2], [2, 3, 4, 5, 6, 7, 8], depot=points[0], customers=points[1:3]
        ),
        "large numbers": hcvrp.Instance(
            [1e6, 2e6, 3e6], [3e6, 4e6], depot=(1e7, 1e7), customers=1e7 * points[1:4]
        ),
    }


@pytest.fixture(params=sorted(nasty_instances()))
def nasty(request: pytest.FixtureRequest) -> hcvrp.Instance:
    return nasty_instances()[request.param]
