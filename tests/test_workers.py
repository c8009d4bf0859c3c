"""Processes that answer jobs."""

import gc
import os
import struct
import threading
from multiprocessing.connection import Connection

from hcvrp.workers import Crew, Died


def _die_in_mid_answer(job: int, _: threading.Event) -> int:
    pipe = next(found for found in gc.get_objects() if isinstance(found, Connection))
    os.write(pipe.fileno(), struct.pack("!i", 100_000) + b"x" * 10)
    os._exit(job)


def test_a_process_that_dies_in_mid_answer_is_told_of() -> None:
    assert list(Crew(_die_in_mid_answer, 1).answers([9, 7])) == [(9, Died(9)), (7, Died(7))]


def _double(job: int, _: threading.Event) -> int:
    return 2 * job


def test_a_crew_may_be_asked_again() -> None:
    crew = Crew(_double, 3)
    assert list(crew.answers([4])) == [(4, 8)]
    assert sorted(crew.answers([1, 2])) == [(1, 2), (2, 4)]
