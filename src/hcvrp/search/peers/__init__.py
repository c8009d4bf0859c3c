"""Other people's solvers as reference methods, each in a process of its own.

They are measured against, never needed: the extra `peers` installs them. `methods` is what
`hcvrp.solve` sees, `runner` keeps the process, `worker` is that process; the `with_*` modules put
the problem to one package each and run only there, because not all of these packages can be
loaded together with ours.
"""
