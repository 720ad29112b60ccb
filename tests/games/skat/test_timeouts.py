"""Clause 10: time, timeouts in each phase, and leaving the series."""

from __future__ import annotations

import pytest

from games.skat.scripted import F, M, Match, R, dealt, rules, table
from spielwerk.errors import Illegal, StaleTurn
from spielwerk.games.game import Resign, TimeOut, Turn
from spielwerk.games.skat import GAME
from spielwerk.games.skat.auction import By
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.commands import Announce, Discard, TakeSkat
from spielwerk.games.skat.events import (
    AuctionWon,
    DealPassedIn,
    DealScored,
    DealStarted,
    Passed,
    Resigned,
    SeriesEnded,
    TimedOut,
)
from spielwerk.games.skat.model import DealReason, Phase, SeriesReason
from spielwerk.games.skat.options import AbortRanking

CLUBS_WITH_1 = "CJ HJ C7 C8 C9 CQ"


def test_10_1_every_action_has_its_own_60_seconds() -> None:
    match = dealt()
    assert GAME.turns(match.state) == {M: Turn("1.a0", 60_000)}
    assert GAME.turns(dealt(move_seconds=5).state)[M].allowance_ms == 5_000


@pytest.mark.parametrize("key", ["1.a1", "2.a0", ""])
def test_10_1_a_timeout_of_a_turn_that_is_not_open_is_refused(key: str) -> None:
    match = dealt()
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(M, key))


def test_10_1_only_the_seat_on_turn_can_time_out() -> None:
    match = dealt()
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(F, "1.a0"))


def test_10_1_a_seat_cannot_time_anybody_out() -> None:
    with pytest.raises(Illegal, match="bad command"):
        dealt().give(F, TimeOut(M, "1.a0"))


@pytest.mark.parametrize("actor", [3, -1, None])
def test_10_1_who_has_no_seat_has_no_commands(actor: int | None) -> None:
    with pytest.raises(Illegal, match="not a player"):
        dealt().give(actor, Resign())


def test_10_2_in_the_auction_a_timeout_is_a_pass() -> None:
    match = dealt()
    assert match.expire() == (TimedOut(M, "1.a0", Phase.AUCTION, 1), Passed(M, By.TIMEOUT))
    assert match.on_turn == R


def test_10_2_a_listener_who_times_out_leaves_the_game_to_the_speaker() -> None:
    match = dealt().auction([(M, 18)])
    match.expire()
    match.auction([(R, "pass")])
    assert match.events[-1] == AuctionWon(M, 18)


def test_10_2_forehand_alone_who_times_out_passes_the_deal_in() -> None:
    match = dealt().auction([(M, "pass"), (R, "pass")])
    events = match.expire()
    assert [type(event) for event in events[:4]] == [TimedOut, Passed, DealPassedIn, DealScored]


@pytest.mark.parametrize("step", ["skat", "discard", "announce"])
def test_10_3_without_an_announcement_the_bid_is_lost(step: str) -> None:
    match = dealt().won_by(M, 33)
    if step != "skat":
        match.act(TakeSkat())
    if step == "announce":
        match.act(Discard(match.deal.skat))
    match.expire()
    outcome = match.last
    assert (outcome.reason, outcome.game_value, outcome.list_score) == (
        DealReason.TIMEOUT,
        33,
        -66,
    )
    assert outcome.seeger_fabian == (40, -116, 40)
    assert (outcome.contract, outcome.level, outcome.schneider) == (None, None, False)


def test_10_4_a_declarer_who_times_out_has_lost_in_the_simple_level() -> None:
    """Grand with 2 at trick 9 with 80 points: 3 x 24, doubled."""
    match = table("G", {M: "CJ SJ", F: "HJ"}).play_some_card()
    match.taken(points=(80, 20), tricks=(7, 1))
    match.expire()
    assert match.last.list_score == -144


@pytest.mark.parametrize(
    ("words", "level"),
    [("C", 2), ("C hand", 3), ("C hand schneider", 5), ("C hand schwarz", 7), ("C ouvert", 8)],
)
def test_10_4_announcements_stay_in_the_loss(words: str, level: int) -> None:
    match = table(words, {M: CLUBS_WITH_1, F: "SJ"}).play_some_card()
    match.expire()
    assert (match.last.level, match.last.list_score) == (level, -2 * 12 * level)


