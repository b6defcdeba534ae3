#!/usr/bin/env python3
"""Answers the questions of pods on real nodes for the names of Services.

    tests/cluster_tools/names.py --listen ADDRESS --kubeconfig FILE

It watches Services and EndpointSlices and answers for addresses (A) of

    SERVICE.NAMESPACE.svc.cluster.local            its own, or, of a headless one,
                                                   those of its endpoints
    HOSTNAME.SERVICE.NAMESPACE.svc.cluster.local   of an endpoint that has a hostname

as https://github.com/kubernetes/dns/blob/master/docs/specification.md says. It knows
no other names and no other kinds of questions, and answers by UDP alone, with as many
addresses as 1232 bytes hold. hack/cluster starts it, and ends it by a signal.
"""

import argparse
import http.client
import json
import pathlib
import re
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

DOMAIN = ".svc.cluster.local"
MOST = 70  # addresses of 16 bytes in an answer
SECONDS = 5  # that an answer holds
A, AAAA = 1, 28
NO_SUCH_NAME = 3
SERVICES = "/api/v1/services"
SLICES = "/apis/discovery.k8s.io/v1/endpointslices"


class Api:
    """Lists and watches, as the user of a kubeconfig that hack/cluster has made."""

    def __init__(self, kubeconfig):
        text = kubeconfig.read_text()

        def value(key):
            return re.search(rf"{key}: '?([^',}}\s]+)", text).group(1)

        self.server = urllib.parse.urlparse(value("server"))
        folder = kubeconfig.parent
        self.tls = ssl.create_default_context(
            cafile=folder / value("certificate-authority"))
        self.tls.load_cert_chain(folder / value("client-certificate"),
                                  folder / value("client-key"))

    def get(self, path):
        """The answer, whose body is still to be read."""
        connection = http.client.HTTPSConnection(
            self.server.hostname, self.server.port, context=self.tls,
            timeout=120)
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status != 200:
            raise OSError(f"GET {path}: {answer.status} {answer.reason}")
        return answer

    def follow(self, path, seen):
        """Tells `seen` of all objects, again and again as they change."""
        while True:
            try:
                self._follow_once(path, seen)
            except (OSError, http.client.HTTPException, ValueError) as error:
                print(f"{path}: {error}", flush=True)
                time.sleep(0.5)

    def _follow_once(self, path, seen):
        listed = json.load(self.get(path))
        objects = {key(one): one for one in listed["items"]}
        version = listed["metadata"]["resourceVersion"]
        seen(objects)
        for line in self.get(f"{path}?watch=1&timeoutSeconds=60&resourceVersion={version}"):
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            one = event["object"]
            if event["type"] == "DELETED":
                objects.pop(key(one), None)
            else:
                objects[key(one)] = one
            seen(objects)


def key(one):
    return one["metadata"]["namespace"], one["metadata"]["name"]


class Names:
    """Which addresses a name has. Each kind of object is told by a thread of its
    own; a question is answered from what was told last."""

    def __init__(self):
        self._services = {}
        self._endpoints = {}
        self.told = {SERVICES: threading.Event(), SLICES: threading.Event()}

    def see_services(self, objects):
        names = {}
        for (space, name), service in objects.items():
            addresses = service["spec"].get("clusterIPs") or []
            names[f"{name}.{space}{DOMAIN}"] = [
                one for one in addresses if ":" not in one and one != "None"]
        self._services = names
        self.told[SERVICES].set()

    def see_slices(self, objects):
        names = {}
        for (space, _), part in objects.items():
            service = part["metadata"].get("labels", {}).get(
                "kubernetes.io/service-name")
            if not service or part["addressType"] != "IPv4":
                continue
            name = f"{service}.{space}{DOMAIN}"
            for endpoint in part.get("endpoints") or []:
                if endpoint.get("conditions", {}).get("ready") is False:
                    continue
                names.setdefault(name, []).extend(endpoint["addresses"])
                if endpoint.get("hostname"):
                    names.setdefault(f"{endpoint['hostname']}.{name}", []).extend(
                        endpoint["addresses"])
        self._endpoints = names
        self.told[SLICES].set()

    def addresses(self, name):
        """None: there is no such name."""
        own = self._services.get(name)
        if own:
            return own
        found = self._endpoints.get(name)
        return found if found is not None or own is None else []


def answer(question, names):
    """RFC 1035, section 4."""
    number, flags, questions = struct.unpack_from("!HHH", question)
    labels, at = [], 12
    while question[at]:
        labels.append(question[at + 1:at + 1 + question[at]].decode("ascii", "replace"))
        at += 1 + question[at]
    kind, = struct.unpack_from("!H", question, at + 1)
    found = names.addresses(".".join(labels).lower())
    addresses = (found or [])[:MOST] if kind == A else []
    code = NO_SUCH_NAME if found is None else 0
    # An answer, authoritative, with the question's wish for recursion.
    header = struct.pack("!HHHHHH", number, 0x8400 | flags & 0x0100 | code,
                         min(questions, 1), len(addresses), 0, 0)
    records = b"".join(
        struct.pack("!HHHIH", 0xc00c, A, 1, SECONDS, 4) + socket.inet_aton(one)
        for one in addresses)
    return header + question[12:at + 5] + records


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", required=True)
    parser.add_argument("--port", type=int, default=53)
    parser.add_argument("--kubeconfig", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    api, names = Api(arguments.kubeconfig), Names()
    for path, seen in ((SERVICES, names.see_services), (SLICES, names.see_slices)):
        threading.Thread(target=api.follow, args=(path, seen), daemon=True).start()
    for told in names.told.values():
        told.wait()
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind((arguments.listen, arguments.port))
    print("answers", flush=True)
    while True:
        question, asker = line.recvfrom(4096)
        try:
            line.sendto(answer(question, names), asker)
        except (struct.error, IndexError) as error:
            print(f"{asker}: no question: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
