"""Matches that differ only in what a viewer may not know look the same to it, in every byte."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from audit.houses import houses, looking, store
from audit.looking import look_at_everything
from audit.pairs import records_alike, short_pair, some_change
from audit.worlds import Plan, World, world
from games.playing import EVERY_GAME, facts, random_options
from rules.conftest import Rules
from spielwerk import codec
from spielwerk.api.v1 import match_pb2
from spielwerk.codec import game_codec
from spielwerk.errors import Refused
from spielwerk.games.game import AnyGame, Seat
from spielwerk.match import decide, views
from spielwerk.match.model import CauseKind

__all__ = ["houses"]

_MATCHES = 4
_CHANGES = 8
_RECORDS = 40
_REFUSED = 12


@EVERY_GAME
def test_hi_01_what_a_viewer_is_told_does_not_depend_on_what_it_may_not_know(
    game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beginnings of matches under random house rules: all updates and views, in memory."""
    blind = dict.fromkeys((*range(max(2, game.seats[0])), None), 0)
    for one, other in pairs(game, monkeypatch):
        for viewer in blind:
            records = records_alike(one, other, viewer)
            assert one.told(viewer)[:records] == other.told(viewer)[:records]
            blind[viewer] += one.table.stored[:records] != other.table.stored[:records]
    assert all(blind.values()), "some viewer always knew"


def pairs(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, World]]:
    """Matches and the same ones with one draw or one hidden choice that falls otherwise."""
    rng = random.Random(f"pairs {game.key}")
    for number in range(_MATCHES):
        options = random_options(game, rng) if number else game.options()
        wits = 0.5 * (number % 2)  # random moves seldom come to all that there is
        plan = Plan(game, number, options, lambda t: len(t.stored) >= _RECORDS, wits)
        one = world(plan, monkeypatch)
        for _ in range(_CHANGES):
            change = some_change(one, rng)
            yield one, world(plan, monkeypatch, commands=one.commands, change=change)


@EVERY_GAME
async def test_hi_01_every_call_answers_the_same_in_worlds_that_must_look_alike(
    game: AnyGame, houses: list[Rules], monkeypatch: pytest.MonkeyPatch
) -> None:
    """View, legal commands, history, watches, Play stream, audit calls and refused commands of
    each seat and a spectator, over the real API of two installations."""
    for number, viewer in enumerate((*range(max(2, game.seats[0])), None), start=1):
        mine, theirs = short_pair(viewer, game, number, monkeypatch)
        refused = refused_in_both(mine, theirs, viewer, random.Random(number))
        received = []
        for rules, one in zip(houses, (mine, theirs), strict=True):
            await store(rules, one.table.stored)
            async with looking(rules, one.seats, viewer) as eye:
                await look_at_everything(eye, one.table.match_id, one.seats, len(one.table.stored))
                for request in refused:
                    await eye.call("Submit", request)
            received.append(eye.raw)
        assert received[0] == received[1]
        assert len(received[0]) > 10 + len(refused)


def refused_in_both(
    mine: World, theirs: World, viewer: Seat | None, rng: random.Random
) -> list[match_pb2.SubmitRequest]:
    """What others could play, or will, tried by the viewer: refused in both worlds; and a command
    for a turn that there never was."""
    match, game = mine.now, mine.now.game
    others = [seat for seat in range(mine.seats) if seat != viewer]
    commands = [command for seat in others for command in game.legal(match.state, seat)]
    commands += [command for seat, command in mine.commands if seat != viewer]
    some = rng.sample(commands, min(_REFUSED, len(commands)))
    bad = [c for c in some if all(is_refused(one, viewer, c) for one in (mine, theirs))]
    turn = match.turns.get(viewer) if viewer is not None else None
    tried = [(command, turn.key if turn else "") for command in bad]
    requests = []
    for number, (command, key) in enumerate([*tried, (mine.commands[0][1], "never")]):
        request = match_pb2.SubmitRequest(
            match_id=match.match_id, command_id=f"refused{number}", turn_key=key
        )
        game_codec(game).fill_command(command, request.command)
        requests.append(request)
    return requests


def is_refused(one: World, viewer: Seat | None, command: Any) -> bool:
    if viewer is None:
        return True
    match = one.now
    try:
        decide.submit(match, CauseKind.PLAYER, viewer, "try", command, "", match.recorded_at_ms)
    except Refused:
        return True
    return False


@EVERY_GAME
def test_hi_01_an_event_that_is_told_whole_by_mistake_is_noticed(
    game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worlds above differ in everything that a game hides: each kind of event is told whole to
    everybody in turn."""
    worlds = list(pairs(game, monkeypatch))
    for kind in hidden_kinds(one for one, _ in worlds[::_CHANGES]):
        with monkeypatch.context() as patched:
            tell_whole(kind, patched)
            assert any(looks_different(*pair) for pair in worlds), kind


def hidden_kinds(worlds: Iterable[World]) -> set[type]:
    """Events of which not everybody is told all."""
    found = set()
    for one in worlds:
        known, options = facts(one.table.now.game), one.table.now.opened.options
        events = [event for record in one.records() for event in record.events]
        viewers = (*range(one.seats), None)
        found |= {type(e) for e in events if any(known.told(options, e, v) != e for v in viewers)}
    return found


def tell_whole(kind: type, patched: pytest.MonkeyPatch) -> None:
    redacted = views.visible_event

    def visible_event(game: AnyGame, options: Any, event: Any, viewer: Seat | None) -> Any:
        return event if isinstance(event, kind) else redacted(game, options, event, viewer)

    patched.setattr(views, "visible_event", visible_event)
    patched.setattr(codec.match, "visible_event", visible_event)


def looks_different(one: World, other: World) -> bool:
    """Whether some viewer could tell the worlds apart."""
    for viewer in (*range(one.seats), None):
        records = records_alike(one, other, viewer)
        if one.told(viewer)[:records] != other.told(viewer)[:records]:
            return True
    return False
