"""Batch normalisation that is the same on one process and on many."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional


class BatchNorm(nn.Module):
    """y = γ (x − μ)/√(σ² + ε) + β over instances and nodes (Ioffe & Szegedy 2015).

    In training mode μ and σ² are those of the batch, joined over all processes; in evaluation
    they are running averages, which follow only the passes that carry gradients, so that
    rollouts leave no trace.
    """

    mean: Tensor
    variance: Tensor
    momentum = 0.1
    epsilon = 1e-5

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("variance", torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:  # (B, N, dim)
        """The normalised `x`."""
        rows = x.flatten(0, -2)
        if self.training and _processes() > 1:
            return self._joined(rows).view_as(x)
        track = self.training and torch.is_grad_enabled()
        running = track or not self.training
        return functional.batch_norm(
            rows,
            self.mean if running else None,
            self.variance if running else None,
            self.weight,
            self.bias,
            training=self.training,
            momentum=self.momentum,
            eps=self.epsilon,
        ).view_as(x)

    def _joined(self, rows: Tensor) -> Tensor:
        """By the sums of all processes, with gradients through them."""
        wide = rows.to(torch.promote_types(rows.dtype, torch.float32))
        ones = wide.new_ones(1, 1).expand(1, rows.shape[1])
        sums: Tensor = _AllReduce.apply(  # type: ignore[no-untyped-call]
            torch.cat(
                [wide.sum(0, keepdim=True), wide.square().sum(0, keepdim=True), ones * len(rows)]
            )
        )
        count = sums[2]
        mean = sums[0] / count
        variance = sums[1] / count - mean.square()
        if torch.is_grad_enabled():
            unbiased = variance * (count / (count - 1))
            self.mean.lerp_(mean.detach(), self.momentum)
            self.variance.lerp_(unbiased.detach(), self.momentum)
        scale = self.weight * torch.rsqrt(variance + self.epsilon)
        return ((wide - mean) * scale + self.bias).to(rows.dtype)


class _AllReduce(torch.autograd.Function):
    """The sum over processes; its gradient is the sum of their gradients."""

    @staticmethod
    def forward(ctx: object, value: Tensor) -> Tensor:  # noqa: ARG004
        total = value.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:  # noqa: ARG004
        total = gradient.contiguous().clone()
        dist.all_reduce(total)
        return total


def _processes() -> int:
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1
