"""A real server with worker processes: killed, restarted, cancelled, left."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from hcvrp.formats.fields import Field
from hcvrp.formats.json import parse
from hcvrp.service.server import address, listening
from hcvrp.service.settings import Settings
from hcvrp.solution import Solution


def judged(server, name, instance):
    """The referee's cost of the job's plan, which must be the reported one."""
    answer = server.http.get(f"/v1/jobs/{name}/solution").json()
    solution = Solution(answer["routes"])
    problem = parse(Field(instance))
    assert solution.violations(problem) == []
    assert solution.cost(problem, answer["objective"]) == answer["cost"]
    return answer["cost"]


def test_jobs_survive_the_death_of_workers_and_server(start_server, large_town, is_alive):
    server = start_server()
    names = [server.submit(instance=large_town, time_limit=4, seed=k) for k in range(3)]
    for name in names[:2]:
        server.wait_for_plan(name)
    before = [server.job(name)["cost"] for name in names[:2]]
    workers = server.workers()
    assert len(workers) == 2
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    server.wait_until(lambda: server.job(names[0])["attempts"] == 2, "the job is taken up again")
    workers = server.workers()
    server.kill()
    server.wait_until(lambda: not any(map(is_alive, workers)), "no worker outlives its server")
    server.start()
    jobs = [server.wait_for(name, "done", "failed") for name in names]
    assert [job["status"] for job in jobs] == ["done"] * 3
    assert jobs[0]["attempts"] == 3
    for name, cost in zip(names, before, strict=False):
        assert judged(server, name, large_town) <= cost
    judged(server, names[2], large_town)
    metrics = server.http.get("/metrics").text
    assert 'hcvrp_jobs{status="done"} 3' in metrics


def test_events_come_while_a_job_runs_and_cancelling_keeps_the_best(server, large_town):
    name = server.submit(instance=large_town, time_limit=600)
    problem = parse(Field(large_town))
    costs = []
    with server.http.stream("GET", f"/v1/jobs/{name}/events") as response:
        for line in response.iter_lines():
            if not line.startswith("data: "):
                continue
            data = json.loads(line.removeprefix("data: "))
            if "routes" in data:
                solution = Solution(data["routes"])
                assert solution.violations(problem) == []
                assert solution.cost(problem, "min-max") == data["cost"]
                costs.append(data["cost"])
                if len(costs) == 2:
                    server.http.delete(f"/v1/jobs/{name}")
            elif data["status"] == "cancelled":
                break
    assert costs == sorted(costs, reverse=True)
    job = server.job(name)
    assert (job["status"], job["cost"]) == ("cancelled", costs[-1])
    assert judged(server, name, large_town) == costs[-1]


def test_a_proof_is_ended_by_cancelling_or_by_the_death_of_its_worker(start_server, large_town):
    server = start_server()
    names = [
        server.submit(instance=large_town, time_limit=0.2, certify=600, seed=k) for k in range(2)
    ]
    for name in names:
        server.wait_for(name, "proving")
    assert server.http.delete(f"/v1/jobs/{names[0]}").json()["status"] == "done"
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    assert server.wait_for(names[1], "done", "failed")["status"] == "done"
    for name in names:
        cost = judged(server, name, large_town)
        bound = server.job(name)["bound"]
        assert bound is None or 0 <= bound <= cost


def test_a_job_is_accepted_when_its_body_is_whole_and_not_before(server, town):
    body = {"instance": town, "method": "savings", "time_limit": 7.25}
    text = json.dumps(body)
    leave_at_once(server, body, path="/v1/jobs", send=text[:-10])
    assert 7.25 not in [job["time_limit"] for job in jobs(server)]
    leave_at_once(server, body, path="/v1/jobs")
    server.wait_until(lambda: jobs(server)[0]["time_limit"] == 7.25, "the job was accepted")
    assert server.wait_for(jobs(server)[0]["id"], "done")["cost"] == 12.0


def test_solve_answers_directly_and_leaving_it_cancels(server, town, large_town):
    body = {"instance": town, "method": "savings", "time_limit": 1}
    answer = server.http.post("/v1/solve", json=body).json()
    assert answer["cost"] == 12.0
    leave_at_once(server, {"instance": large_town, "method": "sisr", "time_limit": 9.5})
    server.wait_until(lambda: jobs(server)[0]["time_limit"] == 9.5, "the job was accepted")
    job = server.wait_for(jobs(server)[0]["id"], "cancelled", "done")
    assert job["status"] == "cancelled"


def test_leaving_a_stream_does_not_touch_the_job(server, large_town):
    name = server.submit(instance=large_town, time_limit=2)
    with server.http.stream("GET", f"/v1/jobs/{name}/events") as response:
        next(response.iter_lines())
    assert server.wait_for(name, "done", "cancelled")["status"] == "done"


def test_a_second_server_of_the_same_name_is_refused(server):
    command = [sys.executable, "-c", "from hcvrp.cli import main; main()", "serve"]
    command += ["--port", "0", "--database", server.database]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == "hcvrp: the database is in use by another server named 'server'"


def test_a_server_tells_the_port_that_the_system_chose(server):
    line = f"http://127.0.0.1:{server.port}  (the interface: /docs; stop with Ctrl-C)"
    assert server.port > 0
    assert line in server.told.read_text().splitlines()
    assert server.http.get("/health/ready").status_code == 200


@pytest.mark.parametrize(("host", "shown"), [("localhost", "localhost"), ("::1", "[::1]")])
def test_an_address_can_be_opened_as_it_is_told(host, shown):
    with listening(Settings(port=0)) as door:
        port = door.getsockname()[1]
        assert address(Settings(host, port=0), door) == f"http://{shown}:{port}"


@pytest.mark.slow
def test_a_stopped_server_leaves_its_jobs_for_the_next_start(start_server, large_town):
    server = start_server()
    name = server.submit(instance=large_town, time_limit=3)
    server.wait_for_plan(name)
    server.stop()
    server.start()
    assert server.wait_for(name, "done", "failed")["status"] == "done"


def jobs(server):
    return server.http.get("/v1/jobs").json()["jobs"]


def leave_at_once(server, body, path="/v1/solve", send=None):
    """Sends the request, or a part of its body, and closes the connection without waiting."""
    text = json.dumps(body)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(text)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall((head + (send or text)).encode())
        time.sleep(0.5)
