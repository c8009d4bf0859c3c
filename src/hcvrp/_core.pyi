"""The compiled core (cpp/)."""

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Routes = list[list[list[int]]]

class Objective(enum.Enum):
    min_max = 0
    min_sum = 1

class Problem:
    symmetric: bool
    def __init__(
        self,
        points: NDArray[np.float64] | None,
        matrix: NDArray[np.float64] | None,
        demand: NDArray[np.float64],
        capacity: NDArray[np.float64],
        speed: NDArray[np.float64],
    ) -> None: ...
    def distance(self, origin: int, destination: int) -> float: ...
    def length(self, trip: list[int]) -> float: ...
    def cost(self, routes: Routes, objective: Objective) -> float: ...

class Run:
    seconds: float
    def __init__(
        self,
        time_limit: float,
        iterations: int,
        target: float,
        cancelled: Callable[[], bool],
        improved: Callable[[float, float, int, Routes], None] | None,
    ) -> None: ...

def savings(problem: Problem, objective: Objective) -> Routes: ...
def assign_longest_first(
    problem: Problem, trips: list[list[int]], objective: Objective
) -> Routes: ...
def nearest_neighbour_tours(problem: Problem, repeats: int) -> float: ...

class SisrParameters:
    def __init__(
        self,
        *,
        mean_removed: float,
        longest_string: float,
        split_rate: float,
        split_depth: float,
        blink: float,
        log2_power: int,
        near: int,
        pool: int,
    ) -> None: ...

class Columns:
    customers: list[int]
    sizes: list[int]
    lengths: list[float]

class Sisr:
    best_cost: float
    best: Routes
    scale: float
    def __init__(
        self,
        problem: Problem,
        objective: Objective,
        parameters: SisrParameters,
        seed: int,
        starts: list[Routes],
        chains: int,
    ) -> None: ...
    def search(self, run: Run, start_temperature: float, final_temperature: float) -> int: ...
    def adopt(self, routes: Routes) -> None: ...
    def columns(self, most: int) -> Columns: ...
