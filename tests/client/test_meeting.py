"""Matchmaking and rankings with the client, against the real services."""

from __future__ import annotations

import asyncio

import pytest

from client.house import House
from client.playing import play_on
from spielwerk.client import PeriodKind, RematchState, RoomState, Spielwerk, TicketState
from spielwerk.errors import BadOptions, FailedPrecondition, NotFound, PermissionDenied
from spielwerk.games.cribbage.options import Options
from spielwerk.match.model import Bot, Human, Origin


async def paired(*clients: Spielwerk) -> str:
    """The id of a queue match of these clients; the usual house rules, so that it is rated."""
    tickets = [await c.matchmaking.enqueue("cribbage") for c in clients]
    waits = (
        client.matchmaking.wait_ticket(ticket.ticket_id)
        for client, ticket in zip(clients, tickets, strict=True)
    )
    matched = await asyncio.gather(*waits)
    assert {ticket.state for ticket in matched} == {TicketState.MATCHED}
    assert {ticket.seat for ticket in matched} == set(range(len(clients)))
    assert matched[0].match_id is not None
    return matched[0].match_id


async def test_two_players_meet_in_the_queue_and_are_ranked(installed: House) -> None:
    async with installed.client("ada") as ada, installed.client("ben") as ben:
        match_id = await paired(ada, ben)
        for client in (ada, ben):
            await client.match(match_id).join()
        await asyncio.gather(*(play_on(client.match(match_id)) for client in (ada, ben)))
        async with asyncio.timeout(30):
            while (await ada.rankings.board("cribbage")).players < 2:
                await asyncio.sleep(0.02)
        board = await ada.rankings.board("cribbage", PeriodKind.YEAR)
        around = await ada.rankings.around("cribbage", radius=1)
        stats = await ben.rankings.stats("cribbage")
        entries = [entry async for entry in ada.rankings.entries("cribbage")]
    assert [entry.player_id for entry in board.entries] == [e.player_id for e in entries]
    assert {entry.player_id for entry in around.entries} == {"ada", "ben"}
    assert [s.period.kind for s in stats] == list(PeriodKind)
    assert all(s.entry is not None and s.entry.games == 1 for s in stats)


async def test_a_player_without_a_game_is_not_ranked(installed: House) -> None:
    async with installed.client("ada") as ada:
        with pytest.raises(NotFound) as refused:
            await ada.rankings.around("cribbage")
        stats = await ada.rankings.stats("cribbage")
    assert refused.value.reason == "not_ranked"
    assert {s.entry for s in stats} == {None}


async def test_a_cancelled_ticket_is_over(installed: House) -> None:
    async with installed.client("ada") as ada:
        ticket = await ada.matchmaking.enqueue("cribbage")
        assert ticket.state is TicketState.WAITING
        assert (await ada.matchmaking.cancel(ticket.ticket_id)).state is TicketState.CANCELLED
        waited = await ada.matchmaking.wait_ticket(ticket.ticket_id)
    assert (waited.state, waited.reason) == (TicketState.CANCELLED, "cancelled")


async def test_a_second_ticket_for_the_same_queue_is_refused(installed: House) -> None:
    async with installed.client("ada") as ada:
        ticket = await ada.matchmaking.enqueue("cribbage")
        with pytest.raises(FailedPrecondition) as refused:
            await ada.matchmaking.enqueue("cribbage")
        opened = await ada.matchmaking.open()
    assert refused.value.metadata == {"ticket_id": ticket.ticket_id}
    assert [t.ticket_id for t in opened.tickets] == [ticket.ticket_id]


async def test_a_room_fills_and_starts(installed: House) -> None:
    async with installed.client("ada") as ada, installed.client("ben") as ben:
        room = await ada.matchmaking.create_room("cribbage", {"target": 61}, seat=1)
        assert room.seats == (None, Human("ada"))
        joined, seat = await ben.matchmaking.join_room(room.code)
        assert (seat, joined.seats) == (0, (Human("ben"), Human("ada")))
        async with ben.matchmaking.watch_room(room.code) as changes:
            await anext(changes)
            match_id = await ada.matchmaking.start_room(room.code)
            states = [change.state async for change in changes]
        place = await ben.match(match_id).join()
    assert states[-1] is RoomState.STARTED
    assert place.seat == 0


async def test_a_bot_takes_a_seat_in_a_room(installed: House) -> None:
    async with installed.client("ada") as ada:
        room = await ada.matchmaking.create_room("cribbage")
        with_bot = await ada.matchmaking.set_bot(room.code, 1, "expert")
        moved = await ada.matchmaking.set_bot(room.code, 1)
        here = await ada.matchmaking.room(room.code)
        await ada.matchmaking.leave_room(room.code)
    assert isinstance(with_bot.seats[1], Bot)
    assert moved.seats == here.seats == (Human("ada"), None)


async def test_a_wrong_code_opens_nothing(installed: House) -> None:
    async with installed.client("ada") as ada:
        with pytest.raises(PermissionDenied):
            await ada.matchmaking.join_room("0000-0000-0000")


async def test_practice_takes_the_rules_that_are_asked_for(installed: House) -> None:
    async with installed.client("ada") as ada:
        practice = await ada.matchmaking.practice("cribbage", {"target": 61}, seat=1)
        view = await ada.match(practice.match_id).view()
        opened = await ada.matchmaking.open()
    assert practice.seat == view.seat == 1
    assert view.opened.options.target == 61
    assert view.opened.options.action_timeout_s == 0
    assert [m.origin for m in opened.matches] == [Origin.PRACTICE]


async def test_complete_options_are_taken_as_they_are(installed: House) -> None:
    options = Options(target=61, action_timeout_s=30)
    async with installed.client("ada") as ada:
        practice = await ada.matchmaking.practice("cribbage", options)
        view = await ada.match(practice.match_id).view()
    assert view.opened.options == options


async def test_an_unknown_or_forbidden_option_is_refused_before_the_call(installed: House) -> None:
    async with installed.client("ada") as ada:
        for wishes in ({"goal": 61}, {"target": 62}, {"first_dealer": "me"}):
            with pytest.raises(BadOptions):
                await ada.matchmaking.practice("cribbage", wishes)
        assert (await ada.matchmaking.open()).matches == ()


async def test_both_agree_to_a_rematch(installed: House) -> None:
    async with installed.client("ada") as ada, installed.client("ben") as ben:
        match_id = await paired(ada, ben)
        for client in (ada, ben):
            await client.match(match_id).join()
        await ada.match(match_id).resign()
        async with asyncio.timeout(20):
            while (await ada.matchmaking.open()).matches:
                await asyncio.sleep(0.01)
        offered = await ada.matchmaking.rematch(match_id)
        await ben.matchmaking.rematch(match_id)
        async with ada.matchmaking.watch_rematch(match_id) as changes:
            last = [offer async for offer in changes][-1]
    assert (offered.state, offered.player_ids) == (RematchState.OFFERED, ("ada",))
    assert last.state is RematchState.AGREED
    assert last.match_id not in (None, match_id)


async def test_the_installation_tells_its_games_and_rules(installed: House) -> None:
    async with Spielwerk.connect(installed.address) as anybody:
        info = await anybody.server_info()
        games = await anybody.games()
        rules = await anybody.rules("cribbage", "de")
    assert info.games == games
    assert "cribbage" in [game.game for game in games]
    assert {option.name for option in rules.options} >= {"target", "skunk"}
    assert any(clause.number == "5.1" for clause in rules.clauses)
