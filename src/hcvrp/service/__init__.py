"""`hcvrp serve`: routes by REST, and a page for planners, on one machine or on Postgres.

The server process accepts and answers, worker processes solve, and a database between them keeps
every job; `docs/service.md` describes it from outside.
"""

from hcvrp.service.settings import Limits, Settings

__all__ = ["Limits", "Settings"]
