"""SE-01: no forged token opens any method of any service, and no role another one's methods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

import spielwerk_accounts.keys as signing
from client.house import House, house_at
from spielwerk.log.settings import LogSettings
from spielwerk.rpc.auth import ACCESS
from spielwerk_local.brokers import Brokers

from .forging import FORGED, encoded, first_answer, methods_of, services_of_ours

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
DENIED = grpc.StatusCode.PERMISSION_DENIED
ROLES = (
    "player",
    "auditor",
    "operator",
    "service:bots",
    "service:matchmaking",
    "service:scoring",
    "service:timer",
    "service:unheard_of",
)
OPEN_TO_ALL = {
    "spielwerk.api.v1.MatchService/GetServerInfo",
    "spielwerk.api.v1.MatchService/ListGames",
    "spielwerk.api.v1.MatchService/GetRules",
    "spielwerk.api.v1.AccountService/CreateGuest",
    "spielwerk.api.v1.AccountService/RenewToken",
    "spielwerk.api.v1.AccountService/GetPublicKeys",
    "grpc.health.v1.Health/Check",
    "grpc.health.v1.Health/List",
    "grpc.health.v1.Health/Watch",
    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
}
"""Word for word, so that a method does not become public by a slip in the table of access."""

Answers = dict[tuple[str, str], grpc.StatusCode]


@pytest.fixture
async def installed(
    brokers: Brokers, stream_settings: LogSettings, redis_url: str, tmp_path: Path
) -> AsyncIterator[House]:
    """All services on one port; so many calls of one address are no attack here."""
    async with house_at(
        brokers.nats_url,
        stream_settings,
        redis_url,
        tmp_path,
        everything=True,
        port={"calls_per_s": 0},
    ) as running:
        yield running


@pytest.fixture
async def channel(installed: House) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(installed.address) as opened:
        yield opened


def guarded() -> list[str]:
    """Each method of each service of ours but for the open ones."""
    methods = [method for service in services_of_ours() for method in methods_of(service)]
    return sorted(set(methods) - OPEN_TO_ALL)


async def answers(
    channel: grpc.aio.Channel, methods: Iterable[str], tokens: dict[str, str | None]
) -> Answers:
    """What each method says to each token, some calls at a time."""
    found: Answers = {}
    for method in methods:
        told = await asyncio.gather(
            *(first_answer(channel, method, token) for token in tokens.values())
        )
        found |= {(method, name): told[n][0] for n, name in enumerate(tokens)}
    return found


async def test_se_01_every_service_of_ours_is_served_where_tokens_are_tried(
    channel: grpc.aio.Channel,
) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    call = stub.ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(list_services="*")])
    )
    listed = {service.name for service in (await call.read()).list_services_response.service}
    assert listed == set(ACCESS)
    assert set(services_of_ours()) <= listed
    assert len(guarded()) > 35


async def test_se_01_no_forged_token_opens_any_method(
    installed: House, channel: grpc.aio.Channel
) -> None:
    tokens: dict[str, str | None] = {name: forge(installed.keys) for name, forge in FORGED.items()}
    told = await answers(channel, guarded(), {"none": None, **tokens})
    assert {key: code for key, code in told.items() if code is not UNAUTHENTICATED} == {}


async def test_se_01_a_role_opens_its_own_methods_and_no_other(
    installed: House, channel: grpc.aio.Channel
) -> None:
    tokens: dict[str, str | None] = {
        role: installed.token("ada" if role == "player" else role.replace(":", "."), role)
        for role in ROLES
    }
    told = await answers(channel, guarded(), tokens)
    rows = {f"{service}/{name}": row for service in ACCESS for name, row in ACCESS[service].items()}
    closed = {key for key in told if key[1] not in rows[key[0]]}
    assert {key for key in closed if told[key] is not DENIED} == set()
    assert {key for key in told if told[key] is UNAUTHENTICATED} == set()
    # What is open answers an empty request by its own rules; nobody may be let in by no row.
    assert {key[1] for key in told if key not in closed} == {
        "player",
        "auditor",
        "operator",
        "service:bots",
        "service:matchmaking",
        "service:timer",
    }


async def test_se_01_open_methods_tell_a_forged_operator_what_they_tell_everybody(
    installed: House, channel: grpc.aio.Channel
) -> None:
    forged = FORGED["a player made an operator"](installed.keys)
    told = await answers(channel, sorted(OPEN_TO_ALL), {"none": None, "forged": forged})
    for method in OPEN_TO_ALL:
        assert told[method, "none"] == told[method, "forged"]
    assert told["spielwerk.api.v1.MatchService/GetServerInfo", "none"] is grpc.StatusCode.OK
    assert told["grpc.health.v1.Health/Watch", "none"] is grpc.StatusCode.OK


async def test_se_01_a_token_of_a_megabyte_opens_nothing_and_the_server_goes_on(
    installed: House, channel: grpc.aio.Channel
) -> None:
    for method in (*guarded(), *OPEN_TO_ALL):
        # gRPC itself refuses headers of that size before any of our code reads them.
        code, _ = await first_answer(channel, method, "x" * 2**20)
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED, method
    code, _ = await first_answer(
        channel, "spielwerk.api.v1.MatchmakingService/ListOpen", installed.token("ada")
    )
    assert code is grpc.StatusCode.OK


async def test_se_01_a_development_key_opens_nothing_where_it_is_not_configured(
    installed: House, channel: grpc.aio.Channel
) -> None:
    sample = signing.generate(development=True)
    tokens: dict[str, str | None] = {
        "its own id": sample.issue("ada", "operator", 60),
        "our id": encoded(installed.keys, key=sample.private, role="operator"),
    }
    told = await answers(channel, guarded(), tokens)
    assert {key: code for key, code in told.items() if code is not UNAUTHENTICATED} == {}
