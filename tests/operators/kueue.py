"""The real controller of Kueue beside the scheduler: it admits, Fluxnetes places.

    kueue.py manifests FOLDER ADDRESS AUTHORITY   prints the definitions of its kinds
        and its webhooks, of the folder of its module, with the address at which it
        answers, and the file of the authority for its certificate
    kueue.py                                      the tests
"""

import base64
import copy
import os
import pathlib
import sys
import time

import yaml

import support
from support import Api, await_true, claim, example, group, nodes_of

LABEL = "kueue.x-k8s.io/queue-name"
RUNS_FOR = "fluxnetes.test/runs-for"
JOBS = f"/apis/batch/v1/namespaces/{support.NAMESPACE}/jobs"
WORKLOADS = (f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{support.NAMESPACE}"
             "/workloads")
ADMITTED = 12  # cpus, of the ClusterQueue of the example
HELD = 8  # cpus, of the account that operators_test makes
SIZE = 4  # pods of a gang, of a cpu each
support.KINDS += (
    ("kueue.x-k8s.io/v1beta2", "LocalQueue", "localqueues"),)


def manifests(folder, address, authority):
    """Kustomize, which Kueue is installed by, would make them so."""
    components = pathlib.Path(folder) / "config/components"
    bundle = base64.b64encode(pathlib.Path(authority).read_bytes()).decode()

    def reached(config):
        path = config.pop("service")["path"]
        return {"url": f"https://{address}{path}", "caBundle": bundle}

    patches = {}
    for path in components.glob("crd/patches/webhook_in_*.yaml"):
        it = yaml.safe_load(path.read_text(encoding="utf-8"))
        patches[it["metadata"]["name"]] = it["spec"]["conversion"]
    for path in sorted(components.glob("crd/bases/*.yaml")):
        it = yaml.safe_load(path.read_text(encoding="utf-8"))
        versions = [each["name"] for each in it["spec"]["versions"]]
        if len(versions) > 1 and it["metadata"]["name"] in patches:
            it["spec"]["conversion"] = patches[it["metadata"]["name"]]
            webhook = it["spec"]["conversion"]["webhook"]
            webhook["clientConfig"] = reached(webhook["clientConfig"])
        yield it
    text = (components / "webhook/manifests.yaml").read_text(encoding="utf-8")
    for it in yaml.safe_load_all(text):
        for webhook in it["webhooks"]:
            webhook["clientConfig"] = reached(webhook["clientConfig"])
        it["metadata"]["name"] = f"kueue-{it['metadata']['name']}"
        yield it


def job(name, seconds=2, size=SIZE, **labels):
    it = copy.deepcopy(next(each for each in example("kueue.yaml")
                            if each["kind"] == "Job"))
    it["metadata"]["name"] = name
    it["metadata"]["labels"].update(
        {key.replace("_", "-"): value for key, value in labels.items()})
    it["spec"].update(parallelism=size, completions=size)
    template = it["spec"]["template"]["metadata"]
    template["labels"] = {"fluxnetes.group-name": name,
                          "fluxnetes.group-size": str(size)}
    template["annotations"] = {RUNS_FOR: f"{seconds}s"}
    return it


def status_of(api, name):
    return api.ask("GET", f"{JOBS}/{name}")[1]


def complete(api, name):
    conditions = status_of(api, name)["status"].get("conditions") or []
    return any(each["type"] == "Complete" and each["status"] == "True"
               for each in conditions)


def has_begun(api, name):
    return bool(nodes_of(api, name))


def suspended(api, name):
    return status_of(api, name)["spec"].get("suspend", False)


def admits(api):
    """The example of the manual, while its quota is free and while it is not."""
    objects = example("kueue.yaml")
    for it in objects[:-1]:
        if it["kind"] == "LocalQueue":
            api.create(it)
        else:
            plural = it["kind"].lower() + "s"
            status, answer = api.ask(
                "POST", f"/apis/kueue.x-k8s.io/v1beta2/{plural}", it)
            assert status == 201, answer
    made = api.create(objects[-1])
    claim("Kueue: a Job of its queue is made suspended",
          made["spec"]["suspend"] is True, made["spec"])
    claim("Kueue: it admits the Job, and the gang has nodes", await_true(
        lambda: group("admitted").get("boundAt")), group("admitted"))
    claim("Kueue: which runs to its end",
          await_true(lambda: complete(api, "admitted")))


