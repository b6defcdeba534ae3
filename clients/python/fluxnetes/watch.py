"""Watches groups, over lost connections and restarts of the server."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Iterator

import grpc

from fluxnetes import errors
from fluxnetes.v1 import group_pb2, scheduler_pb2, scheduler_pb2_grpc

FIRST_PAUSE = 0.1  # seconds before the watch is opened again; doubles
LONGEST_PAUSE = 5.0

# After these another try may go through.
_PASSING = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.OUT_OF_RANGE,
)


@dataclasses.dataclass(frozen=True)
class Change:
    """What came with one answer of the server."""

    groups: tuple[group_pb2.Group, ...]  # as they are now
    gone: tuple[int, ...]  # ids of those that vanished before they were whole
    reset: bool  # forget all groups: the watch begins anew
    current: bool  # all groups that were there at the start have come
    resume_token: str  # a later watch continues from it; may be empty
    others: int  # of a window: how many other groups came or went


class GroupWatch(Iterator[Change]):
    """An endless iterator over changes. If the connection is lost, it connects
    again and continues from the last token, so that no change is left out; if the
    server cannot continue from there, the next change has `reset`.

    It gives up, with the error of the last try, after `patience` seconds without
    a connection. It ends with DeadlineExceeded after `timeout` seconds. One
    thread iterates; `close` may be called by any, and ends the iteration.
    """

    def __init__(
        self,
        stub: scheduler_pb2_grpc.SchedulerStub,
        request: scheduler_pb2.WatchGroupsRequest,
        *,
        patience: float,
        timeout: float | None = None,
    ) -> None:
        self._stub = stub
        self._request = request
        self._patience = patience
        self._until = None if timeout is None else time.monotonic() + timeout
        self._call: grpc._CallIterator[scheduler_pb2.WatchGroupsResponse] | None = None
        self._lost_at: float | None = None  # when the connection was lost
        self._pause = FIRST_PAUSE
        self._closed = False

    @property
    def resume_token(self) -> str:
        """The token of the last change; empty: none has come yet."""
        return self._request.resume_token

    def close(self) -> None:
        self._closed = True
        if self._call is not None:
            self._call.cancel()

    def __enter__(self) -> GroupWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> GroupWatch:
        return self

    def __next__(self) -> Change:
        while not self._closed:
            try:
                if self._call is None:
                    self._call = self._stub.WatchGroups(
                        self._request, timeout=self._left()
                    )
                return self._take(next(self._call))
            except StopIteration:
                self._call = None  # the server stops in order
                self._rest(errors.Unavailable("the server has ended the watch"))
            except grpc.RpcError as error:
                self._call = None
                if not self._closed:
                    self._rest(errors.error_of(error))
        raise StopIteration

    def _left(self) -> float | None:
        return None if self._until is None else self._until - time.monotonic()

    def _take(self, answer: scheduler_pb2.WatchGroupsResponse) -> Change:
        self._lost_at, self._pause = None, FIRST_PAUSE
        if answer.resume_token:
            self._request.resume_token = answer.resume_token
        return Change(
            groups=tuple(answer.groups),
            gone=tuple(answer.gone),
            reset=answer.reset,
            current=answer.current,
            resume_token=answer.resume_token,
            others=answer.others,
        )

    def _rest(self, error: errors.CallError) -> None:
        """Waits before the next try; raises if there is to be none."""
        if error.code not in _PASSING and not isinstance(error, errors.Unavailable):
            raise error
        now = time.monotonic()
        if self._lost_at is None:
            self._lost_at = now
        if now - self._lost_at >= self._patience:
            raise error
        left = self._left()
        if left is not None and left <= 0:
            raise errors.DeadlineExceeded(
                "the time of the watch is over",
                code=grpc.StatusCode.DEADLINE_EXCEEDED,
            )
        pause = self._pause * random.uniform(0.5, 1)
        time.sleep(pause if left is None else min(pause, left))
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
