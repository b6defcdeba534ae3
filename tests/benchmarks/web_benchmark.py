#!/usr/bin/env python3
"""Measures the pages in the browser, on `fluxnetes serve` with a simulated cluster.

    hack/benchmark web [--groups N] [--viewers N] [--changes N] [--seconds N]

Rows: the sizes of what the browser gets, the first paint of the overview's frame in
headless Chromium, a page of 100 of so many groups, the time from the commit of a
change to the screen, so many viewers (each a stream of all changes) at so many
changes a second, and the heap of a page that has seen these changes. Prints a JSON
object per row. Needs Playwright (hack/install test).
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BROWSER = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
BROWSER = BROWSER / "fluxnetes/browser/bin/python"
TICKS = os.sysconf("SC_CLK_TCK")
PAGES = 200  # requests for pages of groups
PAINTS = 10
SIGHTS = 100  # changes that are awaited on the screen

MANY = """
INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, priority, state,
  phase, shape, reason, submitted_at, promoted_at)
SELECT nextval('group_ids'), 'ns' || i % 20, 'g' || i, 1, 'default', 0, 'pending', 'held', 1, 'held',
  now() - i * interval '1 s', now()
FROM generate_series(1, {count}) AS i;
ANALYZE;
"""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--groups", type=int, default=100_000)
    parser.add_argument("--viewers", type=int, default=1_000)
    parser.add_argument("--changes", type=int, default=1_000, help="a second")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--program", required=True, help="fluxnetes")
    return parser.parse_args()


def row(name, values, unit, limit=None):
    text = {"row": name, "value": statistics.median(values), "unit": unit,
            "min": min(values), "max": max(values)}
    if limit is not None:
        text["limit"] = limit
    print(json.dumps(text), flush=True)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Server:
    """`fluxnetes serve` on a database of its own."""

    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        subprocess.run(["hack/postgres", "start", f"{scratch}/postgres"], check=True,
                       stdout=subprocess.DEVNULL)
        self.url = subprocess.run(["hack/postgres", "url", f"{scratch}/postgres"],
                                  check=True, capture_output=True, text=True).stdout.strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.config = f"{scratch}/config.yaml"
        pathlib.Path(self.config).write_text(json.dumps({
            "database": {"connection": self.url}, "http": {"listen": "off"},
            "cluster": {"kind": "simulated", "nodes": f"{os.getcwd()}/deploy/examples/nodes.yaml",
                        "listen": f"unix:{scratch}/cluster.sock"},
            "web": {"listen": f"127.0.0.1:{self.port}"}}), encoding="utf-8")
        self.run("migrate", "up")
        self.log = open(f"{scratch}/log", "w", encoding="utf-8")
        self.process = subprocess.Popen([program, "--config", self.config, "serve"],
                                        stdout=self.log, stderr=self.log)
        for _ in range(100):
            time.sleep(0.1)
            if '"pages"' in pathlib.Path(f"{scratch}/log").read_text(encoding="utf-8"):
                break
        self.cookie = self.sign_in()

    def run(self, *words):
        return subprocess.run([self.program, "--config", self.config, *words], check=True,
                              capture_output=True, text=True).stdout

    def sql(self, text):
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", self.url], input=text,
                       text=True, check=True)

    def link(self):
        return self.run("web").strip()

    def sign_in(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", "/session", json.dumps({"link": self.link().split("=")[1]}),
                           {"Content-Type": "application/json"})
        return connection.getresponse().getheader("Set-Cookie").split(";")[0]

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):  # MB
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        subprocess.run(["hack/postgres", "stop", f"{self.scratch}/postgres"], check=False)


def gzipped(connection, path):
    connection.request("GET", "/" + path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    import gzip  # pylint: disable=import-outside-toplevel
    packed = answer.getheader("Content-Encoding") == "gzip"
    return len(body), (gzip.decompress(body) if packed else body).decode()


def sizes(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    _, page = gzipped(connection, "")
    found, later = {}, set()

    def get(waiting):
        while waiting:
            path = waiting.pop()
            found[path], text = gzipped(connection, path)
            later.update(re.findall(r'import\("\./([\w.-]+\.js)"\)', text))
            waiting |= set(re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', text)) - found.keys()
        return sum(found.values()) / 1000

    first = get(set(re.findall(r'(?:src|href)="(?:\./)?([\w.-]+\.(?:js|css))"', page)))
    row("scripts and styles of the first page, gzipped", [first], "kB", 40)
    with_timeline = get({path for path in later if path.startswith("timeline")})
    row("those of the timeline, more, gzipped", [with_timeline - first], "kB", 20)
    row("those of all pages, gzipped", [get(later - found.keys())], "kB")


def pages_of_groups(server, count):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    times, token = [], ""
    for number in range(PAGES):
        request = {"pageSize": 100, "pageToken": token}
        if number % 2:
            request = {"pageSize": 100, "namespace": f"ns{number % 20}"}
        begin = time.perf_counter()
        connection.request("POST", "/fluxnetes.v1.Scheduler/ListGroups", json.dumps(request),
                           {"Content-Type": "application/json", "Cookie": server.cookie})
        answer = json.loads(connection.getresponse().read())
        times.append((time.perf_counter() - begin) * 1000)
        token = answer.get("nextPageToken", "") if number % 2 == 0 else token
    row(f"page of 100 of {count:,} groups, p95", [percentile(times, 0.95)], "ms", 50)


def in_the_browser(server):
    from playwright.sync_api import sync_playwright  # pylint: disable=import-outside-toplevel
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        paints = []
        for _ in range(PAINTS):
            page = browser.new_page()
            page.goto(server.link())
            page.get_by_role("heading", level=1).first.wait_for()
            paints.append(page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.close()
        row("first paint", paints, "ms", 500)
        page = browser.new_page()
        link = server.link()
        page.goto(link)
        page.get_by_role("heading", level=1).first.wait_for()
        page.goto(link.partition("#")[0] + "#/groups?search=seen")
        page.get_by_text("/seen").first.wait_for()
        times = []
        for number in range(SIGHTS):
            word = f"word-{number}-"
            page.evaluate("""(word) => { window.seen = new Promise((done) => {
              const look = () => document.body.innerText.includes(word) && done(Date.now());
              new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
            }); }""", word)
            server.sql(f"UPDATE pod_groups SET reason = '{word}' WHERE group_name = 'seen'")
            begin = time.time() * 1000
            times.append(max(0, page.evaluate("window.seen") - begin))
        row("from a change to the screen, p99", [percentile(times, 0.99)], "ms", 1000)
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable")
        found = {each["name"]: each["value"]
                 for each in metrics.send("Performance.getMetrics")["metrics"]}
        row(f"heap of the page after {SIGHTS} changes", [found["JSHeapUsedSize"] / 1e6], "MB", 100)
        browser.close()


def streams(server, count):
    found = []
    for _ in range(count):
        stream = socket.create_connection(("127.0.0.1", server.port))
        stream.sendall((f"GET /events/groups?present=false HTTP/1.1\r\nHost: localhost\r\n"
                        f"Cookie: {server.cookie}\r\n\r\n").encode())
        stream.setblocking(False)
        found.append(stream)
    return found


def viewers(server, asked):
    before = server.memory()
    open_streams = streams(server, asked.viewers)
    selector = selectors.DefaultSelector()
    for stream in open_streams:
        selector.register(stream, selectors.EVENT_READ)
    changes = asked.changes * asked.seconds
    writer = subprocess.Popen(["psql", "-Xq", server.url], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.DEVNULL)
    begin_cpu, begin, read, written = server.cpu(), time.monotonic(), 0, 0
    while time.monotonic() - begin < asked.seconds:
        due = int((time.monotonic() - begin) * asked.changes)
        if due - written >= asked.changes // 10:
            writer.stdin.write(
                f"UPDATE pod_groups SET reason = 'r{due}' WHERE group_name IN "
                f"(SELECT 'g' || i FROM generate_series({written % 5000 + 1}, "
                f"{written % 5000 + due - written}) AS i);\n")
            writer.stdin.flush()
            written = due
        for key, _ in selector.select(0.02):
            read += len(key.fileobj.recv(1 << 20))
    seconds = time.monotonic() - begin
    row(f"{asked.viewers:,} viewers, {written * 1000 // changes / 1000 * asked.changes:.0f} "
        "changes a second: CPU", [(server.cpu() - begin_cpu) / seconds], "cores", 1)
    row(f"{asked.viewers:,} viewers: memory more", [server.memory() - before], "MB", 100)
    writer.stdin.close()
    writer.wait()
    for stream in open_streams:
        stream.close()
    if read == 0:
        raise RuntimeError("the viewers have read nothing")


def main():
    asked = arguments()
    if pathlib.Path(sys.executable) != BROWSER and BROWSER.exists():
        os.execv(BROWSER, [str(BROWSER), *sys.argv])
    scratch = tempfile.mkdtemp(prefix="fluxnetes-web.")
    os.chmod(scratch, 0o755)
    server = Server(asked.program, scratch)
    try:
        sizes(server)
        server.sql(MANY.format(count=100) + """
          INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, priority, state,
            phase, shape, reason, submitted_at, promoted_at)
          VALUES (nextval('group_ids'), 'a', 'seen', 1, 'default', 0, 'pending', 'held', 1, 'held', now(), now());""")
        in_the_browser(server)
        server.sql("DELETE FROM pod_groups;" + MANY.format(count=asked.groups))
        pages_of_groups(server, asked.groups)
        viewers(server, asked)
    finally:
        server.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
