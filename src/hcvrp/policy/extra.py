"""The extra `learn`: what all policies but `fleet` need, and all training."""

from hcvrp.errors import InputError


def require_torch() -> None:
    """Refuses to go on without torch, and says how to get it."""
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError:
        raise InputError(
            "learned policies need torch: pip install '.[learn]' in the clone"
        ) from None
