#!/usr/bin/env python3
"""Drives resource-query over a pipe, command by command, and prints a JSON row
per kind of work: matches per second of the program's own CPU time, including
reading the jobspec and writing the result; loading a graph; and its memory.

    resource_query/pipe.py PROGRAM [PART OF A ROW'S NAME]

`limit` is the target, `elsewhere` a measurement of Fluxion v0.54 (-O2) on
another machine.
"""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

RUNS = 3
CORES = 32

# name, nodes, policy, jobs, operation, limit, elsewhere
MATCHES = [
    ("8192x32, 1 core, lonode", 8192, "lonode", "core", 20000, 10000, 2.5),
    ("8192x32, 1 core, low", 8192, "low", "core", 20000, 10000, 2.0),
    ("1024x32, 1 core, lonode", 1024, "lonode", "core", 20000, 10000, 32),
    ("1024x32, 1 core, first", 1024, "first", "core", 20000, 12000, 4798),
    ("1024x32, 4 nodes, lonode", 1024, "lonode", "gang", 256, 8000, 130),
    ("1024x32, 4 nodes, low", 1024, "low", "gang", 256, 8000, 160),
    ("1024x32, 4 nodes, high", 1024, "high", "gang", 256, 8000, 145),
    ("8192x32, 4 nodes, lonode", 8192, "lonode", "gang", 2048, 8000, 10.7),
    ("8192x32, 4 nodes, low", 8192, "low", "gang", 2048, 8000, 5.9),
    ("1024x32, allocate or reserve x 3000, lonode", 1024, "lonode", "stream",
     3000, 4000, 217),
    ("1024x32, allocate or reserve x 3000, low", 1024, "low", "stream", 3000,
     4000, 249),
    ("8192x32, allocate or reserve x 3000, lonode", 8192, "lonode", "stream",
     3000, 2000, 26),
    ("1024x32, 10,000 reservations, lonode", 1024, "lonode", "stream", 10000,
     2500, 146),
]
# nodes of the job, policy, limit, elsewhere
PARTIAL_CANCELS = [
    (64, "lonode", None, None),
    (256, "lonode", 35100, 17544),
    (256, "first", 16100, 8065),
    (1024, "lonode", 10300, 5128),
    (1024, "first", 11800, 5917),
    (4096, "lonode", 7400, 3690),
    (8192, "lonode", None, None),
]
SECONDS_AT_MOST = 20  # of CPU, for one run

KEYS = {"node": ["root", "type", "basename", "unit", "size", "subsystem"],
        "edge": ["e_subsystem", "relation", "rrelation", "id_scope", "id_start",
                 "id_stride", "gen_method", "multi_scale", "as_tgt_subsystem",
                 "as_tgt_uplvl", "as_src_uplvl"]}
NUMBERS = {"root": 0, "size": 1, "id_scope": 0, "id_start": 0, "id_stride": 1,
           "multi_scale": 1, "as_tgt_uplvl": 1, "as_src_uplvl": 1}
TEXTS = {"subsystem": "containment", "e_subsystem": "containment",
         "relation": "contains", "rrelation": "in", "gen_method": "MULTIPLY",
         "as_tgt_subsystem": "containment"}


def graphml(nodes):
    lines = ["<graphml>"]
    for domain, keys in KEYS.items():
        for key in keys:
            kind = "int" if key in NUMBERS else "string"
            default = NUMBERS.get(key, TEXTS.get(key, ""))
            lines.append(
                f'<key id="{key}" for="{domain}" attr.name="{key}" '
                f'attr.type="{kind}"><default>{default}</default></key>')
    lines.append('<graph id="flat" edgedefault="directed">')
    for kind in ("cluster", "node", "core"):
        root = '<data key="root">1</data>' if kind == "cluster" else ""
        lines.append(f'<node id="{kind}">{root}<data key="type">{kind}</data>'
                     f'<data key="basename">{kind}</data></node>')
    for above, below, scale in (("cluster", "node", nodes),
                                ("node", "core", CORES)):
        lines.append(f'<edge id="{above}2{below}" source="{above}" '
                     f'target="{below}"><data key="multi_scale">{scale}</data>'
                     '</edge>')
    return "\n".join(lines + ["</graph>", "</graphml>"])


