"""Learned policies: networks, decoding, weights, and the methods made of them."""

from hcvrp.errors import InputError

try:
    import safetensors  # noqa: F401
    import torch  # noqa: F401
except ImportError:
    raise InputError("learned policies need torch: pip install 'hcvrp[learn]'") from None

from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.decoding import Decoding, decode
from hcvrp.policy.network import Network, build
from hcvrp.policy.policy import AttentionModel, Fleet, Paper, Policy
from hcvrp.policy.weights import Description, Weights, describe, read_weights, shipped

__all__ = [
    "AttentionModel",
    "Decoding",
    "Description",
    "Fleet",
    "Network",
    "NetworkConfig",
    "Paper",
    "Policy",
    "Weights",
    "build",
    "decode",
    "describe",
    "read_weights",
    "shipped",
]
