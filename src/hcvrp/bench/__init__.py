"""Measurements: plans, a resumable runner, and the tables and figures made of its rows."""