def jgf(nodes):
    vertices, edges = [], []

    def add(kind, number, rank, path, parent):
        uniq = len(vertices)
        vertices.append({"id": str(uniq), "metadata": {
            "type": kind, "basename": kind, "name": f"{kind}{number}",
            "id": number, "uniq_id": uniq, "rank": rank, "exclusive": False,
            "unit": "", "size": 1,
            "paths": {"containment": f"{path}/{kind}{number}"}}})
        if parent is not None:
            edges.append({"source": str(parent), "target": str(uniq),
                          "metadata": {"subsystem": "containment"}})
        return uniq

    cluster = add("cluster", 0, -1, "", None)
    for node in range(nodes):
        parent = add("node", node, node, "/cluster0", cluster)
        for core in range(CORES):
            add("core", core, -1, f"/cluster0/node{node}", parent)
    return json.dumps({"graph": {"nodes": vertices, "edges": edges}})


def jobspec(slots, whole_nodes, seconds):
    part = {"type": "core", "count": 1}
    if whole_nodes:
        part = {"type": "node", "count": 1, "exclusive": True,
                "with": [{"type": "core", "count": CORES}]}
    return {"version": 9999,
            "resources": [{"type": "slot", "count": slots, "label": "default",
                           "with": [part]}],
            "attributes": {"system": {"duration": seconds}},
            "tasks": [{"command": ["app"], "slot": "default",
                       "count": {"per_slot": 1}}]}


def rv1exec(ranks, hosts):
    return json.dumps({"version": 1, "execution": {
        "R_lite": [{"rank": ranks, "children": {"core": f"0-{CORES - 1}"}}],
        "nodelist": [f"node{hosts}"], "starttime": 0, "expiration": 0}})


def yaml(value, indent=0):
    """Returns YAML in block style, as people write it."""
    space = " " * indent
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            if isinstance(inner, (dict, list)):
                lines.append(f"{space}{key}:\n{yaml(inner, indent + 2)}")
            else:
                lines.append(f"{space}{key}: {json.dumps(inner)}\n")
        return "".join(lines)
    items = []
    for inner in value:
        if isinstance(inner, dict):
            text = yaml(inner, indent + 2)
            items.append(f"{space}- {text[indent + 2:]}")
        else:
            items.append(f"{space}- {json.dumps(inner)}\n")
    return "".join(items)


def write_jobs(folder):
    """Returns the paths by kind; the stream has 200, which recur."""
    def write(name, spec):
        path = folder / f"{name}.yaml"
        path.write_text(yaml(spec), encoding="utf-8")
        return str(path)

    pick = random.Random(1)
    sizes = [1] * 6 + [2] * 5 + [4] * 2 + [8] * 2 + [16] * 2 + [32] * 2 + [64]
    times = [600, 1200, 3600, 7200, 14400]
    return {"core": [write("core", jobspec(1, False, 3600))],
            "gang": [write("gang", jobspec(4, True, 3600))],
            "stream": [write(f"stream{i}", jobspec(pick.choice(sizes), True,
                                                   pick.choice(times)))
                       for i in range(200)]}


