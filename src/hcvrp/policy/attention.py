"""Multi-head attention (Vaswani et al. 2017) and clipping, shared by encoders and decoders."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

FEW_QUERIES = 8
"""Up to so many queries a fused kernel, made for tiles of many, wastes most of its work."""


def split(x: Tensor, heads: int) -> Tensor:
    """(B, L, dim) as (B, heads, L, dim / heads)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """softmax(QKᵀ/√dim_k) V for each head (Li et al. 2021, eq. 16), the heads side by side.

    Args:
        query: (B, heads, L, dim_k).
        key: (B, heads, N, dim_k).
        value: (B, heads, N, dim_k).
        mask: (B, 1, L, N) or (B, 1, 1, N), True where attention may go; None for everywhere.

    Returns:
        (B, L, heads · dim_k).
    """
    if query.shape[2] <= FEW_QUERIES:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        mixed = scores.softmax(-1) @ value
    else:
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return mixed.transpose(1, 2).flatten(2)


def below_best(scores: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Scores as bounded distances below the best allowed one, −∞ where masked.

        u_j = C tanh((x_j − max_k x_k) / C)

    Bounding x_j itself (Kool et al. 2019) loses the order of candidates that all lie beyond the
    bound, and with it every gradient that could bring them back: with many customers far from a
    vehicle all of them ended there, level with the depot, and the policy went home after each.
    Here the best differ as they are, and no choice is ever impossible.
    """
    best = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    return (clip * torch.tanh((scores - best) / clip)).masked_fill(~mask, -math.inf)
