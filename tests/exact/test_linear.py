"""Linear programmes obey the limits."""

import threading

import highspy
import pytest

from hcvrp.exact.linear import quiet_highs, solve_within
from hcvrp.exact.watch import Watch


def knapsack(cancel: threading.Event) -> highspy.Highs:
    """max x + 2 y with x + y ≤ 3 and y ≤ 1: 4."""
    lp = quiet_highs(cancel)
    lp.setOptionValue("presolve", "off")
    lp.changeObjectiveSense(highspy.ObjSense.kMaximize)
    lp.addRow(-highspy.kHighsInf, 3.0, 0, [], [])
    lp.addRow(-highspy.kHighsInf, 1.0, 0, [], [])
    lp.addCol(1.0, 0.0, highspy.kHighsInf, 1, [0], [1.0])
    lp.addCol(2.0, 0.0, highspy.kHighsInf, 2, [0, 1], [1.0, 1.0])
    return lp


def test_it_is_solved_in_time() -> None:
    assert solve_within(knapsack(threading.Event()), Watch(None)) == pytest.approx(4.0)


def test_a_cancellation_interrupts_it() -> None:
    cancel = threading.Event()
    lp = knapsack(cancel)
    cancel.set()
    lp.run()
    assert lp.getModelStatus() == highspy.HighsModelStatus.kInterrupt


def test_without_time_it_is_not_begun() -> None:
    lp = knapsack(threading.Event())
    assert solve_within(lp, Watch(0.0)) is None
    assert lp.getModelStatus() == highspy.HighsModelStatus.kNotset
