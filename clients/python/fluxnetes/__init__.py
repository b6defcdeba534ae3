"""A client of Fluxnetes, a batch scheduler for Kubernetes.

    from fluxnetes import Client

    with Client("unix:.fluxnetes/grpc.sock") as client:
        groups = client.submit(open("gang.yaml")).wait()

Messages of the API are in `fluxnetes.v1`, such as `fluxnetes.v1.group_pb2.Group`.
"""

from fluxnetes.channel import Certificates
from fluxnetes.client import Client
from fluxnetes.errors import (
    AlreadyExists,
    DeadlineExceeded,
    FailedPrecondition,
    FluxnetesError,
    GroupFailed,
    GroupGone,
    GroupRefused,
    InDoubt,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    SubmissionRefused,
    Unavailable,
    Violation,
    WaitTimeout,
)
from fluxnetes.submission import Submission
from fluxnetes.watch import Change, GroupWatch

__version__ = "0.1.0"

__all__ = [
    "AlreadyExists",
    "Certificates",
    "Change",
    "Client",
    "DeadlineExceeded",
    "FailedPrecondition",
    "FluxnetesError",
    "GroupFailed",
    "GroupGone",
    "GroupRefused",
    "GroupWatch",
    "InDoubt",
    "InvalidArgument",
    "NotFound",
    "OutOfRange",
    "PermissionDenied",
    "ResourceExhausted",
    "Submission",
    "SubmissionRefused",
    "Unavailable",
    "Violation",
    "WaitTimeout",
    "__version__",
]
