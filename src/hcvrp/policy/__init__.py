"""Learned policies: networks, decoding, weights, and the methods made of them.

The public names are imported when first used: the `fleet` policy runs without torch.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcvrp.policy.config import NetworkConfig
    from hcvrp.policy.decoding import decode
    from hcvrp.policy.native import NativeFleet
    from hcvrp.policy.network import Network, build
    from hcvrp.policy.policy import AttentionModel, Fleet, Paper, Policy
    from hcvrp.policy.settings import Decoding
    from hcvrp.policy.weights import Weights, read_weights
    from hcvrp.policy.weights_file import Description, describe, shipped

_HOMES = {
    "AttentionModel": "policy",
    "Decoding": "settings",
    "Description": "weights_file",
    "Fleet": "policy",
    "NativeFleet": "native",
    "Network": "network",
    "NetworkConfig": "config",
    "Paper": "policy",
    "Policy": "policy",
    "Weights": "weights",
    "build": "network",
    "decode": "decoding",
    "describe": "weights_file",
    "read_weights": "weights",
    "shipped": "weights_file",
}

__all__ = [
    "AttentionModel",
    "Decoding",
    "Description",
    "Fleet",
    "NativeFleet",
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

_NEED_TORCH = ("decoding", "network", "weights")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hcvrp.policy' has no attribute {name!r}")
    if _HOMES[name] in _NEED_TORCH:
        from hcvrp.policy.extra import require_torch

        require_torch()
    value = getattr(importlib.import_module(f"hcvrp.policy.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
