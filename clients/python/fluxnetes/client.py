"""The client of a scheduler's gRPC port."""

from __future__ import annotations

import io
import json
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import grpc

from fluxnetes import errors, manifests as made_by
from fluxnetes.channel import Certificates, Option, default_address, open_channel
from fluxnetes.manifests import GroupName
from fluxnetes.submission import Submission
from fluxnetes.v1 import (
    audit_pb2,
    cluster_pb2,
    explanation_pb2,
    group_changes_pb2,
    group_pb2,
    history_pb2,
    jobs_pb2,
    scheduler_pb2,
    scheduler_pb2_grpc,
)
from fluxnetes.watch import GroupWatch

CALL_SECONDS = 60.0  # of a call without a timeout of its own
WATCH_PATIENCE = 300.0  # how long a watch tries to reach its server again

Manifest = Mapping[str, Any]
Manifests = (
    str | os.PathLike[str] | io.TextIOBase | Manifest | Sequence[Manifest]
)

Request_contra = TypeVar("Request_contra", contravariant=True)
Request = TypeVar("Request")
Response = TypeVar("Response")
Response_co = TypeVar("Response_co", covariant=True)
Page = TypeVar("Page")


class _Call(Protocol[Request_contra, Response_co]):
    def __call__(
        self, request: Request_contra, *, timeout: float | None = None
    ) -> Response_co: ...


def text_of(manifests: Manifests) -> str:
    """A text as it is; what a path or an open file holds; objects as JSON."""
    if isinstance(manifests, str):
        return manifests
    if isinstance(manifests, os.PathLike):
        return pathlib.Path(manifests).read_text(encoding="utf-8")
    if isinstance(manifests, io.TextIOBase):
        return manifests.read()
    if isinstance(manifests, Mapping):
        return json.dumps(manifests)
    return "\n---\n".join(json.dumps(each) for each in manifests)


