"""Clauses 2, 9 and 13: dealing, series, scores, places, fees, labels and turn keys."""

from __future__ import annotations

import hashlib

import pytest

from games.skat.scripted import F, M, Match, R, rules, table
from spielwerk.chance import HmacChance
from spielwerk.games.game import Context
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import PACK
from spielwerk.games.skat.commands import Announce, Pass, TakeSkat
from spielwerk.games.skat.events import CardsDealt, DealScored, DealStarted
from spielwerk.games.skat.model import DealReason, Series, SeriesReason, State
from spielwerk.games.skat.options import LossFee, Options, Points
from spielwerk.games.skat.series import places, seeger_fabian


def test_2_1_forehand_sits_left_of_the_dealer() -> None:
    started = Match(Options(series_length=3)).all_of(DealStarted)[0]
    assert (started.dealer, started.forehand, started.middlehand, started.rearhand) == (0, 1, 2, 0)


def test_2_3_cards_are_dealt_in_packets_of_three_four_and_three() -> None:
    match = Match(rules(), {"deal/1": PACK})
    hands = {
        hand.seat: {PACK.index(one) for one in hand.cards}
        for hand in match.all_of(CardsDealt)[0].hands
    }
    assert hands[F] == {0, 1, 2, 11, 12, 13, 14, 23, 24, 25}
    assert hands[M] == {3, 4, 5, 15, 16, 17, 18, 26, 27, 28}
    assert hands[R] == {6, 7, 8, 19, 20, 21, 22, 29, 30, 31}
    assert {PACK.index(one) for one in match.deal.skat} == {9, 10}


def test_2_4_a_series_has_36_deals_by_default() -> None:
    match = Match(Options())
    for _ in range(36):
        match.pass_in()
    assert match.ended.reason is SeriesReason.COMPLETED
    assert len(match.all_of(DealStarted)) == 36


def test_2_5_the_dealer_moves_on_after_every_deal_whatever_happened() -> None:
    match = Match(rules(series_length=6)).pass_in()
    match.won_by(match.on_turn)
    match.expire()
    match.pass_in()
    assert [event.dealer for event in match.all_of(DealStarted)] == [2, 0, 1, 2]


def test_2_6_a_passed_in_deal_counts_and_brings_nothing() -> None:
    match = Match(rules()).pass_in()
    outcome = match.last
    assert (outcome.reason, outcome.declarer, outcome.list_score) == (
        DealReason.PASSED_IN,
        None,
        0,
    )
    assert outcome.seeger_fabian == (0, 0, 0)
    assert match.state.series.scored == 1


def test_9_2_a_series_of_three_adds_up() -> None:
    """Seat 1 wins 48, a deal is passed in, seat 2 loses 36."""
    series = Series(scored=3, list_points=(0, 48, -72), won=(0, 1, 0), lost=(0, 0, 1))
    assert seeger_fabian(series) == (40, 138, -122)


@pytest.mark.parametrize("points", [(120, 0), (0, 120)])
def test_9_2_a_deal_brings_50_to_the_winner_and_40_to_the_opponents_of_a_loser(
    points: tuple[int, int],
) -> None:
    outcome = table("G", declarer=M).taken(points=points).play_out()
    assert outcome.won is (points[0] == 120)
    own = outcome.list_score + (50 if outcome.won else -50)
    other = 0 if outcome.won else 40
    assert outcome.seeger_fabian == (other, own, other)


@pytest.mark.parametrize(
    ("standing", "expected"), [(Points.SEEGER_FABIAN, (2, 1, 3)), (Points.LIST, (2, 1, 3))]
)
def test_9_3_the_places_follow_the_chosen_totals(
    standing: Points, expected: tuple[int, ...]
) -> None:
    series = Series(list_points=(0, 48, -72), won=(0, 1, 0), lost=(0, 0, 1))
    assert places(Options(standing=standing), series, None) == expected


def test_9_3_both_ways_to_count_can_disagree() -> None:
    """Seat 0 wins one dear game, seat 1 three cheap ones."""
    series = Series(list_points=(100, 54, 0), won=(1, 3, 0), lost=(0, 0, 0))
    assert places(Options(standing=Points.LIST), series, None) == (1, 2, 3)
    assert places(Options(), series, None) == (2, 1, 3)


def test_9_4_of_equal_totals_more_games_won_then_fewer_lost_decide() -> None:
    more_won = Series(list_points=(50, 50, 0), won=(1, 2, 0))
    assert places(Options(standing=Points.LIST), more_won, None) == (2, 1, 3)
    fewer_lost = Series(list_points=(50, 50, 50), won=(2, 2, 2), lost=(1, 0, 1))
    assert places(Options(standing=Points.LIST), fewer_lost, None) == (2, 1, 2)


