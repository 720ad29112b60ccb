"""TLS by settings, on real ports: who gets in, who does not, and renewal without a restart."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from certificates import DAY, Authority
from rpc.conftest import Running, Serve
from spielwerk.api.v1 import match_pb2, match_pb2_grpc
from spielwerk.client import Endpoints, Spielwerk
from spielwerk.rpc import channel as channels
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, CommonSettings, RpcSettings
from spielwerk.tls import ClientTls


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


async def asked(address: str, tls: ClientTls | None) -> str:
    """What a new client hears: the version, or why there is none."""
    async with open_channel(address, tls=tls) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        try:
            answer = await stub.GetServerInfo(match_pb2.GetServerInfoRequest(), timeout=10)
        except grpc.aio.AioRpcError as failed:
            return failed.code().name
    return str(answer.version)


async def heard(address: str, tls: ClientTls | None, wanted: str) -> None:
    """Wait until new clients hear it."""
    async with asyncio.timeout(30):
        while await asked(address, tls) != wanted:
            await asyncio.sleep(0.05)


async def joined(running: Running, address: str, tls: ClientTls | None, role: str) -> str:
    """What a caller of this role hears at an address: the seat, or a reason."""
    async with open_channel(address, lambda: running.token(role), tls) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        method = stub.Join if role == "player" else stub.GetBotTurn
        request: Any = match_pb2.JoinRequest if role == "player" else match_pb2.GetBotTurnRequest
        try:
            await method(request(match_id="m"), timeout=10)
        except grpc.aio.AioRpcError as failed:
            return error_of(failed).reason
    return "let in"


async def test_a_client_that_trusts_the_authority_is_answered(
    serve: Serve, authority: Authority
) -> None:
    async with serve(tls=authority.issue("rules").server()) as running:
        assert await asked(running.address, authority.client()) == "1"


async def test_a_client_without_tls_is_not_answered(serve: Serve, authority: Authority) -> None:
    async with serve(tls=authority.issue("rules").server()) as running:
        assert await asked(running.address, None) == "UNAVAILABLE"


async def test_a_client_with_tls_does_not_talk_to_a_port_without(
    running: Running, authority: Authority
) -> None:
    assert await asked(running.address, authority.client()) == "UNAVAILABLE"


async def test_a_client_does_not_talk_to_a_server_of_another_authority(
    serve: Serve, authority: Authority, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path, "stranger")
    async with serve(tls=stranger.issue("rules").server()) as running:
        assert await asked(running.address, authority.client()) == "UNAVAILABLE"
        assert await asked(running.address, stranger.client()) == "1"


async def test_a_client_does_not_talk_to_a_server_whose_certificate_has_expired(
    serve: Serve, authority: Authority
) -> None:
    expired = authority.issue("rules", lasts=-DAY)
    with capture_logs() as lines:
        async with serve(tls=expired.server()) as running:
            assert await asked(running.address, authority.client()) == "UNAVAILABLE"
    assert "error" in {line["log_level"] for line in lines if line["event"] == "certificate"}


async def test_the_name_in_the_certificate_counts_or_the_one_that_the_client_expects(
    serve: Serve, authority: Authority
) -> None:
    async with serve(tls=authority.issue("rules", names=("rules.test",)).server()) as running:
        address = running.address.replace("127.0.0.1", "localhost")
        assert await asked(address, authority.client()) == "UNAVAILABLE"
        assert await asked(address, authority.client(server_name="rules.test")) == "1"


async def test_a_renewed_certificate_is_shown_without_a_restart(
    serve: Serve, authority: Authority, tmp_path: Path
) -> None:
    tls = authority.issue("rules").server()
    successor = Authority(tmp_path, "successor")
    async with (
        serve(tls=tls) as running,
        open_channel(running.address, tls=authority.client()) as channel,
    ):
        stub = match_pb2_grpc.MatchServiceStub(channel)
        await stub.GetServerInfo(match_pb2.GetServerInfoRequest(), timeout=10)
        successor.issue("rules")
        await heard(running.address, successor.client(), "1")
        assert await asked(running.address, authority.client()) == "UNAVAILABLE"
        # What is connected stays connected.
        await stub.GetServerInfo(match_pb2.GetServerInfoRequest(), timeout=10)


async def test_files_that_do_not_fit_yet_leave_the_old_certificate(
    serve: Serve, authority: Authority
) -> None:
    issued = authority.issue("rules")
    async with serve(tls=issued.server()) as running:
        old = issued.key.read_bytes()
        issued.key.write_bytes(authority.issue("other").key.read_bytes())
        assert await asked(running.address, authority.client()) == "1"
        issued.key.unlink()
        assert await asked(running.address, authority.client()) == "1"
        issued.key.write_bytes(old)
        assert await asked(running.address, authority.client()) == "1"


async def test_services_get_in_at_the_internal_address_alone_and_with_a_certificate(
    serve: Serve, authority: Authority
) -> None:
    tls = authority.issue("rules").server(client_ca=authority.path)
    own = authority.client(authority.issue("bots", names=("bots",)))
    async with serve(tls=tls, internal_listen="127.0.0.1:0") as running:
        internal = running.host.internal_address
        # An unimplemented method of the test's servicer: whoever is let in hears that.
        assert await joined(running, internal, own, "service:bots") == "unimplemented"
        assert await joined(running, running.address, own, "service:bots") == "certificate_missing"
        assert await asked(internal, authority.client()) == "UNAVAILABLE"
        assert await joined(running, running.address, authority.client(), "player") == "let in"


async def test_a_certificate_of_another_authority_or_an_expired_one_opens_no_internal_address(
    serve: Serve, authority: Authority, tmp_path: Path
) -> None:
    tls = authority.issue("rules").server(client_ca=authority.path)
    forged = authority.client(Authority(tmp_path, "stranger").issue("forged"))
    expired = authority.client(authority.issue("expired", lasts=-DAY))
    good = authority.client(authority.issue("good"))
    async with serve(tls=tls, internal_listen="127.0.0.1:0") as running:
        internal = running.host.internal_address
        assert await asked(internal, forged) == "UNAVAILABLE"
        assert await asked(internal, expired) == "UNAVAILABLE"
        assert await asked(internal, good) == "1"


async def test_a_channel_takes_a_renewed_certificate_of_its_own(
    serve: Serve, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "FILE_CHECK_S", 0.0)
    tls = authority.issue("rules").server(client_ca=authority.path)
    own = authority.client(Authority(tmp_path, "stranger").issue("bots"))
    async with (
        serve(tls=tls, internal_listen="127.0.0.1:0") as running,
        open_channel(running.host.internal_address, tls=own) as channel,
    ):
        info = match_pb2_grpc.MatchServiceStub(channel).GetServerInfo
        with pytest.raises(grpc.aio.AioRpcError, match="UNAVAILABLE"):
            await info(match_pb2.GetServerInfoRequest(), timeout=10)
        authority.issue("bots")
        assert (await info(match_pb2.GetServerInfoRequest(), timeout=10)).version == "1"


async def test_the_client_speaks_tls_to_all_services(serve: Serve, authority: Authority) -> None:
    everywhere = Endpoints.of("127.0.0.1:1", authority.client())
    async with serve(tls=authority.issue("rules").server()) as running:
        targets = (running.address, replace(everywhere, matches=running.address))
        for target in targets:
            async with Spielwerk.connect(target, tls=authority.client()) as client:
                call = client.connection.matches.GetServerInfo
                request = match_pb2.GetServerInfoRequest()
                assert (await client.connection.call(call, request, public=True)).version == "1"


async def test_production_says_that_it_listens_without_tls(
    authority: Authority, tmp_path: Path
) -> None:
    def warned(lines: Any) -> bool:
        return any("without TLS" in line["event"] for line in lines)

    auth = AuthSettings(jwks_file=tmp_path / "keys.json")
    plain = RpcSettings(listen="127.0.0.1:0")
    secure = plain.model_copy(update={"tls": authority.issue("rules").server()})
    made = CommonSettings.model_construct
    with capture_logs() as lines:
        async with Host(made(rpc=plain, auth=auth, mode="production")).started():
            assert warned(lines)
    with capture_logs() as lines:
        async with Host(made(rpc=secure, auth=auth, mode="production")).started():
            assert not warned(lines)
    with capture_logs() as lines:
        async with Host(made(rpc=plain, auth=auth, mode="development")).started():
            assert not warned(lines)
