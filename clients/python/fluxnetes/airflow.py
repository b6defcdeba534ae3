"""An operator for Apache Airflow, which must be installed: a task that submits
manifests and waits until their groups have ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fluxnetes.channel import Certificates
from fluxnetes.client import Client, Manifests
from fluxnetes.submission import Submission

if TYPE_CHECKING:

    class BaseOperator:
        """What is used of Airflow's class, for the types alone."""

        log: Any

        def __init__(self, **settings: Any) -> None: ...

else:
    try:
        from airflow.sdk import BaseOperator  # Airflow 3
    except ImportError:
        try:
            from airflow.models import BaseOperator  # Airflow 2
        except ImportError as error:
            raise ImportError(
                "fluxnetes.airflow needs Apache Airflow: pip install apache-airflow"
            ) from error


class FluxnetesOperator(BaseOperator):
    """Submits `manifests` and waits for their groups. The task fails if a group
    ends otherwise than by success, or is refused, or if `wait_timeout` (seconds)
    passes; its groups are cancelled when the task is, or when that time passes.

    The result is a list with a dict for each group: namespace, name, id, result
    and nodes. `address` and `certificates` are those of fluxnetes.Client.
    """

    template_fields: Sequence[str] = ("manifests", "namespace", "address")
    template_ext: Sequence[str] = (".yaml", ".yml", ".json")
    template_fields_renderers = {"manifests": "yaml"}

    def __init__(
        self,
        *,
        manifests: Manifests,
        namespace: str = "default",
        address: str | None = None,
        certificates: Certificates | None = None,
        wait_timeout: float | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.manifests = manifests
        self.namespace = namespace
        self.address = address
        self.certificates = certificates
        self.wait_timeout = wait_timeout
        self._submission: Submission | None = None

    def execute(self, context: Any) -> list[dict[str, Any]]:
        with Client(self.address, certificates=self.certificates) as client:
            submission = client.submit(self.manifests, namespace=self.namespace)
            self._submission = submission
            for warning in submission.warnings:
                self.log.warning("%s", warning)
            for name in submission.groups:
                self.log.info("submitted group %s", name)
            try:
                groups = submission.wait(timeout=self.wait_timeout)
            except TimeoutError:
                submission.cancel("the task's time is over")
                raise
            self._submission = None
            return [
                {
                    "namespace": group.namespace,
                    "name": group.name,
                    "id": group.id,
                    "result": group.result,
                    "nodes": list(group.nodes),
                }
                for group in groups
            ]

    def on_kill(self) -> None:
        """Airflow calls it when the task is stopped."""
        if self._submission is None:
            return
        # The task's own connection may be in the middle of a call.
        with Client(self.address, certificates=self.certificates) as client:
            self._submission.with_client(client).cancel("the task was stopped")
