"""A job whose worker died, was stopped, or cannot do it."""

import time

import pytest
from sqlalchemy.exc import OperationalError

from hcvrp.errors import InputError
from hcvrp.exact.certificate import Bound
from hcvrp.exact.progress import Step
from hcvrp.service import work as working
from hcvrp.service.store import Status
from hcvrp.solution import Solution
from hcvrp.task import Improvement


def abandoned(service, seconds, routes, **choices):
    """A job that a worker began, improved once, and left behind."""
    name = service.submit(**choices)
    service.store.begin(name)
    order = service.store.order(name)
    solution = Solution(routes)
    cost = solution.cost(order.instance, order.objective)
    service.store.advance(name, seconds, 1, [Improvement(cost, seconds, 0, solution)])
    return name


def test_an_order_that_cannot_be_read_any_more_fails(service, monkeypatch):
    name = service.submit()

    def order(_):
        raise InputError("capacity 2e16 is too large")

    monkeypatch.setattr(service.store, "order", order)
    working.work(service.store, name)
    job = service.store.job(name)
    assert (job.status, job.reason) == (Status.FAILED, "capacity 2e16 is too large")


def test_the_exact_method_has_the_memory_of_a_proof(service, monkeypatch):
    asked = []

    def solve(instance, objective, method, **_):
        asked.append(method)
        return original(instance, objective, "savings")

    original = working.solve
    monkeypatch.setattr(working, "solve", solve)
    assert service.work(service.submit(method="exact"))["status"] == "done"
    assert (asked[0].name, asked[0].memory) == ("exact", working.PROOF_BYTES)


def test_a_curve_ends_where_it_is_asked_to(service):
    name = abandoned(service, 0.5, [[[1], [2], [3]], []])
    better = Solution([[[1, 2], [3]], []])
    service.store.advance(name, 1.0, 2, [Improvement(12.0, 1.0, 0, better)])
    assert [n for n, _, _ in service.store.history(name)] == [1, 2]
    assert [n for n, _, _ in service.store.history(name, 0, 1)] == [1]
    assert [n for n, _, _ in service.store.history(name, 1, 2)] == [2]


def test_it_goes_on_from_the_best_plan_with_the_time_left(service, monkeypatch):
    asked = {}

    def solve(instance, objective, method, *, initial, **options):
        asked.update(options, initial=initial)
        return original(instance, objective, method, initial=initial)

    original = working.solve
    monkeypatch.setattr(working, "solve", solve)
    name = abandoned(service, 1.5, [[[1], [2], [3]], []], time_limit=4)
    job = service.work(name)
    assert asked["initial"] == Solution([[[1], [2], [3]], []])
    assert asked["time_limit"] == 2.5
    assert (job["status"], job["attempts"], job["improvements"]) == ("done", 2, 2)
    # Alone each trip costs 6 + 8 + 12 over speed 2, which is 13; savings finds 12.
    assert [cost for _, _, cost in service.store.history(name)] == [13.0, 12.0]


def test_a_plan_is_kept_when_no_time_is_left(service):
    name = abandoned(service, 4.0, [[[1], [2], [3]], []], time_limit=4)
    job = service.work(name)
    assert (job["status"], job["cost"], job["attempts"]) == ("done", 13.0, 2)


def test_a_worse_plan_never_replaces_a_better_one(service):
    name = abandoned(service, 0.0, [[[1, 2], [3]], []])
    job = service.work(name)
    assert (job["status"], job["cost"], job["improvements"]) == ("done", 12.0, 1)


def test_a_bound_is_kept_while_the_job_runs_and_after_it_fails(service):
    name = abandoned(service, 0.5, [[[1], [2], [3]], []])
    assert service.store.advance(name, 1.0, 2, [], 10.5)
    assert service.store.job(name).bound == 10.5
    assert service.store.advance(name, 1.5, 2, [])
    service.store.finish(name, Status.FAILED, reason="it broke")
    assert service.store.job(name).bound == 10.5


def test_a_job_that_keeps_killing_its_worker_is_given_up(service):
    name = service.submit()
    for _ in range(working.MOST_ATTEMPTS):
        service.store.begin(name)
    job = service.work(name)
    assert (job["status"], job["reason"]) == ("failed", "its worker ended 5 times while solving it")


def test_what_a_method_cannot_do_is_the_reason(service, monkeypatch):
    def refusing(*_, **__):
        raise InputError("it is not for this", advice="take another")

    monkeypatch.setattr(working, "solve", refusing)
    job = service.work(service.submit())
    assert (job["status"], job["reason"]) == ("failed", "it is not for this: take another")


def test_a_method_that_breaks_is_reported_without_its_trace(service, monkeypatch, capsys):
    def broken(*_, **__):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(working, "solve", broken)
    job = service.work(service.submit())
    assert (job["status"], job["reason"]) == ("failed", "method savings failed: ZeroDivisionError")
    assert "ZeroDivisionError: secret" in capsys.readouterr().err


