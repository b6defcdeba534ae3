"""Stand-ins for the controllers of operators. Each makes what its controller makes
of an object: the names, labels, owners and order of pods, Jobs and others, as far as
a scheduler sees them. Containers are changed by the real ones too; here they are not.
Each is a generator that yields after each pod or object that it has made."""

import copy

from support import await_true

NAMESPACE = "default"


def owner(it, controller=True):
    return {"apiVersion": it["apiVersion"], "kind": it["kind"],
            "name": it["metadata"]["name"], "uid": it["metadata"]["uid"],
            "controller": controller, "blockOwnerDeletion": True}


def metadata(name, owned_by, labels, template):
    """That of a pod: its template's labels, and those of its controller."""
    given = copy.deepcopy(template.get("metadata", {}))
    given.pop("creationTimestamp", None)
    given["labels"] = {**given.get("labels", {}), **labels}
    given["name"] = name
    if owned_by:
        given["ownerReferences"] = [owner(owned_by)]
    return given


def pod(name, owned_by, labels, template, **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": metadata(name, owned_by, labels, template),
            "spec": {**copy.deepcopy(template["spec"]), **spec}}


def job(name, owned_by, labels, template, pods=1, **spec):
    made = pod(name, owned_by, labels, template)
    made["spec"].setdefault("restartPolicy", "Never")
    del made["metadata"]["name"], made["metadata"]["ownerReferences"]
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "labels": labels,
                         "ownerReferences": [owner(owned_by)]},
            "spec": {"parallelism": pods, "completions": pods,
                     "template": {"metadata": made["metadata"],
                                  "spec": made["spec"]}, **spec}}


def ray_cluster(api, it):
    """KubeRay: the head's pod first, then the workers' of each group."""
    name = it["metadata"]["name"]

    def labels(kind, group):
        return {"ray.io/cluster": name, "ray.io/node-type": kind,
                "ray.io/group": group, "ray.io/is-ray-node": "yes",
                "ray.io/identifier": f"{name}-{kind}",
                "app.kubernetes.io/name": "kuberay",
                "app.kubernetes.io/created-by": "kuberay-operator"}

    head = it["spec"]["headGroupSpec"]["template"]
    yield api.create(pod(f"{name}-head-aaaaa", it,
                         labels("head", "headgroup"), head))
    for each in it["spec"]["workerGroupSpecs"]:
        group = each["groupName"]
        for n in range(each["replicas"]):
            yield api.create(pod(
                f"{name}-{group}-worker-{n:05}", it, labels("worker", group),
                each["template"], restartPolicy="Always"))


def ray_worker(api, it, number):
    """One more, as the autoscaler asks for it."""
    scaled = copy.deepcopy(it)
    del scaled["spec"]["workerGroupSpecs"][0]["replicas"]
    each = scaled["spec"]["workerGroupSpecs"][0]
    name, group = it["metadata"]["name"], each["groupName"]
    return api.create(pod(
        f"{name}-{group}-worker-{number:05}", it,
        {"ray.io/cluster": name, "ray.io/node-type": "worker",
         "ray.io/group": group}, each["template"]))


def ray_job(api, it):
    """KubeRay: a RayCluster of a name that it makes up."""
    name = f"{it['metadata']['name']}-x7k2p"
    made = api.create({
        "apiVersion": "ray.io/v1", "kind": "RayCluster",
        "metadata": {"name": name, "ownerReferences": [owner(it)]},
        "spec": it["spec"]["rayClusterSpec"]})
    yield from ray_cluster(api, made)


def ray_submitter(api, it):
    """The Job that submits, made when the cluster is ready."""
    return api.create(job(it["metadata"]["name"], it, {
        "ray.io/originated-from-cr-name": it["metadata"]["name"]},
        it["spec"]["submitterPodTemplate"], backoffLimit=2))


def train_job(api, runtime, it):
    """Kubeflow Trainer: a PodGroup and a JobSet, of which JobSet makes Jobs."""
    name, nodes = it["metadata"]["name"], it["spec"]["trainer"]["numNodes"]
    yield api.create({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": name, "ownerReferences": [owner(it)]},
        "spec": {"minMember": nodes, **runtime["spec"]["podGroupPolicy"][
            "coscheduling"]}})
    replicated = copy.deepcopy(
        runtime["spec"]["template"]["spec"]["replicatedJobs"])
    for each in replicated:
        spec = each["template"]["spec"]
        spec["parallelism"] = spec["completions"] = nodes
        labels = spec["template"].setdefault("metadata", {}).setdefault(
            "labels", {})
        labels["scheduling.x-k8s.io/pod-group"] = name
    yield from job_set(api, api.create({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
        "metadata": {"name": name, "ownerReferences": [owner(it)]},
        "spec": {"replicatedJobs": replicated}}))


