"""The compiled core against torch on one CPU thread: `python experiments/fleet/engines.py WEIGHTS`.

Milliseconds of the processor, the least of several runs, so that others on the machine matter
little. Without weights a network of the published size with fresh ones is timed.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

from hcvrp.generator import paper_set
from hcvrp.policy import NativeFleet, NetworkConfig, build
from hcvrp.policy.engine import Engine
from hcvrp.policy.settings import Decoding
from hcvrp.policy.torch_engine import TorchEngine
from hcvrp.policy.weights import write_weights
from hcvrp.search.native import core
from hcvrp.solution import Objective

SETS = ("v3-c40", "v3-c100", "v5-c160")
MANY, SAMPLES, RUNS = 16, 256, 3


def milliseconds(work: Callable[[], object]) -> float:
    """The least of a few runs."""
    times = []
    for _ in range(RUNS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return 1000 * min(times)


def row(name: str, engine: Engine) -> str:
    """One instance greedily, each of many, and one by samples."""
    instances = paper_set(name)[:MANY]

    def decode(count: int, samples: int) -> float:
        return milliseconds(
            lambda: engine.answer_many(
                instances[:count], Objective.MIN_MAX, Decoding(samples), seed=1, threads=1
            )
        )

    one, many, sampled = decode(1, 0), decode(MANY, 0) / MANY, decode(1, SAMPLES)
    return f"{one:.1f} | {many:.1f} | {sampled:.0f}"


def main(path: Path) -> None:
    """Prints a table in Markdown."""
    engines = {"core": NativeFleet.load(path), "torch": TorchEngine.load(path).on("cpu")}
    torch.set_num_threads(1)
    print(f"{core.processor()}, one thread, ms; {MANY} together, {SAMPLES} samples\n")
    print("| set | engine | one, greedy | each of many, greedy | one, sampled |")
    print("|---|---|---|---|---|")
    for name in SETS:
        for kind, engine in engines.items():
            print(f"| {name} | {kind} | {row(name, engine)} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder) / "fleet.safetensors"
            write_weights(fresh, build(NetworkConfig("fleet", layers=6)), None, 100)
            main(fresh)
