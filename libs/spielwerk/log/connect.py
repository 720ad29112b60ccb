"""The connection to the broker: reconnects for ever and tells who depends on it of each loss."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import nats.errors
from nats.aio.client import Client

from spielwerk.log.inbox import Inbox, unavailable
from spielwerk.log.settings import BrokerTls, NatsSettings
from spielwerk.log.wire_headers import parse_lines
from spielwerk.telemetry.logs import get_logger

# A dead peer is noticed after (outstanding + 1) intervals: 6 s, within the 10 s of readiness.
_PING_INTERVAL_S: Final = 2
_OUTSTANDING_PINGS: Final = 2
_RECONNECT_WAIT_S: Final = 0.5
_CONNECT_TIMEOUT_S: Final = 2
_CLOSE_TIMEOUT_S: Final = 2.0
_PENDING_BYTES: Final = 8 * 1024 * 1024

_log = get_logger(__name__)

Callback = Callable[[], None]


class _Client(Client):
    """The library's client, mended in five places of version 2.16."""

    def __init__(self, tls: BrokerTls | None) -> None:
        super().__init__()
        self._tls = tls

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:
        """Its own parser takes more than half of the time in which a tail is read."""
        return parse_lines(raw)

    async def _send_publish(
        self, subject: str, reply: str, payload: bytes, payload_size: int, headers: Any
    ) -> None:
        """Headers may also be a ready block (`header_block`): the library's own writer checks each
        name and value by itself, which takes a third of the time of a publish."""
        if not isinstance(headers, bytes):
            await super()._send_publish(subject, reply, payload, payload_size, headers)
            return
        self.stats["out_msgs"] += 1
        self.stats["out_bytes"] += payload_size
        size = len(headers)
        line = f"HPUB {subject} {reply} {size} {size + payload_size}\r\n".encode()
        await self._send_command(b"".join((line, headers, payload, b"\r\n")))
        if self._flush_queue is not None and self._flush_queue.empty():
            await self._flush_pending()

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        """The library would greet a server without TLS in plain text, password and all."""
        server: Any = self._current_server
        wanted = "tls" in self.options or server.uri.scheme == "tls"
        if initial_connection and wanted and not info.get("tls_required"):
            raise nats.errors.SecureConnRequiredError
        await super()._process_info(info, initial_connection)

    async def _send_ping(self, future: asyncio.Future[Any] | None = None) -> None:
        """On uvloop a write to a connection that was closed a moment ago raises RuntimeError, which
        callers of `flush` do not expect; the library's own pings do."""
        try:
            await super()._send_ping(future)
        except RuntimeError as error:
            if future is None:
                raise
            raise ConnectionError(str(error)) from error

    async def _process_pong(self) -> None:
        """Without this the late answer to a flush that was given up ends the reading loop: the
        connection hears nothing until unanswered pings end it."""
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()

    async def _connect_to_server(self, s: Any) -> None:
        """Without this each attempt that ends before the server's greeting leaks its socket, and
        a renewed certificate is not seen."""
        unfinished: Any = self._transport
        if unfinished:
            unfinished.close()
        if self._tls is not None:
            with suppress(OSError):  # being replaced: the one before may still do
                self.options["tls"] = self._tls.context()
        await super()._connect_to_server(s)


class Connection:
    """A NATS connection; `nc` is the client library's object.

    Callbacks are called in the event loop's thread and must neither block nor raise.
    """

    def __init__(self, settings: NatsSettings) -> None:
        self.nc: Client = _Client(settings.tls)
        self.inbox = Inbox(self.nc)
        self.dead = asyncio.Event()
        """Set when the library has given up for good (refused credentials): end the process."""
        self._settings = settings
        self._back = asyncio.Event()
        self._on_loss: set[Callback] = set()
        self._on_return: set[Callback] = set()
        self._closing = False
        self._reported = False

    @property
    def connected(self) -> bool:
        """Whether the broker can be asked now; false within 10 s after it has gone."""
        return bool(self.nc.is_connected)

    def on_loss(self, callback: Callback) -> Callback:
        """Call it at each loss of the connection; returns what takes the callback away again."""
        self._on_loss.add(callback)
        return lambda: self._on_loss.discard(callback)

    def on_return(self, callback: Callback) -> Callback:
        """Call it at each return of the connection; returns what takes the callback away again."""
        self._on_return.add(callback)
        return lambda: self._on_return.discard(callback)

    async def until_connected(self) -> None:
        """Wait for the broker."""
        while not self.connected:
            self._back.clear()
            await self._back.wait()

    async def open(self) -> None:
        """Connect; Unavailable (log_unavailable) if nobody answers in time."""
        try:
            async with asyncio.timeout(self._settings.start_timeout_s):
                await self.nc.connect(**self._options())
        except (TimeoutError, nats.errors.Error, OSError) as error:
            await self.close()
            raise unavailable(f"no broker at {self._settings.printable}") from error
        _log.info("broker connected", url=self._settings.printable, server=self._version())
        self._back.set()

    async def close(self) -> None:
        """Hand over what is still to be sent and close, within 2 s even without a broker."""
        self._closing = True
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                if self.connected:
                    await self.nc.flush()
                await self.nc.close()
        except (TimeoutError, nats.errors.Error, OSError) as error:
            _log.warning("broker connection not closed cleanly", error=str(error))

    def _options(self) -> dict[str, Any]:
        settings = self._settings
        options: dict[str, Any] = {
            "servers": settings.url.split(","),
            "name": "spielwerk",
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": _RECONNECT_WAIT_S,
            "connect_timeout": _CONNECT_TIMEOUT_S,
            "ping_interval": _PING_INTERVAL_S,
            "max_outstanding_pings": _OUTSTANDING_PINGS,
            "pending_size": _PENDING_BYTES,
            # No token of a subject comes from a client of ours.
            "skip_subject_validation": True,
            # Without it a publish waits for ever on a flush that a broken connection cut off.
            "flush_timeout": 1.0,
            "error_cb": self._failed,
            "disconnected_cb": self._lost,
            "reconnected_cb": self._returned,
            "closed_cb": self._closed,
        }
        if settings.user is not None:
            options["user"] = settings.user
        if settings.password is not None:
            options["password"] = settings.password.get_secret_value()
        if settings.token is not None:
            options["token"] = settings.token.get_secret_value()
        if settings.tls is not None:
            options["tls"] = settings.tls.context()
            options["tls_handshake_first"] = settings.tls.first
            if settings.tls.server_name is not None:
                options["tls_hostname"] = settings.tls.server_name
        return options

    def _version(self) -> str:
        return str(self.nc.connected_server_version)

    async def _failed(self, error: Exception) -> None:
        # Twice a second while the broker is away: the first one is told, the rest on demand.
        tell = _log.debug if self._reported else _log.warning
        tell("broker error", error=str(error) or type(error).__name__)
        self._reported = True

    async def _lost(self) -> None:
        if not self._closing:
            _log.warning("broker connection lost")
        self.inbox.lost()
        for callback in tuple(self._on_loss):
            callback()

    async def _returned(self) -> None:
        self._reported = False
        _log.info("broker connection is back", server=self._version())
        self._back.set()
        for callback in tuple(self._on_return):
            callback()

    async def _closed(self) -> None:
        if not self._closing:
            _log.critical("broker connection refused for good")
            self.dead.set()


@asynccontextmanager
async def connect(settings: NatsSettings) -> AsyncIterator[Connection]:
    """A connection that lives as long as the block."""
    connection = Connection(settings)
    await connection.open()
    try:
        yield connection
    finally:
        await connection.close()
