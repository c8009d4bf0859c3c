"""Heuristic search: parameters here, the work in the compiled core."""
