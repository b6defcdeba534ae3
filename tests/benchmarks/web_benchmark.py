#!/usr/bin/env python3
"""Measures the pages in the browser, on `fluxnetes serve` with a simulated cluster.

    hack/benchmark web [--groups N] [--viewers N] [--changes N] [--seconds N]

Rows: the sizes of what the browser gets, the first paint of the overview's frame in
headless Chromium, a page of 100 of so many groups in any order and by any filter, the
time from the commit of a change to the screen, so many viewers (each of a window of 50
groups, of which each changes every five seconds) at so many changes a second, how long
decisions take beside them and beside none, in turns, the heap of a page that has seen
an hour of changes, the timeline of 10,000 nodes and 100,000 groups, and what axe finds
on all pages. A row whose viewers do not get their changes is said to be not reached.
Prints a JSON object per row, with its limit where there is one. Needs Playwright and
axe-core (hack/install test).
"""

import argparse
import http.client
import json
import multiprocessing
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

TESTS = pathlib.Path(__file__).parent.parent / "pages"
sys.path.insert(0, str(TESTS))
from bundle import MOST, MOST_OF_TIMELINE, Bundle  # noqa: E402  pylint: disable=wrong-import-position

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "fluxnetes"
BROWSER = CACHE / "browser/bin/python"
AXE = CACHE / "axe/node_modules/axe-core/axe.min.js"
TICKS = os.sysconf("SC_CLK_TCK")
LOOKS = 5  # at each order and filter of groups, two pages each
ORDERS = ["UNSPECIFIED", "NAME", "SUBMITTED", "START", "SIZE", "PRIORITY", "QUEUE", "STATE"]
FILTERS = [{}, {"namespace": "ns7"}, {"queue": "default"}, {"states": ["GROUP_STATE_PENDING"]},
           {"search": "g7777"}, {"search": "held"}, {"node": "node-00007"}, {"account": "physics"}]
PAINTS = 10
SIGHTS = 100  # changes that are awaited on the screen
WATCHED = 5_000  # groups that viewers look at, in windows of so many
WINDOW = 50
TURNS = 3  # with viewers, and as many without
HOUR = 36_000  # events that the feed sends in an hour at most
JOB = """{{apiVersion: batch/v1, kind: Job, metadata: {{name: {name}}}, spec: {{template: {{
  metadata: {{labels: {{fluxnetes.group-name: {name}, fluxnetes.group-size: "1"}}}}, spec: {{
  schedulerName: fluxnetes, restartPolicy: Never, activeDeadlineSeconds: 60, containers: [{{name: main,
  image: debian, command: [sleep, "1"], resources: {{requests: {{cpu: 1}}}}}}]}}}}}}}}"""

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
    """`fluxnetes serve` on a database of its own, with what the SQL of `fill` puts there."""

    def __init__(self, program, scratch, fill=None):
        self.program, self.scratch = program, scratch
        os.makedirs(scratch, mode=0o755, exist_ok=True)
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
        if fill:
            self.sql(f"SET search_path TO fluxnetes;\n{fill}")
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

    def query(self, text):
        return subprocess.run(["psql", "-XqAt", self.url, "-c", text], text=True, check=True,
                              capture_output=True).stdout

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


def sizes(server):
    bundle = Bundle(server.port)
    row("scripts and styles of the first page, gzipped", [bundle.first / 1000], "kB")
    row("those of all pages but the timeline, gzipped",
        [(bundle.first + bundle.rest) / 1000], "kB", MOST / 1000)
    row("those of the timeline alone, gzipped", [bundle.timeline / 1000], "kB",
        MOST_OF_TIMELINE / 1000)


def pages_of_groups(server, count):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def ask(request):
        begin = time.perf_counter()
        connection.request("POST", "/fluxnetes.v1.Scheduler/ListGroups", json.dumps(request),
                           {"Content-Type": "application/json", "Cookie": server.cookie})
        answer = connection.getresponse()
        body = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"{request}: {body}")
        return (time.perf_counter() - begin) * 1000, body.get("nextPageToken", "")

    times, slowest = [], (0, None)
    ask({"pageSize": 100, "order": "GROUP_ORDER_NAME"})  # the server's memory is there then
    for order in ORDERS:
        for each in FILTERS:
            for number in range(LOOKS):
                request = {"pageSize": 100, "order": f"GROUP_ORDER_{order}",
                           "descending": number % 2 == 1, **each}
                took, token = ask(request)
                times.append(took)
                slowest = max(slowest, (took, order, str(each)))
                if token:
                    times.append(ask({**request, "pageToken": token})[0])
    print(f"the slowest page: {slowest}", file=sys.stderr)
    row(f"page of 100 of {count:,} groups, any order or filter, p95 of {len(times)}",
        [percentile(times, 0.95)], "ms", 50)


