"""Honest readiness: a loop asks the checks every second and tells the health service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from grpc_health.v1 import health, health_pb2

from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics

LIVENESS: Final = "liveness"
"""A health service name that is always SERVING: the process answers, whatever else is down."""

_PERIOD_S: Final = 1.0
_SERVING: Final = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING: Final = health_pb2.HealthCheckResponse.NOT_SERVING

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of readiness and the gRPC services that depend on it."""

    name: str
    passes: Callable[[], bool]
    services: frozenset[str]


class Readiness:
    """What grpc.health.v1 answers: for each service its own checks, for "" all of them."""

    def __init__(self, checks: Iterable[Check], services: Iterable[str], metrics: Metrics) -> None:
        self.servicer: Any = health.aio.HealthServicer()
        self._checks = tuple(checks)
        self._services = tuple(services)
        self._metrics = metrics
        self._failing: frozenset[str] | None = None
        self._draining = False

    async def watch(self) -> None:
        """Evaluate for ever."""
        while True:
            await self.evaluate()
            await asyncio.sleep(_PERIOD_S)

    async def evaluate(self) -> None:
        """Ask each check once and publish the result."""
        failing = [check for check in self._checks if not _passes(check)]
        names = frozenset(check.name for check in failing)
        for check in self._checks:
            self._metrics.ready.labels(check=check.name).set(check.name not in names)
        if names != self._failing:
            level = _log.warning if names else _log.info
            level("readiness", ready=not names, failing=sorted(names))
            self._failing = names
        if self._draining:
            return
        down = frozenset().union(*(check.services for check in failing))
        await self._set("", not failing)
        for service in self._services:
            await self._set(service, service not in down)
        await self._set(LIVENESS, True)

    async def drain(self) -> None:
        """NOT_SERVING from now on; liveness stays."""
        self._draining = True
        for service in ("", *self._services):
            await self._set(service, False)

    async def _set(self, service: str, serving: bool) -> None:
        await self.servicer.set(service, _SERVING if serving else _NOT_SERVING)


def _passes(check: Check) -> bool:
    try:
        return check.passes()
    except Exception as error:
        _log.warning("readiness check failed", check=check.name, exc_info=error)
        return False
