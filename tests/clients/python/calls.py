"""Calls, lists with pages, and errors."""

import socket

import fluxnetes
from fluxnetes.v1 import group_pb2, scheduler_pb2

from support import await_true, claim, claim_raises, job, pod


def lists(client):
    client.submit([pod(f"single-{n}", 60) for n in range(7)])
    claim("a list has all of its pages", await_true(
        lambda: len(list(client.groups(search="single-", page_size=3))) == 7))
    pages = []
    real = client.stub.ListGroups

    def counted(request, timeout):
        pages.append(request.page_token)
        return real(request, timeout=timeout)

    client.stub.ListGroups = counted
    groups = client.groups(page_size=2)
    claim("none is read before it is needed", not pages)
    next(groups)
    claim("and then one", pages == [""], pages)
    names = {each.name for each in groups}
    client.stub.ListGroups = real
    claim("until the end", len(pages) >= 4 and len(names) >= 6, pages)
    bound = group_pb2.GROUP_STATE_BOUND
    claim("a list can be filtered by state", await_true(
        lambda: len(list(client.groups(states=iter([bound])))) == 7))
    claim("groups are counted", sum(
        each.groups for each in client.counts(namespace="default")) == 7)
    claim("nodes come in pages", await_true(
        lambda: len(list(client.nodes(page_size=3))) == 8))
    claim("so do jobs of the work queue", len(list(client.jobs(
        kind="match", finished_within=600, page_size=2))) >= 7)
    claim("and the record of changes", len(list(client.audit(
        verb="submit", page_size=3))) == 7)
    for n in range(7):
        client.cancel(f"fluxnetes-group-default-single-{n}", reason="done")
    claim("and what has ended", await_true(lambda: len(list(
        client.history(results=["cancelled"], page_size=3))) == 7))


def changes(client):
    client.submit(job("wide", 1, 60, cpu="64"))
    await_true(lambda: list(client.groups(search="wide")))
    client.hold("wide", reason="a test")
    phase = client.group("wide").group.phase
    claim("a group is held", phase == group_pb2.GROUP_PHASE_HELD, phase)
    client.set_priority("wide", 5)
    claim("its priority is set", client.group("wide").group.priority == 5)
    claim("it is released", client.release("wide"))
    claim("once", not client.release("wide"))
    claim("it is explained", "64" in str(client.explain("wide")))
    claim("it is cancelled", client.cancel("wide") == 1)
    answer = client.set_queue("default", {"queue_policy": "fcfs"}, dry_run=True)
    claim("what a setting would change is shown", any(
        each.name == "queue_policy" for each in answer.changes), answer)
    claim("and not done", client.queues("default")[0].settings["queue_policy"] == "easy",
          client.queues())
    checked = client.submit(job("never", 1), dry_run=True)
    claim("a dry run creates nothing",
          not checked.objects[0].created and not checked.groups)
    template = {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
        "metadata": {"name": "one-gpu"},
        "spec": {"spec": {"devices": {"requests": [
            {"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}}}
    made = client.submit([template, job("beside", 2, 60)])
    claim("templates of claims are created, and are no group",
          made.objects[0].created and
          [each.name for each in made.groups] == ["beside"], made.groups)


def errors(client):
    with claim_raises("a group that is not there", fluxnetes.NotFound, "nope"):
        client.group("nope")
    try:
        list(client.groups(page_size=-4))
    except fluxnetes.InvalidArgument as error:
        fields = [each.field for each in error.violations]
        claim("an error says which field is wrong, and why",
              fields == ["page_size"] and error.reason == "INVALID_REQUEST" and
              "1 to 1000" in error.violations[0].description, repr(error))
    else:
        claim("an error says which field is wrong, and why", False, "none")
    with claim_raises("a manifest that is wrong", fluxnetes.InvalidArgument,
                      "spec"):
        client.submit({"apiVersion": "v1", "kind": "Pod",
                       "metadata": {"name": "empty"}})
    with claim_raises("so is a text that is no YAML",
                      fluxnetes.InvalidArgument):
        client.submit("a: [")
    client.submit(job("twice", 1, 60))
    try:
        client.submit([job("twice", 1, 60), job("once", 1, 60)])
    except fluxnetes.SubmissionRefused as error:
        made = [each.created for each in error.objects]
        claim("an object that the cluster refuses is an error, which has those "
              "that it took", made == [False, True] and "twice" in str(error),
              repr(error))
    else:
        claim("an object that the cluster refuses is an error", False, "none")
    with fluxnetes.Client("unix:/nowhere/grpc.sock", timeout=5) as nobody:
        with claim_raises("a server that is away", fluxnetes.Unavailable):
            nobody.caller()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with claim_raises("a server that says nothing",
                          fluxnetes.DeadlineExceeded), \
                fluxnetes.Client(address, timeout=0.3) as hasty:
            hasty.caller()
    with claim_raises("no address at all", ValueError, "FLUXNETES_GRPC_ADDRESS"):
        fluxnetes.Client()


def placement(client):
    client.submit(job("alone", 2, 60), placement=scheduler_pb2.PlacementRequest(
        exclusive=True)).wait("bound", timeout=60)
    nodes = client.group("alone").group.nodes
    others = [each for each in client.groups() if each.name != "alone"]
    claim("a placement counts for all pods", nodes and not any(
        set(nodes) & set(each.nodes) for each in others), nodes)
    client.cancel("alone")


def run(scheduler):
    with fluxnetes.Client(scheduler.address) as client:
        caller = client.caller()
        claim("the client is known as an operator",
              caller.role == scheduler_pb2.ROLE_OPERATOR, caller)
        lists(client)
        changes(client)
        errors(client)
        placement(client)
