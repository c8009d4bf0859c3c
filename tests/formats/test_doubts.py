"""Stops that lie absurdly far from the others."""

import numpy as np
import pytest

from hcvrp import Instance
from hcvrp.formats import far_out

TOWN = [(48.10, 11.50), (48.10, 11.52), (48.10, 11.54), (48.12, 11.52), (48.08, 11.52)]


def on_the_globe(depot, customers, **options):
    n = len(customers)
    options = {"metric": "great-circle"} | options
    return Instance([1] * n, [n], depot=depot, customers=customers, **options)


def test_a_swapped_stop_is_named_with_its_distance():
    near = [(0, 90), (0.01, 90), (-0.01, 90), (0, 89.99)]  # 1.1 km from the middle, (0, 90)
    stops = on_the_globe((0, 90.01), [*near, (90, 0)], customer_names=[*"ABCD", "School"])
    assert far_out(stops) == (
        "stop School lies 10008 km from the middle of all stops, half of them within 1 km: its"
        " latitude and longitude look swapped"
    )


def test_the_depot_may_be_the_one():
    sentence = far_out(on_the_globe((11.5, 48.1), TOWN))
    assert sentence.startswith("the depot lies 52")
    assert sentence.endswith("its latitude and longitude look swapped")


def test_another_slip_and_how_many_more():
    sentence = far_out(on_the_globe(TOWN[0], [*TOWN[1:], (4.81, 11.5), (4.81, 11.52)]))
    assert sentence.startswith("stop 5 lies 48")
    assert sentence.endswith(
        "is there a slip in its latitude or longitude? (1 more are as far out)"
    )


@pytest.mark.parametrize(
    "instance",
    [
        on_the_globe(TOWN[0], TOWN[1:]),
        on_the_globe(TOWN[0], [*TOWN[1:], (50.5, 11.5)]),  # 267 km
        on_the_globe((48, 11), [(48 + k, 11) for k in range(1, 10)]),  # a whole country
        on_the_globe((48, 11), [(11, 48)]),  # who is far from whom?
        on_the_globe((0, 179.9), [(0, -179.9), (0.1, 179.9), (0.1, -179.9)]),  # the date line
        on_the_globe((0, 0), [(0, 1), (1, 0), (5000, 5000)], metric="euclidean"),
        on_the_globe(TOWN[0], [*TOWN[1:], (11.5, 48.1)], distances=1 - np.eye(6)),
    ],
)
def test_no_doubt(instance):
    assert far_out(instance) is None
