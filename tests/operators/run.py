"""Each manifest of deploy/examples/operators, made into pods on a real API server
as its operator does, starts as docs/operators.md says."""

import os
import pathlib
import re
import subprocess
import sys
import types

import yaml

import autoscaler
import stand_ins
from support import (
    EXAMPLES, Api, await_true, claim, example, group, nodes_of)


def bound(name, pods):
    """Bound as one group of so many pods, which may have ended since."""
    return await_true(
        lambda: group(name).get("boundAt") and group(name)["size"] == pods)


def starts_whole(api, words, name, pods, making, label=True, last_pods=1):
    """Nothing of the gang is bound until its last pods are there, and then all."""
    made = list(making)
    last = made.pop() if made and callable(made[-1]) else None
    if last:
        arrived = await_true(
            lambda: group(name).get("arrived") == pods - last_pods)
        claim(f"{words}: while a pod is missing, none has a node",
              arrived and not nodes_of(api, name), group(name))
        last()
    claim(f"{words}: its {pods} pods start together", bound(name, pods),
          group(name))
    if label:
        claim(f"{words}: each has its node",
              len(nodes_of(api, name)) == pods, group(name))


def held_back(api, making):
    """The objects that a stand-in makes, the last of them only when it is called:
    the stand-in runs on a recorder first, which says how many there are."""
    recorder = types.SimpleNamespace(
        create=lambda it: {**it, "metadata": {**it["metadata"], "uid": "none"}},
        pods=lambda _: [])
    count = sum(1 for _ in making(recorder))
    real = making(api)
    for _ in range(count - 1):
        yield next(real)
    yield lambda: next(real)


def gang(api, file, name, pods, stand_in):
    it = api.create(example(file)[0])
    starts_whole(api, it["kind"], name, pods,
                 held_back(api, lambda place: stand_in(place, it)))
    return it


def ray(api):
    it = gang(api, "raycluster.yaml", "ray", 3, stand_ins.ray_cluster)
    for n in (2, 3):
        stand_ins.ray_worker(api, it, n)
    claim("RayCluster: it grows by the workers of the autoscaler", await_true(
        lambda: group("ray")["elastic"]["running"] == 5), group("ray"))
    it = gang(api, "rayjob.yaml", "count", 4, stand_ins.ray_job)
    stand_ins.ray_submitter(api, it)
    claim("RayJob: the pod that submits starts by itself", await_true(
        lambda: [pod for pod in api.pods("job-name=count")
                 if pod["spec"].get("nodeName")]))


def kubeflow(api):
    runtime, train = (api.create(it) for it in example("trainjob.yaml"))
    starts_whole(api, "TrainJob", "fine-tune", 4,
                 stand_ins.train_job(api, runtime, train), label=False)
    gang(api, "pytorchjob.yaml", "bert", 4, stand_ins.pytorch_job)
    gang(api, "mpijob.yaml", "lammps", 5, stand_ins.mpi_job)


def job_sets(api):
    it = api.create(example("../kubernetes/jobset.yaml")[0])
    starts_whole(api, "JobSet", "training", 5,
                 held_back(api, lambda place: stand_ins.job_set(place, it)),
                 label=False, last_pods=2)


def flux(api):
    it = api.create(example("minicluster.yaml")[0])
    starts_whole(api, "MiniCluster", "flux-sample", 4,
                 stand_ins.mini_cluster(api, it), label=False)


