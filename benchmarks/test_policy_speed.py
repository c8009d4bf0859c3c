"""Steps of the environment, the encoder, and decoding, on one thread."""

import pytest
import torch

from hcvrp.env import collate, initial, node_mask, step, vehicle_mask
from hcvrp.generator import paper_set
from hcvrp.policy import Decoding, NativeFleet, NetworkConfig, build, decode
from hcvrp.policy.weights import write_weights
from hcvrp.search import native
from hcvrp.solution import Objective

STEPS = 32


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def batch():
    return collate(paper_set("v3-c40")[:64])


@pytest.fixture(scope="module")
def network():
    return build(NetworkConfig("paper", 3), seed=0).eval().requires_grad_(False)


def test_environment_steps(ratio, batch):
    def steps():
        state = initial(batch, 4)
        for _ in range(STEPS):
            vehicle = vehicle_mask(batch, state).int().argmax(-1)
            node = node_mask(batch, state, vehicle).int().argmax(-1)
            state = step(batch, state, vehicle, node)

    ratio(steps)


def test_encoder(ratio, batch, network):
    ratio(lambda: network.encode(batch))


def test_greedy_decoding(ratio, batch, network):
    ratio(lambda: decode(network, batch, Objective.MIN_MAX, Decoding()))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "fleet.safetensors"
    write_weights(path, build(NetworkConfig("fleet", layers=6), seed=0), None, 100)
    return NativeFleet.load(path)


@pytest.mark.parametrize("samples", [0, 64])
def test_compiled_fleet(ratio, fleet, samples):
    """Against nearest-neighbour tours through the same hundred customers, both compiled."""
    instance = paper_set("v3-c100")[0]
    problem = native.problem(instance)
    ratio(
        lambda: fleet.solve(instance, Objective.MIN_MAX, samples=samples),
        lambda: native.core.nearest_neighbour_tours(problem, 1000),
    )
