"""Load and disaster, at length: `pytest tests/service/test_load.py -m slow -s` prints the figures.

Load tool and server share one machine, so every figure is a lower bound of what the server does.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

JOBS = 100
SUBMISSION_SECONDS = 5.0
SUBMISSION_ROUNDS = 6
CONNECTIONS = int(os.environ.get("HCVRP_LOAD_CONNECTIONS", "8"))
MIXED_SECONDS = float(os.environ.get("HCVRP_LOAD_SECONDS", "3600"))
MIXED_PAUSE = 0.5
FINAL = ("done", "cancelled", "failed")
POSTGRES = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture(scope="module")
def postgres():
    """A Postgres of our own on a Unix socket and a port of its own; root hands it to `postgres`."""
    if not (POSTGRES / "initdb").exists():
        pytest.skip(f"there is no Postgres in {POSTGRES}")
    folder = Path("/tmp") / f"hcvrp-postgres-{os.getpid()}"
    folder.mkdir()
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    if user:
        shutil.chown(folder, "postgres")
    port = random.randrange(20_000, 40_000)
    data = str(folder / "data")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    run([*user, POSTGRES / "initdb", "-D", data, "-U", "planner", "-A", "trust"])
    control = [*user, POSTGRES / "pg_ctl", "-D", data, "-w"]
    run([*control, "-o", options, "-l", str(folder / "log"), "start"])
    yield f"postgresql://planner@127.0.0.1:{port}/postgres"
    run([*control, "-m", "immediate", "stop"])
    shutil.rmtree(folder)


def run(command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, cwd="/")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres")
    return f"sqlite:///{tmp_path}/jobs.db"


def test_no_job_is_lost_when_the_server_is_killed(start_server, database, large_town):
    server = start_server(database=database)
    names = [submit(server, large_town, k) for k in range(JOBS)]
    for _ in range(3):
        time.sleep(4)
        server.kill()
        server.start()
    report("server killed three times", server, names)


def test_no_job_is_lost_when_workers_are_killed(start_server, database, large_town):
    server = start_server(database=database)
    names = [submit(server, large_town, k) for k in range(JOBS)]
    for k in range(6):
        time.sleep(3)
        workers = server.workers()
        os.kill(workers[k % len(workers)], signal.SIGKILL)
    report("workers killed six times", server, names)


def submit(server, instance, seed):
    return server.submit(instance=instance, time_limit=0.5, seed=seed)


def report(what, server, names):
    """Every job is done or failed with a reason; none is lost."""
    settle(server, names)
    jobs = listed(server, names)
    done = sum(job["status"] == "done" for job in jobs)
    again = sum(job["attempts"] > 1 for job in jobs)
    print(f"\n{what}: {done} of {len(names)} done, {again} of them taken up again")
    assert all(job["status"] == "done" or job["reason"] for job in jobs)
    assert done == len(names)


def listed(server, names):
    found = {}
    for name in names:
        found[name] = server.job(name)
    assert len(found) == len(names)
    return list(found.values())


def test_submissions_while_two_solves_run(start_server, database, town, large_town):
    """Closed loop on a few connections, in rounds; the best goes to docs/service.md."""
    server = start_server("--max-queue", "1000000", database=database)
    for seed in range(2):
        name = server.submit(instance=large_town, time_limit=600, seed=seed)
        server.wait_for(name, "running")
    body = json.dumps({"instance": town, "method": "savings"}).encode()
    accepted = 0
    for _ in range(SUBMISSION_ROUNDS):
        before = processor_seconds(server)
        times = sorted(asyncio.run(hammer(server.port, body)))
        spent = processor_seconds(server) - before
        accepted += len(times)
        p50, p99 = (1000 * times[int(share * len(times))] for share in (0.5, 0.99))
        print(
            f"\n{len(times) / SUBMISSION_SECONDS:.0f} submissions/s, p50 {p50:.1f} ms,"
            f" p99 {p99:.1f} ms, {1000 * spent / len(times):.2f} ms of the server's processor each,"
            f" {CONNECTIONS} connections, load average {os.getloadavg()[0]:.0f}",
            end="",
        )
    queued = server.http.get("/metrics").text
    assert f'hcvrp_jobs{{status="queued"}} {accepted}' in queued


def processor_seconds(server):
    """User and system time of the server process."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def hammer(port, body):
    """Seconds of each submission."""
    head = (
        "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    end = time.perf_counter() + SUBMISSION_SECONDS

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        times = []
        while (start := time.perf_counter()) < end:
            writer.write(head + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 202"), answer
            length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            times.append(time.perf_counter() - start)
        writer.close()
        return times

    results = await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return [seconds for times in results for seconds in times]


def test_first_plan_and_last_word(start_server, large_town):
    """From submission to the first routes, and from cancelling to the final answer."""
    server = start_server()
    first, last = [], []
    for seed in range(20):
        begin = time.perf_counter()
        name = server.submit(instance=large_town, time_limit=600, seed=seed)
        with server.http.stream("GET", f"/v1/jobs/{name}/events") as stream:
            next(line for line in stream.iter_lines() if line.startswith("event: best"))
        first.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        assert server.http.delete(f"/v1/jobs/{name}").json()["status"] == "cancelled"
        last.append(time.perf_counter() - begin)
    for what, times in (("first routes", sorted(first)), ("cancelling", sorted(last))):
        print(f"\n{what}: median {times[10]:.2f} s, worst {times[-1]:.2f} s of 20")


def test_mixed_load_for_long(start_server, large_town, town):
    """Submissions, reads, streams, proofs and cancellations; memory stays, no job is lost."""
    server = start_server()
    chance = random.Random(5)
    names, cancelled, samples = [], 0, []
    begin = time.monotonic()
    told = 0.0
    while (spent := time.monotonic() - begin) < MIXED_SECONDS:
        names.append(one_round(server, chance, chance.choice([town, large_town]), len(names)))
        if chance.random() < 0.2:
            cancelled += server.http.delete(f"/v1/jobs/{names[-1]}").json()["status"] == "cancelled"
        samples.append((spent / MIXED_SECONDS, memory(server)))
        if spent >= told:
            note(f"{spent:6.0f} s  {len(names):5d} jobs  memory {samples[-1][1]} KiB")
            told += MIXED_SECONDS / 60
        time.sleep(MIXED_PAUSE)
    settle(server, names)
    jobs = listed(server, names)
    lost = [job for job in jobs if job["status"] not in ("done", "cancelled")]
    growth = [
        100 * (b / a - 1) for a, b in zip(usual(samples, 0.2), usual(samples, 0.9), strict=True)
    ]
    proven = sum(job["bound"] is not None for job in jobs)
    note(
        f"{MIXED_SECONDS:.0f} s, {len(names)} jobs, {cancelled} cancelled, {proven} with a bound,"
        f" {len(lost)} lost; memory of the server and its workers grew by"
        f" {', '.join(f'{share:.1f}' for share in growth)} %"
    )
    assert lost == []
    assert max(growth) < 5


def one_round(server, chance, instance, seed):
    """A job, a stream that is left at once, three reads and a refusal; the job's name."""
    limit, certify = chance.choice([(0.2, 0.0), (0.5, 0.0), (0.2, 0.5)])
    name = server.submit(instance=instance, time_limit=limit, certify=certify, seed=seed)
    with server.http.stream("GET", f"/v1/jobs/{name}/events") as stream:
        next(stream.iter_lines())
    server.http.get("/v1/jobs")
    server.http.get(f"/v1/jobs/{name}/instance")
    server.http.get("/v1/demo-data/town-200")
    assert server.http.post("/v1/jobs", json={"instance": "nonsense"}).status_code == 422
    return name


def memory(server):
    """Resident kibibytes of the server and of each worker."""
    pids = (server.process.pid, *server.workers())
    pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
    return [count * os.sysconf("SC_PAGE_SIZE") // 1024 for count in pages]


def usual(samples, share):
    """The median memory of each process in the tenth of the time that begins at `share`."""
    chosen = [sizes for when, sizes in samples if share <= when < share + 0.1]
    return [statistics.median(sizes) for sizes in zip(*chosen, strict=True)]


def settle(server, names):
    """Waits for the last jobs."""
    deadline = time.monotonic() + 600
    while any(job["status"] not in FINAL for job in listed(server, names[-100:])):
        assert time.monotonic() < deadline, "the jobs do not end"
        time.sleep(1)


def note(line):
    """Prints the line, and keeps it where HCVRP_LOAD_LOG says."""
    print(f"\n{line}", end="")
    if "HCVRP_LOAD_LOG" in os.environ:
        with Path(os.environ["HCVRP_LOAD_LOG"]).open("a") as log:
            print(line, file=log)
