"""Which groups the pods of manifests make, by the rules of docs/workloads.md.

Only names matter here; the server says what is wrong with labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

NAME = "fluxnetes.group-name"
SIZES = ("fluxnetes.group-size", "fluxnetes.group-min-size")
MAX_SIZE = "fluxnetes.group-max-size"
BY = "fluxnetes.group-by"
JOBSPEC = "fluxnetes.jobspec"
JOBSET = "jobset.sigs.k8s.io/jobset-name"
FLUENCE = "fluence.flux-framework.org/pod-group"
COSCHEDULING = "scheduling.x-k8s.io/pod-group"

Object = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, order=True)
class GroupName:
    """The name of a group; str() of it is NAMESPACE/NAME."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclasses.dataclass(frozen=True)
class Made:
    """An object of a manifest, and the group of its pods."""

    kind: str
    namespace: str
    name: str  # empty: the cluster gives it one
    group: str  # empty: that of the object's name, or none
    by_name: bool  # the group has the name of the object

    def group_name(self, created: str) -> GroupName | None:
        """Its group, once the object has the name `created`. None for pods of a
        Job that are each a group of their own."""
        if self.group:
            return GroupName(self.namespace, self.group)
        if self.kind == "Pod":
            return GroupName(
                self.namespace, f"fluxnetes-group-{self.namespace}-{created}"
            )
        return GroupName(self.namespace, created) if self.by_name else None


def read(manifests: str, namespace: str) -> list[Made]:
    """The Pods and Jobs of a text in YAML or JSON, in order, with those in
    Lists. The server has to say what is wrong with a text: it gives nothing."""
    try:
        documents = list(yaml.safe_load_all(manifests))
    except yaml.YAMLError:
        return []
    return [_read(each, namespace) for each in _objects(documents)]


def _objects(documents: Sequence[object]) -> Iterator[Object]:
    for document in documents:
        if not isinstance(document, Mapping):
            continue
        if document.get("kind") == "List":
            yield from _objects(_list(document, "items"))
        elif document.get("kind") in ("Pod", "Job"):
            yield document


def _at(holder: Object, *path: str) -> Object:
    for key in path:
        holder = holder.get(key) if isinstance(holder, Mapping) else {}  # type: ignore[assignment]
    return holder if isinstance(holder, Mapping) else {}


def _list(holder: Object, key: str) -> Sequence[object]:
    value = holder.get(key)
    return value if isinstance(value, list) else ()


def _read(manifest: Object, namespace: str) -> Made:
    of_job = manifest["kind"] == "Job"
    pod = _at(manifest, "spec", "template") if of_job else manifest
    labels = _at(pod, "metadata", "labels")
    notes = _at(pod, "metadata", "annotations")
    own = _at(manifest, "metadata")
    group = (
        labels.get(NAME)
        or labels.get(FLUENCE)
        or notes.get(FLUENCE)
        or labels.get(COSCHEDULING)
        or _at(pod, "spec", "schedulingGroup").get("podGroupName")
    )
    by_name = False
    if of_job and not group:
        jobs = {**_at(own, "annotations"), **_at(own, "labels")}
        sized = any(str(labels.get(size, "1")) != "1" for size in SIZES)
        sized = sized or MAX_SIZE in labels
        if sized or JOBSPEC in notes or JOBSPEC in jobs:
            by_name = labels.get(BY) != "jobset"
            group = None if by_name else labels.get(JOBSET)
        else:
            group = jobs.get(FLUENCE)
    return Made(
        kind=str(manifest["kind"]),
        namespace=str(own.get("namespace") or namespace or "default"),
        name=str(own.get("name") or ""),
        group=str(group or ""),
        by_name=by_name,
    )
