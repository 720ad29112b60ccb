"""TLS to a real broker: with certificates on both sides, and never without when it is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from certificates import DAY, Authority, Issued
from ports import free_port
from spielwerk.errors import Unavailable
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import BrokerTls, LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import new_match_id
from spielwerk.tls import NamedTls
from spielwerk_local.brokers import _nats_server
from spielwerk_local.child import Child

MATCH = new_match_id(0, bytes(10))


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


class Broker:
    """A broker with TLS that can be started again at its address."""

    def __init__(self, folder: Path, authority: Authority, issued: Issued, more: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._configuration = folder / "nats.conf"
        self._configuration.write_text(
            f'tls {{ cert_file: "{issued.certificate}", key_file: "{issued.key}", '
            f'ca_file: "{authority.path}", {more} }}\n'
            'jetstream {}\nauthorization { user: a, password: "s3cret" }\n'
        )
        self.child: Child | None = None

    async def start(self) -> None:
        output = self._folder / "nats.log"
        arguments = [_nats_server(), "-c", str(self._configuration), "-a", "127.0.0.1"]
        arguments += ["-p", str(self.port), "-sd", str(self._folder / "data")]
        before = output.stat().st_size if output.exists() else 0
        self.child = Child(arguments, output=output, pid_file=self._folder / "nats.pid")
        await self.child.until(lambda: "Server is ready" in output.read_text()[before:], 60)

    def settings(self, tls: NamedTls | None, **more: Any) -> NatsSettings:
        made = None if tls is None else BrokerTls(**tls.model_dump(), **more)
        return NatsSettings(
            url=f"nats://a:s3cret@127.0.0.1:{self.port}", tls=made, start_timeout_s=2
        )


@asynccontextmanager
async def broker(
    folder: Path, authority: Authority, issued: Issued, more: str = ""
) -> AsyncIterator[Broker]:
    made = Broker(folder, authority, issued, more)
    await made.start()
    try:
        yield made
    finally:
        assert made.child is not None
        made.child.kill()


async def reached(settings: NatsSettings) -> bool:
    """Whether a connection stands."""
    try:
        async with connect(settings):
            return True
    except Unavailable:
        return False


@pytest.mark.parametrize(
    ("verify", "first"),
    [("", False), ("verify: true", False), ("verify: true, handshake_first: true", True)],
    ids=["server alone", "both sides", "both sides before the greeting"],
)
async def test_records_are_appended_and_read_over_tls(
    tmp_path: Path, authority: Authority, verify: str, first: bool
) -> None:
    own = authority.client(authority.issue("rules") if verify else None)
    settings = LogSettings()
    async with (
        broker(tmp_path, authority, authority.issue("nats"), verify) as running,
        connect(running.settings(own, first=first)) as connection,
    ):
        await ensure_stream(connection, settings, known=None, allow_new=True)
        log = JetStreamLog(connection, settings)
        assert await log.append(MATCH, Kind.OPEN, b"1", {}, expected=0) == 1
        assert [stored.data for stored in await log.read(MATCH)] == [b"1"]


async def test_a_broker_that_wants_certificates_takes_only_good_ones(
    tmp_path: Path, authority: Authority
) -> None:
    stranger = Authority(tmp_path, "stranger").issue("stranger")
    expired = authority.issue("expired", lasts=-DAY)
    good = authority.issue("good")
    async with broker(tmp_path, authority, authority.issue("nats"), "verify: true") as running:
        assert not await reached(running.settings(authority.client()))
        assert not await reached(running.settings(authority.client(stranger)))
        assert not await reached(running.settings(authority.client(expired)))
        assert await reached(running.settings(authority.client(good)))


async def test_a_broker_is_believed_only_with_a_certificate_of_the_authority_in_its_name(
    tmp_path: Path, authority: Authority
) -> None:
    issued = authority.issue("nats", names=("broker.test",))
    stranger = Authority(tmp_path, "stranger")
    async with broker(tmp_path, authority, issued) as running:
        assert not await reached(running.settings(stranger.client()))
        assert not await reached(running.settings(authority.client(server_name="other.test")))
        assert await reached(running.settings(authority.client(server_name="broker.test")))


async def test_a_password_is_not_told_to_a_broker_without_tls_when_tls_is_wanted(
    brokers: Any, authority: Authority
) -> None:
    plain = NatsSettings(url=brokers.nats_url, start_timeout_s=2)
    wanted = BrokerTls(ca=authority.path)
    assert await reached(plain)
    assert not await reached(plain.model_copy(update={"tls": wanted}))
    scheme = brokers.nats_url.replace("nats://", "tls://")
    assert not await reached(NatsSettings(url=scheme, start_timeout_s=2))


async def test_a_reconnect_shows_the_certificate_as_it_is_then(
    tmp_path: Path, authority: Authority
) -> None:
    issued = authority.issue("rules")
    async with (
        broker(tmp_path, authority, authority.issue("nats"), "verify: true") as running,
        connect(running.settings(authority.client(issued))) as connection,
    ):
        lost = asyncio.Event()
        connection.on_loss(lost.set)
        assert running.child is not None
        running.child.kill()
        await asyncio.wait_for(lost.wait(), 30)
        # What the broker trusts is replaced, and with it the client's certificate and authority.
        successor = Authority(tmp_path)
        successor.issue("nats")
        successor.issue("rules")
        await running.start()
        await asyncio.wait_for(connection.until_connected(), 30)
