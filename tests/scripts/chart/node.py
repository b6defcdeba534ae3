#!/usr/bin/python3
"""Runs the pods of the chart, wherever they are in the cluster, as a node would.

    node.py --kubectl PROGRAM --kubeconfig FILE --api-port PORT --folder DIR \\
        --image NAME=BIN:ENTRYPOINT:SIGNAL...

Each pod whose image it has is run by a kubelet.py, which is told these arguments
and an address for the pod: those that Kubernetes' own scheduler would place, as soon
as they are there, and those of ours when they have their node. A pod that is
deleted is stopped. DIR/kubelets.log says what ended how. SIGTERM stops all.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys

import pod_network

KUBELET = pathlib.Path(__file__).with_name("kubelet.py")


class Node:
    def __init__(self, arguments, words):
        self.arguments = arguments
        self.words = words
        self.images = {image.partition("=")[0] for image in arguments.image}
        self.kubelets = {}
        self.started = 0
        self.log = open(pathlib.Path(arguments.folder, "kubelets.log"), "ab")
        self.watch = subprocess.Popen(
            [arguments.kubectl, "--kubeconfig", arguments.kubeconfig, "get", "pods",
             "-A", "--watch", "--output-watch-events", "-o", "json"],
            stdout=subprocess.PIPE, text=True)

    def events(self):
        for line in self.watch.stdout:
            yield json.loads(line)

    def is_ours(self, pod):
        spec = pod["spec"]
        placed = spec.get("nodeName") or spec["schedulerName"] == "default-scheduler"
        return placed and all(c["image"] in self.images for c in spec["containers"])

    def start(self, pod):
        self.started += 1
        high, low = divmod(self.started + 1, 250)
        return subprocess.Popen(
            [KUBELET, *self.words, "--address", f"10.88.{high}.{low + 1}",
             pod["metadata"]["namespace"], pod["metadata"]["name"]],
            stdout=self.log, stderr=self.log)

    def run(self):
        for event in self.events():
            pod = event["object"]
            uid = pod["metadata"]["uid"]
            if event["type"] == "DELETED" or "deletionTimestamp" in pod["metadata"]:
                if uid in self.kubelets:
                    self.kubelets[uid].terminate()
            elif uid not in self.kubelets and self.is_ours(pod):
                self.kubelets[uid] = self.start(pod)

    def stop(self):
        self.watch.terminate()
        for kubelet in self.kubelets.values():
            kubelet.terminate()
        for kubelet in self.kubelets.values():
            kubelet.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("kubectl", "kubeconfig", "api-port", "folder"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--image", action="append", default=[])
    arguments = parser.parse_args()
    pod_network.open_node()
    node = Node(arguments, sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        node.run()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        node.stop()


main()