class Session:
    def __init__(self, program, graph, policy, kind="grug"):
        self._process = subprocess.Popen(
            [program, "-L", graph, "-f", kind, "-S", "CA", "-P", policy, "-F",
             "rv1_nosched", "-e", "-d"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def send(self, command):
        self._process.stdin.write(command.encode() + b"\n")
        self._process.stdin.flush()

    def wait_until_done(self):
        self.send("stat")
        for line in self._process.stdout:
            if b"Avg. Match Time" in line:
                return
        sys.exit("resource-query ended early")

    def match(self, operation, path):
        """Returns False if nothing was found."""
        self.send(f"match {operation} {path}")
        found, rules = False, 0
        for line in self._process.stdout:
            if line.startswith(b"INFO: RESOURCES="):
                found = True
            elif line.startswith(b"INFO: ====="):
                rules += 1
                if rules == 2:
                    return found
        sys.exit("resource-query ended early")

    def cpu_seconds(self):
        stat = f"/proc/{self._process.pid}/schedstat"
        return int(pathlib.Path(stat).read_text(encoding="ascii").split()[0]) / 1e9

    def memory(self):
        """Returns its peak MiB so far; wait4() would count this program too."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status")
        for row in status.read_text(encoding="ascii").splitlines():
            if row.startswith("VmHWM:"):
                return int(row.split()[1]) / 1024
        return 0

    def end(self):
        """Returns the CPU seconds of its whole life, and its peak memory in MiB."""
        memory = self.memory()
        self.send("quit")
        self._process.stdin.close()
        self._process.stdout.read()
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime, memory


def show(name, values, unit, limit, elsewhere):
    row = {"row": f"pipe: {name}", "value": statistics.median(values),
           "unit": unit, "min": min(values), "max": max(values)}
    if limit is not None:
        row |= {"limit": limit, "elsewhere": elsewhere}
    print(json.dumps(row), flush=True)


def measure_matches(program, graph, policy, paths, operation, jobs):
    session = Session(program, graph, policy)
    session.wait_until_done()
    start = session.cpu_seconds()
    done = 0
    while done < jobs:
        session.match(operation, paths[done % len(paths)])
        done += 1
        if done % 64 == 0 and session.cpu_seconds() - start > SECONDS_AT_MOST:
            break
    rate = done / (session.cpu_seconds() - start)
    return rate, session.end()[1]


def measure_partial_cancels(program, folder, nodes, policy):
    """Takes back one job rank by rank, in a random order."""
    graph, gang = folder / "ranked.json", folder / "whole.yaml"
    graph.write_text(rv1exec(f"0-{nodes - 1}", f"[0-{nodes - 1}]"),
                     encoding="utf-8")
    gang.write_text(yaml(jobspec(nodes, True, 3600)), encoding="utf-8")
    ranks = list(range(nodes))
    random.Random(1).shuffle(ranks)
    parts = [folder / f"rank{rank}.json" for rank in ranks]
    for rank, part in zip(ranks, parts):
        part.write_text(rv1exec(f"{rank}", f"{rank}"), encoding="utf-8")
    session = Session(program, str(graph), policy, "rv1exec")
    session.match("allocate", str(gang))
    start = session.cpu_seconds()
    for part in parts:
        session.send(f"partial-cancel 1 rv1exec {part}")
    session.wait_until_done()
    rate = nodes / (session.cpu_seconds() - start)
    session.end()
    return rate


def main():
    program = sys.argv[1]
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        jobs = write_jobs(folder)
        graphs = {}
        for nodes in (1024, 8192):
            graphs[nodes] = str(folder / f"{nodes}.graphml")
            pathlib.Path(graphs[nodes]).write_text(graphml(nodes),
                                                   encoding="utf-8")
        for title, nodes, policy, kind, count, limit, elsewhere in MATCHES:
            if only not in title:
                continue
            operation = ("allocate_orelse_reserve" if kind == "stream"
                         else "allocate")
            runs = [measure_matches(program, graphs[nodes], policy, jobs[kind],
                                    operation, count) for _ in range(RUNS)]
            show(title, [rate for rate, _ in runs], "1/s", limit, elsewhere)
            if "10,000" in title:
                show(f"{title}: memory", [memory for _, memory in runs], "MiB",
                     200, 3300)
        for nodes, policy, limit, elsewhere in PARTIAL_CANCELS:
            title = f"{nodes} nodes of one job, back by rank, {policy}"
            if only not in title:
                continue
            runs = [measure_partial_cancels(program, folder, nodes, policy)
                    for _ in range(RUNS)]
            show(title, runs, "1/s", limit, elsewhere)
        for kind, text, limit, elsewhere, memory in (
                ("grug", graphml, 0.2, 2.1, 1000), ("jgf", jgf, 0.5, 5.5, 1600)):
            title = f"load of 8192x32 from {'GraphML' if kind == 'grug' else 'JGF'}"
            if only not in title:
                continue
            path = folder / f"load.{kind}"
            path.write_text(text(8192), encoding="utf-8")
            runs = []
            for _ in range(RUNS):
                session = Session(program, str(path), "lonode", kind)
                session.wait_until_done()
                runs.append(session.end())
            show(title, [cpu for cpu, _ in runs], "s", limit, elsewhere)
            show(f"{title}: memory", [size for _, size in runs], "MiB", 80,
                 memory)


if __name__ == "__main__":
    main()
