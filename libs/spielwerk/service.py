"""Runs one service as a process: settings, logs, signals, readiness, exit code."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NoReturn, TypeVar

import uvloop
from pydantic import ValidationError
from pydantic_settings import SettingsError

from spielwerk.rpc.host import Host
from spielwerk.settings import CommonSettings
from spielwerk.telemetry import logs

S = TypeVar("S", bound=CommonSettings)

Serving = Callable[[S, Host], AbstractAsyncContextManager[None]]
"""A service's composition root: connects, adds itself to the host, yields, and tidies up."""


class ServiceFailed(Exception):
    """Something that the service cannot do without is gone for good."""


OK, FAILED, BAD_SETTINGS = 0, 1, 2

_log = logs.get_logger(__name__)


def run(name: str, serving: Serving[S], settings_type: type[S]) -> NoReturn:
    """Run until SIGTERM or SIGINT, then drain; a second signal ends at once.

    Exits with 0 after a drain, 1 after a failure, 2 if the settings are wrong.
    """
    settings = read_settings(settings_type)
    logs.configure(settings.telemetry, name)
    spare_collector()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(_supervised(name, serving, settings))
    sys.exit(code)


def read_settings(settings_type: type[S]) -> S:
    """The settings of the environment; wrong ones are named and end the process with code 2."""
    try:
        return settings_type()
    except ValidationError as error:
        for problem in error.errors(include_input=False, include_url=False):
            place = ".".join(map(str, problem["loc"]))
            print(f"settings: {place}: {problem['msg']}", file=sys.stderr)
    except SettingsError as error:
        print(f"settings: {error}", file=sys.stderr)
    sys.exit(BAD_SETTINGS)


def spare_collector() -> None:
    """Let Python look for garbage cycles seldom; for processes that hold many states in memory.

    States are trees, freed by counting references. At the usual thresholds the collector walks
    over them again and again, which costs a rules process a tenth of its time. Call it after the
    imports: what exists now is never looked at.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


async def serve(serving: Serving[S], settings: S) -> None:
    """Serve until cancelled; that drains. A failure of the service ends it, too."""
    host = Host(settings)
    telemetry = settings.telemetry
    with host.metrics.served(telemetry.metrics_address, telemetry.metrics_port):
        async with serving(settings, host), host.started():
            await asyncio.Event().wait()


@asynccontextmanager
async def failing_with(event: asyncio.Event, why: str) -> AsyncIterator[None]:
    """Ends the block with ServiceFailed(why) once the event is set, e.g. a connection is dead."""
    task = asyncio.current_task()
    assert task is not None
    cancelled_before = task.cancelling()
    watching = asyncio.create_task(_cancel_after(event, task))
    try:
        yield
    except asyncio.CancelledError:
        # Only our own cancellation becomes the failure; one from outside goes on.
        if watching.done() and task.uncancel() <= cancelled_before:
            raise ServiceFailed(why) from None
        raise
    finally:
        watching.cancel()


async def _cancel_after(event: asyncio.Event, task: asyncio.Task[Any]) -> None:
    await event.wait()
    task.cancel()


async def _supervised(name: str, serving: Serving[S], settings: S) -> int:
    asyncio.get_running_loop().set_exception_handler(_unhandled)
    service = asyncio.create_task(serve(serving, settings), name=name)
    _cancel_on_signal(service)
    _log.info("starting", mode=settings.mode, pid=os.getpid())
    try:
        await service
    except asyncio.CancelledError:
        _log.info("stopped")
        return OK
    except Exception as error:
        _log.critical("failed", exc_info=error)
    return FAILED


def _cancel_on_signal(service: asyncio.Task[None]) -> None:
    """The first signal cancels the service, which drains if it is serving; the second kills."""
    loop = asyncio.get_running_loop()
    received: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        if received:
            os._exit(128 + number)
        received.append(number)
        _log.info("signal", signal=number.name)
        service.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)


def _unhandled(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The default handler would print the exception's text and the task's arguments."""
    _log.error(context["message"], exc_info=context.get("exception"))
