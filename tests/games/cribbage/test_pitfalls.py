"""Bugs that other programs of this game had, each with its concrete case."""

from __future__ import annotations

import pytest

from games.cribbage.scripted import Match, cards, kept
from spielwerk.cards import Card
from spielwerk.chance import HmacChance
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.counting import show
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CutForDeal,
    DealerChosen,
    Discard,
    GameEnded,
    Go,
    GoDeclared,
    HandCounted,
    Play,
    PlayStarted,
    Scored,
)
from spielwerk.games.cribbage.model import (
    COUNT_VALUE,
    PIPS,
    PlayPoints,
    ScoredFor,
    ShowPoints,
    Skunk,
)
from spielwerk.games.cribbage.options import Options
from spielwerk.games.cribbage.pegging import play_points


def laid(names: str) -> list[PlayPoints]:
    pips = [PIPS[card.rank] for card in cards(names)]
    counts = [
        sum(COUNT_VALUE[card.rank] for card in cards(names)[: n + 1]) for n in range(len(pips))
    ]
    return [play_points(pips[: n + 1], count) for n, count in enumerate(counts)]


def test_a_jack_turned_up_gave_every_player_nobs() -> None:
    assert show(cards("2H 2C 4D 6S"), Card.parse("JH")) == ShowPoints(pairs=2)
    match = kept("2H 2C 4D 6S", "3H 3C 5D 7S", starter="JH", dealer=0)
    assert match.state.front == (2, 0)


def test_three_hand_cards_and_the_starter_were_a_flush() -> None:
    assert show(cards("2H 4H 6H 8D"), Card.parse("TH")).total == 0


def test_equal_ranks_apart_were_a_pair_in_the_play() -> None:
    assert [points.total for points in laid("6D 5S 6C 5C")] == [0, 0, 0, 0]


def test_the_pegs_did_not_match_the_score() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S").at((10, 0))
    state = match.state
    board = []

    for points in (4, 0, 1):
        state = GAME.evolve(state, Scored(0, ScoredFor.PLAY, points, points))
        board.append((state.front[0], state.back[0]))

    assert board == [(14, 10), (14, 10), (15, 14)]


def test_the_computer_played_beyond_31_instead_of_saying_go() -> None:
    match = kept("TC KD QD 9D", "TD 5H 2C 3C", dealer=0, auto_go=False)
    match.play("TD", "TC", "5H")

    assert match.state.table.count == 25
    assert GAME.legal(match.state, 0) == (Go(),)
    for name in ("KD", "QD", "9D"):
        with pytest.raises(Illegal, match="over 31"):
            match.give(0, Play(Card.parse(name)))
    assert match.give(0, Go()) == (GoDeclared(0, auto=False),)


def test_at_31_either_the_run_or_the_31_was_counted() -> None:
    assert laid("KC 9D 4C 5D 3C")[-1] == PlayPoints(thirtyone=2, run=3)


def test_a_fifteen_together_with_a_run_was_not_reported() -> None:
    assert laid("4C 6D 5C")[-1] == PlayPoints(fifteen=2, run=3)


def test_two_neighbouring_cards_were_a_run_in_the_hand() -> None:
    assert show(cards("2C 3D 8H TS"), Card.parse("KC")) == ShowPoints(fifteens=4)


def test_several_pairs_inside_a_run_were_not_counted() -> None:
    points = show(cards("6C 6D 7H 7S"), Card.parse("8C"))
    assert points == ShowPoints(fifteens=4, pairs=4, runs=12)


def test_a_win_by_heels_did_not_end_the_game() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="JC", dealer=0, front=(119, 0))

    assert match.state.front == (121, 0)
    assert len([event for event in match.events if isinstance(event, GameEnded)]) == 1
    assert not any(isinstance(event, CardPlayed | PlayStarted) for event in match.events)
    with pytest.raises(Illegal, match="match over"):
        match.give(1, Play(Card.parse("9H")))


def test_the_single_skunk_was_tested_before_the_double() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(59, 119), skunk=True)
    match.play("KC")
    events = match.play("5H")

    assert [event.skunk for event in events if isinstance(event, GameEnded)] == [Skunk.DOUBLE]


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_a_bot_let_a_worthless_choice_override_fifteen(strength: str) -> None:
    match = kept("7C 2D TH 4S", "8H KS QS 6D", dealer=0)
    match.play("8H")
    bot, view = GAME.bots[strength], GAME.view(match.state, 0)

    chosen = bot.choose(view, GAME.legal(match.state, 0), HmacChance(b"0" * 32, "decision"))

    assert chosen == Play(Card.parse("7C"))


def test_the_non_dealer_led_after_every_reset() -> None:
    match = kept("KD AD 2D 3D", "KC JC 4C 5C", dealer=0)
    match.play("KC", "KD", "JC", "AD")
    assert (match.state.table.count, match.state.table.turn) == (0, 1)

    match = kept("QD 9D 2D 3D", "KC AC AD 5C", dealer=0)
    match.play("KC", "QD", "AC", "9D", "AD")
    assert (match.state.table.count, match.state.table.turn) == (0, 0)


def test_a_tie_in_the_cut_was_not_cut_again() -> None:
    decks = {"cut/1/1": cards("7C 7D"), "cut/1/2": cards("9C TH")}
    match = Match(Options(), decks=decks)

    assert match.events[:5] == [
        CutForDeal(0, Card.parse("7C")),
        CutForDeal(1, Card.parse("7D")),
        CutForDeal(0, Card.parse("9C")),
        CutForDeal(1, Card.parse("TH")),
        DealerChosen(0),
    ]


def test_a_player_could_act_during_the_cut() -> None:
    match = Match(Options(auto_go=False))
    before = GAME.setup(Options(auto_go=False), 2)

    for command in (Play(Card.parse("AC")), Discard(cards("AC AD")), Go()):
        with pytest.raises(Illegal, match="wrong phase"):
            GAME.decide(before, 0, command, match.context)
    assert GAME.turns(before) == {}


@pytest.mark.parametrize(("cut", "dealer"), [("TH 9C", 1), ("AH KC", 0)])
def test_ranks_were_compared_as_letters_in_the_cut(cut: str, dealer: int) -> None:
    match = Match(Options(), decks={"cut/1/1": cards(cut)})

    assert DealerChosen(dealer) in match.events


def test_the_counts_of_hand_and_crib_were_announced_together() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0)
    events = match.play("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")
    show_events = [event for event in events if isinstance(event, HandCounted | Scored)][1:]

    assert [(type(event), event.seat) for event in show_events] == [
        (HandCounted, 1),
        (Scored, 1),
        (HandCounted, 0),
        (Scored, 0),
        (HandCounted, 0),
        (Scored, 0),
    ]


def test_a_flush_of_four_counted_in_the_crib() -> None:
    assert show(cards("6H 7H 8H 9H"), Card.parse("TC"), crib=True).total == 9


def test_a_deal_held_the_same_card_twice() -> None:
    with pytest.raises(ValueError, match="no part of"):
        kept("8H KD QC QD", "9H 9S 8H 8S")
