#!/usr/bin/python3
"""Looks at what a chart was rendered to.

    rendered.py closed FILE            every container is as closed as can be, and says
                                       what it needs
    rendered.py rights FILE RBAC       its roles give the rights of RBAC, and its
                                       bindings give them to its service account
    rendered.py settings SCHEMA PAGE   the schema of the values knows all settings
                                       of the page but those that are the chart's
    rendered.py defaults VALUES        names of all values, one a line
    rendered.py names SCHEMA           those that the schema knows
    rendered.py jobs JOBSET UID        the Jobs that a JobSet's controller makes of it
"""

import json
import re
import sys

import yaml


def objects(path):
    with open(path, encoding="utf-8") as file:
        return [found for found in yaml.safe_load_all(file) if found]


def pod_specs(found):
    """Names of objects with the pods that they make."""
    for one in found:
        spec = one.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield f"{one['kind']} {one['metadata']['name']}", template["spec"]


def closed(path):
    specs = list(pod_specs(objects(path)))
    assert specs, f"{path} makes no pods"
    for name, spec in specs:
        security = spec["securityContext"]
        assert security["runAsNonRoot"] and security["runAsUser"] > 0, name
        assert security["seccompProfile"]["type"] == "RuntimeDefault", name
        assert not spec.get("hostNetwork") and not spec.get("hostPID"), name
        for one in spec["containers"] + spec.get("initContainers", []):
            security = one["securityContext"]
            assert security["readOnlyRootFilesystem"], f"{name}: {one['name']}"
            assert security["allowPrivilegeEscalation"] is False, name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            # A ResourceQuota of the namespace refuses who does not.
            needs = one["resources"]["requests"]
            assert {"cpu", "memory"} <= set(needs), f"{name}: {one['name']}"
        # Who needs no token has none.
        assert (spec.get("automountServiceAccountToken") is False) != (
            "serviceAccountName" in spec), name


def rights(path, rbac):
    found = objects(path)
    # Kinds of owners that the values name come on top.
    given = {one["metadata"]["name"]: [rule for rule in one["rules"]
                                       if rule["apiGroups"] != ["example.org"]]
             for one in found if one["kind"] == "ClusterRole"}
    wanted = {one["metadata"]["name"].rpartition("-")[2]: one["rules"]
              for one in objects(rbac) if one["kind"] == "ClusterRole"}
    assert {name.rpartition("-")[2]: rules for name, rules in given.items()} == {
        name: wanted[name] for name in (n.rpartition("-")[2] for n in given)}
    account, = (one["metadata"] for one in found if one["kind"] == "ServiceAccount")
    bindings = [one for one in found if one["kind"] == "ClusterRoleBinding"]
    assert {one["roleRef"]["name"] for one in bindings} == set(given)
    for binding in bindings:
        assert binding["subjects"] == [
            {"kind": "ServiceAccount", "name": account["name"],
             "namespace": account["namespace"]}]
    print(*(name.rpartition("-")[2] for name in given))


# What the chart sets by other values, or what is nothing for a pod.
OF_THE_CHART = {
    "database.connection", "cluster.kind", "cluster.nodes", "cluster.listen",
    "cluster.address", "cluster.kubeconfig", "cluster.context",
    "cluster.structures", "log.level",
    "log.format", "schedulerNames", "shutdownGrace", "http.listen", "grpc.listen",
    "grpc.tlsCert", "grpc.tlsKey", "grpc.clientCA", "grpc.externalService",
    "grpc.access"}


def leaves(properties, prefix=""):
    for name, value in properties.items():
        if "properties" in value:
            yield from leaves(value["properties"], f"{prefix}{name}.")
        else:
            yield prefix + name


def settings(schema, page):
    with open(schema, encoding="utf-8") as file:
        known = json.load(file)["definitions"]
    with open(page, encoding="utf-8") as file:
        text, _, queues = file.read().partition("\n## Queues")
    wanted = set(re.findall(r"^\| `([a-zA-Z.]+)` \| `FLUXNETES_", text, re.M))
    found = set(leaves(known["settings"]["properties"]))
    assert wanted - OF_THE_CHART == found, wanted - OF_THE_CHART ^ found
    wanted = set(re.findall(r"^\| `([a-z_]+)` \|", queues, re.M))
    found = set(known["queue"]["properties"])
    assert wanted and wanted == found, wanted ^ found


def names_of(value, prefix=""):
    for name, below in value.items():
        if isinstance(below, dict) and below and name not in ("resources", "labels"):
            yield from names_of(below, f"{prefix}{name}.")
        else:
            yield prefix + name


def defaults(path):
    found, = objects(path)
    print(*sorted(names_of(found)), sep="\n")


def names(path):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)

    def below(properties, prefix=""):
        for name, value in properties.items():
            if (reference := value.get("$ref", "")).endswith("/storage"):
                value = schema["definitions"]["storage"]
            if "properties" in value and not reference.endswith("affinity"):
                yield from below(value["properties"], f"{prefix}{name}.")
            else:
                yield prefix + name
    print(*sorted(below(schema["properties"])), sep="\n")


def jobs(path, uid):
    found, = objects(path)
    name = found["metadata"]["name"]
    owner = {"apiVersion": found["apiVersion"], "kind": "JobSet", "name": name,
             "uid": uid, "controller": True}
    made = []
    for role in found["spec"]["replicatedJobs"]:
        for index in range(role["replicas"]):
            spec = json.loads(json.dumps(role["template"]["spec"]))
            marks = {"jobset.sigs.k8s.io/jobset-name": name,
                     "jobset.sigs.k8s.io/replicatedjob-name": role["name"],
                     "jobset.sigs.k8s.io/job-index": str(index)}
            spec["template"]["metadata"]["labels"].update(marks)
            made.append({
                "apiVersion": "batch/v1", "kind": "Job", "spec": spec,
                "metadata": {"name": f"{name}-{role['name']}-{index}",
                             "labels": marks, "ownerReferences": [owner]}})
    yaml.safe_dump_all(made, sys.stdout)


if __name__ == "__main__":
    {"closed": closed, "rights": rights, "settings": settings,
     "defaults": defaults, "names": names, "jobs": jobs}[sys.argv[1]](*sys.argv[2:])
