"""The addresses of a process: one for everybody and, with certificates, one for services alone."""

from __future__ import annotations

from dataclasses import dataclass

import grpc

from spielwerk.rpc.credentials import server_credentials
from spielwerk.rpc.settings import Misconfigured, Mode, RpcSettings
from spielwerk.telemetry.logs import get_logger

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Addresses:
    """`host:port` each; `internal` "": services come in at the public one, too."""

    public: str
    internal: str = ""


def open_ports(server: grpc.aio.Server, rpc: RpcSettings, mode: Mode) -> Addresses:
    """Listen; RuntimeError if an address is taken, Misconfigured if a certificate is of no use."""
    if rpc.tls is None:
        if mode == "production":
            _log.warning("the port speaks without TLS: only a proxy may reach it", at=rpc.listen)
        return Addresses(_address(rpc.listen, server.add_insecure_port(rpc.listen)))
    try:
        everybody = server_credentials(rpc.tls, services_only=False)
        services = server_credentials(rpc.tls, services_only=True)
    except (OSError, ValueError) as error:
        raise Misconfigured(f"rpc.tls cannot be used: {error}") from error
    public = _address(rpc.listen, server.add_secure_port(rpc.listen, everybody))
    if rpc.internal_listen is None:
        return Addresses(public)
    internal = rpc.internal_listen
    return Addresses(public, _address(internal, server.add_secure_port(internal, services)))


def _address(listen: str, port: int) -> str:
    return f"{listen.rpartition(':')[0]}:{port}"
