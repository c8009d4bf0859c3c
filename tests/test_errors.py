"""The one exception for bad input: its words, also with a place before them and elsewhere."""

import pickle

import pytest

from hcvrp.errors import InputError
from hcvrp.formats.files import blamed
from hcvrp.instance import NodeError


@pytest.mark.parametrize("sent", [False, True])
def test_a_place_is_put_before_the_sentence_and_the_advice_stays_behind(sent):
    with pytest.raises(InputError) as caught, blamed("day.csv"):
        raise InputError("no fleet", code="fleet-missing", advice="give one", upload="upload one")
    error = pickle.loads(pickle.dumps(caught.value)) if sent else caught.value
    assert str(error) == "day.csv: no fleet: give one"
    assert error.args == ("day.csv: no fleet",)
    assert (error.code, error.advice, error.upload) == ("fleet-missing", "give one", "upload one")


def test_a_node_travels_with_its_error():
    error = pickle.loads(pickle.dumps(NodeError("too much", 7, "fleet-too-small")))
    assert (type(error), str(error), error.node, error.code) == (
        NodeError, "too much", 7, "fleet-too-small",
    )  # fmt: skip
