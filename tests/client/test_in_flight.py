"""Commands of a Play stream stay repeatable: the server remembers only the last ones of a seat."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from client.house import House
from client.middleman import Middleman, middleman_before
from spielwerk.api.v1 import match_pb2
from spielwerk.client import MatchClient, Patience, Spielwerk
from spielwerk.client.in_flight import InFlight
from spielwerk.match.model import RECEIPTS

QUICK = Patience(first_pause_s=0.001, longest_pause_s=0.01)


class Sending:
    """What one stream has sent, and answers to it, without a server."""

    def __init__(self) -> None:
        nobody = Spielwerk.connect("127.0.0.1:1")
        self._matches = {name: nobody.match(name) for name in ("one", "two")}
        self._in_flight = InFlight(QUICK, asyncio.Event())
        self.sent: list[str] = []

    async def submit(self, number: int, match: str = "one") -> None:
        request = match_pb2.SubmitRequest(match_id=match, command_id=str(number))
        answer = await self._in_flight.add(self._matches[match], request)
        answer.add_done_callback(asyncio.Future.exception)  # nobody waits for it here

    def refuse(self, number: int) -> None:
        """Answer a command of the first match."""
        outcome = match_pb2.CommandOutcome(match_id="one", command_id=str(number))
        outcome.refused.code = grpc.StatusCode.FAILED_PRECONDITION.value[0]
        self._in_flight.settle(outcome)

    async def settled(self) -> list[str]:
        """The ids of all that was sent, once nothing more happens by itself."""
        for _ in range(50):
            await asyncio.sleep(0)
        request = match_pb2.PlayRequest()
        self._in_flight.fill(request, 1000, 1_000_000)
        self.sent += [command.command_id for command in request.commands]
        return self.sent


def ids(*numbers: int) -> list[str]:
    return [str(number) for number in numbers]


@pytest.fixture
async def sending() -> Sending:
    return Sending()


async def test_the_seventeenth_command_waits_for_the_first_ones_answer(sending: Sending) -> None:
    for number in range(RECEIPTS):
        await sending.submit(number)
    waiting = asyncio.create_task(sending.submit(RECEIPTS))
    assert await sending.settled() == ids(*range(RECEIPTS))
    sending.refuse(0)
    assert await sending.settled() == ids(*range(RECEIPTS + 1))
    assert waiting.done()


async def test_answers_of_later_commands_make_no_room(sending: Sending) -> None:
    """The first one could not be repeated any more after sixteen others."""
    for number in range(RECEIPTS):
        await sending.submit(number)
    await sending.settled()
    waiting = asyncio.create_task(sending.submit(RECEIPTS))
    for number in range(1, RECEIPTS):
        sending.refuse(number)
    assert await sending.settled() == ids(*range(RECEIPTS))
    sending.refuse(0)
    await waiting


async def test_commands_that_wait_are_sent_in_their_order(sending: Sending) -> None:
    for number in range(RECEIPTS):
        await sending.submit(number)
    waiting = [asyncio.create_task(sending.submit(RECEIPTS + n)) for n in range(5)]
    await sending.settled()
    for number in range(5):
        sending.refuse(number)
        sent = await sending.settled()
        assert sent == ids(*range(RECEIPTS + number + 1))
    await asyncio.gather(*waiting)


async def test_a_command_that_comes_later_does_not_overtake_one_that_waits(
    sending: Sending,
) -> None:
    for number in range(RECEIPTS):
        await sending.submit(number)
    waiting = asyncio.create_task(sending.submit(100))
    await sending.settled()
    sending.refuse(0)
    later = asyncio.create_task(sending.submit(101))
    assert (await sending.settled())[-1] == "100"
    assert waiting.done()
    sending.refuse(1)
    assert (await sending.settled())[-1] == "101"
    await later


async def test_other_matches_do_not_wait(sending: Sending) -> None:
    for number in range(RECEIPTS):
        await sending.submit(number)
    waiting = asyncio.create_task(sending.submit(RECEIPTS))
    await sending.submit(99, "two")
    assert (await sending.settled())[-1] == "99"
    waiting.cancel()


async def test_a_command_given_up_while_it_waits_leaves_the_others_their_turn(
    sending: Sending,
) -> None:
    for number in range(RECEIPTS):
        await sending.submit(number)
    given_up = asyncio.create_task(sending.submit(100))
    other = asyncio.create_task(sending.submit(101))
    await sending.settled()
    given_up.cancel()
    sending.refuse(0)
    assert (await sending.settled())[-1] == "101"
    assert other.done()


async def test_one_id_that_is_given_twice_while_it_waits_is_sent_once(sending: Sending) -> None:
    for number in range(RECEIPTS):
        await sending.submit(number)
    twice = [asyncio.create_task(sending.submit(RECEIPTS)) for _ in range(2)]
    await sending.settled()
    sending.refuse(0)
    sending.refuse(1)
    assert await sending.settled() == ids(*range(RECEIPTS + 1))
    await asyncio.gather(*twice)


async def ready(middleman: Middleman, house: House, ada: Spielwerk) -> MatchClient:
    """A match with an open turn, of whose next answer nothing is heard."""
    match = ada.match(await house.open_match("ada", "bot:beginner"))
    await match.join()
    middleman.losses = 1
    return match


async def test_a_repeated_submit_carries_the_same_id_and_turn_key(house: House) -> None:
    async with middleman_before(house) as (middleman, address):
        async with Spielwerk.connect(address, token=house.token("ada"), calls=QUICK) as ada:
            match = await ready(middleman, house, ada)
            legal = await match.legal()
            update = await match.submit(legal.commands[0], legal.turn_key)
        first, again = middleman.requests(match_pb2.SubmitRequest)
    assert first == again
    assert (first.turn_key, update.version) == (legal.turn_key, legal.version + 1)


async def test_a_command_repeated_on_a_new_stream_carries_the_same_id_and_turn_key(
    house: House,
) -> None:
    async with middleman_before(house) as (middleman, address):
        token = house.token("ada")
        async with (
            Spielwerk.connect(address, token=token, calls=QUICK, streams=QUICK) as ada,
            ada.play() as stream,
        ):
            match = await ready(middleman, house, ada)
            legal = await match.legal()
            answer = await stream.submit(match, legal.commands[0], legal.turn_key)
            update = await answer
        asked = middleman.requests(match_pb2.PlayRequest)
        first, again = [command for request in asked for command in request.commands]
    assert first == again
    assert (first.turn_key, update.version) == (legal.turn_key, legal.version + 1)
