"""Opens a channel to the gRPC port of a scheduler."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Sequence

import grpc

DEFAULT_SOCKET = ".fluxnetes/grpc.sock"

Option = tuple[str, str | int]


@dataclasses.dataclass(frozen=True)
class Certificates:
    """Files in PEM for a server that has a certificate. They are read when the
    client is made; a client that outlives its certificate must be made anew."""

    ca: str | os.PathLike[str]  # the authority of the server's certificate
    cert: str | os.PathLike[str]  # the client's certificate
    key: str | os.PathLike[str]  # the key of that certificate
    server_name: str = ""  # in the server's certificate, if not its host's name

    def credentials(self) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(
            root_certificates=pathlib.Path(self.ca).read_bytes(),
            private_key=pathlib.Path(self.key).read_bytes(),
            certificate_chain=pathlib.Path(self.cert).read_bytes(),
        )


def default_address() -> str:
    """The address in FLUXNETES_GRPC_ADDRESS, else the socket that a scheduler
    in this folder makes."""
    if address := os.environ.get("FLUXNETES_GRPC_ADDRESS"):
        return address
    if os.path.exists(DEFAULT_SOCKET):
        return "unix:" + DEFAULT_SOCKET
    raise ValueError(
        "no address: give Client one (unix:PATH or HOST:PORT), set "
        f"FLUXNETES_GRPC_ADDRESS, or work in the folder of {DEFAULT_SOCKET}"
    )


def open_channel(
    address: str,
    certificates: Certificates | None,
    options: Sequence[Option],
) -> grpc.Channel:
    """Later options count where the name of one is there twice."""
    chosen: dict[str, str | int] = {
        # A page has 2 MiB, or one group that is larger.
        "grpc.max_receive_message_length": 64 << 20,
        # Clients of two servers in one process share nothing.
        "grpc.use_local_subchannel_pool": 1,
        # A server that comes back is noticed soon.
        "grpc.max_reconnect_backoff_ms": 5000,
    }
    if certificates is None:
        chosen.update(options)
        return grpc.insecure_channel(address, list(chosen.items()))
    if certificates.server_name:
        chosen["grpc.ssl_target_name_override"] = certificates.server_name
    chosen.update(options)
    return grpc.secure_channel(
        address, certificates.credentials(), list(chosen.items())
    )
