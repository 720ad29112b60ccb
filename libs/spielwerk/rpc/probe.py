"""Asks a service's port for its health, for machines that judge by an exit code.

`python -m spielwerk.rpc.probe [host:port]` exits with 0 while the process is ready to serve, else
with 1; without an address it asks the port of `SPIELWERK_RPC__LISTEN` on this machine.
"""

from __future__ import annotations

import os
import sys
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

# The default of RpcSettings, whose import would take longer than the call.
_LISTEN: Final = "127.0.0.1:7700"
_ANSWER_S: Final = 4.0


def probe(address: str) -> str:
    """The status by its name, or why there is none; `SERVING` is the only good one."""
    with grpc.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=_ANSWER_S)
        except grpc.RpcError as error:
            return str(error.code().name)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def own_address() -> str:
    """Where this container's service listens, as seen from inside."""
    listen = os.environ.get("SPIELWERK_RPC__LISTEN", _LISTEN)
    return f"127.0.0.1:{listen.rpartition(':')[2]}"


def main() -> int:
    """0 if the service is ready."""
    status = probe(sys.argv[1] if len(sys.argv) > 1 else own_address())
    print(status)
    return 0 if status == "SERVING" else 1


if __name__ == "__main__":
    sys.exit(main())
