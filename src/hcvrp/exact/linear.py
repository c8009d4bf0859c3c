"""HiGHS as the exact method uses it: silent, on one thread, and ready to stop."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import highspy

if TYPE_CHECKING:
    from hcvrp.exact.watch import Watch


def quiet_highs(cancel: threading.Event) -> Any:
    """A HiGHS that says nothing, uses one thread and stops soon after a cancellation."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)

    def ask(event: Any) -> None:
        event.interrupt(cancel.is_set())

    highs.cbSimplexInterrupt += ask
    highs.cbMipInterrupt += ask
    return highs


def solve_within(lp: highspy.Highs, watch: Watch) -> float | None:
    """The value of a linear programme; None when time ran out first."""
    if watch.over:
        return None
    lp.setOptionValue("time_limit", lp.getRunTime() + watch.left)
    lp.run()
    if lp.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return float(lp.getInfo().objective_function_value)