def leaders(api):
    claim("LeaderWorkerSet: its pods are numbered", stand_ins.number_pods_of_sets(api))
    it = api.create(example("leaderworkerset.yaml")[0])

    def pods(selector=""):
        return api.pods(f"{stand_ins.OF_SET}name=vllm{selector}")

    def leader(replica):
        return pods(f",{stand_ins.OF_SET}worker-index=0,"
                    f"{stand_ins.OF_SET}group-index={replica}")

    def nodes():
        return [pod for pod in pods() if pod["spec"].get("nodeName")]

    stand_ins.leaders(api, it)
    names = ["vllm-0", "vllm-1"]
    arrived = await_true(
        lambda: all(group(name).get("arrived") == 1 for name in names))
    claim("LeaderWorkerSet: each leader waits for its workers",
          arrived and not nodes(), group("vllm-0"))
    stand_ins.workers(api, it, leader(0)[0])
    claim("LeaderWorkerSet: a replica starts when its workers are there",
          bound("vllm-0", 4) and not group("vllm-1").get("boundAt"),
          group("vllm-0"))
    stand_ins.workers(api, it, leader(1)[0])
    claim("LeaderWorkerSet: and so does the other",
          bound("vllm-1", 4) and len(nodes()) == 8, group("vllm-1"))

    # RecreateGroupOnPodRestart.
    old, before = leader(1)[0], group("vllm-1")["boundAt"]
    api.delete_with_dependents({"apiVersion": "v1", "kind": "Pod", **old})

    def new_leader():
        return [pod for pod in leader(1)
                if pod["metadata"]["uid"] != old["metadata"]["uid"]]

    claim("LeaderWorkerSet: a leader that was deleted is made again",
          await_true(new_leader))
    await_true(lambda: api.ask("GET", "/apis/apps/v1/namespaces/default/"
                               "statefulsets/vllm-1")[0] == 404)
    stand_ins.workers(api, it, new_leader()[0])
    claim("LeaderWorkerSet: with its new workers it is the next gang",
          await_true(lambda: group("vllm-1").get("boundAt", before) != before)
          and bound("vllm-1", 4) and len(nodes()) == 8, group("vllm-1"))


def argo(api):
    it = api.create(example("argo-workflow.yaml")[0])
    list(stand_ins.workflow_step(api, it, "prepare", 1))
    claim("Workflow: the pod of a step starts by itself", await_true(
        lambda: any(pod["spec"].get("nodeName") for pod in api.pods(
            "workflows.argoproj.io/workflow=pipeline"))))
    starts_whole(api, "Workflow", "pipeline-train", 4, held_back(
        api, lambda place: stand_ins.workflow_step(place, it, "train", 4)))


def run_spark(api, words, app, driver, executor):
    """`driver` and `executor` make pods; those that start at once are two."""
    made = api.create(driver())
    named = made["metadata"]["name"]
    claim(f"{words}: the driver starts first, alone", await_true(
        lambda: api.pods(f"spark-role=driver,spark-app-name={app}")[0]["spec"]
        .get("nodeName")) and not group(app), group(app))
    made["apiVersion"], made["kind"] = "v1", "Pod"
    api.create(executor(made, 1))
    arrived = await_true(lambda: group(app).get("arrived") == 1)
    claim(f"{words}: one executor of two waits for the other",
          arrived and not nodes_of(api, app), group(app))
    api.create(executor(made, 2))
    claim(f"{words}: two executors start together", bound(app, 2), group(app))
    for n in range(3, 10):
        api.create(executor(made, n))
    claim(f"{words}: with more, they are eight", await_true(
        lambda: group(app)["elastic"]["running"] == 8), group(app))
    claim(f"{words}: the ninth waits", len(nodes_of(api, app)) == 8, named)


