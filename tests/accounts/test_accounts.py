"""AccountService over real gRPC and a real broker."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import grpc
import jwt
import nats
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from spielwerk.api.v1 import account_pb2 as pb
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.settings import AuthSettings, RpcSettings
from spielwerk.rpc.tokens import PublicKeys, Verifier
from spielwerk.settings import NatsSettings
from spielwerk_local.brokers import start_nats

from .conftest import Accounts, Serve, bearer

REQUEST = "0123456789abcdef-first"


async def refused(call: Any) -> SpielwerkError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return error_of(caught.value)


async def code_of(call: Any) -> tuple[grpc.StatusCode, str]:
    error = await refused(call)
    return await call.code(), error.reason


async def stored_bytes(accounts: Accounts) -> bytes:
    """All that the broker holds of both buckets."""
    client = await nats.connect(accounts.settings.nats.url)
    streams, found = client.jetstream(), []
    for bucket in (accounts.settings.profiles_bucket, accounts.settings.requests_bucket):
        state = (await streams.stream_info(f"KV_{bucket}")).state
        for sequence in range(state.first_seq, state.last_seq + 1):
            try:
                message = await streams.get_msg(f"KV_{bucket}", sequence)
            except nats.js.errors.NotFoundError:
                continue
            found.append(message.data or b"")
    await client.close()
    return b"\n".join(found)


async def test_a_guest_gets_an_account_and_a_token_for_an_hour(accounts: Accounts) -> None:
    guest = await accounts.guest("  Ada".strip())
    claims = jwt.decode(guest.token, options={"verify_signature": False})
    assert (claims["sub"], claims["role"]) == (guest.player_id, "player")
    assert claims["exp"] - claims["nbf"] == 3600
    assert guest.expires_at_ms == claims["exp"] * 1000
    assert len(guest.device_secret) == 43
    answer = await accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
    assert (answer.profile.player_id, answer.profile.name) == (guest.player_id, "Ada")
    assert abs(answer.profile.created_at_ms - time.time() * 1000) < 60_000


async def test_names_need_not_be_unique_but_ids_are(accounts: Accounts) -> None:
    guests = await asyncio.gather(*(accounts.guest("Ada") for _ in range(20)))
    assert len({guest.player_id for guest in guests}) == 20
    assert len({guest.device_secret for guest in guests}) == 20


async def test_a_bad_name_is_refused_with_its_reason(accounts: Accounts) -> None:
    call = accounts.stub.CreateGuest(pb.CreateGuestRequest(name="a\u202eb"))
    assert await code_of(call) == (grpc.StatusCode.INVALID_ARGUMENT, "name_characters")
    giant = accounts.stub.CreateGuest(pb.CreateGuestRequest(name="x" * 60_000))
    assert await code_of(giant) == (grpc.StatusCode.INVALID_ARGUMENT, "name_too_long")


async def test_a_name_is_stored_in_normal_form(accounts: Accounts) -> None:
    guest = await accounts.guest("Zoe\u0308 王 🂡")
    answer = await accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
    assert answer.profile.name == "Zo\u00eb 王 🂡"


async def test_a_repeated_request_gives_the_same_account(accounts: Accounts) -> None:
    first = await accounts.guest("Ada", REQUEST)
    again = await asyncio.gather(*(accounts.guest("Ada", REQUEST) for _ in range(20)))
    assert {(guest.player_id, guest.device_secret) for guest in again} == {
        (first.player_id, first.device_secret)
    }
    renewed = await accounts.stub.RenewToken(
        pb.RenewTokenRequest(player_id=first.player_id, device_secret=first.device_secret)
    )
    assert renewed.token


async def test_requests_at_once_make_one_account(accounts: Accounts) -> None:
    for number in range(20):
        name, request = f"P{number}", f"{number:032}"
        guests = await asyncio.gather(*(accounts.guest(name, request) for _ in range(5)))
        assert len({(guest.player_id, guest.device_secret) for guest in guests}) == 1


async def test_a_cancelled_creation_can_be_repeated(serve: Serve) -> None:
    cancelled = 0
    async with serve(rpc=RpcSettings(listen="127.0.0.1:0", calls_per_s=0)) as accounts:
        for number in range(200):
            request = pb.CreateGuestRequest(name="Ada", request_id=f"cancelled-{number:020}")
            timeout = number % 20 / 2000
            try:
                await accounts.stub.CreateGuest(request, timeout=timeout)
            except grpc.aio.AioRpcError:
                cancelled += 1
            guest = await accounts.stub.CreateGuest(request)
            answer = await accounts.stub.GetProfile(
                pb.GetProfileRequest(), metadata=bearer(guest.token)
            )
            assert answer.profile.name == "Ada"
    assert cancelled > 0


async def test_a_request_id_belongs_to_one_name(accounts: Accounts) -> None:
    await accounts.guest("Ada", REQUEST)
    call = accounts.stub.CreateGuest(pb.CreateGuestRequest(name="Eve", request_id=REQUEST))
    assert await code_of(call) == (grpc.StatusCode.ALREADY_EXISTS, "request_id_reused")


@pytest.mark.parametrize(
    "request_id", ["short", "x" * 65, "0123456789abcdef.>", "0123456789abcde ü"]
)
async def test_a_request_id_that_can_be_guessed_or_is_no_word_is_refused(
    accounts: Accounts, request_id: str
) -> None:
    call = accounts.stub.CreateGuest(pb.CreateGuestRequest(name="Ada", request_id=request_id))
    assert await code_of(call) == (grpc.StatusCode.INVALID_ARGUMENT, "bad_request_id")


async def test_a_device_secret_renews_the_token(accounts: Accounts) -> None:
    guest = await accounts.guest()
    request = pb.RenewTokenRequest(player_id=guest.player_id, device_secret=guest.device_secret)
    renewed = await accounts.stub.RenewToken(request, metadata=bearer("expired"))
    answer = await accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(renewed.token))
    assert answer.profile.player_id == guest.player_id
    assert renewed.expires_at_ms > time.time() * 1000 + 3_500_000


async def test_a_wrong_secret_and_an_unknown_account_get_the_same_answer(
    accounts: Accounts,
) -> None:
    guest, other = await accounts.guest(), await accounts.guest()
    answers = set()
    for player_id, secret in (
        (guest.player_id, other.device_secret),
        (guest.player_id, ""),
        (guest.player_id, "ü" * 10_000),
        (guest.player_id, guest.device_secret + "x"),
        ("pnobody", guest.device_secret),
        ("", guest.device_secret),
        ("*", guest.device_secret),
        (">", guest.device_secret),
        ("../" + guest.player_id, guest.device_secret),
    ):
        request = pb.RenewTokenRequest(player_id=player_id, device_secret=secret)
        call = accounts.stub.RenewToken(request)
        answers.add((*await code_of(call), await call.details()))
    assert len(answers) == 1
    assert answers.pop()[:2] == (grpc.StatusCode.UNAUTHENTICATED, "bad_device_secret")


async def test_the_broker_never_sees_a_secret_or_a_request_id(accounts: Accounts) -> None:
    guests = [await accounts.guest("Ada", REQUEST), await accounts.guest("Bob")]
    stored = await stored_bytes(accounts)
    assert b"Ada" in stored
    for text in (REQUEST, *(guest.device_secret for guest in guests)):
        assert text.encode() not in stored


async def test_another_players_profile_can_be_read_but_not_changed(accounts: Accounts) -> None:
    ada, bob = await accounts.guest("Ada"), await accounts.guest("Bob")
    request = pb.GetProfileRequest(player_id=bob.player_id)
    answer = await accounts.stub.GetProfile(request, metadata=bearer(ada.token))
    assert answer.profile.name == "Bob"
    await accounts.stub.RenameProfile(
        pb.RenameProfileRequest(name="Ada L."), metadata=bearer(ada.token)
    )
    for guest, name in ((ada, "Ada L."), (bob, "Bob")):
        request = pb.GetProfileRequest(player_id=guest.player_id)
        answer = await accounts.stub.GetProfile(request, metadata=bearer(bob.token))
        assert answer.profile.name == name


async def test_renames_at_once_end_with_one_of_the_names(accounts: Accounts) -> None:
    guest = await accounts.guest("Ada")
    names = [f"Ada {number}" for number in range(5)]
    calls = [
        accounts.stub.RenameProfile(
            pb.RenameProfileRequest(name=name), metadata=bearer(guest.token)
        )
        for name in names
    ]
    answers = await asyncio.gather(*calls)
    assert [answer.profile.name for answer in answers] == names
    last = await accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
    assert last.profile.name in names


@pytest.mark.parametrize("player_id", ["pnobody", "*", ">", "a.b", "x" * 100, "ü"])
async def test_an_unknown_account_is_not_found(accounts: Accounts, player_id: str) -> None:
    guest = await accounts.guest()
    call = accounts.stub.GetProfile(
        pb.GetProfileRequest(player_id=player_id), metadata=bearer(guest.token)
    )
    assert await code_of(call) == (grpc.StatusCode.NOT_FOUND, "account_unknown")


async def test_a_deleted_account_is_gone_from_every_call_and_from_the_broker(
    accounts: Accounts,
) -> None:
    guest = await accounts.guest("Ada Lovelace", REQUEST)
    mine, stub = bearer(guest.token), accounts.stub
    await stub.RenameProfile(pb.RenameProfileRequest(name="Ada King"), metadata=mine)
    await stub.DeleteAccount(pb.DeleteAccountRequest(), metadata=mine)
    for call in (
        stub.GetProfile(pb.GetProfileRequest(), metadata=mine),
        stub.RenameProfile(pb.RenameProfileRequest(name="Ada"), metadata=mine),
        stub.DeleteAccount(pb.DeleteAccountRequest(), metadata=mine),
    ):
        assert await code_of(call) == (grpc.StatusCode.NOT_FOUND, "account_unknown")
    renewal = stub.RenewToken(
        pb.RenewTokenRequest(player_id=guest.player_id, device_secret=guest.device_secret)
    )
    assert await code_of(renewal) == (grpc.StatusCode.UNAUTHENTICATED, "bad_device_secret")
    stored = await stored_bytes(accounts)
    assert b"Ada" not in stored
    assert guest.player_id.encode() not in stored

    again = await accounts.guest("Ada Lovelace", REQUEST)
    assert again.player_id != guest.player_id


async def test_a_rename_that_races_a_deletion_brings_nothing_back(accounts: Accounts) -> None:
    both = set()
    for _ in range(50):
        guest = await accounts.guest("Ada")
        mine = bearer(guest.token)
        outcomes = await asyncio.gather(
            accounts.stub.RenameProfile(pb.RenameProfileRequest(name="Eve"), metadata=mine),
            accounts.stub.DeleteAccount(pb.DeleteAccountRequest(), metadata=mine),
            return_exceptions=True,
        )
        both.add(tuple(isinstance(outcome, Exception) for outcome in outcomes))
        call = accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=mine)
        assert (await code_of(call))[1] == "account_unknown"
    assert all(not deletion_failed for _, deletion_failed in both)


async def test_the_published_keys_verify_the_tokens(accounts: Accounts) -> None:
    answer = await accounts.stub.GetPublicKeys(pb.GetPublicKeysRequest())
    guest = await accounts.guest()
    settings = AuthSettings(jwks=answer.jwks)
    caller = Verifier(settings, PublicKeys(settings, "development")).verify(guest.token)
    assert (caller.subject, caller.role) == (guest.player_id, "player")


async def test_only_players_have_accounts(accounts: Accounts) -> None:
    call = accounts.stub.DeleteAccount(pb.DeleteAccountRequest())
    assert (await code_of(call))[0] is grpc.StatusCode.UNAUTHENTICATED


async def test_accounts_outlive_a_restart_of_the_service(serve: Serve, tmp_path: Path) -> None:
    export = tmp_path / "public" / "jwks.json"
    async with serve() as first:
        guest = await first.guest("Ada", REQUEST)
        keys = first.settings.keys.model_copy(update={"jwks_file": export})
    async with serve(keys=keys) as second:
        answer = await second.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
        assert answer.profile.name == "Ada"
        assert (await second.guest("Ada", REQUEST)).player_id == guest.player_id
        published = await second.stub.GetPublicKeys(pb.GetPublicKeysRequest())
        assert json.loads(export.read_text()) == json.loads(published.jwks)


async def test_too_many_guests_are_told_when_to_come_back(serve: Serve) -> None:
    async with serve(guests_per_second=0.5, guests_burst=3) as accounts:
        for _ in range(3):
            await accounts.guest()
        error = await refused(accounts.stub.CreateGuest(pb.CreateGuestRequest(name="Ada")))
        assert error.reason == "too_many_guests"
        assert 1 < getattr(error, "retry_after", 0) <= 2


async def test_one_address_cannot_use_up_what_all_may_make(serve: Serve) -> None:
    rpc = RpcSettings(listen="127.0.0.1:0", calls_per_s=1, calls_burst=60)
    async with serve(rpc=rpc) as accounts:
        asked = [accounts.stub.CreateGuest(pb.CreateGuestRequest(name="Ada")) for _ in range(5)]
        answers = await asyncio.gather(*map(_reason_of, asked))
    assert sorted(answers) == ["", "", "", "too_many_calls", "too_many_calls"]


async def _reason_of(call: Any) -> str:
    try:
        await call
    except grpc.aio.AioRpcError as failed:
        return error_of(failed).reason
    return ""


async def test_without_the_broker_calls_are_unavailable_and_readiness_says_so(
    serve: Serve, tmp_path: Path
) -> None:
    child, url = await start_nats(tmp_path, sync_always=False)
    async with serve(nats=NatsSettings(url=url)) as accounts:
        guest = await accounts.guest()
        health: Any = health_pb2_grpc.HealthStub(grpc.aio.insecure_channel(accounts.address))
        states = health.Watch(health_pb2.HealthCheckRequest(service=""))
        assert (await states.read()).status == health_pb2.HealthCheckResponse.SERVING
        child.kill()
        async with asyncio.timeout(10):
            not_serving = health_pb2.HealthCheckResponse.NOT_SERVING
            assert (await states.read()).status == not_serving
        call = accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
        assert isinstance(await refused(call), Unavailable)
        states.cancel()


async def test_account_metrics_count_without_players(accounts: Accounts) -> None:
    guest = await accounts.guest()
    await accounts.stub.DeleteAccount(pb.DeleteAccountRequest(), metadata=bearer(guest.token))
    value = accounts.host.metrics.value
    assert value("spielwerk_accounts_total", action="created") == 1
    assert value("spielwerk_accounts_total", action="deleted") == 1


@pytest.mark.parametrize(
    "value", [b"", b"no json", b"[]", b'{"type": "an answer of the broker"}', b'{"name": 1}']
)
async def test_a_profile_that_accounts_did_not_write_is_an_error_with_a_reason(
    accounts: Accounts, value: bytes
) -> None:
    guest = await accounts.guest("Ada")
    client = await nats.connect(accounts.settings.nats.url)
    profile = f"$KV.{accounts.settings.profiles_bucket}.{guest.player_id}"
    await client.jetstream().publish(profile, value)
    await client.close()
    asked = accounts.stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
    renewed = accounts.stub.RenewToken(
        pb.RenewTokenRequest(player_id=guest.player_id, device_secret=guest.device_secret)
    )
    damaged = (grpc.StatusCode.FAILED_PRECONDITION, "account_damaged")
    assert [await code_of(call) for call in (asked, renewed)] == [damaged, damaged]
