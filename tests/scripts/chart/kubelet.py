#!/usr/bin/python3
"""Runs the containers of a pod as processes, as the API server has it.

    kubelet.py --kubeconfig FILE --folder DIR --image NAME=BIN:ENTRYPOINT:SIGNAL... \\
        --address ADDRESS NAMESPACE POD

What a kubelet would do with the fields that the chart uses, and no others: the
init containers one after the other, then the container, with its command and
arguments, its environment and no other, its volumes, as its user, without
capabilities, on a read-only root, in a network of its own (pod_network.py). Instead
of an image the root has the machine's own /usr, and in BIN the programs that the
image would bring; SIGNAL is what stops it. A token comes from the API server, for
this pod; names of Services of its namespace are in its /etc/hosts.

It writes into the pod's status what comes of it: ready by its readiness probe,
succeeded or failed. What ends and should not is started again. SIGTERM stops it.
Needs to be root. DIR/NAMESPACE/POD has CONTAINER.log, CONTAINER.pid and `enter`,
which runs a command in the container that runs; volumes by claims stay in
DIR/claims, by their uid.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pod_network

# What every image of Debian has; the rest of the root comes from the machine.
PASSWD = """root:x:0:0::/root:/usr/sbin/nologin
postgres:x:999:999::/tmp:/usr/sbin/nologin
fluxnetes:x:65532:65532::/tmp:/usr/sbin/nologin
"""
FINALIZER = "fluxnetes.test/kubelet"
SKELETON = """
set -euo pipefail
root=$1
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir usr etc proc dev opt opt/image tmp var var/run
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
mount --rbind -o ro /usr usr
mount --bind /proc proc
ln -s /proc/self/fd dev/fd
for name in null zero random urandom; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
for name in ld.so.cache ssl alternatives; do
  [[ -d /etc/$name ]] && mkdir "etc/$name" || touch "etc/$name"
  mount --bind -o ro "/etc/$name" "etc/$name"
