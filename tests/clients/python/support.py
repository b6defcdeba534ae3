"""What the tests of the Python client share: a real `fluxnetes serve` on its
simulated cluster, manifests, and how a claim is said (tests/scripts/claims.sh)."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

SCRATCH = pathlib.Path(os.environ["SCRATCH"])
PATIENCE = 60  # seconds


def claim(words, holds, shown=""):
    print(f"ok {words}" if holds else f"not ok {words}: {shown}", flush=True)


@contextlib.contextmanager
def claim_raises(words, kind, text=""):
    """Holds if what is done raises the error, and the error has the text."""
    try:
        yield
        claim(words, False, "nothing was raised")
    except kind as error:
        claim(words, text in str(error), repr(error))
    except Exception as error:  # pylint: disable=broad-except
        claim(words, False, repr(error))


def await_true(look):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if look():
            return True
        time.sleep(0.05)
    return False


class Scheduler:
    """A scheduler with a schema and a simulated cluster of its own."""

    def __init__(self, name, address=None, more=""):
        self.address = address or f"unix:{SCRATCH}/{name}.grpc"
        self.log = SCRATCH / f"{name}.log"
        self._config = SCRATCH / f"{name}.yaml"
        self._config.write_text(f"""
database: {{connection: "{os.environ['DATABASE']}", schema: {name}}}
http: {{listen: "off"}}
grpc: {{listen: "{self.address}"{more}}}
cluster:
  kind: simulated
  nodes: {os.environ['NODES']}
  listen: unix:{SCRATCH}/{name}.cluster
""", encoding="utf-8")
        subprocess.run([*self._program(), "migrate", "up"], check=True,
                       capture_output=True)
        self._process = None

    def _program(self):
        return [os.environ["PROGRAM"], "--config", self._config]

    def start(self):
        known = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                [*self._program(), "serve"], stdout=log, stderr=log)
        if not await_true(lambda: b"owns the match" in
                          self.log.read_bytes()[known:]):
            raise RuntimeError(self.log.read_text(encoding="utf-8"))

    def stop(self, number=signal.SIGTERM):
        self._process.send_signal(number)
        self._process.wait()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class CuttingProxy:
    """Passes connections on to a Unix socket, and cuts them when it is told."""

    def __init__(self, path):
        self._path = path
        self._pairs = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            near, _ = self._listener.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._path)
            self._pairs.append((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, sink),
                                 daemon=True).start()

    @staticmethod
    def _pass_on(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Cuts all connections; returns how many there were."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        return len(pairs)


def job(name, pods, seconds=1, *, cpu="1", labels=None, notes=None, own=None):
    """A Job whose pods are a gang, unless `labels` say otherwise."""
    if labels is None:
        labels = {"fluxnetes.group-name": name,
                  "fluxnetes.group-size": str(pods)}
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": name, **(own or {})},
        "spec": {
            "parallelism": pods, "completions": pods,
            "completionMode": "Indexed", "backoffLimit": 0,
            "template": {
                "metadata": {"labels": labels, "annotations": notes or {}},
                "spec": pod_spec(seconds, cpu)}}}


def pod_spec(seconds, cpu="1"):
    return {
        "schedulerName": "fluxnetes", "restartPolicy": "Never",
        "containers": [{
            "name": "main", "image": "debian:12",
            "command": ["sleep", str(seconds)],
            "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}]}


def pod(name, seconds=1, **metadata):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, **metadata},
            "spec": pod_spec(seconds)}
