"""The network of a pod: a namespace of its own with an address on a bridge.

The machine's own network, in which all of this is, has the bridge, the address of
the API server's Service and a way from one pod to another (open_node). A Service's
address belongs to the pod of it that was started last: nothing is shared out among
several, and ports are those of the pods.
"""

import pathlib
import subprocess

BRIDGE = "pods"
GATEWAY = "10.88.0.1"
API_SERVER = "10.96.0.1"  # as every cluster's certificate here has it


def ip(*words):
    subprocess.run(["/usr/sbin/ip", *words], check=True)


def open_node():
    pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1", encoding="utf-8")
    # Otherwise its address would be that of a pod, and change with them.
    ip("link", "add", BRIDGE, "address", "02:00:00:00:00:01", "type", "bridge")
    ip("address", "add", f"{GATEWAY}/16", "dev", BRIDGE)
    ip("link", "set", BRIDGE, "up")
    ip("address", "add", f"{API_SERVER}/32", "dev", "lo")


class PodNetwork:
    def __init__(self, name, address, services):
        self.name = name
        self.address = address
        ip("netns", "add", name)
        outside = f"v{name[:12]}"
        ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", outside, "master", BRIDGE, "up")
        for words in (("link", "set", "lo", "up"),
                      ("address", "add", f"{address}/16", "dev", "eth0"),
                      ("link", "set", "eth0", "up"),
                      ("route", "add", "default", "via", GATEWAY)):
            ip("-n", name, *words)
        for service in services:
            ip("-n", name, "address", "add", f"{service}/32", "dev", "eth0")
            ip("route", "replace", f"{service}/32", "via", address)

    def entered(self):
        """Words before a command that runs in it."""
        return ["/usr/bin/nsenter", f"--net=/run/netns/{self.name}"]

    def remove(self):
        ip("netns", "delete", self.name)