done
"""


class Pod:
    def __init__(self, arguments):
        self.arguments = arguments
        self.namespace = arguments.namespace
        self.name = arguments.pod
        self.object = self.get("pod", self.name)
        self.spec = self.object["spec"]
        self.uid = self.object["metadata"]["uid"]
        self.folder = pathlib.Path(arguments.folder, self.uid)
        (self.folder / "root").mkdir(parents=True, exist_ok=True)
        name = pathlib.Path(arguments.folder, self.namespace, self.name)
        name.parent.mkdir(exist_ok=True)
        name.unlink(missing_ok=True)
        name.symlink_to(self.folder)
        security = self.spec["securityContext"]
        self.user = security["runAsUser"]
        self.group = security["runAsGroup"]
        self.volumes = {v["name"]: self.make_volume(v)
                        for v in self.spec["volumes"]}
        self.hosts = ["127.0.0.1 localhost"]
        self.network = pod_network.PodNetwork(
            self.uid, arguments.address, self.services())
        self.process = None
        self.values = {}  # the environment of the container that runs
        self.stopping = False

    def services(self):
        """Addresses of those that this pod is of; notes the names of all."""
        labels = self.object["metadata"]["labels"].items()
        for service in self.get("services", "-A")["items"]:
            name, space = (service["metadata"][k] for k in ("name", "namespace"))
            address = service["spec"]["clusterIP"]
            ours = space == self.namespace
            self.hosts.append(f"{address} {name}.{space} {name if ours else ''}")
            selector = service["spec"].get("selector")
            if ours and selector and selector.items() <= labels:
                yield address

    def kubectl(self, *words, **options):
        return subprocess.run(
            [self.arguments.kubectl, "--kubeconfig", self.arguments.kubeconfig,
             "-n", self.namespace, *words],
            check=True, text=True, stdout=subprocess.PIPE, **options).stdout

    def get(self, *words):
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def bytes_of(self, kind, name):
        found = self.get(kind, name)
        if kind == "secret":
            return {k: base64.b64decode(v) for k, v in found["data"].items()}
        return {k: v.encode() for k, v in found["data"].items()}

    # Files of a volume as name and content; None: a folder of its own.
    def files_of(self, source):
        if "configMap" in source:
            return self.bytes_of("configmap", source["configMap"]["name"])
        if "secret" in source:
            return self.bytes_of("secret", source["secret"]["secretName"])
        if "serviceAccountToken" in source:
            token = self.kubectl(
                "create", "token", self.spec["serviceAccountName"],
                "--bound-object-kind", "Pod", "--bound-object-name", self.name,
                "--bound-object-uid", self.uid)
            return {source["serviceAccountToken"]["path"]: token.strip().encode()}
        if "downwardAPI" in source:
            return {"namespace": self.namespace.encode()}
        raise ValueError(f"a volume that is not known here: {source}")

    def make_volume(self, volume):
        if "persistentVolumeClaim" in volume:
            claim = volume["persistentVolumeClaim"]["claimName"]
            uid = self.get("persistentvolumeclaim", claim)["metadata"]["uid"]
            folder = pathlib.Path(self.arguments.folder, "claims", uid)
        else:
            folder = self.folder / volume["name"]
        folder.mkdir(parents=True, exist_ok=True)
        if "emptyDir" in volume or "persistentVolumeClaim" in volume:
            # Owned by root and the pod's group, as fsGroup has it.
            os.chown(folder, 0, self.spec["securityContext"]["fsGroup"])
            folder.chmod(0o2775)
            return folder
        sources = volume.get("projected", {}).get("sources", [volume])
        for source in sources:
            for name, content in self.files_of(source).items():
                (folder / name).write_bytes(content)
                (folder / name).chmod(0o644)
        return folder

    def environment(self, container):
        folders = ["/opt/image", "/usr/lib/postgresql/15/bin", "/usr/local/bin",
                   "/usr/bin", "/bin"]
        values = {"PATH": ":".join(folders), "HOSTNAME": self.name,
                  "KUBERNETES_SERVICE_HOST": pod_network.API_SERVER,
                  "KUBERNETES_SERVICE_PORT": self.arguments.api_port}
        for variable in container.get("env", []):
            name = variable["name"]
            if "valueFrom" not in variable:
                values[name] = variable.get("value", "")
            elif "secretKeyRef" in variable["valueFrom"]:
                reference = variable["valueFrom"]["secretKeyRef"]
                values[name] = self.bytes_of(
                    "secret", reference["name"])[reference["key"]].decode()
            else:
                path = variable["valueFrom"]["fieldRef"]["fieldPath"]
                values[name] = {"metadata.name": self.name,
                                "metadata.namespace": self.namespace,
                                "status.podIP": self.network.address}[path]
        return values

    # As root in a mount namespace of its own, where it ends in exec.
    def script(self, container):
        lines = [f"hostname {self.name}", SKELETON]
        image = self.arguments.images[container["image"]]
        lines.append(f"mount --bind -o ro {shlex.quote(image[0])} opt/image")
        for name, text in (
                ("passwd", PASSWD), ("group", "postgres:x:999:\n"),
                ("hosts", "\n".join(self.hosts) + "\n")):
            lines.append(f"printf %s {shlex.quote(text)} >etc/{name}")
        for mount in container.get("volumeMounts", []):
            source = self.volumes[mount["name"]] / mount.get("subPath", "")
            target = mount["mountPath"].lstrip("/")
            made = "mkdir -p" if source.is_dir() else f"mkdir -p {os.path.dirname(target)}; touch"
            lines.append(f"{made} {target}")
            option = "-o ro" if mount.get("readOnly") else ""
            lines.append(f"mount --bind {option} {shlex.quote(str(source))} {target}")
        security = container["securityContext"]
        if security.get("readOnlyRootFilesystem"):
            lines.append('mount -o remount,ro "$root"')
        lines.append(f'exec /usr/sbin/chroot "$root" {self.words_before(security)} "${{@:2}}"')
        return "\n".join(lines)

    def words_before(self, security):
        words = ["setpriv", f"--reuid={self.user}", f"--regid={self.group}",
                 f"--groups={self.spec['securityContext']['fsGroup']}"]
        if not security.get("allowPrivilegeEscalation", True):
            words.append("--no-new-privs")
        if "ALL" in security.get("capabilities", {}).get("drop", []):
            words += ["--bounding-set=-all", "--inh-caps=-all"]
        return " ".join(words)

    def command(self, container):
        image = self.arguments.images[container["image"]]
        return container.get("command", [image[1]]) + container.get("args", [])

    def start(self, container):
        self.values = self.environment(container)
        with open(self.folder / f"{container['name']}.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.network.entered(), "/usr/bin/unshare", "--mount", "--uts",
                 "--propagation", "private", "/bin/bash", "-c", self.script(container), "container",
                 self.folder / "root", *self.command(container)],
                env=self.values, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)

    def inside(self, container):
        """Words before a command that runs in a container that runs."""
        return [*self.network.entered(), "--mount", "-t", str(self.process.pid),
                "/usr/sbin/chroot", str(self.folder / "root"),
                *self.words_before(container["securityContext"]).split()]

    def tell_others(self, container):
        (self.folder / f"{container['name']}.pid").write_text(f"{self.process.pid}\n")
        variables = [f"{name}={value}" for name, value in self.values.items()]
        words = ["exec", "/usr/bin/env", "-i", *variables, *self.inside(container)]
        enter = self.folder / "enter"
        enter.write_text(f'#!/bin/sh\n{shlex.join(words)} "$@"\n')
        enter.chmod(0o700)

    def is_ready(self, container):
        probe = container.get("readinessProbe")
        if not probe:
            return True
        if "exec" in probe:
            return subprocess.run(
                [*self.inside(container), *probe["exec"]["command"]],
                env=self.values, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False).returncode == 0
        port = probe["httpGet"]["port"]
        for named in container.get("ports", []):
            if named["name"] == port:
                port = named["containerPort"]
        try:
            url = f"http://{self.network.address}:{port}{probe['httpGet']['path']}"
            with urllib.request.urlopen(url, timeout=1) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def patch(self, change, *options):
        try:
            self.kubectl("patch", "pod", self.name, *options, "-p", json.dumps(change))
        except subprocess.CalledProcessError:
            print(f"kubelet: {self.name} is gone", file=sys.stderr)

    def tell(self, phase, ready):
        status = {"phase": phase, "podIP": self.network.address, "conditions": [
            {"type": kind, "status": "True" if ready else "False"}
            for kind in ("Ready", "ContainersReady")]}
        self.patch({"status": status}, "--subresource=status")

    def run_once(self, container, watch):
        """The exit code."""
        self.start(container)
        self.tell_others(container)
        ready = False
        while watch and self.process.poll() is None and not self.stopping:
            if self.is_ready(container) != ready:
                ready = not ready
                self.tell("Running", ready)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(2 if ready else 0.3)
        code = self.process.wait()
        print(f"kubelet: {container['name']} of {self.name} ended with {code}",
              file=sys.stderr)
        return code

    def run(self):
        # That it is not gone before its container is.
        self.patch({"metadata": {"finalizers": [FINALIZER]}})
        again = self.spec["restartPolicy"] != "Never"
        for container in self.spec.get("initContainers", []):
            while self.run_once(container, False) and again and not self.stopping:
                time.sleep(1)
        container, = self.spec["containers"]
        while not self.stopping:
            code = self.run_once(container, True)
            if self.stopping:
                break
            if not again:
                self.tell("Failed" if code else "Succeeded", False)
                break
            self.tell("Running", False)
            time.sleep(1)
        self.network.remove()
        self.patch({"metadata": {"$deleteFromPrimitiveList/finalizers": [FINALIZER]}})

    def stop(self, *_):
        self.stopping = True
        if self.process and self.process.poll() is None:
            container, = self.spec["containers"]
            name = self.arguments.images[container["image"]][2]
            self.process.send_signal(signal.Signals[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--api-port", required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--image", action="append", default=[], dest="images")
    parser.add_argument("namespace")
    parser.add_argument("pod")
    arguments = parser.parse_args()
    arguments.images = {
        name: content.rsplit(":", 2)
        for name, _, content in (i.partition("=") for i in arguments.images)}
    pod = Pod(arguments)
    signal.signal(signal.SIGTERM, pod.stop)
    pod.run()


main()