def job_set(api, it):
    """JobSet: its Jobs, of which Kubernetes makes the pods."""
    name = it["metadata"]["name"]
    for role in it["spec"]["replicatedJobs"]:
        for n in range(role.get("replicas", 1)):
            spec = role["template"]["spec"]
            yield api.create(job(
                f"{name}-{role['name']}-{n}", it, {
                    "jobset.sigs.k8s.io/jobset-name": name,
                    "jobset.sigs.k8s.io/replicatedjob-name": role["name"],
                    "jobset.sigs.k8s.io/job-index": str(n)},
                spec["template"], spec.get("parallelism", 1),
                completionMode="Indexed"))


def pytorch_job(api, it):
    """The training operator: a pod for each replica, type by type."""
    name = it["metadata"]["name"]
    for kind, replica in it["spec"]["pytorchReplicaSpecs"].items():
        for n in range(replica["replicas"]):
            yield api.create(pod(
                f"{name}-{kind.lower()}-{n}", it, {
                    "training.kubeflow.org/job-name": name,
                    "training.kubeflow.org/operator-name":
                        "pytorchjob-controller",
                    "training.kubeflow.org/replica-index": str(n),
                    "training.kubeflow.org/replica-type": kind.lower()},
                replica["template"],
                restartPolicy=replica["restartPolicy"]))