def spark(api):
    it = api.create(example("sparkapplication.yaml")[0])
    driver, executor = it["spec"]["driver"], it["spec"]["executor"]

    def of_operator(owned_by, number):
        return stand_ins.spark_pod(
            "executor", f"sort-exec-{number}", "sort", {
                **executor["labels"], "spark-exec-id": str(number),
                "sparkoperator.k8s.io/app-name": "sort"},
            executor["schedulerName"], executor["cores"], "2432Mi", owned_by)

    run_spark(api, "SparkApplication", "sort", lambda: stand_ins.spark_pod(
        "driver", "sort-driver", "sort", {
            "sparkoperator.k8s.io/app-name": "sort"}, driver["schedulerName"],
        driver["cores"], "1408Mi", it), of_operator)

    text = (EXAMPLES / "spark-submit.conf").read_text(encoding="utf-8")
    conf = dict(line.split() for line in text.splitlines()
                if line and not line.startswith("#"))
    prefix = "spark.kubernetes.executor.label."
    labels = {key.removeprefix(prefix): value for key, value in conf.items()
              if key.startswith(prefix)}

    def submitted(owned_by, number):
        return stand_ins.spark_pod(
            "executor", f"words-exec-{number}", conf["spark.app.name"],
            {**labels, "spark-exec-id": str(number)},
            conf["spark.kubernetes.executor.scheduler.name"],
            conf["spark.executor.cores"], "2432Mi", owned_by)

    run_spark(api, "spark-submit", "words", lambda: stand_ins.spark_pod(
        "driver", "words-driver", "words", {},
        conf["spark.kubernetes.driver.scheduler.name"],
        conf["spark.driver.cores"], "1408Mi"), submitted)


def dask(api):
    gang(api, "daskcluster.yaml", "frames", 3, stand_ins.dask_cluster)


def airflow(api):
    """The DAG is run with classes in place of Airflow's, which say what they are
    given."""
    given = {}

    class Partial:
        def __init__(self, **settings):
            given.update(settings)

        def expand(self, **mapped):
            given["mapped"] = mapped

    class Dag:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    modules = {
        "airflow.providers.cncf.kubernetes.operators.pod": {
            "KubernetesPodOperator": types.SimpleNamespace(partial=Partial)},
        "airflow.sdk": {"DAG": Dag},
        "kubernetes.client": {"models": types.SimpleNamespace(
            V1ResourceRequirements=lambda requests: {"requests": requests})}}
    for name, content in modules.items():
        module = types.ModuleType(name)
        module.__dict__.update(content)
        sys.modules[name] = module
    exec((EXAMPLES / "airflow_dag.py").read_text(encoding="utf-8"), {})
    labels = {key: re.sub(r"\{\{.*\}\}", "20260101t000000", value)
              for key, value in given["labels"].items()}
    name = labels["fluxnetes.group-name"]
    pods = len(given["mapped"]["arguments"])
    claim("KubernetesPodOperator: all of the gang may be there at a time",
          pods == given["max_active_tis_per_dag"] ==
          int(labels["fluxnetes.group-size"]), given)
    operator = {**given, "labels": labels,
                "resources": given["container_resources"]}
    starts_whole(api, "KubernetesPodOperator", name, pods, held_back(
        api, lambda place: stand_ins.airflow_pods(place, operator)))


def helm(api):
    """A chart, rendered with the values that the manual has."""
    page = pathlib.Path("docs/operators.md").read_text(encoding="utf-8")
    values = re.search(r"^```yaml\n(schedulerName.*?)^```", page, re.M | re.S)[1]
    done = subprocess.run(
        ["hack/helm", "template", "solver", "tests/operators/chart", "-f", "-"],
        input=values, capture_output=True, text=True, timeout=300, check=False)
    claim("Helm: the chart takes the values", done.returncode == 0, done.stderr)
    api.create(yaml.safe_load(done.stdout))
    starts_whole(api, "Helm", "solver", 4, ())


def autoscaling(api):
    autoscaler.grows(api)


ALL = (ray, kubeflow, job_sets, flux, leaders, argo, spark, dask, airflow,
       helm, autoscaling)


def main():
    api = Api(os.environ["KUBECONFIG_OF_TEST"])
    if sys.argv[1:] == ["define"]:
        api.define_kinds()
        return
    for test in ALL:
        if not sys.argv[1:] or test.__name__ in sys.argv[1:]:
            test(api)


if __name__ == "__main__":
    main()