def test_9_4_complete_ties_share_the_place() -> None:
    match = Match(rules()).pass_in().pass_in().pass_in()
    assert match.ended.places == (1, 1, 1)


FEES = (LossFee(1, 500), LossFee(4, 1000))


def test_9_6_each_lost_game_costs_the_tariff_of_its_number() -> None:
    match = Match(rules(series_length=15, loss_fee=FEES))
    for _ in range(5):
        match.won_by(F, 18)
        match.act(Announce(GAME.legal(match.state, F)[1].type))  # type: ignore[union-attr]
        while match.on_turn != F:
            match.act(GAME.legal(match.state, match.on_turn)[0])
        match.expire(F)
        match.pass_in().pass_in()
    charged = [
        event.outcome.fee_milli for event in match.all_of(DealScored) if event.outcome.declarer == F
    ]
    assert charged == [500, 500, 500, 1000, 1000]
    assert match.ended.fees_milli == (3500, 0, 0)


def test_9_6_fees_touch_neither_points_nor_places() -> None:
    series = Series(list_points=(0, 48, -72), won=(0, 1, 0), lost=(0, 0, 1), fees_milli=(9, 9, 9))
    assert seeger_fabian(series) == (40, 138, -122)


def test_9_6_without_tariffs_nothing_is_charged() -> None:
    match = table("C").taken(points=(0, 60))
    match.play_out()
    assert match.last.fee_milli == 0


def test_9_7_the_result_has_totals_places_and_what_enters_the_ranking() -> None:
    match = Match(rules()).pass_in()
    match.won_by(match.deal.forehand)
    match.expire()
    match.pass_in()
    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "completed"
    assert [s.place for s in result.standings] == list(match.ended.places)
    assert [s.rank_games for s in result.standings] == [3, 3, 3]
    assert [s.rank_n_milli for s in result.standings] == [
        1000 * points for points in match.ended.seeger_fabian
    ]
    assert [s.score_milli for s in result.standings] == [s.rank_n_milli for s in result.standings]
    assert [s.won for s in result.standings] == [place == 1 for place in match.ended.places]
    assert result.standings[1].extras["games_lost"] == match.ended.lost[1]


def test_9_7_list_points_can_decide_and_enter_the_ranking() -> None:
    options = rules(standing=Points.LIST, rank_basis=Points.LIST)
    series = Series(
        scored=3,
        list_points=(0, 48, -72),
        won=(0, 1, 0),
        lost=(0, 0, 1),
        ended=SeriesReason.COMPLETED,
    )
    result = GAME.result(State(options, series=series))
    assert result is not None
    assert [s.score_milli for s in result.standings] == [0, 48_000, -72_000]
    assert [s.rank_n_milli for s in result.standings] == [0, 48_000, -72_000]


def test_9_7_there_is_no_result_before_the_end() -> None:
    assert GAME.result(Match(rules()).state) is None


def test_13_1_each_deal_has_its_own_label() -> None:
    match = Match(rules()).pass_in().pass_in().pass_in()
    assert match.chance.drawn == ["deal/1", "deal/2", "deal/3"]


def test_13_1_the_cards_of_a_deal_do_not_depend_on_what_was_played_before() -> None:
    chance = HmacChance(hashlib.sha256(b"key").digest(), "m1")
    decks = []
    for first in (Pass(), None):
        context = Context(chance, lambda _: 0)
        state = GAME.setup(rules(), 3)
        events = list(GAME.start(state, context))
        for event in events:
            state = GAME.evolve(state, event)
        while state.series.scored == 0:
            seat = next(iter(GAME.turns(state)))
            command = first or GAME.legal(state, seat)[0]
            for event in GAME.decide(state, seat, command, context):
                state = GAME.evolve(state, event)
                events.append(event)
        decks.append([e.deck for e in events if isinstance(e, DealStarted)])
    assert decks[0] == decks[1]
    assert len(decks[0]) == 2


def test_13_2_turn_keys_name_deal_and_step_and_change_with_each_own_command() -> None:
    match = Match(rules())
    keys: list[str] = []

    def note() -> None:
        keys.extend(turn.key for turn in GAME.turns(match.state).values())

    note()
    match.auction([(M, 18)])
    note()
    match.auction([(F, "pass"), (R, "pass")])
    note()
    match.act(TakeSkat())
    note()
    match.act(GAME.legal(match.state, M)[0])
    note()
    match.act(GAME.legal(match.state, M)[0])
    note()
    match.act(GAME.legal(match.state, F)[0])
    note()
    assert keys == ["1.a0", "1.a1", "1.skat", "1.discard", "1.announce", "1.p0", "1.p1"]


def test_13_3_folding_the_events_again_gives_the_state() -> None:
    match = table("G")
    match.play_out()
    state = GAME.setup(match.state.options, 3)
    for event in match.events:
        state = GAME.evolve(state, event)
    assert state == match.state
