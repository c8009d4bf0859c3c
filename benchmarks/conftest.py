"""Speed as a ratio to a yardstick in the same run, so that the machine's noise cancels.

`ratio(work)` times the work and the yardstick in turns and keeps the shortest of each; times are of
the processor, so that others on the machine matter little. The ratio, work over yardstick, is held
against the one in `ratios.json`: smaller is faster, more than twice as much is a failure.
`make bench UPDATE=1` (`pytest benchmarks --update-ratios`) records the ratios of the run.
"""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

RATIOS = Path(__file__).parent / "ratios.json"
ROUNDS = 7
MOST = 2.0
"""How many times the recorded ratio is a real loss of speed."""

found_key = pytest.StashKey[dict[str, float]]()
Work = Callable[[], object]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-ratios", action="store_true", help="record this run's ratios")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[found_key] = {}


def yardstick() -> None:
    """Ten nearest-neighbour tours through two hundred points, in plain NumPy."""
    for seed in range(10):
        tour(np.random.default_rng(seed).uniform(size=(200, 2)))


def tour(points: NDArray[np.float64]) -> float:
    left = np.ones(len(points), dtype=bool)
    at, length = 0, 0.0
    for _ in range(len(points) - 1):
        left[at] = False
        distances = np.hypot(*(points - points[at]).T)
        distances[~left] = np.inf
        at = int(np.argmin(distances))
        length += float(distances[at])
    return length


def seconds(work: Work) -> float:
    """Of the processor, in this process and in those that it waits for."""
    begun = _processor_time()
    work()
    return _processor_time() - begun


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.fixture
def ratio(benchmark: Any, request: pytest.FixtureRequest) -> Callable[..., None]:
    """Measures, remembers and judges the ratio of a piece of work to the yardstick."""

    def measure(work: Work, reference: Work = yardstick) -> None:
        work()
        pairs = [(seconds(work), seconds(reference)) for _ in range(ROUNDS)]
        found = min(w for w, _ in pairs) / min(r for _, r in pairs)
        benchmark.extra_info["ratio"] = found
        benchmark.pedantic(work, rounds=3)
        request.config.stash[found_key][request.node.name] = found
        recorded = _recorded().get(request.node.name)
        if recorded is not None and not request.config.getoption("--update-ratios"):
            assert found < MOST * recorded, f"{found:.3g} times the yardstick, was {recorded:.3g}"

    return measure


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    found = config.stash[found_key]
    if not found:
        return
    recorded = _recorded()
    terminalreporter.section("time as a multiple of the yardstick (smaller is faster)")
    for name, value in found.items():
        before = recorded.get(name)
        change = "new" if before is None else f"{value / before - 1:+.0%} against {before:.4g}"
        terminalreporter.write_line(f"{name:<40} {value:10.4g}  {change}")
    if config.getoption("--update-ratios"):
        told = {name: float(f"{value:.4g}") for name, value in (recorded | found).items()}
        RATIOS.write_text(json.dumps(told, indent=2, sort_keys=True) + "\n")


def _recorded() -> dict[str, float]:
    return json.loads(RATIOS.read_text()) if RATIOS.exists() else {}
