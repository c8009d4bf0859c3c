"""Rollout steps captured as CUDA graphs: one launch per chunk instead of hundreds.

Everything captured is free of host synchronisation, of shapes that depend on data and of random
numbers: noise comes in as a tensor.
"""

from __future__ import annotations

import logging
import threading
from typing import Any, TypeVar

import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.replay import Actions
from hcvrp.env.rollout import Advance, Decoder, Progress, TakeStep, advance, take_step
from hcvrp.env.state import State
from hcvrp.env.tensors import constants, mapped, tensors

logger = logging.getLogger(__name__)

_local = threading.local()

R = TypeVar("R")

SHAPES = 64
"""Shapes of one process that are captured, or that a function is compiled for."""


def lasting_advance(device: torch.device) -> Advance:
    """Captured graphs for a run that comes back to many shapes: every one is kept."""
    return GraphedAdvance(keep=SHAPES) if device.type == "cuda" else advance


def best_advance(device: torch.device, step: TakeStep = take_step) -> Advance:
    """Captured graphs on a CUDA device, plain steps elsewhere.

    `step` may be a quicker twin of `take_step`. Graphs are kept for as long as their thread lives:
    each has buffers of its own.
    """
    if device.type != "cuda":
        return advance
    kept: dict[Any, GraphedAdvance] = _local.__dict__.setdefault("graphs", {})
    if (device, step) not in kept:
        kept[device, step] = GraphedAdvance(step)
    return kept[device, step]


class GraphedAdvance:
    """`advance` as a CUDA graph per shape; plain steps, and one line in the log, if that fails.

    Where more than a chunk is being captured its steps join that graph. The state and memory it
    returns are its own buffers, good until the next call.
    """

    def __init__(self, step: TakeStep = take_step, keep: int = 4) -> None:
        self.keep = keep
        self._step = step
        self._captured: dict[Any, _Captured] = {}
        self._last: _Captured | None = None
        self._failed = False

    def __call__(
        self, batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
    ) -> Progress:
        """CHUNK steps on."""
        if self._failed or capturing():
            return advance(batch, decoder, state, memory, noise, self._step)
        inputs = (batch, decoder, state, memory, noise)
        if self._last is not None and self._last.goes_on(*inputs):
            return self._last(*inputs)
        key = (type(decoder), *(signature(record) for record in inputs))
        if key not in self._captured:
            try:
                self._capture(key, *inputs)
            except RuntimeError as error:
                self._fall_back(error)
                return self(*inputs)
        self._last = self._captured[key]
        return self._last(*inputs)

    def _capture(self, key: Any, *inputs: Any) -> None:
        while len(self._captured) >= self.keep:
            self._captured.pop(next(iter(self._captured)))
        self._captured[key] = _Captured(self._step, *inputs)

    def _fall_back(self, error: RuntimeError) -> None:
        """From quicker to plain captured steps, and from those to no capture at all."""
        what = "plain steps" if self._step is not take_step else "steps that are not captured"
        logger.warning("going on with %s: %s", what, str(error).partition("\n")[0])
        self._failed = self._step is take_step
        self._step = take_step


class _Captured:
    """One graph with the buffers it reads and writes."""

    def __init__(
        self,
        take_step: TakeStep,
        batch: Batch,
        decoder: Decoder,
        state: State,
        memory: Tensor,
        noise: Tensor | None,
    ) -> None:
        self.take_step = take_step
        self.batch, self.decoder = buffers(batch), buffers(decoder)
        self.state, self.memory = buffers(state), buffers(memory)
        self.noise = None if noise is None else buffers(noise)
        self.loaded: tuple[Any, Any] = (None, None)
        self._warm_up()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            progress = self._advance()
            copy_into(self.state, progress.state)
            copy_into(self.memory, progress.memory)
        self.actions = progress.actions

    def goes_on(
        self, batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
    ) -> bool:
        """Whether this is the next chunk of the rollout that was here last."""
        return (
            self.loaded[0] is batch
            and self.loaded[1] is decoder
            and self.state is state
            and self.memory is memory
            and (self.noise is None) is (noise is None)
        )

    def __call__(
        self, batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
    ) -> Progress:
        if self.loaded[0] is not batch or self.loaded[1] is not decoder:
            copy_into(self.batch, batch)
            copy_into(self.decoder, decoder)
            self.loaded = (batch, decoder)
        if state is not self.state:
            copy_into(self.state, state)
            copy_into(self.memory, memory)
        if noise is not None and self.noise is not None:
            self.noise.copy_(noise)
        self.graph.replay()
        actions = Actions(self.actions.vehicle.clone(), self.actions.node.clone())
        return Progress(self.state, self.memory, actions)

    def _advance(self) -> Progress:
        return advance(
            self.batch, self.decoder, self.state, self.memory, self.noise, self.take_step
        )

    def _warm_up(self) -> None:
        """Lets libraries allocate their workspaces outside the capture, on a side stream."""
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):
                self._advance()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()


def buffers(record: R) -> R:
    """A copy of its own memory, laid out the same way wherever it came from."""
    return mapped(record, lambda t: t.clone(memory_format=torch.contiguous_format))


def copy_into(target: R, source: R) -> None:
    """Every tensor of `source` into that of `target`."""
    for new, buffer in zip(tensors(source), tensors(target), strict=True):
        buffer.copy_(new)


def capturing() -> bool:
    """Whether this moment is being captured.

    No other capture can begin then, and an error says nothing of what raised it.
    """
    awake = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    return awake and torch.cuda.is_current_stream_capturing()


def signature(record: Any) -> tuple[Any, ...]:
    """What a graph is bound to: shapes, types, and all that is no tensor."""
    return (*((t.shape, t.dtype) for t in tensors(record)), *constants(record))
