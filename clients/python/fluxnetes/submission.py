"""What was submitted, and the wait for its groups."""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING, Literal

from fluxnetes import errors
from fluxnetes.manifests import GroupName, Made
from fluxnetes.v1 import group_pb2, scheduler_pb2

if TYPE_CHECKING:
    from fluxnetes.client import Client

# How often groups are looked at beside the watch, which says nothing of groups
# whose pods are all refused.
LOOK_SECONDS = 10.0

# How long cancelling waits for groups that have not appeared yet.
CANCEL_PATIENCE = 10.0

Until = Literal["ended", "bound"]


class Submission:
    """Objects that were submitted. `objects` has what the server says of each,
    with warnings; `groups` the names of the groups that their pods belong to."""

    def __init__(
        self,
        client: Client,
        objects: tuple[scheduler_pb2.SubmittedObject, ...],
        made: list[Made],
        before: dict[GroupName, int],
    ) -> None:
        self._client = client
        self.objects = objects
        self._lone_jobs: list[str] = []
        # For each group, the last id that is not of this submission.
        self._before: dict[GroupName, int] = {}
        for each, submitted in zip(made, self._of_pods(objects), strict=False):
            name = each.group_name(submitted.name.rpartition("/")[2])
            if name is None:
                self._lone_jobs.append(submitted.name)
            elif submitted.created:
                self._before[name] = before.get(name, 0)

    @staticmethod
    def _of_pods(
        objects: tuple[scheduler_pb2.SubmittedObject, ...],
    ) -> list[scheduler_pb2.SubmittedObject]:
        kinds = ("pod/", "job.batch/")
        return [each for each in objects if each.name.startswith(kinds)]

    @property
    def groups(self) -> tuple[GroupName, ...]:
        return tuple(self._before)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why Fluxnetes will not schedule some of it, and the like."""
        return tuple(
            f"{each.name}: {each.warning}" for each in self.objects if each.warning
        )

    def wait(
        self,
        until: Until = "ended",
        *,
        timeout: float | None = None,
        check: bool = True,
    ) -> list[group_pb2.Group]:
        """Waits until all groups have ended, or, with `until="bound"`, until all
        of their pods have a node; returns the groups in the order of `groups`.

        Raises GroupFailed if a group ends otherwise than by success, unless
        `check` is false; GroupRefused and GroupGone for groups that will never
        start; WaitTimeout after `timeout` seconds. A Job that makes its pods
        again after the end of their group makes a group anew, for which this
        does not wait.
        """
        if self._lone_jobs:
            raise ValueError(
                f"{self._lone_jobs[0]} has no group, as each of its pods is one: "
                "give its template the label fluxnetes.group-size, or wait for "
                "its groups by Client.watch"
            )
        return _Wait(self._client, self._before, until, timeout, check).run()

    def with_client(self, client: Client) -> Submission:
        """The same for another client."""
        other = copy.copy(self)
        other._client = client
        return other

    def cancel(
        self, reason: str = "", *, patience: float = CANCEL_PATIENCE
    ) -> tuple[GroupName, ...]:
        """Cancels its groups; passes by what is over or refused. A group whose
        pods have not been seen yet is waited for, as long as `patience` (seconds).
        Returns the groups that have not appeared until then."""
        until = time.monotonic() + patience
        left = tuple(self._before)
        while left := tuple(n for n in left if not self._cancel(n, reason)):
            if time.monotonic() >= until:
                break
            time.sleep(0.2)
        return left

    def _cancel(self, name: GroupName, reason: str) -> bool:
        try:
            self._client.cancel(name.name, name.namespace, reason=reason)
            return True
        except errors.FailedPrecondition:
            return True
        except errors.NotFound:
            return self._is_over(name)

    def _is_over(self, name: GroupName) -> bool:
        try:
            group = self._client.group(name.name, name.namespace).group
        except errors.NotFound:
            return False
        return group.state == group_pb2.GROUP_STATE_REFUSED or (
            group.state == group_pb2.GROUP_STATE_FINISHED
            and group.id > self._before[name]
        )


class _Wait:
    def __init__(
        self,
        client: Client,
        before: dict[GroupName, int],
        until: Until,
        timeout: float | None,
        check: bool,
    ) -> None:
        self._client = client
        self._before = before
        self._bound = until == "bound"
        self._until = None if timeout is None else time.monotonic() + timeout
        self._check = check
        self._last: dict[GroupName, group_pb2.Group] = {}
        self._open = set(before)

    def run(self) -> list[group_pb2.Group]:
        spaces = {name.namespace for name in self._before}
        namespace = spaces.pop() if len(spaces) == 1 else ""
        token = ""
        while self._open:
            token = self._follow(namespace, token)
        return [self._last[name] for name in self._before]

    def _follow(self, namespace: str, token: str) -> str:
        """Watches for some seconds; returns the token to continue from."""
        with self._client.watch(
            namespace=namespace,
            only_changes=True,
            resume_token=token,
            timeout=self._seconds(),
        ) as watch:
            try:
                self._look()  # what changed before the watch was opened
                for change in watch:
                    if change.reset:
                        self._look()
                    self._take(change.groups, change.gone)
                    if not self._open:
                        break
            except errors.DeadlineExceeded:
                self._look()
                self._check_time()
            return watch.resume_token

    def _seconds(self) -> float:
        self._check_time()
        if self._until is None:
            return LOOK_SECONDS
        return min(LOOK_SECONDS, self._until - time.monotonic())

    def _check_time(self) -> None:
        if self._open and self._until and time.monotonic() >= self._until:
            names = ", ".join(self._where(name) for name in sorted(self._open))
            raise errors.WaitTimeout(f"the time is over: {names}")

    def _where(self, name: GroupName) -> str:
        group = self._last.get(name)
        if group is None:
            return f"{name} has not appeared"
        why = f" ({group.reason})" if group.reason else ""
        return f"{name} is {group.shown_state}{why}"

    def _look(self) -> None:
        for name in sorted(self._open):
            try:
                self._see(self._client.group(name.name, name.namespace).group)
            except (errors.NotFound, errors.Unavailable):
                continue  # not yet; the watch says if the server stays away

    def _take(
        self, groups: tuple[group_pb2.Group, ...], gone: tuple[int, ...]
    ) -> None:
        for group in groups:
            self._see(group)
        for name in self._open:
            group = self._last.get(name, group_pb2.Group())
            if group.id and group.id in gone:
                raise errors.GroupGone(
                    f"the pods of {name} were deleted before all were there", group
                )

    def _see(self, group: group_pb2.Group) -> None:
        name = GroupName(group.namespace, group.name)
        if name not in self._open or group.gang:
            return
        if group.state == group_pb2.GROUP_STATE_REFUSED:
            raise errors.GroupRefused(f"{name}: {group.reason}", group)
        known = self._last.get(name)
        if group.id <= self._before[name] or (known and known.id != group.id):
            return  # an earlier group of the name, or a later one
        self._last[name] = group
        if group.state == group_pb2.GROUP_STATE_FINISHED:
            if self._check and group.result != "succeeded":
                why = f" ({group.reason})" if group.reason else ""
                raise errors.GroupFailed(f"{name}: {group.result}{why}", group)
            self._open.discard(name)
        elif self._bound and group.state == group_pb2.GROUP_STATE_BOUND:
            self._open.discard(name)
