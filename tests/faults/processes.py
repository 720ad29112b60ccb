"""One service as a process of its own that is killed, frozen, ended and started again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grpc_health.v1 import health_pb2, health_pb2_grpc

from faults.ways import kind_of
from spielwerk.rpc.channel import open_channel

SERVING: Final = "SERVING"
_HUNG_UP: Final = "grpc._cython.cygrpc.ExecuteBatchError"
"""What the gRPC library logs when a client is gone before its answer."""
_UNAVAILABLE: Final = "spielwerk.errors.Unavailable"
_END_S: Final = 30.0
_RESTART_S: Final = 0.5
_ANSWER_S: Final = 2.0


@dataclass
class Service:
    """One process; its settings are in its environment.

    Like under a supervisor it is started again if it ends by itself. `failed` has the exit codes of
    such ends, and of a TERM that did not end it well; `gave_up` counts those before it served: it
    may end then, if there is no broker.
    """

    name: str
    environment: dict[str, str]
    output: Path
    process: asyncio.subprocess.Process | None = None
    failed: list[int] = field(default_factory=list)
    gave_up: int = 0
    _wanted: bool = False
    _watch: asyncio.Task[None] | None = None

    @property
    def kind(self) -> str:
        """The service that it is a replica of."""
        return kind_of(self.name)

    async def start(self) -> None:
        """Returns before it serves."""
        self._wanted = True
        await self._spawn()
        self._watch = asyncio.create_task(self._restart(), name=f"supervisor of {self.name}")

    async def kill(self) -> None:
        """As by a crash."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """As by an operator; killed if that does not help."""
        code = await self._end(signal.SIGTERM)
        # Before it has set its handlers, a signal ends a process by itself.
        if code not in (0, -signal.SIGTERM):
            self.failed.append(code)

    def freeze(self) -> None:
        """As on a machine that hangs."""
        os.kill(self._running.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self._running.pid, signal.SIGCONT)

    async def health(self) -> str:
        """The health that it tells, `SERVING` if all is well."""
        address = self.environment["SPIELWERK_RPC__LISTEN"]
        async with open_channel(address) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            try:
                answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=_ANSWER_S)
            except Exception as error:  # whatever it is, it is not healthy
                return type(error).__name__
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return self.process.pid if self.process and self.process.returncode is None else None

    def lines(self) -> list[str]:
        """Everything that it has printed."""
        return self.output.read_text(errors="replace").splitlines()

    def failures(self) -> list[str]:
        """Its log lines about errors that nobody expected."""
        return [line for line in self.lines() if _is_failure(line)]

    @property
    def _running(self) -> asyncio.subprocess.Process:
        assert self.process is not None
        return self.process

    async def _spawn(self) -> None:
        with self.output.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                f"spielwerk_{self.kind}",
                env=os.environ | self.environment,
                stdout=log,
                stderr=log,
            )

    async def _restart(self) -> None:
        while True:
            code = await self._running.wait()
            if not self._wanted:
                return
            if code == 1 and self._gave_up():
                self.gave_up += 1
            else:
                self.failed.append(code)
            await asyncio.sleep(_RESTART_S)
            await self._spawn()

    def _gave_up(self) -> bool:
        """Whether it ended without a broker, before it served."""
        told = [json.loads(line) for line in self.lines() if line.startswith("{")]
        events = [line["event"] for line in told]
        life = events[len(events) - 1 - events[::-1].index("starting") :]
        return _is_without_broker(told[-1]) and "serving" not in life

    async def _end(self, number: int) -> int:
        self._wanted = False
        if self._running.returncode is None:
            self._running.send_signal(number)
        try:
            async with asyncio.timeout(_END_S):
                return await self._running.wait()
        except TimeoutError:
            self._running.kill()
            return await self._running.wait()


def peak_kb(pid: int) -> int:
    """The most memory that the process has had, in kB; 0 where the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(ln.split()[1]) for ln in status.splitlines() if ln.startswith("VmHWM:")), 0)


def _is_failure(line: str) -> bool:
    if "Traceback" in line:
        return True
    try:
        told = json.loads(line)
    except ValueError:
        return False
    if not isinstance(told, dict) or told.get("level") not in ("error", "critical"):
        return False
    if _is_without_broker(told):
        return False  # its exit is judged
    return not any(error["type"] == _HUNG_UP for error in told.get("exception", ()))


def _is_without_broker(told: dict[str, Any]) -> bool:
    errors = told.get("exception", ())
    unavailable = any(error["type"] == _UNAVAILABLE for error in errors)
    return told["event"] == "failed" and unavailable
