"""What every game must keep, with the full table: five seats, each with its whole budget."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from games.playing import Playing
from spielwerk.api.v1 import games_pb2
from spielwerk.codec import game_codec
from spielwerk.errors import StaleTurn
from spielwerk.games.game import TimeOut
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.options import Options, Reveal, Sync, YatzeeBonus

HOUSE_RULES = [
    Options(),
    Options(sync=Sync.ROUND, reveal=Reveal.LIVE, yatzee_bonus=YatzeeBonus.HASBRO),
]
EVERY = pytest.mark.parametrize("options", HOUSE_RULES, ids=["throw", "round"])


def moments(options: Options, timeouts: float = 0.002) -> Iterator[Playing]:
    """A match before each of its commands, and at its end."""
    match, rng = Playing(GAME, options, 5, seed=55), random.Random(f"five {options}")
    while not match.over:
        yield match
        match.random_move(rng, timeouts)
    yield match


@EVERY
def test_every_legal_command_is_accepted_and_every_turn_may_time_out(options: Options) -> None:
    for match in moments(options):
        for seat, turn in match.turns.items():
            assert all(match.decide(seat, command) for command in GAME.legal(match.state, seat))
            assert match.decide(None, TimeOut(seat, turn.key))
            with pytest.raises(StaleTurn):
                match.decide(None, TimeOut(seat, turn.key + "x"))


@EVERY
def test_turn_keys_are_unique_and_stay_while_others_move(options: Options) -> None:
    closed: set[tuple[int, str]] = set()
    before: dict[int, str] = {}
    for match in moments(options):
        now = {seat: turn.key for seat, turn in match.turns.items()}
        gone = set(before.items()) - set(now.items())
        assert not closed & set(now.items())
        if match.commands and match.state.reason is None:
            actor, command = match.commands[-1]
            mover = command.seat if isinstance(command, TimeOut) else actor
            assert {seat for seat, _ in gone} <= {mover}
        closed |= gone
        before = now


@EVERY
def test_everything_survives_the_wire(options: Options) -> None:
    codec = game_codec(GAME)
    *_, match = moments(options, timeouts=0)
    for viewer in match.viewers:
        for event in match.seen(match.events, viewer):
            stored = games_pb2.GameEvent()
            codec.fill_event(event, stored)
            assert codec.read_event(stored) == event
        view, message = GAME.view(match.state, viewer), games_pb2.GameView()
        codec.fill_view(view, message)
        assert codec.read_view(message) == view


@EVERY
def test_a_match_ends_when_everybody_falls_silent(options: Options) -> None:
    for step, match in enumerate(moments(options)):
        if step == 100:
            silent = match
            break
    while not silent.over:
        silent.expire(max(silent.turns))

    result = GAME.result(silent.state)
    assert result is not None
    assert len(result.standings) == 5
