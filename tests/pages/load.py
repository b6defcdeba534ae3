"""The server under load from elsewhere: thousands of idle connections, readers that
do not read, and malformed requests, while groups are decided and pages are seen."""

import contextlib
import json
import os
import random
import re
import resource
import socket
import time

from support import PORT, Visit, await_true, claim, fluxnetes, job, one_time_link, submit

IDLE = 5_000
SLOW = 50
MALFORMED = 10_000
SEED = int(os.environ.get("FLUXNETES_TEST_SEED", random.randrange(1 << 30)))
WHOLE = (b"POST /fluxnetes.v1.Scheduler/ListGroups HTTP/1.1\r\nHost: localhost\r\n"
         b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
PIECES = [b"\r\n", b"\0", b":", b"%", b"HTTP/1.1", b"Content-Length: 9\r\n",
          b"Transfer-Encoding: chunked\r\n", b"\xff\xfe", b"Host: evil.example\r\n"]


def malformed(chance):
    data = bytearray(WHOLE)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        kind = chance.randrange(3)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at:at] = chance.choice(PIECES)
        else:
            del data[at:at + chance.randint(1, 20)]
    return bytes(data)


def connect():
    return socket.create_connection(("127.0.0.1", int(PORT)), timeout=20)


def server():
    """The process of the server: the one that has the log."""
    for each in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if each.isdigit() and os.readlink(f"/proc/{each}/fd/1") == os.path.realpath(os.environ["LOG"]):
                return each
    raise RuntimeError("there is no server")


def files(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def memory(process):  # MB
    with open(f"/proc/{process}/status", encoding="utf-8") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024


def longest_decision(since):
    with open(os.environ["LOG"], encoding="utf-8") as log:
        log.seek(since)
        return [json.loads(line)["ms"] for line in log if '"group allocated"' in line]


def check(browser):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    idle_count = IDLE if most == resource.RLIM_INFINITY else min(IDLE, most - 500)
    visit = Visit(browser, one_time_link())
    visit.sees("default/runs")
    cookie = "; ".join(f"{each['name']}={each['value']}" for each in visit.context.cookies())
    process = server()
    before, memory_before = files(process), memory(process)
    log_before = os.path.getsize(os.environ["LOG"])
    begin = time.monotonic()
    connections = []
    for _ in range(idle_count):
        connections.append(connect())
        connections[-1].sendall(b"GET / HTTP/1.1\r\nHost: ")
    for _ in range(SLOW):
        connections.append(connect())
        connections[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connections[-1].sendall(f"GET /events/groups HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode())
    chance = random.Random(SEED)
    for number in range(MALFORMED):
        with connect() as each, contextlib.suppress(OSError):
            each.sendall(malformed(chance))
        if number % 2_000 == 0:
            submit(job(f"beside-{number}", 1, cpu="100m", seconds=2))
    took = time.monotonic() - begin
    print(f"# {idle_count} idle connections, {SLOW} slow readers and {MALFORMED} malformed requests in {took:.1f} s, "
          f"seed {SEED}", flush=True)
    started = await_true(lambda: all(
        json.loads(fluxnetes("get", "groups", "-A", "--finished", "1h", "--search", "beside-", "-o", "json"))["items"][at]["state"]
        in ("bound", "finished") for at in range(5)))
    claim("groups start beside them", started)
    decided = longest_decision(log_before)
    claim("no decision takes long", decided and max(decided) < 1_000, str(decided))
    seen = time.monotonic()
    visit.page.reload()
    claim("the pages are seen beside them", visit.sees("default/runs") and time.monotonic() - seen < 10)
    claim("and nothing fails in them", visit.errors == [], str(visit.errors))
    for each in connections:
        each.close()
    claim("all are forgotten when they have left",
          await_true(lambda: files(process) <= before + 10, 60), f"{files(process)} files, {before} before")
    more = memory(process) - memory_before
    claim("and what they needed is given back or small", more < 150, f"{more:.0f} MB more")
    visit.close()
