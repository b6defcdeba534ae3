"""What the tests of operators share: an API server, the program that schedules on
it, and how a claim is said (as tests/scripts/claims.sh does)."""

import base64
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import time
import urllib.parse

import yaml

EXAMPLES = pathlib.Path("deploy/examples/operators")
NAMESPACE = "default"
PATIENCE = 60  # seconds

# The kinds of the operators: group and version, kind, plural. Any field is allowed.
KINDS = (
    ("ray.io/v1", "RayCluster", "rayclusters"),
    ("ray.io/v1", "RayJob", "rayjobs"),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob", "trainjobs"),
    ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "trainingruntimes"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets"),
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups"),
    ("kubeflow.org/v1", "PyTorchJob", "pytorchjobs"),
    ("kubeflow.org/v2beta1", "MPIJob", "mpijobs"),
    ("flux-framework.org/v1alpha2", "MiniCluster", "miniclusters"),
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "leaderworkersets"),
    ("argoproj.io/v1alpha1", "Workflow", "workflows"),
    ("sparkoperator.k8s.io/v1beta2", "SparkApplication", "sparkapplications"),
    ("kubernetes.dask.org/v1", "DaskCluster", "daskclusters"),
    ("kubernetes.dask.org/v1", "DaskWorkerGroup", "daskworkergroups"),
)
BUILT_IN = {"Pod": "pods", "Job": "jobs", "Deployment": "deployments",
            "StatefulSet": "statefulsets", "Service": "services"}


def claim(words, holds, shown=""):
    print(f"ok {words}" if holds else f"not ok {words}: {shown}", flush=True)


def await_true(look, patience=PATIENCE):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if look():
            return True
        time.sleep(0.05)
    return False


class Api:
    """The API server, as the administrator whom a kubeconfig names."""

    def __init__(self, kubeconfig):
        path = pathlib.Path(kubeconfig)
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        cluster = config["clusters"][0]["cluster"]
        user = config["users"][0]["user"]

        def file(holder, key):
            if key in holder:
                return path.parent / holder[key]
            made = path.parent / f"{key}.pem"
            made.write_bytes(base64.b64decode(holder[f"{key}-data"]))
            return made

        context = ssl.create_default_context(
            cafile=file(cluster, "certificate-authority"))
        context.load_cert_chain(file(user, "client-certificate"),
                                file(user, "client-key"))
        self._connection = http.client.HTTPSConnection(
            urllib.parse.urlparse(cluster["server"]).netloc, context=context)

    def ask(self, method, path, body=None, kind="application/json"):
        """(status, answer)"""
        self._connection.request(
            method, path, body and json.dumps(body), {"Content-Type": kind})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    @staticmethod
    def path(it, name=""):
        kind, version = it["kind"], it["apiVersion"]
        plural = BUILT_IN.get(kind) or next(
            plural for _, known, plural in KINDS if known == kind)
        root = "api/v1" if version == "v1" else f"apis/{version}"
        return f"/{root}/namespaces/{NAMESPACE}/{plural}/{name}".rstrip("/")

    def create(self, it):
        """Returns the object as it is there; "metadata" has its uid."""
        status, answer = self.ask("POST", self.path(it), it)
        assert status == 201, f"{it['kind']} {it['metadata']}: {answer}"
        return answer

    def create_policy(self, name, spec):
        """Changes pods from now on by a MutatingAdmissionPolicy."""
        root = "/apis/admissionregistration.k8s.io/v1"
        for kind, plural, body in (
                ("MutatingAdmissionPolicy", "mutatingadmissionpolicies", spec),
                ("MutatingAdmissionPolicyBinding",
                 "mutatingadmissionpolicybindings", {"policyName": name})):
            status, answer = self.ask("POST", f"{root}/{plural}", {
                "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
                "metadata": {"name": name}, "spec": body})
            assert status == 201, answer

    def delete_with_dependents(self, it):
        """It is gone when all that it owns is."""
        status, answer = self.ask(
            "DELETE", self.path(it, it["metadata"]["name"]),
            {"apiVersion": "v1", "kind": "DeleteOptions",
             "propagationPolicy": "Foreground"})
        assert status in (200, 202), answer

    def pods(self, selector=""):
        query = urllib.parse.urlencode({"labelSelector": selector})
        return self.ask("GET", f"/api/v1/namespaces/{NAMESPACE}/pods?{query}"
                        )[1]["items"]

    def define_kinds(self):
        for version, kind, plural in KINDS:
            group, number = version.split("/")
            schema = {"type": "object",
                      "x-kubernetes-preserve-unknown-fields": True}
            it = {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{plural}.{group}", "annotations": {
                    "api-approved.kubernetes.io": "unapproved, for tests"}},
                "spec": {
                    "group": group, "scope": "Namespaced",
                    "names": {"kind": kind, "plural": plural,
                              "singular": kind.lower()},
                    "versions": [{
                        "name": number, "served": True, "storage": True,
                        "schema": {"openAPIV3Schema": schema}}]}}
            status, answer = self.ask(
                "POST", "/apis/apiextensions.k8s.io/v1/"
                "customresourcedefinitions", it)
            assert status == 201, answer
        for version, kind, _ in KINDS:
            path = self.path({"apiVersion": version, "kind": kind})
            assert await_true(lambda: self.ask("GET", path)[0] == 200), kind


def example(name):
    """The objects of a manifest in deploy/examples/operators."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    return list(yaml.safe_load_all(text))


def group(name):
    """What the program says of the newest group of that name; empty: there is none."""
    done = subprocess.run(
        [os.environ["PROGRAM"], "--config", os.environ["CONFIG"], "get",
         "groups", "-o", "json", "-n", NAMESPACE], capture_output=True,
        text=True, timeout=60, check=True)
    found = [each for each in json.loads(done.stdout)["items"]
             if each["name"] == name]
    return max(found, key=lambda each: each["id"], default={})


def nodes_of(api, name):
    """The nodes of the pods of a group, one for each pod that has one."""
    pods = api.pods(f"fluxnetes.group-name={name}")
    return [pod["spec"]["nodeName"] for pod in pods
            if pod["spec"].get("nodeName")]
