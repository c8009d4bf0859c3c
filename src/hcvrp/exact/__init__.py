"""Proven lower bounds and optimal solutions by column generation; LPs and MIPs by HiGHS."""

from hcvrp.exact.certificate import Bound, bound, certify
from hcvrp.exact.method import Exact
from hcvrp.exact.progress import Step

__all__ = ["Bound", "Exact", "Step", "bound", "certify"]
