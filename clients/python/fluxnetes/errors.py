"""What can go wrong: refusals of the server, one class for each code, and groups
that did not end well. All are FluxnetesError."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping

import grpc

from fluxnetes.v1 import group_pb2, scheduler_pb2, status_details_pb2


@dataclasses.dataclass(frozen=True)
class Violation:
    """A field of a request that is wrong."""

    field: str  # its path: "page_size"
    description: str  # the fault, and the valid values


class FluxnetesError(Exception):
    """The base of all errors of this package."""


class CallError(FluxnetesError):
    """A call that the server refused, or that did not reach it."""

    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        violations: tuple[Violation, ...] = (),
        code: grpc.StatusCode = grpc.StatusCode.INTERNAL,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason  # the error in capitals; empty: not said
        self.metadata = dict(metadata or {})  # the objects concerned
        self.violations = violations
        self.code = code


class InvalidArgument(CallError):
    """The request is wrong; `violations` has the fields."""


class NotFound(CallError):
    """There is no such group, queue, ..."""


class AlreadyExists(CallError):
    """The name is taken."""


class PermissionDenied(CallError):
    """The caller's role does not allow the call."""


class FailedPrecondition(CallError):
    """The present state does not allow the call."""


class OutOfRange(CallError):
    """The token of a watch is from another server, or too old."""


class ResourceExhausted(CallError):
    """A limit: there are too many calls, or the reader is too slow."""


class Unavailable(CallError):
    """The server, its database or the cluster is away; the call can be repeated."""


class DeadlineExceeded(CallError):
    """The call took longer than it may."""


class InDoubt(CallError):
    """It is not known whether a change took effect: look before you repeat it."""


_CLASSES: dict[grpc.StatusCode, type[CallError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.OUT_OF_RANGE: OutOfRange,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.UNKNOWN: InDoubt,
}


def error_of(error: grpc.RpcError) -> CallError:
    """The error of this package for one of gRPC."""
    if not isinstance(error, grpc.Call):
        return CallError(str(error))
    code = error.code()
    reason, metadata = "", {}
    violations: list[Violation] = []
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin" or not isinstance(value, bytes):
            continue
        for detail in status_details_pb2.Status.FromString(value).details:
            kind = detail.type_url.rpartition("/")[2]
            if kind == "google.rpc.ErrorInfo":
                info = status_details_pb2.ErrorInfo.FromString(detail.value)
                reason, metadata = info.reason, dict(info.metadata)
            elif kind == "google.rpc.BadRequest":
                request = status_details_pb2.BadRequest.FromString(detail.value)
                violations += (
                    Violation(each.field, each.description)
                    for each in request.field_violations
                )
    return _CLASSES.get(code, CallError)(
        error.details() or code.name,
        reason=reason,
        metadata=metadata,
        violations=tuple(violations),
        code=code,
    )


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Raises errors of gRPC as those of this package."""
    try:
        yield
    except grpc.RpcError as error:
        raise error_of(error) from error


class SubmissionRefused(FluxnetesError):
    """The cluster refused some of the submitted objects; the others exist."""

    def __init__(
        self, message: str, objects: tuple[scheduler_pb2.SubmittedObject, ...]
    ) -> None:
        super().__init__(message)
        self.objects = objects  # all of them, in order


class GroupError(FluxnetesError):
    """A group that will not do what was waited for."""

    def __init__(self, message: str, group: group_pb2.Group) -> None:
        super().__init__(message)
        self.group = group


class GroupRefused(GroupError):
    """All pods of a group have labels that cannot be used."""


class GroupGone(GroupError):
    """The pods of a group were deleted before all of them had arrived."""


class GroupFailed(GroupError):
    """A group ended otherwise than by success."""


class WaitTimeout(FluxnetesError, TimeoutError):
    """What was waited for did not come in time."""
