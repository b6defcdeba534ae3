"""The operator for Airflow: with Airflow itself where AIRFLOW says that it is
installed, else with a stand-in of its BaseOperator."""

import logging
import os
import sys
import threading
import types

import fluxnetes

from support import await_true, claim, claim_raises, job


class StandIn:
    """What Airflow's BaseOperator does with what the operator gives it: takes
    the settings of a task, refuses others, and has a log."""

    def __init__(self, *, task_id, retries=0, pool=None):
        self.task_id, self.retries, self.pool = task_id, retries, pool
        self.log = logging.getLogger(task_id)


def operator_class():
    if os.environ.get("AIRFLOW"):
        import airflow  # pylint: disable=import-outside-toplevel
        claim(f"this is Airflow {airflow.__version__}", True)
    else:
        try:
            import fluxnetes.airflow  # pylint: disable=import-outside-toplevel
            claim("without Airflow it cannot be imported", False)
        except ImportError as error:
            claim("without Airflow the error says what is missing",
                  "apache-airflow" in str(error), error)
        sdk = types.ModuleType("airflow.sdk")
        sdk.BaseOperator = StandIn
        sys.modules["airflow"] = types.ModuleType("airflow")
        sys.modules["airflow.sdk"] = sdk
    # pylint: disable-next=import-outside-toplevel
    from fluxnetes.airflow import FluxnetesOperator
    return FluxnetesOperator


def run(scheduler):
    operator = operator_class()

    def task(name, **more):
        return operator(task_id=name, address=scheduler.address,
                        retries=2, **more)

    result = task("train", manifests=job("task", 2)).execute({})
    claim("a task runs a gang, and gives what became of it",
          [(each["name"], each["result"]) for each in result] ==
          [("task", "succeeded")] and result[0]["nodes"], result)
    claim("its settings are Airflow's",
          task("settings", manifests=job("x", 1)).retries == 2)
    claim("its manifests may be templates",
          "manifests" in operator.template_fields and
          ".yaml" in operator.template_ext)
    with claim_raises("it fails if the gang fails", fluxnetes.GroupFailed):
        task("fail", manifests=job("task-bad", 2, notes={
            "fluxnetes.io/exit-code": "1"})).execute({})
    with fluxnetes.Client(scheduler.address) as client:
        with claim_raises("and if its time is over", TimeoutError):
            task("late", manifests=job("task-late", 2, 60),
                 wait_timeout=0.01).execute({})
        claim("then the gang is cancelled, although nothing was seen of it yet", await_true(
            lambda: client.group("task-late").group.result == "cancelled"))
        killed = task("killed", manifests=job("task-killed", 2, 60))
        thread = threading.Thread(target=lambda: _swallow(killed))
        thread.start()
        await_true(lambda: list(client.groups(search="task-killed")))
        killed.on_kill()
        thread.join()
        claim("so it is if the task is stopped", await_true(
            lambda: client.group("task-killed").group.result == "cancelled"))


def _swallow(task):
    try:
        task.execute({})
    except fluxnetes.GroupFailed:
        pass