def start_browser(playwright):
    return playwright.chromium.launch(
        executable_path="/usr/bin/chromium-headless-shell",
        args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])


def in_the_browser(server):
    from playwright.sync_api import sync_playwright  # pylint: disable=import-outside-toplevel
    with sync_playwright() as playwright:
        browser = start_browser(playwright)
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
              const look = () => document.body.textContent.includes(word) && requestAnimationFrame(() => done(Date.now()));
              new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
            }); }""", word)
            begin = float(server.query(
                f"UPDATE pod_groups SET reason = '{word}' WHERE group_name = 'seen' "
                "RETURNING extract(epoch FROM clock_timestamp()) * 1000"))
            times.append(page.evaluate("window.seen") - begin)
        row("from a change to the screen, p99", [percentile(times, 0.99)], "ms", 1000)
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable")
        found = {each["name"]: each["value"]
                 for each in metrics.send("Performance.getMetrics")["metrics"]}
        row(f"heap of the page after {SIGHTS} changes", [found["JSHeapUsedSize"] / 1e6], "MB", 100)
        browser.close()


class Viewer:
    """A stream of the changes of a window of groups, and what has come by it."""

    def __init__(self, server, ids):
        self.ids = set(ids)
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.socket.sendall((f"GET /events/groups?ids={','.join(map(str, ids))} HTTP/1.1\r\n"
                             f"Host: localhost\r\nCookie: {server.cookie}\r\n\r\n").encode())
        self.socket.setblocking(False)
        self.rest = b""  # of a line that is not whole
        self.events = self.groups = 0

    def fileno(self):
        return self.socket.fileno()

    def read(self, delays):
        """Counts the changes that have come, and how long each was under way."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise RuntimeError("a viewer was dropped")
        text = self.rest + re.sub(rb"\r\n(?:[0-9a-f]+\r\n)?", b"", data)
        whole = text.rfind(b"\n") + 1
        self.rest = text[whole:]
        self.events += text.count(b"event: changes", 0, whole)
        sent = re.findall(rb'"reason":"sent (\d+)"', text[:whole])
        self.groups += len(sent)
        delays.extend(time.time() * 1000 - int(each) for each in sent)


