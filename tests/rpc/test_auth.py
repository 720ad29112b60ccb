"""Tokens and the access table: who may call what."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

import spielwerk_accounts.keys as signing
from spielwerk.api.v1 import match_pb2, match_pb2_grpc
from spielwerk.errors import Unauthenticated
from spielwerk.rpc import tokens
from spielwerk.rpc.auth import (
    ACCESS,
    PUBLIC,
    Caller,
    current_caller,
    missing_methods,
    service_methods,
)
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.host import Host
from spielwerk.rpc.settings import AuthSettings, RpcSettings
from spielwerk.rpc.tokens import DevelopmentKey, PublicKeys, Verifier, read_jwks

from .conftest import ACCOUNT, MATCH, Running, Settings
from .forging import FORGED, services_of_ours


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await (call.read() if hasattr(call, "read") else call)
    return caught.value


@pytest.mark.parametrize("name", FORGED)
async def test_a_forged_token_opens_neither_calls_nor_streams(running: Running, name: str) -> None:
    metadata = [("authorization", f"Bearer {FORGED[name](running.keys)}")]
    stub = running.stub()
    for call in (
        stub.Join(match_pb2.JoinRequest(), metadata=metadata),
        stub.Watch(match_pb2.WatchRequest(), metadata=metadata),
        stub.AbortMatch(match_pb2.AbortMatchRequest(), metadata=metadata),
    ):
        assert (await refused(call)).code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize(
    "value",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "bearer"],
    ids=["none", "empty", "no token", "blank", "basic", "scheme only"],
)
async def test_a_call_without_a_bearer_token_is_unauthenticated(
    running: Running, value: str | None
) -> None:
    metadata = [] if value is None else [("authorization", value)]
    answer = await refused(running.stub().Join(match_pb2.JoinRequest(), metadata=metadata))
    assert answer.code() is grpc.StatusCode.UNAUTHENTICATED
    assert error_of(answer).reason == "token_missing"


async def test_two_tokens_are_as_good_as_none(running: Running) -> None:
    metadata = running.metadata() * 2
    answer = await refused(running.stub().Join(match_pb2.JoinRequest(), metadata=metadata))
    assert answer.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_token_of_a_megabyte_is_refused_and_the_server_goes_on(running: Running) -> None:
    metadata = [("authorization", "Bearer " + "x" * 2**20)]
    answer = await refused(running.stub().Join(match_pb2.JoinRequest(), metadata=metadata))
    # gRPC itself refuses headers of that size before any of our code reads them.
    assert answer.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    await running.stub().Join(match_pb2.JoinRequest(), metadata=running.metadata())


async def test_a_player_may_play_and_may_not_act_as_anybody_else(running: Running) -> None:
    stub, metadata = running.stub(), running.metadata("player")
    assert (await stub.Join(match_pb2.JoinRequest(), metadata=metadata)).seat == 1
    for call in (
        stub.AbortMatch(match_pb2.AbortMatchRequest(), metadata=metadata),
        stub.CreateMatch(match_pb2.CreateMatchRequest(), metadata=metadata),
        stub.ExpireDeadline(match_pb2.ExpireDeadlineRequest(), metadata=metadata),
        stub.GetBotTurn(match_pb2.GetBotTurnRequest(), metadata=metadata),
        stub.SubmitForBot(match_pb2.SubmitForBotRequest(), metadata=metadata),
    ):
        answer = await refused(call)
        assert answer.code() is grpc.StatusCode.PERMISSION_DENIED
        assert error_of(answer).reason == "role_not_allowed"


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("auditor", {"Watch", "GetView", "GetHistory"}),
        ("operator", {"Watch", "GetView", "GetHistory", "AbortMatch", "CreateMatch"}),
        ("service:bots", {"GetBotTurn", "SubmitForBot"}),
        ("service:timer", {"ExpireDeadline"}),
        ("service:matchmaking", {"CreateMatch"}),
        ("service:scoring", set()),
        (
            "player",
            {"Join", "Submit", "Play", "Resign", "ListLegal", "Watch", "GetView", "GetHistory"},
        ),
    ],
)
def test_a_role_may_call_exactly_its_methods(role: str, allowed: set[str]) -> None:
    rows = ACCESS[MATCH].items()
    assert {method for method, roles in rows if role in roles} == allowed


async def test_public_methods_do_not_look_at_the_token(running: Running) -> None:
    metadata = [("authorization", "Bearer expired-or-nonsense")]
    request = match_pb2.GetServerInfoRequest()
    answer = await running.stub().GetServerInfo(request, metadata=metadata)
    assert answer.version == "1"


async def test_a_handler_knows_its_caller_and_only_its_own(running: Running) -> None:
    seen: dict[str, str] = {}

    async def note(request: Any) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        seen[request.match_id] = current_caller().subject

    running.matches.action = note
    stub, names = running.stub(), [f"player{number}" for number in range(200)]
    joins = [
        stub.Join(match_pb2.JoinRequest(match_id=name), metadata=running.metadata(subject=name))
        for name in names
    ]
    await asyncio.gather(*joins)
    assert seen == {name: name for name in names}


def test_outside_of_a_call_there_is_no_caller() -> None:
    with pytest.raises(Unauthenticated):
        current_caller()


def test_the_table_knows_every_method_of_every_service_and_no_other() -> None:
    services = services_of_ours()
    assert {MATCH, ACCOUNT} <= set(services)
    assert missing_methods(services) == []
    assert missing_methods(["grpc.health.v1.Health"]) == []


def test_these_methods_of_matches_and_accounts_need_no_token() -> None:
    public = {
        f"{service.rpartition('.')[2]}/{method}"
        for service in (MATCH, ACCOUNT)
        for method in service_methods(service)
        if ACCESS[service][method] == PUBLIC
    }
    assert public == {
        "MatchService/GetServerInfo",
        "MatchService/ListGames",
        "MatchService/GetRules",
        "AccountService/CreateGuest",
        "AccountService/RenewToken",
        "AccountService/GetPublicKeys",
    }


def test_a_service_with_a_method_missing_in_the_table_does_not_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {name: roles for name, roles in ACCESS[MATCH].items() if name != "Resign"}
    monkeypatch.setattr("spielwerk.rpc.auth.ACCESS", {MATCH: rows})
    host = Host(Settings(rpc=RpcSettings(), auth=AuthSettings()))
    with pytest.raises(ValueError, match="MatchService/Resign"):
        host.add(match_pb2_grpc.add_MatchServiceServicer_to_server, object(), MATCH)


class Clock:
    """Seconds since 1970 that stand until they are moved."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


