"""Proven lower bounds and optimal solutions by column generation; LPs and MIPs by HiGHS."""
