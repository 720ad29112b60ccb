"""Joining: first the house commits, then the player gives entropy, always the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from client.falsifying import OTHER, another_entropy, another_seed, no_entropy, no_join
from client.house import House
from client.middleman import Falsify, Middleman
from spielwerk.api.v1 import match_pb2
from spielwerk.chance import commitment
from spielwerk.client import CommitmentBroken, MatchClient, Spielwerk
from spielwerk.errors import InvalidArgument, PermissionDenied


async def test_the_commitment_is_read_before_the_entropy_is_made_and_sent(
    between: tuple[Middleman, Spielwerk], match: MatchClient
) -> None:
    middleman, _ = between
    place = await match.join()
    pledge = await match.pledge()
    kinds = [type(request) for request in middleman.asked]
    (sent,) = middleman.requests(match_pb2.JoinRequest)
    view = await match.view()
    assert kinds.index(match_pb2.GetViewRequest) < kinds.index(match_pb2.JoinRequest)
    assert (pledge.seat, pledge.entropy) == (place.seat, sent.entropy)
    assert len(sent.entropy) == 32
    assert pledge.commitment == view.opened.commitment
    assert pledge.bot_commitment == view.opened.bot_commitment


async def test_the_entropy_is_no_part_of_what_is_logged(match: MatchClient) -> None:
    pledge = await match.pledge()
    assert pledge.entropy is not None
    assert repr(pledge.entropy) not in repr(pledge)


@pytest.mark.parametrize(
    ("falsify", "reason"),
    [
        (another_entropy, "entropy_changed"),
        (no_entropy, "entropy_changed"),
        (no_join, "entropy_missing"),
    ],
)
async def test_entropy_that_was_not_recorded_as_sent_is_told_when_joining(
    between: tuple[Middleman, Spielwerk], match: MatchClient, falsify: Falsify, reason: str
) -> None:
    between[0].falsify = falsify
    with pytest.raises(CommitmentBroken) as broken:
        await match.join()
    assert broken.value.reason == reason


async def test_a_repeated_join_sends_the_same_entropy(
    between: tuple[Middleman, Spielwerk], match: MatchClient
) -> None:
    first = await match.join()
    again = await match.join()
    sent = {request.entropy for request in between[0].requests(match_pb2.JoinRequest)}
    assert (again, len(sent)) == (first, 1)


async def test_a_pledge_from_before_a_restart_joins_with_the_same_entropy(
    between: tuple[Middleman, Spielwerk], match: MatchClient
) -> None:
    middleman, ada = between
    pledge = await match.pledge()
    restarted = ada.match(match.match_id, pledge)
    await restarted.join()
    await restarted.join()
    sent = {request.entropy for request in middleman.requests(match_pb2.JoinRequest)}
    middleman.falsify = another_seed
    with pytest.raises(CommitmentBroken):
        await restarted.resign()
    assert sent == {pledge.entropy}
    assert await restarted.pledge() == pledge


async def test_a_pledge_holds_the_house_to_the_commitment_from_before_the_restart(
    between: tuple[Middleman, Spielwerk], match: MatchClient
) -> None:
    pledge = await match.pledge()
    before = replace(pledge, commitment=commitment(OTHER))
    with pytest.raises(CommitmentBroken):
        await between[1].match(match.match_id, before).join()
    assert not between[0].requests(match_pb2.JoinRequest)


async def test_after_a_restart_without_a_pledge_the_seat_is_taken_again_and_nobody_accused(
    between: tuple[Middleman, Spielwerk], match: MatchClient
) -> None:
    first = await match.join()
    restarted = between[1].match(match.match_id)
    assert await restarted.join() == first
    assert (await restarted.pledge()).entropy is None
    assert [update async for update in restarted.history()]


async def test_a_pledge_of_another_match_is_refused(house: House, match: MatchClient) -> None:
    pledge = await match.pledge()
    async with house.client("ada") as ada:
        with pytest.raises(ValueError, match="another match"):
            ada.match(await house.open_match("ada", "ben"), pledge)


async def test_who_has_no_seat_makes_no_pledge(house: House, match: MatchClient) -> None:
    async with house.client("eve") as eve:
        with pytest.raises(PermissionDenied) as refused:
            await eve.match(match.match_id).join()
    assert refused.value.reason == "no_such_match"


async def test_entropy_of_the_wrong_length_is_refused_and_not_kept(match: MatchClient) -> None:
    with pytest.raises(InvalidArgument) as refused:
        await match.join(b"short")
    await match.join(OTHER)
    assert refused.value.reason == "bad_entropy"
    assert (await match.pledge()).entropy == OTHER
