"""One gRPC server a process with what surrounds services: health, reflection, limits, drain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from spielwerk.rpc.auth import auth_layer, missing_methods
from spielwerk.rpc.calls import telemetry_layer
from spielwerk.rpc.draining import draining_layer
from spielwerk.rpc.errors import errors_layer
from spielwerk.rpc.handlers import Layers
from spielwerk.rpc.limits import Limits
from spielwerk.rpc.ports import open_ports
from spielwerk.rpc.readiness import Check, Readiness
from spielwerk.rpc.settings import HostSettings, Misconfigured, RpcSettings
from spielwerk.rpc.tokens import PublicKeys, Verifier
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics

_HEALTH: Final = "grpc.health.v1.Health"
_REFLECTION_V1: Final = "grpc.reflection.v1.ServerReflection"
# Handlers that were aborted may still clean up after the server has stopped.
_CLEAN_UP_S: Final = 2.0

_log = get_logger(__name__)

Register = Callable[[Any, Any], None]


@dataclass(frozen=True, slots=True)
class _Service:
    name: str
    register: Register
    servicer: object


class Host:
    """Collects servicers and readiness checks, then serves them on one port.

    A service registers with `add` and `check` before the host starts. Several services in one
    process each take a `part`, so that a check makes only its own part's services unready.
    """

    def __init__(self, settings: HostSettings, metrics: Metrics | None = None) -> None:
        self.settings = settings
        self.metrics = metrics or Metrics()
        self.keys = PublicKeys(settings.auth, settings.mode)
        self.limits = Limits(settings.rpc, self.metrics)
        self.draining = asyncio.Event()
        """Set when the process shuts down; streaming handlers then end with `draining`."""
        self.internal_address = ""
        """`host:port` for services alone, once started, if there is one."""
        self._parts: list[Host] = []
        self._services: list[_Service] = []
        self._checks: list[tuple[str, Callable[[], bool]]] = []

    def part(self) -> Host:
        """A host for one of several services in a process; it is started with this one."""
        part = Host(self.settings, self.metrics)
        part.keys, part.draining, part.limits = self.keys, self.draining, self.limits
        self._parts.append(part)
        return part

    def add(self, register: Register, servicer: object, service: str) -> None:
        """Serve it: `host.add(add_XServicer_to_server, servicer, "spielwerk.api.v1.XService")`.

        Misconfigured if the access table and the service's methods differ.
        """
        missing = missing_methods([service])
        if missing:
            raise Misconfigured(f"the access table and the service differ: {', '.join(missing)}")
        self._services.append(_Service(service, register, servicer))

    def check(self, name: str, passes: Callable[[], bool]) -> None:
        """Ready only while `passes()`; it is asked every second and must not block."""
        self._checks.append((name, passes))

    def trust(self, jwks: str) -> None:
        """Also accept tokens signed by these keys; for the process that issues them."""
        self.keys.trust(jwks)

    @asynccontextmanager
    async def started(self) -> AsyncIterator[str]:
        """Serve while inside; yields `host:port`. Leaving drains within `rpc.grace_s`.

        Misconfigured in production if no key to check tokens with is configured.
        """
        self._require_keys()
        layers = self._layers()
        readiness = Readiness(self._all_checks(), self._names(), self.metrics)
        server = self._server(layers, readiness)
        addresses = open_ports(server, self.settings.rpc, self.settings.mode)
        self.internal_address = addresses.internal
        await readiness.evaluate()
        await _started(server)
        watch = asyncio.create_task(readiness.watch(), name="readiness")
        _log.info("serving", address=addresses.public, services=self._names())
        try:
            yield addresses.public
        finally:
            await self._drain(server, layers, readiness)
            await _cancelled(watch)

    async def _drain(self, server: grpc.aio.Server, layers: Layers, readiness: Readiness) -> None:
        _log.info("draining", grace_s=self.settings.rpc.grace_s)
        await readiness.drain()
        self.draining.set()
        await server.stop(self.settings.rpc.grace_s)
        if not await layers.idle(_CLEAN_UP_S):
            _log.warning("handlers still running after the drain")

    def _require_keys(self) -> None:
        if self.keys.configured:
            self.check("keys", self.keys.available)
        elif self.settings.mode == "production":
            raise Misconfigured("production needs auth.jwks or auth.jwks_file")
        else:
            _log.warning("no public keys are configured: every token will be refused")

    def _layers(self) -> Layers:
        verifier = Verifier(self.settings.auth, self.keys)
        return Layers(
            telemetry_layer(self.metrics),
            errors_layer(self.metrics),
            auth_layer(
                verifier,
                certified=self.settings.rpc.internal_listen is not None,
                refused=self.limits.count_refused,
            ),
            self.limits.layer(),
            draining_layer(self.draining, self.settings.rpc.grace_s / 2),
            write_s=self.settings.rpc.write_s,
        )

    def _server(self, layers: Layers, readiness: Readiness) -> grpc.aio.Server:
        rpc = self.settings.rpc
        server = grpc.aio.server(
            interceptors=[layers], options=_options(rpc), maximum_concurrent_rpcs=rpc.max_calls
        )
        for service in self._all_services():
            service.register(service.servicer, server)
        health_pb2_grpc.add_HealthServicer_to_server(readiness.servicer, server)
        if rpc.reflection:
            _add_reflection(server, (*self._names(), _HEALTH))
        return server

    def _all_services(self) -> Iterator[_Service]:
        yield from self._services
        for part in self._parts:
            yield from part._all_services()

    def _names(self) -> tuple[str, ...]:
        return tuple(service.name for service in self._all_services())

    def _all_checks(self) -> Iterator[Check]:
        # A part's checks concern its own services; this host's concern its parts' as well.
        own = frozenset(self._names())
        for name, passes in self._checks:
            yield Check(name, passes, own)
        for part in self._parts:
            yield from part._all_checks()


def _options(rpc: RpcSettings) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", rpc.max_request_bytes),
        ("grpc.max_concurrent_streams", rpc.max_streams_per_connection),
        ("grpc.keepalive_time_ms", rpc.keepalive_time_s * 1000),
        ("grpc.keepalive_timeout_ms", rpc.keepalive_timeout_s * 1000),
        # The one that counts where nothing is in flight; gRPC waits a minute without it.
        ("grpc.http2.ping_timeout_ms", rpc.keepalive_timeout_s * 1000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", rpc.min_ping_interval_s * 1000),
        # A second process on the same port shall fail, not share it.
        ("grpc.so_reuseport", 0),
    ]


async def _started(server: grpc.aio.Server) -> None:
    """Start it; a cancellation meanwhile waits, since a half-started server cannot be stopped."""
    starting = asyncio.ensure_future(server.start())
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        await starting
        await server.stop(None)
        raise


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})


def _add_reflection(server: grpc.aio.Server, services: tuple[str, ...]) -> None:
    """Both versions of the protocol: v1 has the messages of v1alpha under another name."""
    names = (*services, reflection.SERVICE_NAME, _REFLECTION_V1)
    servicer = reflection.aio.ReflectionServicer(names)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(servicer, server)
    handler: Any = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(_REFLECTION_V1, {"ServerReflectionInfo": handler}),)
    )
