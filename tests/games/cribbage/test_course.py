"""Clauses 3 and 4: dealer, deal and crib."""

from __future__ import annotations

import pytest

from games.cribbage.scripted import FIRST_DEALER, Match, cards, dealt, kept
from spielwerk.cards import Card, french_pack
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardsDealt,
    Command,
    CribDiscarded,
    CutForDeal,
    DealerChosen,
    DealStarted,
    Discard,
    Go,
    Play,
    PlayStarted,
    Scored,
    StarterCut,
)
from spielwerk.games.cribbage.model import ScoredFor
from spielwerk.games.cribbage.options import FirstDealer, Options
from spielwerk.games.game import Resign

LOW = ("AC 2C 3C 4C 5C 6C", "AD 2D 3D 4D 5D 6D")
TENS = ("KC KD QC QD", "9H 9S 8H 8S")
TENS_PLAYED = ("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")


def refusal(match: Match, seat: int | None, command: Command) -> str:
    before = match.state
    with pytest.raises(Illegal) as refused:
        match.give(seat, command)
    assert match.state is before
    return refused.value.reason


# 3 Dealer


def test_3_2_the_lower_rank_deals() -> None:
    match = Match(Options(), decks={"cut/1/1": cards("7C 3D")})

    assert match.events[:3] == [
        CutForDeal(0, Card.parse("7C")),
        CutForDeal(1, Card.parse("3D")),
        DealerChosen(1),
    ]
    assert match.state.deal is not None
    assert match.state.deal.dealer == 1


def test_3_1_the_first_dealer_can_be_random() -> None:
    match = Match(Options(first_dealer=FirstDealer.RANDOM), decks={"dealer/1": 1})  # type: ignore[dict-item]

    assert match.events[0] == DealerChosen(1)
    assert match.chance.drawn == ["dealer/1", "deal/1/1"]


@pytest.mark.parametrize("seat", [0, 1])
def test_3_1_the_first_dealer_can_be_a_fixed_seat(seat: int) -> None:
    match = Match(Options(first_dealer=FIRST_DEALER[seat]))

    assert match.events[0] == DealerChosen(seat)
    assert match.chance.drawn == ["deal/1/1"]


def test_3_3_the_deal_alternates() -> None:
    match = kept(*TENS, starter="2C", dealer=0)
    events = match.play(*TENS_PLAYED)

    started = [event for event in events if isinstance(event, DealStarted)]
    assert [(event.deal_no, event.dealer) for event in started] == [(2, 1)]
    assert match.chance.drawn == ["deal/1/1", "deal/1/2"]


def test_3_4_the_first_deal_alternates_from_game_to_game() -> None:
    match = kept(*TENS, starter="2C", dealer=0, front=(0, 119), games_to_win=2)
    events = match.play(*TENS_PLAYED)

    started = [event for event in events if isinstance(event, DealStarted)]
    assert [(event.game_no, event.deal_no, event.dealer) for event in started] == [(2, 1, 1)]
    assert match.chance.drawn == ["deal/1/1", "deal/2/1"]


# 4 Deal and crib


def test_4_1_cards_go_one_by_one_to_the_non_dealer_first() -> None:
    match = Match(Options(first_dealer=FirstDealer.SEAT_0), decks={"deal/1/1": french_pack()})

    dealt_events = [event for event in match.events if isinstance(event, CardsDealt)]

    assert dealt_events == [
        CardsDealt(1, french_pack()[0:12:2], 6),
        CardsDealt(0, french_pack()[1:12:2], 6),
    ]


def test_4_1_the_13th_card_is_the_starter() -> None:
    match = Match(Options(first_dealer=FirstDealer.SEAT_0), decks={"deal/1/1": french_pack()})
    match.give(0, GAME.legal(match.state, 0)[0])
    events = match.give(1, GAME.legal(match.state, 1)[0])

    assert StarterCut(french_pack()[12]) in events


