"""The compiled core (cpp/)."""

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Routes = list[list[list[int]]]

class Objective(enum.Enum):
    min_max = 0
    min_sum = 1

class RunOver(Exception): ...  # noqa: N818

class Problem:
    symmetric: bool
    def __init__(
        self,
        coordinates: NDArray[np.float64] | None,
        diameter: float,
        matrix: NDArray[np.float64] | None,
        demand: NDArray[np.float64],
        capacity: NDArray[np.float64],
        speed: NDArray[np.float64],
        run: Run,
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

def savings(problem: Problem, objective: Objective, run: Run) -> Routes: ...
def assign_longest_first(
    problem: Problem, trips: list[list[int]], objective: Objective
) -> Routes: ...
def vns(
    problem: Problem,
    objective: Objective,
    run: Run,
    seed: int,
    starts: list[Routes],
    least_shake: float,
    most_shake: float,
    overload_penalty: float,
    max_tolerance: float,
) -> tuple[Routes, int]: ...
def aco(
    problem: Problem,
    objective: Objective,
    run: Run,
    seed: int,
    starts: list[Routes],
    ants: int,
    greed: float,
    learning_rate: float,
    discount: float,
    trail_power: float,
    visibility_power: float,
) -> tuple[Routes, int]: ...
def firefly(
    problem: Problem,
    objective: Objective,
    run: Run,
    seed: int,
    starts: list[Routes],
    fireflies: int,
    attraction: float,
    absorption: float,
    randomness: float,
) -> tuple[Routes, int]: ...
def nearest_neighbour_tours(problem: Problem, repeats: int) -> float: ...

class SubsetRow:
    def __init__(self, customers: list[int], memory: list[int], penalty: float) -> None: ...

class Prices:
    def __init__(
        self,
        legs: NDArray[np.float64],
        capacity: int,
        duals: list[float],
        cuts: list[SubsetRow],
    ) -> None: ...

class PricedRoutes:
    routes: list[list[int]]
    least: float
    deficit: float

class Legs:
    count: int
    def __init__(self, customers: int) -> None: ...
    def drop(
        self,
        start: list[float],
        finish: list[float],
        prices: Prices,
        gap: float,
    ) -> None: ...

class NgRoutes:
    labels: int
    def __init__(
        self, problem: Problem, level: list[int], neighbourhood: int, memory: float
    ) -> None: ...
    def fill(
        self,
        prices: Prices,
        legs: Legs,
        width: int,
        reversed: bool,  # noqa: A002
        run: Run,
    ) -> bool: ...
    def least_costs(self) -> list[float]: ...
    def best(self, most: int, per_end: int) -> PricedRoutes: ...

class TripRange:
    def __init__(
        self, above_load: float, most_load: float, above_level: int, gap: float
    ) -> None: ...

class PoolEnd(enum.Enum):
    complete = 0
    too_many = 1
    interrupted = 2

def enumerate_trips(
    problem: Problem,
    table: NgRoutes,
    prices: Prices,
    span: TripRange,
    memory: float,
    run: Run,
) -> tuple[PoolEnd, NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]: ...

class PlanPrices:
    def __init__(
        self,
        duals: list[float],
        cuts: list[SubsetRow],
        most_length: float,
    ) -> None: ...
    @property
    def most_length(self) -> float: ...

class PricedPlans:
    plans: list[list[int]]
    value: float
    complete: bool

class PlanList:
    complete: bool
    def __len__(self) -> int: ...

class PlanPricing:
    def __init__(
        self,
        customers: NDArray[np.int32],
        first: NDArray[np.int64],
        lengths: NDArray[np.float64],
    ) -> None: ...
    def price(self, prices: PlanPrices) -> None: ...
    def values(self) -> NDArray[np.float64]: ...
    def above(self, theta: float, shares: list[float], most: int) -> list[int]: ...
    def best(
        self, shares: list[list[float]], threshold: float, most: int, steps: int, run: Run
    ) -> PricedPlans: ...
    def list(
        self, shares: list[list[float]], threshold: float, most: int, run: Run
    ) -> PlanList: ...

class PlanChoice:
    def __init__(
        self, pricing: PlanPricing, plans: PlanList, ceiling: float, speed: float
    ) -> None: ...

class JoinedPlans:
    time: float
    trips: list[list[int]]
    complete: bool

def join_plans(
    vehicles: list[PlanChoice], customers: int, allowance: float, limit: float, run: Run
) -> JoinedPlans: ...

MOST_PLAN_CUSTOMERS: int

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

def cheaper_partition(
    sets: list[list[int]], prices: list[float], elements: int, limit: float, comparisons: int
) -> list[int]: ...

class Sisr:
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
        preparation: Run,
    ) -> None: ...
    def search(self, run: Run, start_temperature: float, final_temperature: float) -> int: ...

def processor() -> str: ...

class FleetGround:
    def __init__(
        self,
        problem: Problem,
        objective: Objective,
        points: NDArray[np.float64],
        scale: float | None,
    ) -> None: ...

class FleetDecoding:
    def __init__(
        self,
        *,
        greedy: bool,
        samples: int,
        views: int,
        temperature: float,
        seed: int,
        keep: int,
        part: int,
        parts: int,
    ) -> None: ...

class FleetNetwork:
    def __init__(
        self,
        tensors: dict[str, NDArray[np.float32]],
        dim: int,
        heads: int,
        layers: int,
        feed_forward: int,
        clip: float,
        trips: bool,
    ) -> None: ...
    def embed(self, ground: FleetGround, view: int) -> NDArray[np.float32]: ...
    def scores(
        self, ground: FleetGround, moves: list[tuple[int, int]]
    ) -> list[tuple[list[float], list[float]]]: ...
    def rollouts(
        self, ground: FleetGround, decoding: FleetDecoding, run: Run
    ) -> tuple[list[Routes], int]: ...
