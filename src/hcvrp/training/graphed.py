"""Encoders captured as CUDA graphs, forward and backward: two launches instead of a thousand."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from hcvrp.env import Batch, Decoder
from hcvrp.env.graph import signature
from hcvrp.env.tensors import mapped, tensors
from hcvrp.policy.network import Network
from hcvrp.solution import Objective

logger = logging.getLogger(__name__)

ATTEMPTS = 2
"""A process's first capture may find libraries not ready yet; its second does not."""

KEPT = 32
"""Pairs of graphs that are kept: sixteen shapes for both objectives."""

Encode: TypeAlias = Callable[[Batch, Objective], Decoder]


def graphed_encode(
    network: Network, device: torch.device, *, mixed: bool, captured: bool = True
) -> Encode:
    """`network.encode` for training: captured, if it may be, on a CUDA device."""
    if captured and device.type == "cuda":
        return GraphedEncode(network, mixed=mixed)
    return lambda batch, objective: network.encode(batch, objective, mixed=mixed)


class GraphedEncode:
    """One pair of graphs per shape and objective; plain, with a line in the log, if that fails.

    What it returns lives in buffers of its own, good until the next call with the same shape.
    """

    def __init__(self, network: Network, *, mixed: bool) -> None:
        self.network = network
        self.mixed = mixed
        self._captured: dict[Any, Encode] = {}

    def __call__(self, batch: Batch, objective: Objective) -> Decoder:
        """The batch as the network sees it, with gradients to its weights."""
        key = (objective, signature(batch))
        if key not in self._captured:
            while len(self._captured) >= KEPT:  # each has memory of its own
                self._captured.pop(next(iter(self._captured)))
            self._captured[key] = self._capture(batch, objective)
        return self._captured[key](batch, objective)

    def _capture(self, batch: Batch, objective: Objective) -> Encode:
        for _ in range(ATTEMPTS):
            try:
                return _Captured(self.network, batch, objective, mixed=self.mixed)
            except RuntimeError as error:
                torch.cuda.synchronize()
                logger.warning("the encoder was not captured: %s", str(error).splitlines()[0])
        return lambda batch, objective: self.network.encode(batch, objective, mixed=self.mixed)


class _Captured:
    def __init__(
        self, network: Network, batch: Batch, objective: Objective, *, mixed: bool
    ) -> None:
        self.example = network.encode(batch, objective, mixed=mixed)
        self.learned = [t.requires_grad for t in tensors(self.example)]
        module = _OnTensors(network, batch, objective, mixed=mixed)
        self.graphed: Any = torch.cuda.make_graphed_callables(
            module, tuple(t.clone() for t in tensors(batch)), allow_unused_input=True
        )
        self.example = mapped(self.example, Tensor.detach)

    def __call__(self, batch: Batch, objective: Objective) -> Decoder:  # noqa: ARG002
        found: tuple[Tensor, ...] = self.graphed(*tensors(batch))
        pairs = zip(found, self.learned, strict=True)
        outputs = iter([t if learned else t.detach() for t, learned in pairs])
        return mapped(self.example, lambda _: next(outputs))


class _OnTensors(nn.Module):
    """`encode` from tensors to tensors, as a capture wants it."""

    def __init__(
        self, network: Network, batch: Batch, objective: Objective, *, mixed: bool
    ) -> None:
        super().__init__()
        self.network = network
        self.batch, self.objective, self.mixed = batch, objective, mixed

    def forward(self, *values: Tensor) -> tuple[Tensor, ...]:
        given = iter(values)
        batch = mapped(self.batch, lambda _: next(given))
        return tuple(tensors(self.network.encode(batch, self.objective, mixed=self.mixed)))
