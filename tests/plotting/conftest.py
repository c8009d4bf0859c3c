import pytest

import hcvrp

EVIL = '</script><script>alert("1")</script> & <b>$x^2$</b>\n\x00 ' + "long " * 200


@pytest.fixture
def triangle():
    """Vehicle times by hand: 12 + 10 = 22 over two trips; none; 2 · 5 / 2 = 5."""
    instance = hcvrp.Instance(
        [2, 3, 4, 1],
        [hcvrp.Vehicle(5), hcvrp.Vehicle(1), hcvrp.Vehicle(10, 2.0)],
        depot=(0, 0),
        customers=[(3, 0), (3, 4), (0, -5), (-5, 0)],
        name="Triangle",
    )
    return instance, hcvrp.Solution([[[1, 2], [3]], [], [[4]]])


@pytest.fixture
def evil():
    """Names that try to break out of text, markup, script, mathtext and the page's width."""
    instance = hcvrp.Instance(
        [1, 1],
        [hcvrp.Vehicle(1, name=EVIL), hcvrp.Vehicle(1, name="配送 🚚")],
        depot=(0, 0),
        customers=[(1, 0), (0, 1)],
        name=EVIL,
        customer_names=[EVIL, "</svg>"],
    )
    return instance, hcvrp.Solution([[[1]], [[2]]])


def awkward_cases():
    one = hcvrp.Instance([1], [1], depot=(0, 0), customers=[(1, 1)])
    same = hcvrp.Instance([0, 0], [1, 1], depot=(2, 2), customers=[(2, 2), (2, 2)])
    line = hcvrp.Instance([1, 1], [2], depot=(0, 0), customers=[(1e6, 0), (2e6, 0)])
    matrix = hcvrp.Instance([1, 1], [2, 2], distances=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    globe = hcvrp.Instance(
        [1, 1], [2], depot=(1, 179), customers=[(0, -179), (0, 178)], metric="great-circle"
    )
    return {
        "one customer": (one, hcvrp.Solution([[[1]]])),
        "coincident": (same, hcvrp.Solution([[[1], [2]], []])),
        "collinear": (line, hcvrp.Solution([[[1, 2]]])),
        "matrix": (matrix, hcvrp.Solution([[], [[2, 1]]])),
        "great-circle": (globe, hcvrp.Solution([[[1], [2]]])),
    }


@pytest.fixture(params=awkward_cases())
def awkward(request):
    return awkward_cases()[request.param]
