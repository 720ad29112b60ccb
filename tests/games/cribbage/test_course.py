"""Clauses 3, 4, 7 and 8: dealer, deal and crib, winning, pegs; and whole games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.cribbage.scripted import FIRST_DEALER, Match, cards, dealt, deck, kept, rows
from spielwerk.cards import Card, french_pack
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CardsDealt,
    Command,
    CribDiscarded,
    CutForDeal,
    DealEnded,
    DealerChosen,
    DealStarted,
    Discard,
    GameEnded,
    Go,
    HandCounted,
    Play,
    PlayStarted,
    Resigned,
    Scored,
    StarterCut,
)
from spielwerk.games.cribbage.model import EndReason, Holding, Phase, ScoredFor, Skunk
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


def ended(match: Match) -> list[GameEnded]:
    return [event for event in match.events if isinstance(event, GameEnded)]


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


# 7 Winning


def test_7_1_a_played_card_that_reaches_the_target_ends_the_game() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119))
    events = match.play("KC", "5H")

    assert events[-1] == GameEnded(
        game_no=1,
        winner=1,
        scores=(0, 121),
        reason=EndReason.TARGET_REACHED,
        skunk=Skunk.NONE,
        unplayed=(Holding(0, cards("KD QC QD")), Holding(1, cards("9S 8H 8S"))),
        crib=ended(match)[0].crib,
    )
    assert [len(holding.cards) for holding in ended(match)[0].crib] == [2, 2]
    assert match.state.phase is Phase.MATCH_OVER
    assert GAME.turns(match.state) == {}


def test_7_1_a_go_can_win() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0, front=(117, 120))
    match.play("KD", "AC", "QD", "2C", "3C", "4C")

    assert ended(match)[0].winner == 0
    assert ended(match)[0].scores == (121, 120)


def test_7_1_nothing_is_counted_after_the_winning_count() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0, front=(100, 117))
    match.play(*TENS_PLAYED)

    counted = [event for event in match.events if isinstance(event, HandCounted)]
    assert [event.seat for event in counted] == [1]
    assert ended(match)[0].winner == 1
    assert not any(isinstance(event, DealEnded) for event in match.events)


def test_7_2_the_points_of_one_scoring_are_not_divided() -> None:
    match = kept("4C 5D QC QD", "6S 9S 8H 8S", dealer=1, front=(119, 0))
    events = match.play("4C", "6S", "5D")
    assert events[1] == Scored(0, ScoredFor.PLAY, 5, 2, events[1].items)  # type: ignore[union-attr]


def test_7_3_the_score_stops_at_the_target_and_the_event_keeps_the_full_points() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0, front=(0, 117))
    match.play(*TENS_PLAYED)

    last = [event for event in match.events if isinstance(event, Scored)][-1]
    assert (last.why, last.points, last.pegged) == (ScoredFor.HAND, 4, 3)
    assert match.state.front == (2, 121)
    assert match.state.back == (1, 118)


def test_7_4_the_short_game_ends_at_61() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 59), target=61)
    match.play("KC", "5H")

    assert ended(match)[0].scores == (0, 61)


def test_7_5_the_next_game_begins_by_itself_and_scores_begin_at_zero() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119), games_to_win=2)
    events = match.play("KC", "5H")

    assert [type(e) for e in events[-3:]] == [DealStarted, CardsDealt, CardsDealt]
    assert match.state.phase is Phase.DISCARD
    assert match.state.front == match.state.back == (0, 0)
    assert match.state.series.games_won == (0, 1)
    assert GAME.result(match.state) is None
    assert {turn.key for turn in GAME.turns(match.state).values()} == {"2.1.discard"}


def test_7_5_who_first_has_the_games_wins_the_match() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119), games_to_win=2)
    won = replace(match.state.series, games_won=(1, 1), wins=(1, 1), games_played=2)
    match.state = replace(match.state, series=won)
    match.play("KC", "5H")

    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "target_reached"
    assert [(s.place, s.won, s.rank_games) for s in result.standings] == [
        (2, False, 3),
        (1, True, 3),
    ]
    assert [(s.rank_n_milli, s.score_milli) for s in result.standings] == [
        (100_000, 0),
        (200_000, 121_000),
    ]


@pytest.mark.parametrize(
    ("target", "loser", "skunk", "games"),
    [
        (121, 91, Skunk.NONE, 1),
        (121, 90, Skunk.SINGLE, 2),
        (121, 61, Skunk.SINGLE, 2),
        (121, 60, Skunk.DOUBLE, 3),
        (61, 31, Skunk.NONE, 1),
        (61, 30, Skunk.SINGLE, 2),
        (61, 0, Skunk.SINGLE, 2),
    ],
)
def test_7_6_a_skunk_counts_more_games(target: int, loser: int, skunk: Skunk, games: int) -> None:
    match = kept(
        "KC KD QC QD",
        "5H 9S 8H 8S",
        dealer=1,
        front=(loser, target - 2),
        target=target,
        skunk=True,
        games_to_win=4,
    )
    match.play("KC", "5H")

    assert ended(match)[0].skunk is skunk
    assert match.state.series.games_won == (0, games)
    assert match.state.series.wins == (0, 1)


def test_7_6_without_the_option_there_is_no_skunk() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119))
    match.play("KC", "5H")

    assert ended(match)[0].skunk is Skunk.NONE


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("phase", ["discard", "play"])
def test_7_7_a_seat_may_resign_at_any_time(seat: int, phase: str) -> None:
    match = dealt(*LOW) if phase == "discard" else kept("KC KD QC QD", "5H 9S 8H 8S")
    match.at((7, 9))
    events = match.give(seat, Resign())

    assert events[0] == Resigned(seat)
    assert ended(match)[0].winner == 1 - seat
    assert ended(match)[0].scores == (7, 9)
    assert len(events) == 2
    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "resigned"
    assert result.standings[1 - seat].won


def test_7_7_resigning_ends_a_match_of_several_games() -> None:
    match = dealt(*LOW, games_to_win=5, skunk=True)
    match.give(0, Resign())

    assert match.state.phase is Phase.MATCH_OVER
    assert ended(match)[0].skunk is Skunk.NONE


# 8 Pegs


def test_8_1_the_back_peg_jumps_to_where_the_front_peg_stood() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(3, 10))
    match.play("KC", "5H")

    assert (match.state.front, match.state.back) == ((3, 12), (3, 10))


def test_8_2_a_count_of_zero_moves_nothing() -> None:
    match = kept("2H 4H 6H 8D", "KC KD QC JD", starter="TH", dealer=1, away=("3C 7C", "9S QS"))
    before = replace(match.state, front=(10, 4), back=(7, 4))

    assert GAME.evolve(before, Scored(0, ScoredFor.HAND, 0, 0)) == before


def test_8_3_heels_a_card_a_go_a_hand_and_the_crib_are_one_scoring_each() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", starter="JS", dealer=0)
    match.play("KD", "AC", "QD", "2C", "3C", "4C", "JD", "TD")

    scored = [(event.seat, event.why) for event in match.events if isinstance(event, Scored)]
    assert scored == [
        (0, ScoredFor.HEELS),
        (0, ScoredFor.PLAY),
        (0, ScoredFor.GO),
        (1, ScoredFor.PLAY),
        (1, ScoredFor.HAND),
        (0, ScoredFor.HAND),
        (0, ScoredFor.CRIB),
    ]


def test_8_1_front_minus_back_is_the_last_gain_of_the_seat() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C")
    match.play(*TENS_PLAYED)
    state = GAME.setup(match.state.options, 2)
    gains = {0: 0, 1: 0}

    for event in match.events:
        state = GAME.evolve(state, event)
        if isinstance(event, Scored) and event.points:
            gains[event.seat] = event.pegged
        assert [state.front[seat] - state.back[seat] for seat in (0, 1)] == [gains[0], gains[1]]


# Whole games


@pytest.mark.parametrize("row", rows("games.jsonl"), ids=lambda row: row["id"])
def test_game_vector(row: dict[str, Any]) -> None:
    deals = row["deals"]
    decks = {
        f"deal/1/{number}": deck(
            deal["dealer"], [cards(six) for six in deal["hands"]], Card.parse(deal["starter"])
        )
        for number, deal in enumerate(deals, start=1)
    }
    first = FIRST_DEALER[deals[0]["dealer"]]
    match = Match(
        Options(target=row["target"], first_dealer=first, heels=row["options"]["heels"]),
        decks=decks,
    )
    for deal in deals:
        replay(match, deal)

    result = GAME.result(match.state)
    assert result is not None
    assert match.state.series.winner == row["winner"]
    assert list(match.state.front) == row["final"]
    assert pegs(match) == row["pegs"]
    assert nominal(match) == row["final_uncapped"]
    assert match.state.deal is not None
    assert match.state.deal.number == row["end"]["deal"] + 1
    assert last_scored(match).why == row["end"]["phase"]
    assert len(ended(match)) == 1


def replay(match: Match, deal: dict[str, Any]) -> None:
    """Play a deal of a vector and compare every score and peg on the way."""
    dealer = deal["dealer"]
    match.give(1 - dealer, Discard(cards(deal["discards"][1 - dealer])))
    events = match.give(dealer, Discard(cards(deal["discards"][dealer])))
    heels = [e.points for e in events if isinstance(e, Scored)]
    assert sum(heels) == deal["heels"]
    assert list(match.state.front) == deal["scores_after_starter"]
    for play in deal["plays"]:
        assert match.state.table.turn == play["seat"]
        before = match.state
        events = match.give(play["seat"], Play(Card.parse(play["card"])))
        compare(before, events, play, deal.get("show", []))


def compare(state: Any, events: Any, play: dict[str, Any], show: list[dict[str, Any]]) -> None:
    """Fold the events of one play, comparing after the play itself and after each count."""
    items: dict[str, int] = {}
    counts = iter(show)
    current: dict[str, Any] | None = None
    for event in events:
        if isinstance(event, HandCounted):
            if current is None:
                assert items == play["points"]
                assert board(state) == (play["scores"], play["pegs"])
            current = next(counts)
            assert (event.seat, event.what, event.total) == tuple(
                current[name] for name in ("seat", "what", "total")
            )
            assert nonzero(event.items) == current["points"]
        state = GAME.evolve(state, event)
        if isinstance(event, CardPlayed):
            assert event.count == play["count"]
        elif isinstance(event, Scored) and current is not None:
            assert board(state) == (current["scores"], current["pegs"])
        elif isinstance(event, Scored):
            items |= nonzero(event.items) if event.items else {event.why.value: event.points}
    if current is None:
        assert items == play["points"]
        assert board(state) == (play["scores"], play["pegs"])
    else:
        assert next(counts, None) is None


def nonzero(points: Any) -> dict[str, int]:
    names = type(points).__dataclass_fields__
    return {name: getattr(points, name) for name in names if getattr(points, name)}


def board(state: Any) -> tuple[list[int], list[list[int]]]:
    return list(state.front), [[state.front[s], state.back[s]] for s in (0, 1)]


def pegs(match: Match) -> list[list[int]]:
    return board(match.state)[1]


def nominal(match: Match) -> list[int]:
    scored = [event for event in match.events if isinstance(event, Scored)]
    return [sum(event.points for event in scored if event.seat == seat) for seat in (0, 1)]


def last_scored(match: Match) -> Scored:
    return [event for event in match.events if isinstance(event, Scored)][-1]
