"""submit().wait(), and which groups manifests make."""

import io
import pathlib
import threading

import yaml

import fluxnetes
from fluxnetes.v1 import group_pb2

from support import SCRATCH, await_true, claim, claim_raises, job, pod

FLUENCE = "fluence.flux-framework.org/"


def ends(client):
    groups = client.submit(job("gang", 4)).wait(timeout=60)
    claim("a gang is waited for to its end",
          [(each.name, each.result) for each in groups] ==
          [("gang", "succeeded")], groups)
    claim("that is long over at the second look",
          client.submit(job("short", 1, 0)).wait(timeout=60)[0].result ==
          "succeeded")
    made = client.submit([job("one", 2), job("two", 1, 2)])
    claim("several are waited for, in their order",
          [each.name for each in made.wait(timeout=60)] == ["one", "two"])
    bound = client.submit(job("long", 2, 60)).wait("bound", timeout=60)[0]
    claim("or until all pods have nodes",
          bound.state == group_pb2.GROUP_STATE_BOUND and bound.nodes, bound)
    client.cancel("long")
    file = SCRATCH / "gang.yaml"
    file.write_text(yaml.safe_dump(job("file", 1)), encoding="utf-8")
    for given in (file, io.StringIO(file.read_text().replace("file", "open"))):
        claim(f"manifests may be a {type(given).__name__}",
              client.submit(given).wait(timeout=60)[0].result == "succeeded")


def failures(client):
    def is_in(name, state):
        return any(each.shown_state == state
                   for each in client.groups(search=f"default/{name}"))

    bad = job("bad", 2, notes={"fluxnetes.io/exit-code": "3"})
    with claim_raises("a group that fails is an error",
                      fluxnetes.GroupFailed, "default/bad: failed"):
        client.submit(bad).wait(timeout=60)
    other = job("other", 2, notes={"fluxnetes.io/exit-code": "3"})
    groups = client.submit(other).wait(timeout=60, check=False)
    claim("or its result, on request", groups[0].result == "failed", groups)
    bad["spec"]["template"]["metadata"]["labels"]["fluxnetes.group-size"] = "x"
    bad["metadata"]["name"] = "refused"
    bad["spec"]["template"]["metadata"]["labels"]["fluxnetes.group-name"] = \
        "refused"
    made = client.submit(bad)
    claim("a label that cannot be used is warned of",
          "whole number" in str(made.warnings), made.warnings)
    with claim_raises("and the wait ends at once", fluxnetes.GroupRefused,
                      "whole number"):
        made.wait(timeout=60)
    made = client.submit(job("wide", 1, 60, cpu="64"))
    await_true(lambda: is_in("wide", "unsatisfiable"))
    with claim_raises("a wait ends in time, and says why the group waits",
                      fluxnetes.WaitTimeout, "default/wide is unsatisfiable"):
        made.wait(timeout=0.5)
    threading.Timer(0.5, made.cancel, ["a test"]).start()
    with claim_raises("a group that is cancelled has failed",
                      fluxnetes.GroupFailed, "cancelled"):
        made.wait(timeout=60)
    half = job("half", 1, labels={"fluxnetes.group-name": "half",
                                  "fluxnetes.group-size": "2"})
    made = client.submit(half)
    await_true(lambda: is_in("half", "provisional"))
    with claim_raises("one that misses pods is named by the error",
                      fluxnetes.WaitTimeout, "default/half is provisional"):
        made.wait(timeout=0.5)
    claim("it is cancelled, too", made.cancel() == ())
    claim("what is over is passed by", made.cancel() == ())
    with claim_raises("pods of a Job that are groups of one cannot be waited for",
                      ValueError, "fluxnetes.group-size"):
        client.submit(job("plain", 2, labels={})).wait()


def generations(client):
    """A group of a name that an earlier one had."""
    first = client.group("gang").group
    again = job("gang-again", 4, labels={"fluxnetes.group-name": "gang",
                                         "fluxnetes.group-size": "4"})
    second = client.submit(again).wait(timeout=60)[0]
    claim("the group of this submission is waited for, not an earlier one",
          second.id > first.id and second.result == "succeeded", second)


def names(client):
    """The client finds the names that the server gives."""
    size = {"fluxnetes.group-size": "2"}
    manifests = [
        job("by-size", 2, 60, labels=size),
        job("by-name", 1, 60, labels={"fluxnetes.group-name": "named"}),
        job("elastic", 2, 60, labels={
            "fluxnetes.group-name": "stretch", "fluxnetes.group-min-size": "1",
            "fluxnetes.group-max-size": "2"}),
        job("fluence", 2, 60, labels={FLUENCE + "pod-group": "flu"}),
        job("fluence-job", 2, 60, labels={}, own={
            "annotations": {FLUENCE + "pod-group": "flu-job"}}),
        pod("lone", 60),
        pod("in-space", 60, namespace="space"),
        pod("given", 60, annotations={FLUENCE + "pod-group": "noted"}),
    ]
    made = client.submit({"apiVersion": "v1", "kind": "List",
                          "items": manifests})
    wanted = [str(each) for each in made.groups]
    groups = made.wait("bound", timeout=60)
    claim("each of these groups is named as the server names it",
          [f"{each.namespace}/{each.name}" for each in groups] == wanted and
          len(groups) == len(manifests), wanted)
    nameless = job("x", 2, labels=size)
    nameless["metadata"] = {"generateName": "nameless-"}
    claim("also where the cluster gives a Job its name",
          client.submit(nameless).wait(timeout=60)[0].name.startswith(
              "nameless-"))
    text = pathlib.Path("docs/examples/jobspecs/jobspec.yaml").read_text(
        encoding="utf-8")
    placed = client.match(text)
    claim("a jobspec is matched", placed.pods > 0, placed)
    made.cancel("a test")
    claim("what was submitted is cancelled", await_true(
        lambda: not [each for each in client.groups()
                     if f"{each.namespace}/{each.name}" in wanted]))


def run(scheduler):
    with fluxnetes.Client(scheduler.address) as client:
        ends(client)
        failures(client)
        generations(client)
        names(client)
