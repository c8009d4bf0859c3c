"""Drafts made better by a short search."""

from __future__ import annotations

import threading

import pytest

from hcvrp import Objective, Solution, generate
from hcvrp.search.improve import Drafts, improve


def test_improved_plans_are_valid_and_no_worse() -> None:
    problems = tuple(generate(15, 2, seed=s) for s in range(8))
    plans = tuple(Solution([[[c] for c in range(1, 16)], []]) for _ in problems)
    for objective in Objective:
        found = improve(Drafts(problems, plans, objective, 300, seed=1), threading.Event())
        for instance, plan, better in zip(problems, plans, found, strict=True):
            assert not better.solution.violations(instance)
            before, after = (
                plan.cost(instance, objective),
                better.solution.cost(instance, objective),
            )
            assert after < before
            assert better.gain == pytest.approx(1 - after / before)
