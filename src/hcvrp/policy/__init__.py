"""Learned policies: networks, decoding, weights, and the methods made of them."""

from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.decoding import Decoding, decode
from hcvrp.policy.network import Network, build
from hcvrp.policy.policy import AttentionModel, Paper, Policy
from hcvrp.policy.weights import Description, Weights, describe, read_weights, shipped

__all__ = [
    "AttentionModel",
    "Decoding",
    "Description",
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
