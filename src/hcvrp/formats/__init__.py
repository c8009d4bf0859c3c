"""Files in and out: instances, datasets, fleets and solutions, each format in a module of its own.

`read` and `write` choose by suffix and content; `docs/formats.md` shows every format.
"""

from hcvrp.formats.dispatch import (
    check_target,
    format_json,
    judge,
    parse_fleet,
    read,
    read_dataset,
    read_instance,
    read_solution,
    read_solutions,
    write,
)
from hcvrp.formats.doubts import far_out
from hcvrp.formats.json import schema
from hcvrp.formats.remarks import depot_row, unused_of_customers, unused_of_fleet

__all__ = [
    "check_target",
    "depot_row",
    "far_out",
    "format_json",
    "judge",
    "parse_fleet",
    "read",
    "read_dataset",
    "read_instance",
    "read_solution",
    "read_solutions",
    "schema",
    "unused_of_customers",
    "unused_of_fleet",
    "write",
]
