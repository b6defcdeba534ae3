"""A DAG of Airflow whose task is a gang of four pods, each made by
KubernetesPodOperator."""

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import DAG
from kubernetes.client import models

RANKS = 4

with DAG("nightly") as dag:
    KubernetesPodOperator.partial(
        task_id="train",
        name="train",
        image="registry.example/train:1",
        cmds=["python", "train.py", "--rank"],
        schedulername="fluxnetes",
        labels={
            "fluxnetes.group-name": "train-{{ ts_nodash | lower }}",
            "fluxnetes.group-size": str(RANKS),
        },
        container_resources=models.V1ResourceRequirements(
            requests={"cpu": "2", "memory": "1Gi"}
        ),
        # A pod waits for its group, and the group for nodes.
        startup_timeout_seconds=24 * 3600,
        # All pods of the gang must be there at the same time.
        max_active_tis_per_dag=RANKS,
    ).expand(arguments=[[str(rank)] for rank in range(RANKS)])