def cpus_bound(api):
    return sum(1 for pod in api.pods("fluxnetes.group-size")
               if pod["spec"].get("nodeName") and
               pod["status"].get("phase") in ("Pending", "Running"))


def cpus_admitted(api):
    return sum(it["spec"]["completions"] for it in
               api.ask("GET", JOBS)[1]["items"]
               if not it["spec"].get("suspend") and
               not it["status"].get("completionTime"))


def flows(api):
    """Quotas on both sides, of which each is reached, and no deadlock."""
    names = [f"flow-{n}" for n in range(10)]
    for name in names:
        api.create(job(name))
    admitted, bound = [], []
    until = time.monotonic() + support.PATIENCE
    while time.monotonic() < until:
        bound.append(cpus_bound(api))
        admitted.append(cpus_admitted(api))
        if all(complete(api, name) for name in names):
            break
    claim("Kueue: with quotas on both sides all gangs run to their end",
          all(complete(api, name) for name in names),
          [name for name in names if not complete(api, name)])
    claim("Kueue: it has admitted what its quota allows, and no more",
          max(admitted) == ADMITTED, max(admitted))
    claim("Kueue: gangs have held what their account may, and no more",
          max(bound) == HELD, max(bound))


def preempts(api):
    """Kueue takes quota back for a Job of higher priority: the gang ends, and runs
    when it is admitted again."""
    for name, value in (("low", 1), ("high", 1000)):
        api.ask("POST", "/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses", {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name}, "value": value})
    key = "kueue.x-k8s.io/priority-class"
    lows = [f"low-{n}" for n in range(3)]  # all of the quota
    for name in lows:
        api.create(job(name, seconds=10, **{key: "low"}))
    claim("Kueue: gangs of low priority have all that they may", await_true(
        lambda: cpus_bound(api) == HELD and cpus_admitted(api) == ADMITTED),
        cpus_bound(api))
    api.create(job("high", **{key: "high"}))
    claim("Kueue: one is suspended for a Job of higher priority", await_true(
        lambda: any(suspended(api, name) for name in lows)))
    claim("Kueue: which runs to its end",
          await_true(lambda: complete(api, "high")), group("high"))
    claim("Kueue: and the others after it, to theirs", await_true(
        lambda: all(complete(api, name) for name in lows)),
        [group(name) for name in lows])


def gives_back(api):
    """What Kueue admits and the account never lets run, with `waitForPodsReady`."""
    api.create(job("too-large", size=ADMITTED))
    claim("Kueue: it admits what the account can never hold", await_true(
        lambda: not suspended(api, "too-large")))
    api.create(job("behind"))
    claim("Kueue: what comes after it waits for the quota",
          suspended(api, "behind"))
    claim("Kueue: after its time the quota is given back", await_true(
        lambda: suspended(api, "too-large")), group("too-large"))
    claim("Kueue: and what came after it runs",
          await_true(lambda: complete(api, "behind")), group("behind"))
    claim("Kueue: nothing of the other has had a node",
          not has_begun(api, "too-large"))
    api.ask("DELETE", f"{JOBS}/too-large?propagationPolicy=Background")


def plain_pods(api):
    """A group of Kueue's own: pods with its scheduling gate until it admits all."""
    template = job("plain")["spec"]["template"]

    def pod(n):
        meta = copy.deepcopy(template["metadata"])
        meta["name"] = f"plain-{n}"
        meta["labels"].update({LABEL: "team-a",
                               "kueue.x-k8s.io/pod-group-name": "plain"})
        meta["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = str(SIZE)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": meta,
                "spec": copy.deepcopy(template["spec"])}

    made = [api.create(pod(n)) for n in range(SIZE - 1)]
    claim("Kueue: pods of its group are gated until all are there",
          all(it["spec"].get("schedulingGates") for it in made) and
          not nodes_of(api, "plain"), made[0]["spec"])
    api.create(pod(SIZE - 1))
    claim("Kueue: then they are admitted, and start together", await_true(
        lambda: len(nodes_of(api, "plain")) == SIZE), group("plain"))


def main():
    if sys.argv[1:2] == ["manifests"]:
        yaml.safe_dump_all(manifests(*sys.argv[2:]), sys.stdout)
        return
    api = Api(os.environ["KUBECONFIG_OF_TEST"])
    for test in (admits, flows, preempts, plain_pods, gives_back):
        test(api)


if __name__ == "__main__":
    main()
