#!/usr/bin/env python3
"""Measures gangs on real nodes: kubelets and containers (docs/real-nodes.md).

    hack/benchmark real_nodes [--times N] [--pods N] [--losses N]

Rows: how long a gang of 4 takes from its making until all its containers run, on one
node; how long of that until all have the node; the same of 4 pods that are made with
that node already, which is the kubelet's own time; what the first takes over the last;
how long so many pods of gangs of 4 take from the first made to the last ended, beside
Kubernetes' own scheduler (peer), which places them one by one; and, when the plug of a
node is pulled, how long it takes from the end of its pods' toleration until their
successors have a node, and how long of that since the Job had made them: it waits ten
seconds and more. A count of 0 leaves its rows out. Needs root.
Prints a JSON object per row.
"""

import argparse
import http.client
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PODS = "/api/v1/namespaces/default/pods"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
GANG = 4
PATIENCE = 1200  # seconds: nothing takes so long
IDLE = 10  # seconds, after which the API server may be closing a connection
REAL = {"fluxnetes.test/node": "real"}


def names_module():
    """It has a client for the API server that needs nothing but Python."""
    path = pathlib.Path("tests/cluster_tools/names.py")
    spec = importlib.util.spec_from_file_location("names", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(name, values, unit="s", **more):
    print(json.dumps({"row": name, "value": statistics.median(values), "unit": unit,
                      "min": min(values), "max": max(values), **more}), flush=True)


class Api:
    """The cluster's API server, as administrator, and what becomes of each pod."""

    def __init__(self, kubeconfig):
        names = names_module()
        self._access = names.Api(pathlib.Path(kubeconfig))
        self._lock = threading.Condition()
        self._pods = {}
        self._line, self._used = None, 0.0
        threading.Thread(target=self._access.follow, args=(PODS, self._see),
                         daemon=True).start()

    def _connect(self):
        access = self._access
        return http.client.HTTPSConnection(access.server.hostname, access.server.port,
                                           context=access.tls, timeout=120)

    def send(self, method, path, body=None):
        if self._line is None or time.monotonic() - self._used > IDLE:
            self._line = self._connect()
        self._line.request(method, path, json.dumps(body) if body else None,
                           {"Content-Type": "application/json"})
        answer = self._line.getresponse()
        text = answer.read()
        self._used = time.monotonic()
        if answer.status >= 300 and answer.status != 404:
            sys.exit(f"{method} {path}: {answer.status} {text.decode()[:300]}")
        return json.loads(text)

    def _see(self, pods):
        with self._lock:
            self._pods = {name: pod for (_, name), pod in pods.items()}
            self._lock.notify_all()

    def when(self, condition):
        """The time at which it holds of the pods, by name."""
        with self._lock:
            if not self._lock.wait_for(lambda: condition(self._pods), PATIENCE):
                sys.exit("a state that was awaited did not come in 20 minutes")
            return time.monotonic()

    def clear(self):
        for path in (JOBS, PODS):
            self.send("DELETE", f"{path}?propagationPolicy=Background&gracePeriodSeconds=1")
        self.when(lambda pods: not pods)


class Scheduler:
    """`fluxnetes serve`, with a database of its own."""

    def __init__(self, program, plane, scratch):
        self._scratch = scratch
        subprocess.run(["hack/postgres", "start", f"{scratch}/postgres"], check=True,
                       stdout=sys.stderr)
        url = subprocess.run(["hack/postgres", "url", f"{scratch}/postgres"], check=True,
                             capture_output=True, text=True).stdout.strip()
        environment = {**os.environ, "FLUXNETES_DATABASE": url,
                       "FLUXNETES_CLUSTER_KIND": "api", "FLUXNETES_HTTP_LISTEN": "off",
                       "FLUXNETES_KUBECONFIG": f"{plane}/scheduler.kubeconfig"}
        subprocess.run([program, "migrate", "up"], check=True, env=environment,
                       stdout=sys.stderr)
        self._log = open(f"{scratch}/serve.log", "w", encoding="utf-8")
        self._process = subprocess.Popen([program, "serve"], env=environment,
                                         stdout=self._log, stderr=self._log)

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._log.close()
        subprocess.run(["hack/postgres", "stop", f"{self._scratch}/postgres"], check=False)


def pod_of(name, seconds, group="", size=GANG, cpu="50m", **spec):
    labels = {"fluxnetes.group-name": group, "fluxnetes.group-size": str(size)} if group else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                     "nodeSelector": REAL,
                     "containers": [{"name": "main", "image": "busybox:1",
                                     "command": ["sleep", str(seconds)],
                                     "resources": {"requests": {"cpu": cpu}}}], **spec}}


def phases(pods):
    return [pod["status"].get("phase") for pod in pods.values()]


def all_in(phase, count):
    return lambda pods: phases(pods).count(phase) == count


