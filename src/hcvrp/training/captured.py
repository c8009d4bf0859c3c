"""Whole updates captured as CUDA graphs: one launch instead of a thousand.

What an update does depends on data in two places only: how many steps its rollouts take, and how
many departures they have. A few plain updates show how many that are; a captured one takes the most
that was seen and never looks, so the host runs ahead and draws the next batch meanwhile. An
instance of which a rollout would have taken more teaches nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor

from hcvrp.env.graph import buffers, copy_into, signature
from hcvrp.env.tensors import tensors

logger = logging.getLogger(__name__)

REHEARSALS = 4
"""Plain updates of a shape before it is captured."""

CHECKED, MOST_LOST = 200, 1e-3
"""So often the host looks whether a graph loses more than this share: then it is captured anew."""

ATTEMPTS = 2
"""A process's first capture may find libraries not ready yet; its second does not."""


class Sizes(NamedTuple):
    """What a captured update has to know beforehand."""

    steps: int
    departures: int = 0


class Figures(NamedTuple):
    """What an update tells: tensors that stay on the device until somebody looks."""

    cost: Tensor
    baseline: Tensor
    gradient_norm: Tensor
    lost: Tensor  # the share of rollouts that taught nothing, 0 unless sizes were given


Record = TypeVar("Record")
Given = TypeVar("Given", contravariant=True)


class Learn(Protocol[Given]):
    """One update from a batch, a record of tensors; it says which sizes it had unless given."""

    def __call__(
        self, batch: Given, generator: torch.Generator, sizes: Sizes | None, /
    ) -> tuple[Figures, Sizes]:
        """Samples, learns."""
        ...


class CapturedUpdates:
    """One graph per key and shape; plain updates, with a line in the log, if capture fails.

    Graphs share one pool of memory: none runs while another does, and each writes all it reads
    but for the batch, the weights and the optimiser's state, which are outside.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._seen: dict[Any, list[Sizes]] = {}
        self._graphs: dict[Any, _Graph] = {}
        self._pool: Any = None
        self._failures = 0

    def __call__(self, key: Hashable, batch: Record, seed: int, learn: Learn[Record]) -> Figures:
        """An update from the batch; `seed` decides its samples."""
        key = (key, signature(batch))
        seen = self._seen.setdefault(key, [])
        if key not in self._graphs and len(seen) >= REHEARSALS and self.rehearsing:
            self._capture(key, batch, learn, Sizes(*map(max, zip(*seen, strict=True))))
        if key in self._graphs:
            figures = self._graphs[key](batch, seed)
            if self._graphs[key].outgrown():
                del self._graphs[key]
                seen.clear()
            return figures
        # Laid out as a graph has it, so that what is compiled here fits there.
        figures, sizes = learn(buffers(batch), torch.Generator(self.device).manual_seed(seed), None)
        seen.append(sizes)
        return figures

    @property
    def rehearsing(self) -> bool:
        """Whether sizes are still worth looking at."""
        return self._failures < ATTEMPTS

    def _capture(self, key: Any, batch: Record, learn: Learn[Record], sizes: Sizes) -> None:
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()
        try:
            self._graphs[key] = _Graph(batch, learn, sizes, self._pool)
        except RuntimeError as error:
            torch.cuda.synchronize()
            self._failures += 1
            self._pool = None  # torch takes what failed for a capture that is still under way
            logger.warning("an update was not captured: %s", str(error).partition("\n")[0])


class _Graph:
    """A graph, the batch it reads and the generator that is registered with it."""

    def __init__(self, batch: Record, learn: Learn[Record], sizes: Sizes, pool: Any) -> None:
        self.batch: Any = buffers(batch)
        device = next(tensors(batch)).device
        self.generator = torch.Generator(device)
        self.graph = torch.cuda.CUDAGraph()
        self.graph.register_generator_state(self.generator)
        with torch.cuda.graph(self.graph, pool=pool):
            self.figures, _ = learn(self.batch, self.generator, sizes)
        self.calls = 0
        self.lost = torch.zeros((), device=device)

    def __call__(self, batch: Any, seed: int) -> Figures:
        copy_into(self.batch, batch)
        self.generator.manual_seed(seed)
        self.graph.replay()
        self.calls += 1
        self.lost += self.figures.lost
        return Figures(*(figure.clone() for figure in self.figures))

    def outgrown(self) -> bool:
        """Whether the policy has come to need more than was seen; looks every CHECKED calls."""
        if self.calls % CHECKED:
            return False
        mean = float(self.lost) / CHECKED
        self.lost.zero_()
        return mean > MOST_LOST
