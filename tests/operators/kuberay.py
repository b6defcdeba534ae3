"""The real controller of KubeRay in place of its stand-in, which is compared with
it."""

import os
import types

import stand_ins
from support import Api, await_true, claim, example, group, nodes_of


def seen(pod):
    """What a scheduler sees of a pod, but for names that differ each time."""
    meta = pod["metadata"]
    owner, = meta["ownerReferences"]
    return (meta["labels"], owner["kind"], owner["controller"],
            pod["spec"]["schedulerName"], pod["spec"].get("restartPolicy"))


def wanted(it):
    """The same of the pods of the stand-in."""
    recorder = types.SimpleNamespace(create=lambda pod: pod)
    return [seen(pod) for pod in stand_ins.ray_cluster(recorder, it)]


def as_the_stand_in(api):
    it = api.create(example("raycluster.yaml")[0])
    claim("KubeRay: head and workers start together", await_true(
        lambda: group("ray").get("pods", {}).get("bound") == 3), group("ray"))
    real = [seen(pod) for pod in api.pods("ray.io/cluster=ray")]
    missing = [each for each in wanted(it) if not any(
        each[0].items() <= other[0].items() and each[1:4] == other[1:4]
        for other in real)]
    claim("KubeRay: the stand-in makes pods as it does", not missing,
          f"{missing} are not among {real}")


def grows(api):
    path = api.path({"apiVersion": "ray.io/v1", "kind": "RayCluster"}, "ray")
    _, it = api.ask("GET", path)
    it["spec"]["workerGroupSpecs"][0]["replicas"] = 4
    status, answer = api.ask("PUT", path, it)
    claim("KubeRay: it can be told to have more workers", status == 200, answer)
    claim("KubeRay: the group grows by them", await_true(
        lambda: (group("ray")["elastic"] or {}).get("running") == 5),
        group("ray"))


def makes_again(api):
    """A worker of the gang of a RayJob is lost."""
    api.create(example("rayjob.yaml")[0])
    claim("KubeRay: the cluster of a RayJob starts together", await_true(
        lambda: group("count").get("pods", {}).get("bound") == 4),
        group("count"))
    claim("KubeRay: the pod that submits starts by itself", await_true(
        lambda: any(pod["spec"].get("nodeName")
                    for pod in api.pods("job-name=count"))))
    worker = api.pods("ray.io/node-type=worker,fluxnetes.group-name=count")[0]
    name = worker["metadata"]["name"]
    api.ask("DELETE", api.path({"apiVersion": "v1", "kind": "Pod"}, name))

    def whole():
        names = [pod["metadata"]["name"] for pod in
                 api.pods("fluxnetes.group-name=count")
                 if pod["spec"].get("nodeName") and
                 "deletionTimestamp" not in pod["metadata"]]
        return name not in names and len(names) == 4

    claim("KubeRay: a worker that it makes again joins its gang",
          await_true(whole), nodes_of(api, "count"))
    claim("KubeRay: which is the same group", group("count")["state"] == "bound",
          group("count"))


def main():
    api = Api(os.environ["KUBECONFIG_OF_TEST"])
    as_the_stand_in(api)
    grows(api)
    makes_again(api)


if __name__ == "__main__":
    main()
