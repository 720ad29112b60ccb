"""Clause 10: refusals in order, the next deal, legal lists, resigning, restarting."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from games.guandan.scripted import Match, after_deal, cards, play, return_of, table, whole
from spielwerk.cards import Rank
from spielwerk.games.game import Resign
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.messages import (
    Command,
    DealEnded,
    DealStarted,
    LeaderDrawn,
    MatchRestarted,
    MatchStarted,
    MatchWon,
    NextDeal,
    Pass,
    Resigned,
    Restart,
    RestartProposed,
    ReturnCard,
)
from spielwerk.games.guandan.model import EndReason, Phase

RETURNING = ("RJ 3S JS", "AS", "RJ 4S", "AD BJ")


def returning() -> Match:
    match = after_deal((0, 2, 1, 3), whole(*RETURNING), level="9")
    match.give(0, NextDeal())
    return match


def over() -> Match:
    match = Match().begin()
    match.give(0, Resign())
    return match


@pytest.mark.parametrize(
    ("seat", "command", "reason"),
    [
        (1, play("4S"), "not_your_turn"),
        (1, Pass(), "not_your_turn"),
        (1, play("AS"), "not_your_turn"),
        (0, Pass(), "leader_must_play"),
        (0, play("AS 4S"), "cards_not_in_hand"),
        (0, play("3S 3S"), "cards_not_in_hand"),
        (0, play(""), "not_a_combination"),
        (0, play("3S 4D"), "not_a_combination"),
        (0, play("3S 4D", "pair", "3"), "not_a_combination"),
        (0, play("3S", "pair", "3"), "bad_declaration"),
        (0, play("3S", "single", "4"), "bad_declaration"),
        (0, play("4D 5D 6D 9H 9H"), "ambiguous"),
        (0, return_of("3S"), "wrong_phase"),
        (0, NextDeal(), "wrong_phase"),
        (4, Pass(), "not_a_player"),
        (None, Pass(), "not_a_player"),
    ],
)
def test_10_1_a_leaders_commands_are_refused_in_this_order(
    seat: int | None, command: Command, reason: str
) -> None:
    match = table("3S 4D 5D 6D 9H 9H", "4S", "5S", "6S", level="9")

    assert match.refusal(seat, command) == reason


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (play("TD"), "cards_not_in_hand"),
        (play("4D 7D"), "not_a_combination"),
        (play("5D 5S", "single", "5"), "bad_declaration"),
        (play("5D 5S"), "does_not_beat"),
        (play("5D 5S", "pair", "5"), "does_not_beat"),
        (play("3C 3D 4D"), "not_a_combination"),
        (play("7D 9H 9H"), "does_not_beat"),
    ],
)
def test_10_1_a_followers_commands_are_refused_in_this_order(command: Command, reason: str) -> None:
    match = table("6S 6D KS", "3C 3D 4D 5D 5S 7D 9H 9H", "5S", "6S", level="9")
    match.play("6S 6D")

    assert match.refusal(1, command) == reason


@pytest.mark.parametrize(
    ("seat", "command", "reason"),
    [
        (0, play("3S"), "wrong_phase"),
        (0, Pass(), "wrong_phase"),
        (1, return_of("3S"), "no_return_pending"),
        (1, return_of("AS"), "no_return_pending"),
        (0, return_of("TS"), "cards_not_in_hand"),
        (0, return_of("RJ"), "illegal_return"),
        (0, return_of("JS"), "illegal_return"),
    ],
)
def test_10_1_returns_are_refused_in_this_order(seat: int, command: Command, reason: str) -> None:
    assert returning().refusal(seat, command) == reason


def test_10_1_a_second_return_is_refused() -> None:
    match = returning()
    match.give(0, return_of("3S"))

    assert match.refusal(0, return_of("3S")) == "no_return_pending"


@pytest.mark.parametrize("command", [Pass(), play("3S"), NextDeal(), Restart(), Resign()])
def test_10_1_after_the_end_everything_is_refused(command: Command) -> None:
    assert over().refusal(1, command) == "match_over"


def test_10_1_a_refusal_lists_the_readings() -> None:
    match = table("4D 5D 6D 9H 9H 9S", "4S", "5S", "6S", level="9")
    with pytest.raises(Exception, match="bad declaration") as refused:
        match.play("4D 5D 6D 9H 9H", "triple", "4")

    readings = refused.value.metadata["readings"]  # type: ignore[attr-defined]
    assert readings == (
        "straight 6, straight 7, straight 8, straight_flush 6, straight_flush 7, straight_flush 8"
    )


@pytest.mark.parametrize("seat", range(4))
def test_10_2_any_persons_seat_starts_the_next_deal(seat: int) -> None:
    match = after_deal((0, 2, 1, 3))

    assert GAME.legal(match.state, seat) == (NextDeal(),)
    events = match.give(seat, NextDeal())
    assert isinstance(events[0], DealStarted)
    assert not events[0].auto


def test_10_2_bots_have_no_turn_between_deals() -> None:
    match = after_deal((0, 2, 1, 3), bots=(1, 2, 3))

    assert set(GAME.turns(match.state)) == {0}
    assert match.refusal(1, NextDeal()) == "not_your_turn"


def test_10_2_among_bots_the_next_deal_starts_in_the_same_decision() -> None:
    match = Match(bots=range(4)).begin()
    while not match.told(DealEnded):
        seat = match.state.table.turn
        assert seat is not None
        match.give(seat, GAME.legal(match.state, seat)[-1])

    assert isinstance(match.events[match.events.index(match.told(DealEnded)[0]) + 1], DealStarted)
    assert match.state.progress.deal_no == 2


def test_10_3_the_legal_list_has_one_command_for_each_play_by_rank() -> None:
    match = table("3S 3D 3C 4S", "4S", "5S", "6S")
    texts = {" ".join(map(str, c.cards)) for c in GAME.legal(match.state, 0) if hasattr(c, "cards")}

    assert texts == {"3C", "3C 3D", "3C 3D 3S", "4S"}
    assert match.play("3D 3S")


def test_10_3_cards_of_a_straight_flush_are_spared() -> None:
    match = table("5C 5S 6S 7S 8S 9S 9D", "4S", "5S", "6S")
    texts = {" ".join(map(str, c.cards)) for c in GAME.legal(match.state, 0) if hasattr(c, "cards")}

    assert {"5C", "9D", "5S 6S 7S 8S 9S"} <= texts
    assert not texts & {"5S", "9S"}


def test_10_3_only_the_seat_that_must_act_has_legal_commands() -> None:
    match = returning()

    assert [bool(GAME.legal(match.state, seat)) for seat in range(4)] == [True, False, True, False]
    assert ReturnCard(cards("3S")[0]) in GAME.legal(match.state, 0)


@pytest.mark.parametrize("seat", range(4))
def test_10_4_who_resigns_loses_the_match_for_its_team(seat: int) -> None:
    match = Match().begin()
    events = match.give(seat, Resign())

    assert events == (Resigned(seat), MatchWon(1 - seat % 2, EndReason.RESIGNED))
    result = GAME.result(match.state)
    assert result is not None
    assert [standing.won for standing in result.standings] == [
        other % 2 != seat % 2 for other in range(4)
    ]


@pytest.mark.parametrize("phase", [Phase.PLAY, Phase.RETURN, Phase.DEAL_OVER])
def test_10_5_a_match_begins_again_when_every_persons_seat_agrees(phase: Phase) -> None:
    start: dict[Phase, Callable[[], Match]] = {
        Phase.PLAY: lambda: Match().begin(),
        Phase.RETURN: returning,
        Phase.DEAL_OVER: lambda: after_deal((0, 2, 1, 3), level="9"),
    }
    match = start[phase]()
    assert match.state.phase is phase
    before = match.state.progress
    for seat in (2, 0, 1):
        assert match.give(seat, Restart()) == (RestartProposed(seat),)
    assert list(match.state.agreed) == [2, 0, 1]
    events = match.give(3, Restart())

    assert [type(event) for event in events] == [
        RestartProposed,
        MatchRestarted,
        MatchStarted,
        DealStarted,
        LeaderDrawn,
    ]
    after = match.state.progress
    assert after.levels == (Rank.TWO, Rank.TWO)
    assert (after.game_no, after.deal_no, after.last_deal) == (before.game_no + 1, 1, None)
    assert (match.state.agreed, match.state.phase) == ((), Phase.PLAY)


def test_10_5_bots_agree_beforehand() -> None:
    match = Match(bots=(1, 2, 3)).begin()

    assert match.refusal(2, Restart()) == "already_agreed"
    assert MatchRestarted() in match.give(0, Restart())
    assert match.state.bots == (1, 2, 3)


def test_10_5_a_seat_says_it_once() -> None:
    match = Match().begin()
    match.give(1, Restart())

    assert match.refusal(1, Restart()) == "already_agreed"


def test_10_5_a_played_card_withdraws_the_proposal_and_a_pass_does_not() -> None:
    match = table("3S 4S", "5S 6S", "7S 8S", "9S TS")
    match.give(2, Restart())
    match.play("3S")
    assert list(match.state.agreed) == []

    match.give(2, Restart())
    match.play("")
    assert list(match.state.agreed) == [2]


def test_10_5_a_new_deal_withdraws_the_proposal() -> None:
    match = after_deal((0, 2, 1, 3))
    match.give(2, Restart())
    match.give(0, NextDeal())

    assert match.state.agreed == ()


def test_10_5_restarting_is_accepted_at_any_time_and_never_listed() -> None:
    match = Match().begin()

    assert Restart() not in GAME.legal(match.state, 0)
    assert match.give(0, Restart())