def first_run(api, pods):
    """Seconds until all of these have a node, and run, which they do for a while."""
    began = time.monotonic()
    for pod in pods:
        api.send("POST", PODS, pod)
    placed = api.when(lambda seen: sum("nodeName" in pod["spec"] for pod in seen.values()) == len(pods))
    runs = api.when(all_in("Running", len(pods)))
    api.clear()
    return placed - began, runs - began


def measure_start(api, times):
    one = {"nodeSelector": {"kubernetes.io/hostname": "real-1"}}
    bound, placed, gangs = [], [], []
    for i in range(times):
        bound.append(first_run(api, [pod_of(f"bound-{i}-{k}", 600, nodeName="real-1", **one)
                                     for k in range(GANG)])[1])
        has_nodes, runs = first_run(api, [
            pod_of(f"gang-{i}-{k}", 600, f"gang-{i}", schedulerName="fluxnetes", **one)
            for k in range(GANG)])
        placed.append(has_nodes)
        gangs.append(runs)
    row("4 pods with a node, made to running: the kubelet's own time", bound)
    row("a gang of 4, made to having nodes: the scheduler's own time", placed)
    row("a gang of 4, made to running", gangs)
    over = statistics.median(gangs) - statistics.median(bound)
    print(json.dumps({"row": "a gang of 4 over the kubelet's own time, p50", "value": over,
                      "unit": "s", "min": over, "max": over, "limit": 0.3}), flush=True)


def measure_many(api, count):
    def run(scheduler, group):
        began = time.monotonic()
        for i in range(count):
            api.send("POST", PODS, pod_of(
                f"{scheduler}-{i}", 1, group and f"{group}-{i // GANG}", schedulerName=scheduler))
        took = api.when(all_in("Succeeded", count)) - began
        api.clear()
        return took

    peer = run("default-scheduler", "")
    row(f"{count} pods in gangs of 4 on 3 nodes, first made to last ended",
        [run("fluxnetes", "many")], peer=peer, limit=peer)


def unreachable(seconds):
    return [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute",
             "tolerationSeconds": seconds} for key in ("unreachable", "not-ready")]


def job_of(name):
    template = pod_of(name, 3600, name, schedulerName="fluxnetes", cpu="3",
                      tolerations=unreachable(1))
    del template["apiVersion"], template["kind"], template["metadata"]["name"]
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"completionMode": "Indexed", "parallelism": GANG, "completions": GANG,
                     "backoffLimit": 20, "template": template}}


def lose_node(api, node, name):
    """Seconds until its gang has nodes again: since the first deletion of a pod on it,
    and since the last successor was made."""
    api.send("POST", JOBS, job_of(name))
    api.when(all_in("Running", GANG))
    with_node = {pod["spec"]["nodeName"] for pod in api.send("GET", PODS)["items"]}
    victim = sorted(with_node)[0]
    node(victim, "off")

    def leaves(pods):
        return any("deletionTimestamp" in pod["metadata"] for pod in pods.values())

    def stay(pods):
        return [pod for pod in pods.values() if "deletionTimestamp" not in pod["metadata"] and
                pod["spec"].get("nodeName") != victim]

    left = api.when(leaves)
    made = api.when(lambda pods: len(stay(pods)) == GANG)
    placed = api.when(lambda pods: sum("nodeName" in pod["spec"] for pod in stay(pods)) == GANG)
    node(victim, "on")
    api.clear()
    return placed - left, placed - made


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--pods", type=int, default=300)
    parser.add_argument("--losses", type=int, default=3)
    parser.add_argument("--program", required=True, help="fluxnetes")
    options = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="fluxnetes-benchmark.")
    os.chmod(scratch, 0o755)
    plane = f"{scratch}/cluster"
    scheduler = None

    def cluster(*words):
        subprocess.run(["hack/cluster", *words], check=True, stdout=sys.stderr)

    def node(name, verb):
        cluster("node", plane, name, verb)

    # Who ends it leaves no nodes behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ.setdefault("NODE_SHARES", "1024")
    try:
        cluster("up", plane, "--nodes", "3")
        cluster("scheduler", plane)
        scheduler = Scheduler(os.path.abspath(options.program), plane, scratch)
        api = Api(f"{plane}/admin.kubeconfig")
        first_run(api, [pod_of("first", 600, "first", 1, schedulerName="fluxnetes")])
        if options.times:
            measure_start(api, options.times)
        if options.pods:
            measure_many(api, options.pods)
        losses = [lose_node(api, node, f"lost-{i}") for i in range(options.losses)]
        if losses:
            row("a node is lost: its gang has nodes again after the toleration",
                [since_left for since_left, _ in losses])
            row("a node is lost: its gang has nodes again after its Job has made pods",
                [since_made for _, since_made in losses], limit=2)
    finally:
        if scheduler:
            scheduler.stop()
        subprocess.run(["hack/cluster", "down", plane], check=False, stdout=sys.stderr)
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
