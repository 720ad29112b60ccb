"""Clause 7: what is hidden from whom until the barrier."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from games.yatzee.scripted import Match
from spielwerk.api.v1.games_pb2 import GameEvent, GameView
from spielwerk.codec import game_codec
from spielwerk.errors import Refused
from spielwerk.games.game import Seat
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import (
    DiceHeld,
    DiceRolled,
    MatchEnded,
    RoundEnded,
    RowEntered,
    Shown,
    ThrowOpened,
)
from spielwerk.games.yatzee.model import Entry, Row, Throw
from spielwerk.games.yatzee.options import LastSeat, OnBudgetExhausted, Options, Reveal, Sync
from spielwerk.games.yatzee.views import SeatView, View

OTHERS: tuple[Seat | None, ...] = (1, None)
DICE = (6, 6, 6, 1, 2)


def seen(match: Match, viewer: Seat | None, kind: type) -> list[Any]:
    return [GAME.redact(match.options, event, viewer) for event in match.of(kind)]


def seat_view(match: Match, viewer: Seat | None, seat: Seat = 0) -> SeatView:
    return GAME.view(match.state, viewer).seats[seat]


def thrown_and_held() -> Match:
    match = Match(3, spent=800)
    match.roll(0, *DICE)
    match.hold(0, 0, 1, 2)
    return match


@pytest.mark.parametrize("viewer", OTHERS)
def test_7_1_others_see_that_a_seat_has_thrown_but_not_what(viewer: Seat | None) -> None:
    match = thrown_and_held()

    assert seen(match, viewer, DiceRolled) == [DiceRolled(0, 1, 1, (), (), 800)]
    assert seen(match, 0, DiceRolled) == match.of(DiceRolled)
    view = seat_view(match, viewer)
    assert (view.status, view.throw, view.throws, view.used_ms) == ("wait", 1, (), 1600)


@pytest.mark.parametrize("viewer", OTHERS)
def test_7_1_others_see_that_a_seat_holds_but_not_what_nor_how_many(viewer: Seat | None) -> None:
    match = thrown_and_held()

    assert seen(match, viewer, DiceHeld) == [DiceHeld(0, (), 800)]
    assert seat_view(match, 0).throws == (Throw(DICE, (0, 1, 2)),)


@pytest.mark.parametrize("viewer", OTHERS)
@pytest.mark.parametrize("sync", Sync)
def test_7_1_others_see_that_a_seat_has_entered_but_neither_row_nor_points(
    viewer: Seat | None, sync: Sync
) -> None:
    match = Match(2, sync=sync)
    match.turn(0, Row.SIXES, *DICE)

    assert seen(match, viewer, RowEntered) == [RowEntered(0, None, (), 0, False, 0, 0)]
    view = seat_view(match, viewer)
    assert (view.status, view.entry, view.sheet) == ("done", None, ())
    assert view.sums.total == 0
    own = seat_view(match, 0)
    assert (own.entry, own.sums.total) == (Entry(Row.SIXES, 18), 18)


def test_7_1_a_struck_row_looks_like_any_other() -> None:
    match = Match()
    match.turn(0, Row.YATZEE, *DICE)

    assert seen(match, 1, RowEntered) == [RowEntered(0, None, (), 0, False, 0, 0)]


def test_7_1_the_sheets_of_earlier_rounds_are_public() -> None:
    match = Match()
    match.turn(0, Row.SIXES, *DICE)
    match.turn(1, Row.CHANCE)
    match.turn(0, Row.ONES, 1, 1, 1, 1, 1)

    view = seat_view(match, 1)
    assert view.sheet == (Entry(Row.SIXES, 18),)
    assert view.sums.total == 18


@pytest.mark.parametrize("viewer", [0, *OTHERS])
def test_7_2_the_next_throw_opens_dice_locks_and_rows(viewer: Seat | None) -> None:
    match = Match(3)
    match.roll(0, *DICE)
    match.hold(0, 0, 1, 2)
    match.turn(1, Row.CHANCE, 1, 2, 3, 4, 6)
    match.roll(2, 1, 1, 1, 1, 1)
    match.hold(2)

    (opened,) = seen(match, viewer, ThrowOpened)
    assert opened.seats == (
        Shown(0, (Throw(DICE, (0, 1, 2)),), None, 0, False, 0),
        Shown(1, (Throw((1, 2, 3, 4, 6)),), Row.CHANCE, 16, False, 0),
        Shown(2, (Throw((1, 1, 1, 1, 1)),), None, 0, False, 0),
    )
    views = GAME.view(match.state, viewer).seats
    assert [view.throws for view in views] == [shown.throws for shown in opened.seats]
    assert views[1].sheet == (Entry(Row.CHANCE, 16),)


@pytest.mark.parametrize("viewer", OTHERS)
def test_7_2_after_the_barrier_the_next_throw_is_hidden_again(viewer: Seat | None) -> None:
    match = Match()
    match.roll(0, *DICE)
    match.hold(0, 0, 1, 2)
    match.roll(1)
    match.hold(1)
    match.roll(0, 6, 6, 6, 6, 6)

    view = seat_view(match, viewer)
    assert (view.throw, view.throws) == (2, (Throw(DICE, (0, 1, 2)),))


@pytest.mark.parametrize("viewer", [0, *OTHERS])
def test_7_3_the_end_of_a_round_opens_all_of_it(viewer: Seat | None) -> None:
    match = Match(sync=Sync.ROUND)
    match.roll(0, *DICE)
    match.hold(0, 0, 1, 2)
    match.roll(0, 6, 6, 6, 6, 1)
    match.enter(0, Row.FOUR_OF_A_KIND)
    match.turn(1, Row.YATZEE, *DICE)

    (ended,) = seen(match, viewer, RoundEnded)
    throws = (Throw(DICE, (0, 1, 2)), Throw((6, 6, 6, 6, 1)))
    assert ended.seats == (
        Shown(0, throws, Row.FOUR_OF_A_KIND, 25, False, 0),
        Shown(1, (Throw(DICE),), Row.YATZEE, 0, True, 0),
    )
    assert [sums.total for sums in ended.sums] == [25, 0]


@pytest.mark.parametrize("viewer", OTHERS)
def test_7_4_with_live_dice_everything_is_seen_at_once(viewer: Seat | None) -> None:
    match = Match(3, reveal=Reveal.LIVE)
    match.roll(0, *DICE)
    match.hold(0, 0)
    match.turn(1, Row.CHANCE)

    for kind in (DiceRolled, DiceHeld, RowEntered):
        assert seen(match, viewer, kind) == match.of(kind)
    assert seat_view(match, viewer).throws == (Throw(DICE, (0,)),)
    assert seat_view(match, viewer, 1).entry == match.state.places[1].own.entry


@pytest.mark.parametrize("viewer", OTHERS)
def test_7_5_a_match_that_breaks_off_opens_the_unfinished_round(viewer: Seat | None) -> None:
    match = Match()
    match.turn(0, Row.SIXES, *DICE)
    match.leave(1)

    (ended,) = seen(match, viewer, MatchEnded)
    assert ended.unfinished[0] == Shown(0, (Throw(DICE),), Row.SIXES, 18, False, 0)
    assert seat_view(match, viewer).sheet == (Entry(Row.SIXES, 18),)


def test_7_5_a_match_that_is_played_out_has_nothing_left_to_open() -> None:
    match = Match()
    match.play_to_the_end()

    assert match.of(MatchEnded)[0].unfinished == ()


# Two worlds that differ only in what the viewer may not see


class Loaded:
    """Dice of one seat, from one round on, come from another seed; all others are the same."""

    def __init__(self, seat: Seat, other: int) -> None:
        self._seat, self._other = seat, other

    def die(self, label: str) -> int:
        _, _, seat, *_ = label.split("/")
        seed = self._other if int(seat) == self._seat else 0
        return random.Random(f"{seed} {label}").randint(1, 6)

    def shuffle(self, label: str, order: Sequence[Any]) -> tuple[Any, ...]:
        raise AssertionError(label, order)

    def choose(self, label: str, options: Sequence[Any]) -> Any:
        raise AssertionError(label, options)


@pytest.mark.parametrize("sync", Sync)
@pytest.mark.parametrize("seed", range(25))
def test_7_hidden_dice_and_choices_change_nothing_for_the_others(seed: int, sync: Sync) -> None:
    """Seat 0 throws other dice, holds others and enters other rows; seats 1 and 2 do not."""
    rng = random.Random(f"{seed} {sync}")
    rules = Options(
        sync=sync,
        on_budget_exhausted=rng.choice(list(OnBudgetExhausted)),
        last_seat=LastSeat.PLAYS_ON,
    )
    one = Match(3, rules, chance=Loaded(0, 1), spent=500)
    other = Match(3, rules, chance=Loaded(0, 2), spent=500)
    differed = 0
    for _ in range(30):
        seat = rng.choice(sorted(GAME.turns(one.state)))
        move = rng.choice(GAME.legal(one.state, seat))
        alike = GAME.legal(other.state, seat)
        same_kind = [c for c in alike if type(c) is type(move)]
        one.give(seat, move)
        try:
            other.give(seat, rng.choice(same_kind) if seat == 0 else move)
        except Refused:
            return
        if barriers(one) or barriers(other):
            break
        differed += one.state != other.state
        for viewer in (1, 2, None):
            assert message_bytes(one, viewer) == message_bytes(other, viewer)
    assert differed or not one.state.places[0].own.throws


def barriers(match: Match) -> list[Any]:
    return match.of(ThrowOpened, RoundEnded, MatchEnded)


def message_bytes(match: Match, viewer: Seat | None) -> list[bytes]:
    """What goes over the wire to the viewer: the view and every event."""
    codec = game_codec(GAME)
    view = GameView()
    codec.fill_view(GAME.view(match.state, viewer), view)
    written = [view.SerializeToString(deterministic=True)]
    for event in match.events:
        message = GameEvent()
        codec.fill_event(GAME.redact(match.options, event, viewer), message)
        written.append(message.SerializeToString(deterministic=True))
    return written


def test_7_what_a_viewer_was_told_is_what_its_view_shows() -> None:
    """Nobody needs the view to know what the barrier's events opened, and the other way round."""
    match = Match(5, sync=Sync.THROW)
    rng = random.Random(5)
    while match.state.reason is None:
        seat = rng.choice(sorted(GAME.turns(match.state)))
        match.give(seat, rng.choice(GAME.legal(match.state, seat)))
        opened = [e for e in match.events if isinstance(e, ThrowOpened | RoundEnded)]
        if isinstance(match.events[-1], ThrowOpened):
            for shown, view in zip(opened[-1].seats, spectator(match).seats, strict=True):
                assert (view.seat, view.throws) == (shown.seat, shown.throws)
                assert (view.entry.row if view.entry else None) == shown.row


def spectator(match: Match) -> View:
    return GAME.view(match.state, None)
