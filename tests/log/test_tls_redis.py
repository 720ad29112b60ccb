"""TLS to the store: the embedded server has none, so a proxy before it ends the encryption."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import RedisError

from certificates import DAY, Authority, Issued
from faults.proxy import credentials, way_to_store
from spielwerk.store import open_redis
from spielwerk.tls import ClientTls
from spielwerk_matchmaking.store import Store


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@asynccontextmanager
async def encrypted(redis_url: str, authority: Authority, issued: Issued) -> AsyncIterator[str]:
    """The url of the store behind TLS; clients must show a certificate of the authority."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority.path)
    context.load_cert_chain(issued.certificate, issued.key)
    context.verify_mode = ssl.CERT_REQUIRED
    # In TLS 1.3 a refused client learns of it only after its first words.
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    async def forward(client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        store, requests = await way_to_store(redis_url)()
        with suppress(OSError):
            await asyncio.gather(_copied(client, requests), _copied(store, answers))

    server = await asyncio.start_server(forward, "127.0.0.1", 0, ssl=context)
    try:
        yield f"rediss://{credentials(redis_url)}127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()


async def _copied(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()
    finally:
        target.close()


async def answered(url: str, tls: ClientTls | None) -> bool:
    async with aclosing(open_redis(url, tls=tls)) as client:
        try:
            return bool(await client.ping())
        except (RedisError, OSError):
            return False


def files(authority: Authority, own: Issued | None = None) -> ClientTls:
    return ClientTls(**authority.client(own).model_dump(exclude={"server_name"}))


async def test_the_store_is_asked_over_tls_with_good_certificates_alone(
    redis_url: str, authority: Authority, tmp_path: Path
) -> None:
    good = authority.issue("good")
    expired = authority.issue("expired", lasts=-DAY)
    stranger = Authority(tmp_path, "stranger")
    async with encrypted(redis_url, authority, authority.issue("redis")) as url:
        assert await answered(url, files(authority, good))
        assert not await answered(url, files(authority))
        assert not await answered(url, files(authority, expired))
        assert not await answered(url, files(stranger, good))
        assert not await answered(url, None)
        assert not await answered(url.replace("rediss:", "redis:"), None)


async def test_a_store_with_another_name_in_its_certificate_is_not_believed(
    redis_url: str, authority: Authority
) -> None:
    own = authority.issue("own")
    issued = authority.issue("redis", names=("redis.test",))
    async with encrypted(redis_url, authority, issued) as url:
        elsewhere = url.replace("127.0.0.1", "localhost")
        assert await answered(url, files(authority, own))
        assert not await answered(elsewhere, files(authority, own))


async def test_matchmaking_runs_its_scripts_over_tls(redis_url: str, authority: Authority) -> None:
    own: Any = files(authority, authority.issue("own"))
    async with (
        encrypted(redis_url, authority, authority.issue("redis")) as url,
        aclosing(Store(url, own)) as store,
    ):
        assert await store.whole(store.redis.ping())
        assert store.reachable
