"""Another `fluxnetes serve` in a schema of its own, with a simulated cluster of its
own, that a test may stop, start again and cut off."""

import json
import os
import pathlib
import select
import socket
import subprocess
import threading

from support import await_true


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class OtherServer:
    """With these settings of `web` and of other parts."""

    def __init__(self, name, web=None, **parts):
        self.name, self.port = name, free_port()
        self.base = f"http://127.0.0.1:{self.port}/"
        scratch = os.environ["SCRATCH"]
        self.config, self.log = f"{scratch}/{name}.yaml", f"{scratch}/{name}.log"
        pathlib.Path(self.config).write_text(json.dumps({
            "database": {"connection": os.environ["DATABASE"], "schema": name},
            "http": {"listen": "off"},
            "cluster": {"kind": "simulated", "nodes": f"{os.getcwd()}/deploy/examples/nodes.yaml",
                        "listen": f"unix:{scratch}/{name}.sock"},
            "web": {"listen": f"127.0.0.1:{self.port}", **(web or {})}, **parts}),
            encoding="utf-8")
        self.run("migrate", "up")
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [os.environ["PROGRAM"], "--config", self.config, "serve"], stdout=log, stderr=log)
        if not await_true(lambda: '"pages"' in pathlib.Path(self.log).read_text(encoding="utf-8")):
            raise RuntimeError(pathlib.Path(self.log).read_text(encoding="utf-8"))

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def run(self, *words, given=None):
        done = subprocess.run([os.environ["PROGRAM"], "--config", self.config, *words],
                              input=given, text=True, capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"fluxnetes {words}: {done.stderr}")
        return done.stdout

    def sql(self, text):
        subprocess.run(["psql", os.environ["DATABASE"], "-XqAt", "-v", "ON_ERROR_STOP=1", "-c",
                        f"SET search_path TO {self.name}", "-c", text],
                       text=True, capture_output=True, timeout=60, check=True)

    def link(self, base=None):
        return self.run("web", "--url", base or self.base).strip()


class Wire:
    """What a browser's connections to a server go through. When it is cut, all of them
    are broken off, and new ones are refused."""

    def __init__(self, port):
        self.to, self.port = port, free_port()
        self.base = f"http://127.0.0.1:{self.port}/"
        self.lock, self.open, self.listening = threading.Lock(), [], None
        self.mend()

    def mend(self):
        listening = socket.create_server(("127.0.0.1", self.port))
        self.listening = listening
        threading.Thread(target=self.accept, args=(listening,), daemon=True).start()

    def cut(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        with self.lock:
            for each in self.open:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it has ended by itself
            self.open.clear()

    def accept(self, listening):
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return  # it is cut
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                near.close()  # the server is down
                continue
            with self.lock:
                self.open += [near, far]
            threading.Thread(target=self.carry, args=(near, far), daemon=True).start()

    @staticmethod
    def carry(near, far):
        other = {near: far, far: near}
        try:
            while True:
                for each in select.select([near, far], [], [])[0]:
                    data = each.recv(1 << 16)
                    if not data:
                        return
                    other[each].sendall(data)
        except (OSError, ValueError):
            pass  # it was cut
        finally:
            near.close()
            far.close()
