"""Asks a service's port for its health, for machines that judge by an exit code.

`python -m spielwerk.rpc.probe [host:port]` exits with 0 while the process is ready to serve, else
with 1; without an address it asks the port of `SPIELWERK_RPC__LISTEN` on this machine, with TLS if
that port has a certificate. Another address is asked with TLS if `SPIELWERK_API_TLS__CA` is set.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

# The default of RpcSettings, whose import would take longer than the call.
_LISTEN: Final = "127.0.0.1:7700"
_CERTIFICATE: Final = "SPIELWERK_RPC__TLS__CERTIFICATE"
_API_TLS: Final = "SPIELWERK_API_TLS__"
_NAME_OVERRIDE: Final = "grpc.ssl_target_name_override"
_ANSWER_S: Final = 4.0


def probe(channel: grpc.Channel) -> str:
    """The status by its name, or why there is none; `SERVING` is the only good one."""
    stub = health_pb2_grpc.HealthStub(channel)
    try:
        answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=_ANSWER_S)
    except grpc.RpcError as error:
        return str(error.code().name)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def own_channel() -> grpc.Channel:
    """To this container's service, which must show the very certificate that it was given."""
    certificate = os.environ.get(_CERTIFICATE)
    if certificate is None:
        return grpc.insecure_channel(own_address())
    from spielwerk.tls import first_name  # noqa: PLC0415 - slow to load

    chain = Path(certificate).read_bytes()
    return _secure(own_address(), grpc.ssl_channel_credentials(chain), first_name(chain))


def other_channel(address: str) -> grpc.Channel:
    """To a service somewhere else."""
    files = {name: os.environ.get(f"{_API_TLS}{name}") for name in ("CA", "KEY", "CERTIFICATE")}
    if files["CA"] is None:
        return grpc.insecure_channel(address)
    ca, key, certificate = (file and Path(file).read_bytes() for file in files.values())
    credentials = grpc.ssl_channel_credentials(ca or None, key or None, certificate or None)
    return _secure(address, credentials, os.environ.get(f"{_API_TLS}SERVER_NAME"))


def own_address() -> str:
    """Where this container's service listens, as seen from inside."""
    listen = os.environ.get("SPIELWERK_RPC__LISTEN", _LISTEN)
    return f"127.0.0.1:{listen.rpartition(':')[2]}"


def main() -> int:
    """0 if the service is ready."""
    try:
        channel = other_channel(sys.argv[1]) if len(sys.argv) > 1 else own_channel()
    except (OSError, ValueError) as error:
        print(f"certificate: {error}")
        return 1
    with channel:
        status = probe(channel)
    print(status)
    return 0 if status == "SERVING" else 1


def _secure(address: str, credentials: grpc.ChannelCredentials, name: str | None) -> grpc.Channel:
    options = () if name is None else ((_NAME_OVERRIDE, name),)
    return grpc.secure_channel(address, credentials, options)


if __name__ == "__main__":
    sys.exit(main())