def test_a_failing_database_leaves_the_job_to_another_attempt(service, monkeypatch):
    def broken(*_, **__):
        raise OperationalError("update", {}, Exception("disk I/O error"))

    name = service.submit()
    with monkeypatch.context() as patch:
        patch.setattr(working, "solve", broken)
        with pytest.raises(OperationalError):
            service.work(name)
    assert service.store.job(name).status is Status.RUNNING
    assert service.work(name)["attempts"] == 2


def test_cancelling_reaches_the_method_and_keeps_its_best(service, monkeypatch):
    def patient(instance, objective, method, *, on_improvement, cancel, **_):
        result = original(instance, objective, method)
        on_improvement(Improvement(result.cost, 0.0, 0, result.solution))
        service.store.cancel(name)
        assert cancel.wait(60)
        return result

    original = working.solve
    monkeypatch.setattr(working, "solve", patient)
    name = service.submit()
    job = service.work(name)
    assert (job["status"], job["cost"]) == ("cancelled", 12.0)


def test_a_bound_is_proven_after_the_search(service):
    name = service.submit(certify=5, objective="min-sum")
    job = service.work(name)
    # No plan is shorter than 12 + 12: the triangle of east and north, and west there and back.
    assert (job["status"], job["cost"], job["bound"], job["gap"]) == ("done", 12.0, 12.0, 0.0)
    answer = service.client.get(f"/v1/jobs/{name}/solution").json()
    assert (answer["bound"], answer["status"]) == (12.0, "optimal")


def test_without_being_asked_nothing_is_proven(service):
    assert service.work(service.submit())["bound"] is None


def test_bounds_are_told_while_they_rise(service, monkeypatch, events_of):
    seen = []

    def slow(_instance, objective, *, on_improvement, solution, **_):
        for value in (3.0, 6.0):
            on_improvement(Step(value, 12.0, 0.0))
            wait_until(lambda value=value: service.store.job(name).bound == value)
            seen.append(service.store.job(name))
        return Bound(9.0, solution, 12.0, objective, 0.0, ())

    monkeypatch.setattr(working, "bound", slow)
    name = service.submit(certify=5)
    job = service.work(name)
    assert [(j.status, j.bound) for j in seen] == [(Status.PROVING, 3.0), (Status.PROVING, 6.0)]
    assert (job["status"], job["bound"], job["gap"]) == ("done", 9.0, 0.25)
    assert [kind for kind, _ in events_of(service.client.get(f"/v1/jobs/{name}/events").text)]


def test_cancelling_a_proof_leaves_the_job_done(service, monkeypatch):
    def patient(_instance, objective, *, cancel, solution, **_):
        service.store.cancel(name)
        assert cancel.wait(60)
        return Bound(8.0, solution, 12.0, objective, 0.0, ())

    monkeypatch.setattr(working, "bound", patient)
    name = service.submit(certify=5)
    job = service.work(name)
    assert (job["status"], job["bound"]) == ("done", 8.0)


def test_a_proof_that_fails_or_ends_its_worker_leaves_the_plan(service, monkeypatch, capsys):
    def broken(*_, **__):
        raise MemoryError

    monkeypatch.setattr(working, "bound", broken)
    job = service.work(service.submit(certify=5))
    assert (job["status"], job["cost"], job["bound"]) == ("done", 12.0, None)
    assert "MemoryError" in capsys.readouterr().err
    name = abandoned(service, 1.0, [[[1], [2], [3]], []], certify=5)
    service.store.prove(name)
    job = service.work(name)
    assert (job["status"], job["cost"], job["attempts"]) == ("done", 13.0, 1)


def test_a_better_plan_from_the_proof_is_kept(service, monkeypatch):
    def lucky(_instance, objective, **_):
        return Bound(12.0, Solution([[[1, 2], [3]], []]), 12.0, objective, 0.0, ())

    monkeypatch.setattr(working, "bound", lucky)
    name = abandoned(service, 10.0, [[[1], [2], [3]], []], certify=5)
    job = service.work(name)
    assert (job["cost"], job["bound"], job["improvements"]) == (12.0, 12.0, 2)


def wait_until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_of_many_new_bests_the_first_and_the_last_are_kept(service):
    name = service.submit()
    job = service.store.begin(name)
    order = service.store.order(name)
    plans = [[[[1], [2], [3]], []], [[[1, 2], [3]], []]]
    with working.Progress(service.store, job, order) as progress:
        progress._over.set()  # nothing is written before the end
        progress._thread.join()
        for cost in (30.0, 20.0, 13.0):
            progress.improved(Improvement(cost, 0.0, 0, Solution(plans[0])))
        progress.improved(Improvement(12.0, 0.0, 0, Solution(plans[1])))
        progress.improved(Improvement(14.0, 0.0, 0, Solution(plans[0])))
    assert [cost for _, _, cost in service.store.history(name)] == [13.0, 12.0]
    assert service.store.job(name).status is Status.RUNNING