class Client:
    """A connection to a scheduler: `unix:PATH`, or `HOST:PORT`, with certificates
    unless the host is this machine. Without an address it is the one in
    FLUXNETES_GRPC_ADDRESS, or the socket in .fluxnetes of the working folder.

    Calls raise the errors of fluxnetes.errors. `timeout` is in seconds, for each
    call. `options` are those of gRPC's channels. All threads may use a client at
    once. `stub` has every call of the API; its errors are those of gRPC.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        certificates: Certificates | None = None,
        timeout: float = CALL_SECONDS,
        options: Sequence[Option] = (),
    ) -> None:
        self.address = address or default_address()
        self._timeout = timeout
        self._channel = open_channel(self.address, certificates, options)
        self.stub = scheduler_pb2_grpc.SchedulerStub(self._channel)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self, call: _Call[Request, Response], request: Request
    ) -> Response:
        with errors.translated():
            return call(request, timeout=self._timeout)

    def _pages(
        self, read: Callable[[str], tuple[Iterable[Page], str]]
    ) -> Iterator[Page]:
        """All of a list, whose pages are asked for as they are needed."""
        token = ""
        while True:
            page, token = read(token)
            yield from page
            if not token:
                return

    def caller(self) -> scheduler_pb2.GetCallerResponse:
        """Who the server takes this client for, and the server's version."""
        return self._ask(self.stub.GetCaller, scheduler_pb2.GetCallerRequest())

    def submit(
        self,
        manifests: Manifests,
        *,
        namespace: str = "default",
        jobspec: str = "",
        placement: scheduler_pb2.PlacementRequest | None = None,
        dry_run: bool = False,
    ) -> Submission:
        """Creates Pods and Jobs of manifests, and their ResourceClaims and
        ResourceClaimTemplates: a text in YAML or JSON, a path, an open file, or
        objects. Raises SubmissionRefused if the cluster refuses
        one; the others exist then. With `dry_run` nothing is created.

        `namespace` is that of manifests that name none.
        """
        text = text_of(manifests)
        made = made_by.read(text, namespace)
        before = {} if dry_run else self._last_ids(made)
        answer = self._ask(
            self.stub.Submit,
            scheduler_pb2.SubmitRequest(
                manifests=text,
                namespace=namespace,
                dry_run=dry_run,
                jobspec=jobspec,
                placement=placement,
            ),
        )
        objects = tuple(answer.objects)
        refused = [f"{each.place}: {each.error}" for each in objects if each.error]
        if refused:
            raise errors.SubmissionRefused("\n".join(refused), objects)
        if jobspec:
            made = [_with_jobspec(each) for each in made]
        return Submission(self, objects, made, before)

    def _last_ids(self, made: list[made_by.Made]) -> dict[GroupName, int]:
        """For each group, the id of the last one that is over."""
        names = {each.group_name(each.name) for each in made if each.name}
        last = {}
        for name in names - {None}:
            assert name is not None
            try:
                group = self.group(name.name, name.namespace).group
            except errors.NotFound:
                continue
            over = group.state == group_pb2.GROUP_STATE_FINISHED
            last[name] = group.id if over else max(0, group.id - 1)
        return last

    def groups(
        self,
        *,
        namespace: str = "",
        queue: str = "",
        states: Iterable[group_pb2.GroupState.ValueType] = (),
        finished_within: float = 0,
        search: str = "",
        node: str = "",
        account: str = "",
        order: group_pb2.GroupOrder.ValueType = group_pb2.GROUP_ORDER_UNSPECIFIED,
        descending: bool = False,
        page_size: int = 0,
    ) -> Iterator[group_pb2.Group]:
        """Groups; with `finished_within` (seconds) also those that are over."""

        def read(token: str) -> tuple[Iterable[group_pb2.Group], str]:
            request = scheduler_pb2.ListGroupsRequest(
                namespace=namespace,
                queue=queue,
                states=wanted,
                finished_within_seconds=int(finished_within),
                search=search,
                node=node,
                account=account,
                order=order,
                descending=descending,
                page_size=page_size,
                page_token=token,
            )
            answer = self._ask(self.stub.ListGroups, request)
            return answer.groups, answer.next_page_token

        wanted = tuple(states)
        return self._pages(read)

    def counts(
        self, *, namespace: str = "", queue: str = ""
    ) -> list[group_changes_pb2.GroupCount]:
        """The number of unfinished groups by state."""
        request = group_changes_pb2.CountGroupsRequest(
            namespace=namespace, queue=queue
        )
        return list(self._ask(self.stub.CountGroups, request).counts)

    def group(
        self, name: str, namespace: str = "default", *, id: int = 0
    ) -> scheduler_pb2.GetGroupResponse:
        """A group with its pods: the unfinished one, else the last of its name."""
        request = scheduler_pb2.GetGroupRequest(
            namespace=namespace, name=name, id=id
        )
        return self._ask(self.stub.GetGroup, request)

    def explain(
        self, name: str, namespace: str = "default", *, find_changes: bool = False
    ) -> explanation_pb2.ExplainGroupResponse:
        """Why a group waits, and what would let it start earlier."""
        request = explanation_pb2.ExplainGroupRequest(
            namespace=namespace, name=name, find_changes=find_changes
        )
        return self._ask(self.stub.ExplainGroup, request)

    def watch(
        self,
        *,
        namespace: str = "",
        queue: str = "",
        only_changes: bool = False,
        resume_token: str = "",
        patience: float = WATCH_PATIENCE,
        timeout: float | None = None,
    ) -> GroupWatch:
        """All unfinished groups, unless `only_changes`, and then each change.
        With the `resume_token` of an earlier watch it continues from there."""
        request = scheduler_pb2.WatchGroupsRequest(
            namespace=namespace,
            queue=queue,
            only_changes=only_changes,
            resume_token=resume_token,
        )
        return GroupWatch(self.stub, request, patience=patience, timeout=timeout)

    def cancel(self, name: str, namespace: str = "default", *, reason: str = "") -> int:
        """Cancels all unfinished groups of a name; returns how many."""
        request = scheduler_pb2.CancelGroupRequest(
            namespace=namespace, name=name, reason=reason
        )
        return self._ask(self.stub.CancelGroup, request).groups

    def hold(self, name: str, namespace: str = "default", *, reason: str = "") -> None:
        """Keeps a waiting group from being placed."""
        request = scheduler_pb2.HoldGroupRequest(
            namespace=namespace, name=name, reason=reason
        )
        self._ask(self.stub.HoldGroup, request)

    def release(self, name: str, namespace: str = "default") -> bool:
        """Releases a held group; returns whether it was held."""
        request = scheduler_pb2.ReleaseGroupRequest(namespace=namespace, name=name)
        return self._ask(self.stub.ReleaseGroup, request).released

    def set_priority(
        self,
        name: str,
        priority: int | None,
        namespace: str = "default",
        *,
        reason: str = "",
    ) -> None:
        """Sets the priority of a waiting group; None: that of its pods."""
        request = group_changes_pb2.SetPriorityRequest(
            namespace=namespace, name=name, priority=priority, reason=reason
        )
        self._ask(self.stub.SetPriority, request)

    def history(
        self,
        *,
        within: float = 0,
        namespace: str = "",
        queue: str = "",
        results: Iterable[str] = (),
        search: str = "",
        page_size: int = 0,
    ) -> Iterator[group_pb2.Group]:
        """Groups that ended within so many seconds (0: a day), the last first."""

        def read(token: str) -> tuple[Iterable[group_pb2.Group], str]:
            request = history_pb2.ListHistoryRequest(
                within_seconds=int(within),
                namespace=namespace,
                queue=queue,
                results=wanted,
                search=search,
                page_size=page_size,
                page_token=token,
            )
            answer = self._ask(self.stub.ListHistory, request)
            return answer.groups, answer.next_page_token

        wanted = tuple(results)
        return self._pages(read)

    def nodes(self, *, page_size: int = 0) -> Iterator[cluster_pb2.Node]:
        """Nodes in order of name, with what is in use."""

        def read(token: str) -> tuple[Iterable[cluster_pb2.Node], str]:
            request = scheduler_pb2.ListNodesRequest(
                page_size=page_size, page_token=token
            )
            answer = self._ask(self.stub.ListNodes, request)
            return answer.nodes, answer.next_page_token

        return self._pages(read)

    def jobs(
        self,
        *,
        queue: str = "",
        kind: str = "",
        states: Iterable[str] = (),
        finished_within: float = 0,
        page_size: int = 0,
    ) -> Iterator[jobs_pb2.Job]:
        """Jobs of the work queue, the newest first."""

        def read(token: str) -> tuple[Iterable[jobs_pb2.Job], str]:
            request = jobs_pb2.ListJobsRequest(
                queue=queue,
                kind=kind,
                states=wanted,
                finished_within_seconds=int(finished_within),
                page_size=page_size,
                page_token=token,
            )
            answer = self._ask(self.stub.ListJobs, request)
            return answer.jobs, answer.next_page_token

        wanted = tuple(states)
        return self._pages(read)

    def audit(
        self, *, object: str = "", caller: str = "", verb: str = "", page_size: int = 0
    ) -> Iterator[audit_pb2.AuditRow]:
        """Who has changed what, the newest first."""

        def read(token: str) -> tuple[Iterable[audit_pb2.AuditRow], str]:
            request = audit_pb2.ListAuditRequest(
                object=object,
                caller=caller,
                verb=verb,
                page_size=page_size,
                page_token=token,
            )
            answer = self._ask(self.stub.ListAudit, request)
            return answer.rows, answer.next_page_token

        return self._pages(read)

    def queues(self, name: str = "") -> list[cluster_pb2.Queue]:
        """All scheduling queues, or one."""
        request = scheduler_pb2.ListQueuesRequest(name=name)
        return list(self._ask(self.stub.ListQueues, request).queues)

    def set_queue(
        self,
        name: str,
        settings: Mapping[str, str],
        *,
        dry_run: bool = False,
        reason: str = "",
    ) -> scheduler_pb2.SetQueueResponse:
        """Changes settings of a queue, all or none, as `fluxnetes queue set`."""
        request = scheduler_pb2.SetQueueRequest(
            name=name, settings=settings, dry_run=dry_run, reason=reason
        )
        return self._ask(self.stub.SetQueue, request)

    def match(
        self, jobspec: str, *, namespace: str = "", queue: str = "", pods: int = 0
    ) -> scheduler_pb2.MatchResponse:
        """Where and when the pods of a jobspec would be placed."""
        request = scheduler_pb2.MatchRequest(
            jobspec=jobspec, namespace=namespace, queue=queue, pods=pods
        )
        return self._ask(self.stub.Match, request)


def _with_jobspec(made: made_by.Made) -> made_by.Made:
    """A Job whose pods get a jobspec is a group of the Job's name, unless it has
    another."""
    if made.kind != "Job" or made.group:
        return made
    return made_by.Made(
        made.kind, made.namespace, made.name, made.group, by_name=True
    )