def test_10_4_the_loss_covers_the_bid() -> None:
    match = table("D", {M: "CJ HJ", F: "SJ"}, bid=40).play_some_card()
    match.expire()
    assert match.last.list_score == -2 * 45


def test_10_5_a_defender_who_times_out_has_lost_for_both() -> None:
    match = table("C", {M: CLUBS_WITH_1, F: "SJ"}, bid=24)
    match.expire()
    outcome = match.last
    assert (outcome.won, outcome.list_score, outcome.seeger_fabian) == (True, 24, (0, 74, 0))


@pytest.mark.parametrize(
    ("points", "score", "overbid"), [(12, 27, False), (30, 27, False), (31, -54, True)]
)
def test_10_5_schneider_is_granted_where_the_bid_needs_it_and_it_is_in_reach(
    points: int, score: int, overbid: bool
) -> None:
    match = table("D", {M: "CJ HJ", F: "SJ"}, bid=27).taken(points=(20, points), tricks=(2, 1))
    match.expire()
    assert (match.last.list_score, match.last.overbid) == (score, overbid)


@pytest.mark.parametrize(("tricks", "score"), [(0, 36), (1, -72)])
def test_10_5_schwarz_is_granted_after_schneider(tricks: int, score: int) -> None:
    match = table("D", {M: "CJ HJ", F: "SJ"}, bid=36).taken(points=(20, 0), tricks=(2, tricks))
    match.expire()
    assert match.last.list_score == score


def test_10_5_nothing_more_than_schwarz_is_granted() -> None:
    match = table("D", {M: "CJ HJ", F: "SJ"}, bid=40)
    match.expire()
    assert (match.last.won, match.last.list_score) == (False, -90)


@pytest.mark.parametrize("who", ["declarer", "defender"])
def test_10_5_null_is_won_or_lost_by_who_timed_out(who: str) -> None:
    match = table("N")
    if who == "declarer":
        match.play_some_card()
    match.expire()
    assert match.last.list_score == (-46 if who == "declarer" else 23)


@pytest.mark.parametrize(
    ("respects", "points", "by_declarer", "won"),
    [
        (False, (70, 20), True, False),
        (True, (70, 20), True, True),
        (True, (40, 20), True, False),
        (False, (20, 70), False, True),
        (True, (20, 70), False, False),
        (True, (20, 59), False, True),
    ],
)
def test_10_6_a_decided_game_can_keep_its_winner(
    respects: bool, points: tuple[int, int], by_declarer: bool, won: bool
) -> None:
    match = table("C", {M: CLUBS_WITH_1, F: "SJ"}, skat="S7 S8", timeout_respects_decided=respects)
    if by_declarer:
        match.play_some_card()
    match.taken(points=points, tricks=(4, 4))
    match.expire()
    assert (match.last.won, match.last.game_value) == (won, 24)


@pytest.mark.parametrize(
    ("contract", "taken", "won"),
    [
        ("N", {"points": (4, 0), "tricks": (1, 2)}, False),
        ("C hand schneider", {"points": (50, 31), "tricks": (4, 3)}, False),
        ("C hand schneider", {"points": (90, 0), "tricks": (6, 0)}, True),
        ("C hand schwarz", {"points": (90, 0), "tricks": (6, 1)}, False),
    ],
)
def test_10_6_what_decides_is_what_was_announced(
    contract: str, taken: dict[str, tuple[int, int]], won: bool
) -> None:
    match = table(
        contract,
        {M: CLUBS_WITH_1, F: "SJ"},
        skat="S7 S8",
        early_end=False,
        timeout_respects_decided=True,
    )
    if won:
        match.play_some_card()
    match.taken(**taken)
    match.expire()
    assert match.last.won is won


def test_10_6_a_game_that_still_needs_schneider_for_its_bid_is_open() -> None:
    match = table(
        "D", {M: "CJ HJ", F: "SJ"}, skat="S7 S8", bid=27, timeout_respects_decided=True
    ).play_some_card()
    match.taken(points=(70, 20), tricks=(5, 2))
    match.expire()
    assert not match.last.won


