"""A server with certificates, and what its clients may do."""

import subprocess

import fluxnetes
from fluxnetes.v1 import scheduler_pb2

from support import SCRATCH, Scheduler, claim, claim_raises, free_port, job

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True,
                   cwd=SCRATCH)


def make_authority(name):
    openssl("req", "-x509", *KEY, "-keyout", f"{name}.key", "-out",
            f"{name}.pem", "-subj", f"/CN={name}", "-days", "1")


def make_certificate(name, authority="ca"):
    openssl("req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr",
            "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem",
            "-CAkey", f"{authority}.key", "-CAcreateserial", "-copy_extensions",
            "copy", "-days", "1", "-out", f"{name}.pem")


def certificates(name, server_name="scheduler.example"):
    return fluxnetes.Certificates(
        ca=SCRATCH / "ca.pem", cert=SCRATCH / f"{name}.pem",
        key=SCRATCH / f"{name}.key", server_name=server_name)


def run(_):
    make_authority("ca")
    make_authority("evil")
    for name in ("scheduler.example", "alice", "bob"):
        make_certificate(name)
    make_certificate("mallory", "evil")
    (SCRATCH / "access.yaml").write_text(
        "- {name: alice, role: user, namespaces: [train]}\n", encoding="utf-8")
    address = f"127.0.0.1:{free_port()}"
    more = (f", tlsCert: {SCRATCH}/scheduler.example.pem"
            f", tlsKey: {SCRATCH}/scheduler.example.key"
            f", clientCA: {SCRATCH}/ca.pem, access: {SCRATCH}/access.yaml")
    with Scheduler("certified", address, more):
        with fluxnetes.Client(address, certificates=certificates("alice")) as alice:
            caller = alice.caller()
            claim("a client is known by its certificate",
                  caller.name == "alice" and
                  caller.role == scheduler_pb2.ROLE_USER, caller)
            groups = alice.submit(job("gang", 2), namespace="train").wait(
                timeout=60)
            claim("and may do what it may",
                  groups[0].namespace == "train", groups)
            with claim_raises("and nothing else", fluxnetes.PermissionDenied):
                alice.submit(job("gang", 2), namespace="other")
        with fluxnetes.Client(address, certificates=certificates("bob")) as bob, \
                claim_raises("a client that nobody has named is a viewer",
                             fluxnetes.PermissionDenied):
            bob.cancel("gang", "train")
        for words, other in (
                ("one with a certificate of another authority",
                 certificates("mallory")),
                ("a server of another name", certificates("alice", "x.example")),
                ("one without a certificate", None)):
            with fluxnetes.Client(address, certificates=other, timeout=5) as none, \
                    claim_raises(f"{words} is refused", fluxnetes.Unavailable):
                none.caller()
