"""Muon: matrices learn by orthogonal steps, everything else by Adam's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim.adam import adam

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
"""Of the Newton–Schulz polynomial: singular values from 0.003 to 1 come close to 1."""

SMALLEST = 32
"""Matrices that are thinner are read row by row: what they read are single numbers."""


class Muon(torch.optim.Optimizer):
    """Momentum whose matrices are made orthogonal before each step (Jordan et al. 2024).

    With the gradient G of a matrix W of n × m,

        M ← μ M + (1 − μ) G,    W ← W − η · 0.2 √max(n, m) · U Vᵀ,    U Σ Vᵀ = (1 − μ) G + μ M,

    so all directions of a matrix learn alike, not only those that its gradient is full of. The
    factor makes steps as large as Adam's, so one rate η fits both (Liu et al. 2025). Vectors and
    thin matrices follow Adam (Kingma & Ba 2015). Nothing asks the device, so it can be captured.
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float | Tensor,
        momentum: float = 0.95,
        betas: tuple[float, float] = (0.9, 0.999),
    ) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "betas": betas})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """One step down the gradients."""
        assert closure is None
        for group in self.param_groups:
            learning = [p for p in group["params"] if p.grad is not None]
            self._turn([p for p in learning if is_matrix(p)], group)
            self._adapt([p for p in learning if not is_matrix(p)], group)

    def _turn(self, matrices: list[Tensor], group: dict[str, Any]) -> None:
        for alike in _by_shape(matrices):
            gradients = _gradients(alike)
            momenta = [self._kept(p, "momentum") for p in alike]
            torch._foreach_lerp_(momenta, gradients, 1 - group["momentum"])
            mixed = torch._foreach_lerp(gradients, momenta, group["momentum"])
            steps = orthogonal(torch.stack(mixed)) * (0.2 * max(alike[0].shape) ** 0.5)
            torch._foreach_sub_(alike, list((steps * group["lr"]).unbind()))

    def _adapt(self, others: list[Tensor], group: dict[str, Any]) -> None:
        cuda = bool(others) and others[0].is_cuda
        adam(
            others,
            _gradients(others),
            [self._kept(p, "mean") for p in others],
            [self._kept(p, "square") for p in others],
            [],
            [self._kept(p, "steps", ()) for p in others],
            fused=cuda,
            capturable=cuda,
            amsgrad=False,
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )

    def _kept(self, p: Tensor, name: str, shape: tuple[int, ...] | None = None) -> Tensor:
        """What is remembered of a parameter, zero at first."""
        state: dict[str, Tensor] = self.state[p]
        if name not in state:
            state[name] = torch.zeros_like(p) if shape is None else p.new_zeros(shape)
        return state[name]


def is_matrix(parameter: Tensor) -> bool:
    """Whether it maps one vector of features to another."""
    return parameter.ndim == 2 and min(parameter.shape) >= SMALLEST


def orthogonal(matrices: Tensor) -> Tensor:
    """About U Vᵀ of matrices U Σ Vᵀ, (K, n, m): five steps of a polynomial in X Xᵀ.

    Rough is good enough, so on a GPU in bfloat16. The coefficients are those of Jordan et al.
    """
    x = matrices / (torch.linalg.matrix_norm(matrices, keepdim=True) + 1e-7)
    x = x.bfloat16() if x.is_cuda else x
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.mT
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    found: Tensor = x.mT if tall else x
    return found.to(matrices.dtype)


def _gradients(parameters: list[Tensor]) -> list[Tensor]:
    return [p.grad for p in parameters if p.grad is not None]


def _by_shape(parameters: list[Tensor]) -> Iterable[list[Tensor]]:
    """Those of one shape together: few large products instead of many small ones."""
    groups: dict[torch.Size, list[Tensor]] = defaultdict(list)
    for parameter in parameters:
        groups[parameter.shape].append(parameter)
    return groups.values()