def mpi_job(api, it):
    """The MPI operator: workers as pods, the launcher as a Job."""
    name = it["metadata"]["name"]

    def labels(role):
        return {"training.kubeflow.org/operator-name": "mpi-operator",
                "training.kubeflow.org/job-name": name,
                "training.kubeflow.org/job-role": role}

    worker = it["spec"]["mpiReplicaSpecs"]["Worker"]
    for n in range(worker["replicas"]):
        yield api.create(pod(
            f"{name}-worker-{n}", it, {
                **labels("worker"),
                "training.kubeflow.org/replica-index": str(n)},
            worker["template"], restartPolicy="Never",
            hostname=f"{name}-worker-{n}", subdomain=name))
    yield api.create(job(f"{name}-launcher", it, labels("launcher"),
                         it["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]))


def mini_cluster(api, it):
    """The Flux Operator: one Indexed Job of all brokers."""
    spec, name = it["spec"], it["metadata"]["name"]
    containers = [{"name": f"{name}-{n}", "image": each["image"],
                   "resources": each["resources"]}
                  for n, each in enumerate(spec["containers"])]
    template = {"metadata": {"labels": spec["pod"]["labels"]},
                "spec": {"schedulerName": spec["pod"]["schedulerName"],
                         "setHostnameAsFQDN": False, "subdomain": "flux-service",
                         "containers": containers}}
    yield api.create(job(name, it, {"job-name": name, "app.kubernetes.io/name":
                                    name}, template, spec["size"],
                         completionMode="Indexed", backoffLimit=100))


OF_SET = "leaderworkerset.sigs.k8s.io/"


def number_pods_of_sets(api):
    """LeaderWorkerSet's webhook, as policies of the API server: each pod gets a
    label with the number at the end of its name, a leader that of its replica, a
    worker its own."""
    number = ("object.metadata.name.substring("
              "object.metadata.name.lastIndexOf('-') + 1)")
    is_leader = f"'{OF_SET}worker-index' in object.metadata.labels"
    for name, label, such in (("leaders", "group-index", is_leader),
                              ("workers", "worker-index", f"!({is_leader})")):
        patch = ('[JSONPatch{op: "add", path: "/metadata/labels/" + '
                 f'jsonpatch.escapeKey("{OF_SET}{label}"), value: {number}}}]')
        api.create_policy(name, {
            "failurePolicy": "Fail", "reinvocationPolicy": "Never",
            "matchConstraints": {"resourceRules": [{
                "apiGroups": [""], "apiVersions": ["v1"],
                "operations": ["CREATE"], "resources": ["pods"]}]},
            "matchConditions": [{
                "name": "is-of-a-set", "expression":
                "has(object.metadata.labels) && "
                f"'{OF_SET}name' in object.metadata.labels && {such}"}],
            "mutations": [{"patchType": "JSONPatch",
                           "jsonPatch": {"expression": patch}}]})

    def numbered(labels, label):
        _, answer = api.ask("POST", "/api/v1/namespaces/default/pods?dryRun=All", {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "tried-7", "labels": {f"{OF_SET}name": "tried", **labels}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}})
        return answer["metadata"].get("labels", {}).get(f"{OF_SET}{label}") == "7"

    # The API server follows its policies after a moment.
    return await_true(lambda: numbered({f"{OF_SET}worker-index": "0"}, "group-index")
                      and numbered({}, "worker-index"))


def of_leader_worker_set(api, it, called, owned_by, replicas, labels, start=0):
    """A StatefulSet: that of the leaders, or of the workers of a replica."""
    name, spec = it["metadata"]["name"], it["spec"]["leaderWorkerTemplate"]
    labels = {f"{OF_SET}name": name, **labels}
    template = pod("", None, labels, spec["workerTemplate"])
    del template["metadata"]["name"]
    template["metadata"]["annotations"] = {f"{OF_SET}size": str(spec["size"])}
    return api.create({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": called, "ownerReferences": [owner(owned_by)]},
        "spec": {"replicas": replicas, "serviceName": name,
                 "podManagementPolicy": "Parallel",
                 "ordinals": {"start": start},
                 "selector": {"matchLabels": labels},
                 "template": {"metadata": template["metadata"],
                              "spec": template["spec"]}}})


def leaders(api, it):
    """LeaderWorkerSet: the StatefulSet of which Kubernetes makes the leaders."""
    of_leader_worker_set(api, it, it["metadata"]["name"], it,
                         it["spec"]["replicas"], {f"{OF_SET}worker-index": "0"})


def workers(api, it, leader):
    """The StatefulSet of a leader's workers, which is the leader's own."""
    name, labels = leader["metadata"]["name"], leader["metadata"]["labels"]
    return of_leader_worker_set(
        api, it, name, {"apiVersion": "v1", "kind": "Pod", **leader},
        it["spec"]["leaderWorkerTemplate"]["size"] - 1,
        {f"{OF_SET}group-index": labels[f"{OF_SET}group-index"]}, start=1)


def workflow_step(api, it, template, count):
    """Argo: the pods of one step, when the step before it is over."""
    name = it["metadata"]["name"]
    chosen = next(each for each in it["spec"]["templates"]
                  if each["name"] == template)
    labels = {key: value.replace("{{workflow.name}}", name) for key, value in
              chosen.get("metadata", {}).get("labels", {}).items()}
    labels |= {"workflows.argoproj.io/workflow": name,
               "workflows.argoproj.io/completed": "false"}
    for n in range(count):
        yield api.create(pod(
            f"{name}-{template}-{n:010}", it, labels, {
                "metadata": {"annotations": {
                    "workflows.argoproj.io/node-name": f"{name}.{template}({n})"}},
                "spec": {"schedulerName": it["spec"]["schedulerName"],
                         "restartPolicy": "Never",
                         "containers": [{"name": "main", **chosen["container"]}]
                         }}))


def spark_pod(role, name, app, labels, scheduler, cores, memory, owned_by=None):
    """A pod of Spark's own code, for spark-submit and for the Spark operator."""
    template = {"metadata": {"labels": labels}, "spec": {
        "schedulerName": scheduler, "restartPolicy": "Never",
        "containers": [{
            "name": f"spark-kubernetes-{role}", "image": "spark:4.0.0",
            "resources": {"requests": {"cpu": str(cores),
                                       "memory": memory}}}]}}
    return pod(name, owned_by, {
        "spark-role": role, "spark-app-selector": f"spark-{app}",
        "spark-app-name": app, "spark-version": "4.0.0"}, template)


def dask_cluster(api, it):
    """The Dask operator: a Deployment of one pod for the scheduler and for each
    worker, with the labels of the DaskCluster."""
    name, given = it["metadata"]["name"], it["metadata"]["labels"]
    group = api.create({
        "apiVersion": it["apiVersion"], "kind": "DaskWorkerGroup",
        "metadata": {"name": f"{name}-default", "labels": given,
                     "ownerReferences": [owner(it)]}, "spec": {}})

    def deployment(called, owned_by, component, spec):
        labels = {**given, "dask.org/cluster-name": name,
                  "dask.org/component": component,
                  "sidecar.istio.io/inject": "false"}
        if component == "worker":
            labels["dask.org/workergroup-name"] = f"{name}-default"
            labels["dask.org/worker"] = called  # one Deployment, one pod
        return api.create({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": called, "labels": labels,
                         "ownerReferences": [owner(owned_by)]},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": spec}}})

    yield deployment(f"{name}-scheduler", it, "scheduler",
                     it["spec"]["scheduler"]["spec"])
    for n in range(it["spec"]["worker"]["replicas"]):
        yield deployment(f"{name}-default-worker-{n:010x}", group, "worker",
                         it["spec"]["worker"]["spec"])


def airflow_pods(api, operator):
    """KubernetesPodOperator: bare pods, one for each mapped task."""
    for n, arguments in enumerate(operator["mapped"]["arguments"]):
        yield api.create({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{operator['name']}-{n:08}", "labels": {
                **operator["labels"], "dag_id": "nightly", "task_id":
                operator["task_id"], "run_id": "scheduled__1", "map_index":
                str(n), "try_number": "1", "kubernetes_pod_operator": "True",
                "airflow_kpo_in_cluster": "True"}},
            "spec": {"schedulerName": operator["schedulername"],
                     "restartPolicy": "Never", "containers": [{
                         "name": "base", "image": operator["image"],
                         "command": operator["cmds"], "args": arguments,
                         "resources": operator["resources"]}]}})
