"""Where to compute, by name."""

from __future__ import annotations

import pytest
import torch

from hcvrp.errors import InputError
from hcvrp.policy.device import find_device


def test_a_numbered_device_becomes_the_current_one(monkeypatch: pytest.MonkeyPatch) -> None:
    current: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    monkeypatch.setattr(torch.backends.cuda, "enable_cudnn_sdp", lambda _: None)
    assert find_device() == torch.device("cuda")
    assert current == []
    assert find_device("cuda:1") == torch.device("cuda", 1)
    assert current == [torch.device("cuda", 1)]
    with pytest.raises(InputError, match="device 'cuda:2' is not there: torch sees 2 in all"):
        find_device("cuda:2")


@pytest.mark.parametrize("name", ["mps", "meta", "gpu", ""])
def test_other_devices_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"device must be auto, cpu or cuda, not '{name}'"):
        find_device(name)
