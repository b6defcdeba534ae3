"""A stand-in for an autoscaler, which adds nodes that KWOK simulates for pods that
their conditions call unschedulable, as cluster-autoscaler does: each pod by itself,
first fit, on nodes of one template."""

from support import await_true, claim, group, nodes_of

POOL = {"fluxnetes.test/pool": "grown"}
CPUS = 4  # of a node of the template
NODES = "/api/v1/nodes"


def node(number):
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": f"grown-{number}", "labels": {
                **POOL, "kubernetes.io/hostname": f"grown-{number}"}},
            "status": {"capacity": {"cpu": str(CPUS), "memory": "16Gi",
                                    "pods": "110"}}}


def pod(name, group_name, size):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": {
                "fluxnetes.group-name": group_name,
                "fluxnetes.group-size": str(size)}, "annotations": {
                    "fluxnetes.test/runs-for": "600s"}},
            "spec": {"schedulerName": "fluxnetes", "restartPolicy": "Never",
                     "nodeSelector": POOL, "containers": [{
                         "name": "main", "image": "none",
                         "resources": {"requests": {"cpu": "1"}}}]}}


def reason(each):
    """Why it has no node, by its condition."""
    return next((condition.get("reason") for condition in
                 each["status"].get("conditions", ())
                 if condition["type"] == "PodScheduled" and
                 condition["status"] == "False"), None)


class Autoscaler:
    def __init__(self, api):
        self._api = api
        self.nodes = 0

    def look(self):
        """Once over all pods, as it does every ten seconds."""
        pods = [each for each in self._api.pods()
                if each["spec"].get("nodeSelector") == POOL]
        free = {f"grown-{n}": CPUS for n in range(self.nodes)}
        for each in pods:
            if each["spec"].get("nodeName"):
                free[each["spec"]["nodeName"]] -= 1
        room = sum(free.values())
        wanting = sum(1 for each in pods if reason(each) == "Unschedulable")
        while room < wanting:
            status, answer = self._api.ask("POST", NODES, node(self.nodes))
            assert status == 201, answer
            self.nodes += 1
            room += CPUS


def grows(api):
    scaler = Autoscaler(api)

    def bound(name, pods):
        scaler.look()
        return len(nodes_of(api, name)) == pods

    for n in range(8):
        api.create(pod(f"two-nodes-{n}", "two-nodes", 8))
    claim("autoscaler: all pods of a gang without nodes ask for them", await_true(
        lambda: [reason(each) for each in api.pods(
            "fluxnetes.group-name=two-nodes")] == ["Unschedulable"] * 8),
        group("two-nodes"))
    claim("autoscaler: it gets nodes, and starts on them", await_true(
        lambda: bound("two-nodes", 8)), group("two-nodes"))
    claim("autoscaler: as many as it needs", scaler.nodes == 2, scaler.nodes)

    for n in range(3):
        api.create(pod(f"in-part-{n}", "in-part", 4))
    claim("autoscaler: pods of an incomplete gang ask for none", await_true(
        lambda: [reason(each) for each in api.pods(
            "fluxnetes.group-name=in-part")] == ["GroupIncomplete"] * 3),
        group("in-part"))
    scaler.look()
    claim("autoscaler: and get none", scaler.nodes == 2, scaler.nodes)
    api.create(pod("in-part-3", "in-part", 4))
    claim("autoscaler: once it is complete it gets what it needs", await_true(
        lambda: bound("in-part", 4)) and scaler.nodes == 3, scaler.nodes)