def verifier(keys: signing.SigningKeys, clock: Callable[[], float] = time.time) -> Verifier:
    settings = AuthSettings(jwks=keys.jwks())
    return Verifier(settings, PublicKeys(settings, "development"), clock)


def test_a_remembered_token_still_expires(keys: signing.SigningKeys) -> None:
    clock = Clock()
    check, token = verifier(keys, clock), keys.issue("ada", "player", 60)
    assert check.verify(token) == Caller("ada", "player")
    clock.now += 64
    assert check.verify(token) == Caller("ada", "player")
    clock.now += 2
    with pytest.raises(Unauthenticated) as caught:
        check.verify(token)
    assert caught.value.reason == "token_expired"


def test_a_token_is_checked_once_and_few_are_remembered(
    keys: signing.SigningKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "_REMEMBERED", 3)
    check = verifier(keys)
    issued = [keys.issue(f"p{number}", "player", 60) for number in range(5)]
    for token in issued:
        check.verify(token)
    assert list(check._known) == issued[2:]
    check.verify(issued[2])
    check.verify(issued[0])
    assert list(check._known) == [issued[4], issued[2], issued[0]]


def rotated(new: signing.SigningKeys, old: signing.SigningKeys) -> signing.SigningKeys:
    return signing.SigningKeys(new.private, new.public + old.public)


def test_after_a_rotation_both_keys_are_accepted(keys: signing.SigningKeys) -> None:
    after = rotated(signing.generate(), keys)
    check = verifier(after)
    for signer in (keys, after):
        assert check.verify(signer.issue("ada", "player", 60)).subject == "ada"


def test_a_changed_key_file_is_read_again_and_retired_keys_are_forgotten(
    keys: signing.SigningKeys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "_FILE_CHECK_S", 0)
    settings = AuthSettings(jwks_file=tmp_path / "jwks.json")
    trusted = PublicKeys(settings, "development")
    check, token = Verifier(settings, trusted), keys.issue("ada", "player", 60)
    assert not trusted.available()
    with pytest.raises(Unauthenticated):
        check.verify(token)

    signing.write_jwks(keys, tmp_path / "jwks.json")
    assert trusted.available()
    assert check.verify(token).subject == "ada"

    fresh = signing.generate()
    signing.write_jwks(fresh, tmp_path / "jwks.json")
    assert check.verify(fresh.issue("bob", "player", 60)).subject == "bob"
    with pytest.raises(Unauthenticated):
        check.verify(token)

    (tmp_path / "jwks.json").write_text("{")
    assert check.verify(fresh.issue("bob", "player", 61)).subject == "bob"


def test_production_refuses_development_keys_and_a_start_without_keys(tmp_path: Path) -> None:
    development, real = signing.generate(), signing.generate(development=False)
    with pytest.raises(DevelopmentKey):
        read_jwks(development.jwks(), "production")
    assert list(read_jwks(real.jwks(), "production")) == [real.public[0].kid]
    signing.write_jwks(development, tmp_path / "jwks.json")
    settings = Settings(
        rpc=RpcSettings(),
        auth=AuthSettings(jwks_file=tmp_path / "jwks.json"),
        mode="production",
    )
    with pytest.raises(DevelopmentKey):
        Host(settings)


async def test_production_does_not_start_without_a_place_for_keys() -> None:
    settings = Settings(
        rpc=RpcSettings(listen="127.0.0.1:0"), auth=AuthSettings(), mode="production"
    )
    with pytest.raises(ValueError, match="jwks"):
        await Host(settings).started().__aenter__()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "Key Set"),
        ("{}", "Key Set"),
        ("{", "Expecting"),
        ('{"keys": [{}]}', "Ed25519"),
        ('{"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "a"}]}', "Ed25519"),
        ('{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "a"}]}', "Ed25519"),
    ],
)
def test_only_public_ed25519_keys_are_read(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_jwks(text, "development")


def test_a_key_set_with_a_private_key_is_refused(keys: signing.SigningKeys) -> None:
    entry = json.loads(keys.jwks())["keys"][0]
    private = base64.urlsafe_b64encode(keys.private.private_bytes_raw()).rstrip(b"=").decode()
    with pytest.raises(ValueError, match="public"):
        read_jwks(json.dumps({"keys": [{**entry, "d": private}]}), "development")


def test_a_services_token_comes_from_its_settings_or_a_file_that_may_change(
    tmp_path: Path,
) -> None:
    path = tmp_path / "token"
    provider = tokens.service_token(AuthSettings(token_file=path))
    assert provider() is None
    path.write_text("first\n")
    assert provider() == "first"
    fresh = tmp_path / "fresh"
    fresh.write_text("second\n")
    fresh.replace(path)
    assert provider() == "second"
    settings = AuthSettings.model_validate({"token": "given", "token_file": path})
    assert tokens.service_token(settings)() == "given"
    assert "given" not in repr(settings)
    assert tokens.service_token(AuthSettings())() is None