def test_4_2_each_seat_lays_two_cards_away_in_any_order() -> None:
    match = dealt(*LOW, dealer=0)
    assert set(GAME.turns(match.state)) == {0, 1}

    assert match.give(1, Discard(cards("5D 6D"))) == (CribDiscarded(1, cards("5D 6D"), 2),)
    assert set(GAME.turns(match.state)) == {0}
    events = match.give(0, Discard(cards("AC 6C")))

    assert isinstance(events[-1], PlayStarted)
    assert match.state.table.hand == (cards("2C 3C 4C 5C"), cards("AD 2D 3D 4D"))
    assert match.state.deal is not None
    assert set(match.state.deal.crib) == set(cards("5D 6D AC 6C"))


def test_4_2_there_are_fifteen_discards_and_all_are_accepted() -> None:
    match = dealt(*LOW)
    offered = GAME.legal(match.state, 0)

    assert len(set(offered)) == 15
    for command in offered:
        assert GAME.decide(match.state, 0, command, match.context)


def test_4_3_a_jack_as_starter_scores_two_for_the_dealer() -> None:
    match = kept("2C 3C 4C 5C", "2D 3D 4D 5D", starter="JS", dealer=1)

    assert match.events[-3:] == [
        StarterCut(Card.parse("JS")),
        Scored(1, ScoredFor.HEELS, 2, 2),
        PlayStarted(0),
    ]


def test_4_3_heels_can_be_switched_off() -> None:
    match = kept("2C 3C 4C 5C", "2D 3D 4D 5D", starter="JS", dealer=1, heels=0)

    assert match.state.front == (0, 0)
    assert not any(isinstance(event, Scored) for event in match.events)


def test_4_3_another_starter_scores_nothing() -> None:
    match = kept("2C 3C 4C 5C", "2D 3D 4D 5D", starter="QS", dealer=1)

    assert not any(isinstance(event, Scored) for event in match.events)


@pytest.mark.parametrize(
    "names", ["", "5C", "5C 5C", "5C 6C AC", "5C 5D", "5D 6D"], ids=lambda names: names or "none"
)
def test_4_4_a_discard_is_two_different_own_cards(names: str) -> None:
    match = dealt(*LOW)

    assert refusal(match, 0, Discard(cards(names))) == "bad_discard"


def test_4_4_a_second_discard_is_refused() -> None:
    match = dealt(*LOW)
    match.give(0, Discard(cards("5C 6C")))

    assert refusal(match, 0, Discard(cards("AC 2C"))) == "already_discarded"


def test_4_4_commands_of_another_phase_are_refused() -> None:
    match = dealt(*LOW, auto_go=False)
    assert refusal(match, 0, Play(Card.parse("AC"))) == "wrong_phase"
    assert refusal(match, 0, Go()) == "wrong_phase"

    match.give(0, Discard(cards("5C 6C")))
    match.give(1, Discard(cards("5D 6D")))
    assert refusal(match, 0, Discard(cards("AC 2C"))) == "wrong_phase"


def test_4_4_the_reasons_are_checked_in_order() -> None:
    match = kept("KC QC 9C 5C", "KD QD 9D AD", dealer=1)
    match.play("KC", "KD", "5C")

    assert refusal(match, 2, Discard(())) == "not_a_player"
    assert refusal(match, None, Play(Card.parse("9D"))) == "not_a_player"
    assert refusal(match, 0, Play(Card.parse("2H"))) == "not_your_turn"
    assert refusal(match, 1, Play(Card.parse("KC"))) == "not_your_card"
    assert refusal(match, 1, Play(Card.parse("KD"))) == "not_your_card"
    assert refusal(match, 1, Play(Card.parse("QD"))) == "over_31"
    match.give(0, Resign())
    assert refusal(match, 2, Go()) == "match_over"


def test_4_4_what_is_no_command_of_the_game_is_refused() -> None:
    assert refusal(dealt(*LOW), 0, "roll") == "bad_command"  # type: ignore[arg-type]


def test_4_5_the_order_of_the_discards_changes_nothing() -> None:
    first, second = dealt(*LOW), dealt(*LOW)
    commands = {0: Discard(cards("5C 6C")), 1: Discard(cards("AD 6D"))}
    for seat in (0, 1):
        first.give(seat, commands[seat])
    for seat in (1, 0):
        second.give(seat, commands[seat])

    assert first.state == second.state
