"""Several processes that train one network, started by `torchrun`; or just this one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import Tensor, nn

from hcvrp.errors import InputError


def rank() -> int:
    """The number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def processes() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


@contextmanager
def group(device: torch.device) -> Iterator[torch.device]:
    """Joins the processes that `torchrun` started, if it did; gives this one's device."""
    if "WORLD_SIZE" not in os.environ:
        yield device
        return
    cuda = device.type == "cuda"
    dist.init_process_group("nccl" if cuda else "gloo")
    if cuda:
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    try:
        yield device
        dist.barrier()  # nobody hangs up while another still listens
    finally:
        dist.destroy_process_group()


def share(count: int, name: str) -> int:
    """How many of `count` fall to each process."""
    if count % processes():
        raise InputError(f"{name} must be a multiple of the {processes()} processes, not {count}")
    return count // processes()


def mean(value: Tensor) -> Tensor:
    """The mean of `value` over the processes."""
    if processes() == 1:
        return value
    total = value.clone()
    dist.all_reduce(total)
    return total / processes()


def gather(values: Tensor) -> Tensor:
    """The values of all processes, end to end."""
    if processes() == 1:
        return values
    parts = [torch.empty_like(values) for _ in range(processes())]
    dist.all_gather(parts, values.contiguous())
    return torch.cat(parts)


def average_gradients(network: nn.Module) -> None:
    """Replaces each gradient by its mean over the processes, in one exchange."""
    if processes() == 1:
        return
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    flat = mean(torch.cat([g.flatten() for g in gradients]))
    sizes = [g.numel() for g in gradients]
    for gradient, part in zip(gradients, torch.split(flat, sizes), strict=True):
        gradient.copy_(part.view_as(gradient))


def told(value: float, device: torch.device) -> float:
    """What the first process says it is: clocks differ, schedules must not."""
    if processes() == 1:
        return value
    said = torch.tensor([value], dtype=torch.float64, device=device)
    dist.broadcast(said, src=0)
    return float(said.item())


def agree(flag: bool, device: torch.device) -> bool:
    """Whether the first process says so."""
    return bool(told(float(flag), device))
