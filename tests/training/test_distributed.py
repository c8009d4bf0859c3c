"""Two processes with half a batch each make the update of one process with the whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from hcvrp.env import cost, log_prob, rollout
from hcvrp.env.tensors import mapped
from hcvrp.policy.network import detached
from hcvrp.solution import Objective
from hcvrp.training import distributed
from hcvrp.training.config import Config
from hcvrp.training.loop import Limits, train
from hcvrp.training.reinforce import Learner
from hcvrp.training.runs import parse_config

CONFIG: dict[str, Any] = {
    "problem": {"customers": 5, "vehicles": 2},
    "policy": {"dim": 16, "heads": 4, "layers": 2, "feed_forward": 16},
    "training": {"batch": 12, "clip": 1e9},
}


FLEET: dict[str, Any] = {
    "policy": {"kind": "fleet", "dim": 16, "heads": 4, "layers": 1, "feed_forward": 16},
    "training": {"minutes": 1e6, "steps": 3, "samples": 4, "validation": 4, "sets": ["v2-c4"]},
    "phases": [{"shapes": [{"customers": 4, "batch": 4}]}],
}


def updated(rank: int, processes: int) -> dict[str, torch.Tensor]:
    """Weights after two updates on this process's share of two fixed batches."""
    torch.set_num_threads(1)
    learner = Learner(Config.parse(CONFIG), torch.device("cpu"))
    learner.network.double()
    learner.network.train()
    for seed in (1, 2):
        batch = learner.world.draw(12, torch.Generator().manual_seed(seed))
        batch = mapped(batch, lambda t: t.double() if t.is_floating_point() else t)
        share = batch.rows(rank * 12 // processes, (rank + 1) * 12 // processes)
        decoder = learner.network.encode(share)
        outcome = rollout(share, detached(decoder))
        advantage = cost(outcome.times, Objective.MIN_MAX) - 1
        loss = (advantage * log_prob(share, decoder, outcome.actions)).mean()
        learner.descend(loss)
    return learner.network.state_dict()


def work(folder: str) -> None:
    """What each process that torchrun starts does."""
    with distributed.group(torch.device("cpu")) as device:
        rank = distributed.rank()
        save_file(updated(rank, distributed.processes()), f"{folder}/{rank}.safetensors")
        assert distributed.gather(torch.tensor([float(rank)])).tolist() == [0.0, 1.0]
        assert distributed.mean(torch.tensor(float(rank))).item() == 0.5
        assert distributed.agree(rank == 0, device)
        fleet = train(parse_config(FLEET), Path(folder) / "fleet", device, Limits(1))
        save_file(fleet.network.state_dict(), f"{folder}/fleet-{rank}.safetensors")


def test_two_processes_update_as_one(tmp_path: Path) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*torchrun, "--nproc-per-node=2", __file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = updated(0, 1)
    for rank in (0, 1):
        joined = load_file(tmp_path / f"{rank}.safetensors")
        for name, tensor in expected.items():
            torch.testing.assert_close(joined[name], tensor, rtol=1e-9, atol=1e-9, msg=name)
    start = Learner(Config.parse(CONFIG), torch.device("cpu")).network.double().state_dict()
    moved = [name for name in start if not torch.equal(start[name], expected[name])]
    assert len(moved) > 0.9 * len(start)
    one, two = (load_file(tmp_path / f"fleet-{rank}.safetensors") for rank in (0, 1))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert (tmp_path / "fleet" / "best.safetensors").exists()


if __name__ == "__main__":
    work(sys.argv[1])
