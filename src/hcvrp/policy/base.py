"""What every policy network is to those that use it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from hcvrp.env import Batch, Decoder
from hcvrp.env.tensors import mapped
from hcvrp.policy.config import NetworkConfig
from hcvrp.solution import Objective


class Network(nn.Module, ABC):
    """A policy network: `encode` does once per batch all that does not depend on the step."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config

    @abstractmethod
    def encode(
        self, batch: Batch, objective: Objective = Objective.MIN_MAX, *, mixed: bool = False
    ) -> Decoder:
        """Embeds the batch; with `mixed`, large products on a CUDA device are in bfloat16.

        Networks trained for one objective do not look at `objective`.
        """


def detached(decoder: Decoder) -> Decoder:
    """The same record without gradients, for rollouts."""
    return mapped(decoder, Tensor.detach)