class Writer:
    """Changes groups by a psql of its own, some at a time."""

    def __init__(self, server, groups, batch):
        self.psql = subprocess.Popen(["psql", "-Xqt", server.url], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
        self.groups, self.batch, self.next, self.asked = groups, batch, 0, 0
        self.committed = 0  # changes

    def fileno(self):
        return self.psql.stdout.fileno()

    def write(self):
        if self.asked > self.committed:
            return  # one batch at a time
        ids = self.groups[self.next:self.next + self.batch]
        self.next = (self.next + self.batch) % len(self.groups)
        self.asked += len(ids)
        self.psql.stdin.write(
            f"UPDATE pod_groups SET reason = 'sent {time.time() * 1000:.0f}' WHERE id = ANY "
            f"('{{{','.join(map(str, ids))}}}');\n\\echo done\n".encode())
        self.psql.stdin.flush()

    def read(self, _):
        if b"done" in os.read(self.fileno(), 1 << 16):
            self.committed = self.asked

    def end(self):
        self.psql.stdin.close()
        self.psql.wait()


def watch(server, asked, count, seconds, tick=lambda: None):
    """So many viewers for so long, while groups change: what they cost and got. Calls
    `tick` all the time."""
    groups = [int(each) for each in server.query(
        f"SELECT id FROM pod_groups ORDER BY id LIMIT {WATCHED}").split()]
    before = server.memory()
    windows = [groups[at:at + WINDOW] for at in range(0, len(groups), WINDOW)]
    open_viewers = [Viewer(server, windows[number % len(windows)]) for number in range(count)]
    selector = selectors.DefaultSelector()
    for each in open_viewers:
        selector.register(each, selectors.EVENT_READ)
    delays = []

    def read(patience):
        for key, _ in selector.select(patience):
            key.fileobj.read(delays)

    until = time.monotonic() + 60
    while any(each.events == 0 for each in open_viewers) and time.monotonic() < until:
        read(0.1)
    for each in open_viewers:
        each.groups = 0
    delays.clear()
    writer = Writer(server, groups, asked.changes // 10)
    selector.register(writer, selectors.EVENT_READ)
    begin_cpu, begin = server.cpu(), time.monotonic()
    while (now := time.monotonic() - begin) < seconds:
        if now * asked.changes > writer.asked:
            writer.write()
        tick()
        read(0.02)
    cpu = (server.cpu() - begin_cpu) / (time.monotonic() - begin)
    most = server.memory() - before
    rate = writer.committed / seconds
    until = time.monotonic() + 5  # for what is under way
    while time.monotonic() < until:
        read(0.1)
    # Each batch goes on where the one before ended.
    rounds, more = divmod(writer.committed, len(groups))
    changed = {each: rounds + (place < more) for place, each in enumerate(groups)}
    expected = sum(changed[each] for viewer in open_viewers for each in viewer.ids)
    got = sum(each.groups for each in open_viewers)
    for each in open_viewers:
        each.socket.close()
    writer.end()
    return {"cpu": cpu, "memory": most, "rate": rate, "delays": delays,
            "share": got / expected if expected else 1}


def viewers(server, asked):
    found = watch(server, asked, asked.viewers, asked.seconds)
    name = f"{asked.viewers:,} viewers of {WINDOW} rows, {found['rate']:.0f} changes a second"
    row(f"{name}: changes that each got", [found["share"] * 100], "%")
    if found["share"] < 0.99 or found["rate"] < 0.9 * asked.changes:
        print(f"not reached: {name} of {asked.changes}, {found['share']:.1%} of them got through",
              file=sys.stderr)
        return
    row(f"{name}: CPU", [found["cpu"]], "cores", 1)
    row(f"{name}: memory more", [found["memory"]], "MB", 100)
    row(f"{name}: from a change to the viewer, p99", [percentile(found["delays"], 0.99)], "ms", 1000)


class Submissions:
    """Submits five jobs of one pod and a second each, four times a second."""

    def __init__(self, server):
        self.server, self.number, self.next, self.running = server, 0, 0, []

    def __call__(self):
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + 0.25
        jobs = []
        for _ in range(5):
            self.number += 1
            jobs.append(JOB.format(name=f"decided-{os.getpid()}-{id(self)}-{self.number}"))
        self.running = [each for each in self.running if each.poll() is None]
        self.running.append(subprocess.Popen(
            [self.server.program, "--config", self.server.config, "submit", "-f", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.running[-1].stdin.write("\n---\n".join(jobs).encode())
        self.running[-1].stdin.close()

    def end(self):
        for each in self.running:
            each.wait()


def decisions(server, asked):
    """How long decisions take beside viewers and beside none, in turns. Viewers have
    machines of their own; here they get the time that nobody else wants."""
    os.nice(19)
    took = {True: [], False: []}
    for turn in range(2 * TURNS):
        seen = turn % 2 == 1
        begin = os.path.getsize(server.log.name)
        submissions = Submissions(server)
        watch(server, asked, asked.viewers if seen else 0, asked.seconds, submissions)
        submissions.end()
        with open(server.log.name, encoding="utf-8") as log:
            log.seek(begin)
            took[seen] += [json.loads(line)["ms"] for line in log if '"group allocated"' in line]
    for seen, words in ((False, "none"), (True, f"{asked.viewers:,} viewers")):
        row(f"decisions beside {words}: p99 of {len(took[seen])}", [percentile(took[seen], 0.99)], "ms")
    ratio = percentile(took[True], 0.99) / percentile(took[False], 0.99)
    row("decisions: p99 beside viewers to that beside none", [ratio], "times", 1.05)


def an_hour(server):
    """The heap of the list of groups after as many events as the feed sends in an hour
    (ten a second), each with changes of thirty rows. They are given to the page itself,
    by the browser, as fast as it takes them, so an hour takes minutes."""
    from playwright.sync_api import sync_playwright  # pylint: disable=import-outside-toplevel
    with sync_playwright() as playwright:
        browser = start_browser(playwright)
        page = browser.new_page()
        page.add_init_script("""window.EventSource = class extends EventTarget {
          static CLOSED = 2; readyState = 1;
          constructor() { super(); window.stream = this; }
          close() {}
        };""")
        link = server.link()
        page.goto(link)
        page.get_by_role("heading", level=1).first.wait_for()
        page.goto(link.partition("#")[0] + "#/groups")
        page.locator(".row .name").first.wait_for()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")

        def heap():
            session.send("HeapProfiler.collectGarbage")
            found = {each["name"]: each["value"]
                     for each in session.send("Performance.getMetrics")["metrics"]}
            return found["JSHeapUsedSize"] / 1e6

        before = heap()
        page.set_default_timeout(1_800_000)
        page.evaluate("""async (events) => {
          const list = await (await fetch("fluxnetes.v1.Scheduler/ListGroups", {method: "POST",
            headers: {"Content-Type": "application/json"}, body: '{"pageSize": 100}'})).json();
          for (let number = 0; number < events; ++number) {
            const groups = Array.from({length: 30}, (_, i) =>
              ({...list.groups[(number + i) % list.groups.length], reason: `change ${number} of ${i}`}));
            window.stream.dispatchEvent(new MessageEvent("changes",
              {data: JSON.stringify({groups, others: "2", resumeToken: String(number)}), lastEventId: String(number)}));
            if (number % 10 === 0) await new Promise(requestAnimationFrame);
          }
        }""", HOUR)
        shown = page.locator(".row .why").first.inner_text()
        if "change " not in shown:
            raise RuntimeError(f"the page has not taken the changes: {shown}")
        row(f"heap of the list of groups after {HOUR:,} events (an hour of the feed)", [heap()], "MB", 100)
        row("that before them", [before], "MB")
        browser.close()


def large_timeline(server):
    """The timeline of tests/pages/large.sql: 10,000 nodes and 100,000 groups."""
    os.environ.setdefault("PORT", str(server.port))
    from playwright.sync_api import sync_playwright  # pylint: disable=import-outside-toplevel
    from large import WATCH  # pylint: disable=import-outside-toplevel
    from timeline import FRAMES  # pylint: disable=import-outside-toplevel
    with sync_playwright() as playwright:
        browser = start_browser(playwright)
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        page.set_default_timeout(120_000)
        link = server.link()
        page.goto(link)
        page.get_by_role("heading", level=1).first.wait_for()
        page.add_init_script(f"({WATCH})()")
        loads, frames = [], []
        for _ in range(3):
            page.goto("about:blank")
            page.wait_for_timeout(3000)
            page.goto(link.partition("#")[0] + "#/timeline?fold=no")
            # The page lets in no script but its own, so it is asked again and again.
            while not page.evaluate("window.drawnAt > 0"):
                page.wait_for_timeout(20)
            loads.append(page.evaluate("window.drawnAt"))
            if "of 100000" not in page.locator("table caption").inner_text():
                raise RuntimeError("the timeline lacks groups")
            frames += page.evaluate(FRAMES)
        row("timeline of 10,000 nodes and 100,000 bars: load", loads, "ms", 2000)
        row("the same: frame while panning, p95", [percentile(frames, 0.95)], "ms", 33)
        browser.close()


def accessibility(server):
    if not AXE.exists():
        print("not reached: what axe finds; axe-core is missing", file=sys.stderr)
        return
    os.environ["AXE"] = str(AXE)
    os.environ.setdefault("PORT", str(server.port))
    from playwright.sync_api import sync_playwright  # pylint: disable=import-outside-toplevel
    from every_page import ROUTES, violations  # pylint: disable=import-outside-toplevel
    found, looked = [], 0
    with sync_playwright() as playwright:
        browser = start_browser(playwright)
        for scheme in ("light", "dark"):
            page = browser.new_context(color_scheme=scheme, bypass_csp=True).new_page()
            link = server.link()
            page.goto(link)
            page.get_by_role("heading", level=1).first.wait_for()
            for route in ROUTES:
                if route.startswith("groups/"):
                    route = "groups/a/seen"
                page.goto(link.partition("#")[0] + f"#/{route}")
                page.get_by_role("heading", level=1).first.wait_for()
                page.wait_for_timeout(500)  # for what the page reads
                found += [f"{route}, {scheme}: {each}" for each in violations(page)]
                looked += 1
        browser.close()
    for each in found:
        print(each, file=sys.stderr)
    row(f"violations that axe finds on {looked} pages, light and dark", [len(found)], "violations", 0)


def main():
    asked = arguments()
    if pathlib.Path(sys.executable) != BROWSER and BROWSER.exists():
        os.execv(BROWSER, [str(BROWSER), *sys.argv])
    scratch = tempfile.mkdtemp(prefix="fluxnetes-web.")
    os.chmod(scratch, 0o755)
    server = Server(asked.program, f"{scratch}/many")
    try:
        sizes(server)
        server.sql(MANY.format(count=100) + """
          INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, priority, state,
            phase, shape, reason, submitted_at, promoted_at)
          VALUES (nextval('group_ids'), 'a', 'seen', 1, 'default', 0, 'pending', 'held', 1, 'held', now(), now());""")
        in_the_browser(server)
        accessibility(server)
        server.sql("DELETE FROM pod_groups;" + MANY.format(count=asked.groups))
        pages_of_groups(server, asked.groups)
        an_hour(server)
        viewers(server, asked)
        niced = multiprocessing.get_context("fork").Process(target=decisions, args=(server, asked))
        niced.start()
        niced.join()
        if niced.exitcode:
            raise RuntimeError("the times of decisions could not be measured")
        server.stop()
        server = Server(asked.program, f"{scratch}/large", (TESTS / "large.sql").read_text())
        large_timeline(server)
    finally:
        server.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