def test_10_7_two_timeouts_in_a_row_end_the_series() -> None:
    match = dealt()
    match.expire()
    match.auction([(R, "pass"), (F, "pass")])
    match.pass_in_but(M)
    events = match.expire(M)
    assert [type(event) for event in events] == [TimedOut, SeriesEnded]
    assert match.ended.reason is SeriesReason.ABANDONED
    assert (match.ended.by, match.ended.deal_void) == (M, True)


def test_10_7_the_row_goes_on_across_deals_and_ends_with_an_own_action() -> None:
    match = dealt()
    match.expire()
    assert match.state.series.timeouts == (0, 1, 0)
    match.auction([(R, "pass"), (F, "pass")])
    assert match.state.series.timeouts == (0, 1, 0)
    match.pass_in()
    assert match.state.series.timeouts == (0, 0, 0)


def test_10_7_rows_of_different_seats_are_counted_apart() -> None:
    match = dealt()
    match.expire()
    match.expire()
    assert match.state.series.timeouts == (0, 1, 1)


def test_10_7_the_second_timeout_in_the_play_scores_the_deal_first() -> None:
    match = dealt()
    match.expire()  # middlehand passes
    match.auction([(R, 18), (F, "pass")])
    match.act(Announce(ContractType.CLUBS))
    match.play_some_card()
    events = match.expire()
    assert [type(event) for event in events] == [TimedOut, DealScored, SeriesEnded]
    assert (match.ended.by, match.ended.deal_void) == (M, False)
    assert match.last.won
    assert match.state.series.scored == 1


def test_10_7_silence_of_all_ends_the_series() -> None:
    match = dealt()
    while match.on_turn_or_none is not None:
        match.expire()
    assert match.ended.reason is SeriesReason.ABANDONED


@pytest.mark.parametrize("seat", [F, M, R])
def test_10_8_resigning_in_the_auction_voids_the_deal(seat: int) -> None:
    match = dealt()
    events = match.give(seat, Resign())
    assert events[0] == Resigned(seat)
    assert (match.ended.deal_void, match.ended.by) == (True, seat)
    assert not match.all_of(DealScored)


@pytest.mark.parametrize("step", ["skat", "discard", "announce"])
@pytest.mark.parametrize("seat", [F, R])
def test_10_8_a_defender_who_resigns_before_the_play_voids_the_deal(step: str, seat: int) -> None:
    match = dealt().won_by(M, 33)
    if step != "skat":
        match.act(TakeSkat())
    if step == "announce":
        match.act(Discard(match.deal.skat))
    match.give(seat, Resign())
    assert match.ended.deal_void
    assert not match.all_of(DealScored)
    assert match.ended.places[seat] == 3


def test_10_8_a_declarer_who_resigns_before_the_play_has_lost_the_bid() -> None:
    match = dealt().won_by(M, 33)
    match.give(M, Resign())
    assert (match.last.reason, match.last.list_score) == (DealReason.RESIGNED, -66)
    assert not match.ended.deal_void


@pytest.mark.parametrize(("seat", "score"), [(M, -48), (F, 24), (R, 24)])
def test_10_8_resigning_in_the_play_gives_the_game_away_also_out_of_turn(
    seat: int, score: int
) -> None:
    match = table("C", {M: CLUBS_WITH_1, F: "SJ"})
    match.give(seat, Resign())
    assert (match.last.reason, match.last.list_score) == (DealReason.RESIGNED, score)
    assert match.ended.by == seat
    assert len(match.all_of(DealStarted)) == 1


def test_10_9_who_abandons_is_placed_last() -> None:
    match = table("C", {M: CLUBS_WITH_1, F: "SJ"}).taken(points=(61, 0))
    match.play_out()
    winner = match.state.series.last
    assert winner is not None
    match.give(M, Resign())
    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "abandoned"
    assert result.standings[M].place == 3
    assert result.standings[M].rank_games == 1


def test_10_9_the_totals_can_decide_instead() -> None:
    match = table("C", {M: CLUBS_WITH_1, F: "SJ"}, abort_ranking=AbortRanking.TOTALS)
    match.expire()  # a defender: the declarer wins
    match.give(M, Resign())
    assert match.ended.places == (2, 1, 2)


def test_10_9_an_abandoned_series_takes_no_more_commands() -> None:
    match = Match(rules())
    match.give(F, Resign())
    assert GAME.turns(match.state) == {}
    assert match.refused(M, Resign()) == "match_over"
