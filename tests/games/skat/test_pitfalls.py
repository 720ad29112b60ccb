"""Public bug reports in programs of Skat, each as a test named after what went wrong there."""

from __future__ import annotations

import pytest

from games.skat.scripted import F, M, Match, R, cards, dealt, names, rules, table
from spielwerk.errors import Illegal
from spielwerk.games.game import TimeOut
from spielwerk.games.skat import GAME
from spielwerk.games.skat.auction import Role
from spielwerk.games.skat.cards import Cards, ContractType, playable
from spielwerk.games.skat.commands import Announce, Bid, Discard, Pass, Play, TakeSkat
from spielwerk.games.skat.events import (
    AuctionWon,
    BidMade,
    DealScored,
    DealStarted,
    HandExposed,
    SeriesEnded,
    TrickTaken,
)
from spielwerk.games.skat.model import Contract
from spielwerk.games.skat.options import NullBelowBid
from spielwerk.games.skat.scoring import Reached, Verdict, judge, matadors
from spielwerk.games.skat.series import seeger_fabian_of

REPORTED = {
    F: "DT SJ S9 HT HJ D7 DA C9 C8 S7",
    M: "DQ S8 H8 HA C7 D8 H7 DK CQ CT",
    R: "HQ SK ST SQ DJ SA CK HK CJ CA",
}
REPORTED_SKAT = "H9 D9"

NO_CLUB_TRUMP = cards("SA ST SK SQ HA HT HK HQ DA DT DK DQ")


def judged(
    kind: str,
    bid: int,
    twelve: Cards,
    points: int,
    tricks: tuple[int, int] = (6, 4),
    *,
    hand: bool = False,
) -> Verdict:
    contract = Contract(ContractType(kind), hand)
    return judge(contract, bid, twelve, Reached(points, 120 - points, *tricks))


def with_jacks(held: str) -> Cards:
    """Twelve cards with these jacks, no other trump of any interest."""
    filler = cards("S7 S8 S9 SQ D7 D8 D9 DQ C7 C8 C9 CQ")
    jacks = cards(held)
    return (*jacks, *filler[: 12 - len(jacks)])


# 1: jskat 138


@pytest.mark.parametrize(("points", "value", "score"), [(55, 20, -60), (65, 20, -60), (90, 30, 30)])
def test_the_loss_of_an_overbid_game_did_not_rise_to_the_bid(
    points: int, value: int, score: int
) -> None:
    verdict = judged("H", 24, with_jacks("CJ HJ"), points)
    assert (verdict.matadors, verdict.game_value, verdict.list_score) == (1, value, score)
    assert verdict.overbid is (value < 24)


# 2: jskat 233


@pytest.mark.parametrize(
    ("kind", "jacks", "points", "tricks", "level", "score"),
    [
        ("S", "CJ SJ", 120, (9, 1), 4, 44),
        ("S", "CJ SJ", 120, (10, 0), 5, 55),
        ("D", "CJ", 0, (1, 9), 3, -54),
        ("D", "CJ", 0, (0, 10), 4, -72),
    ],
)
def test_schwarz_was_decided_by_points_instead_of_tricks(
    kind: str, jacks: str, points: int, tricks: tuple[int, int], level: int, score: int
) -> None:
    twelve = (*cards(jacks), *cards("C7 C8 C9 CQ H7 H8 H9 HQ HK CK")[: 12 - len(jacks.split())])
    verdict = judged(kind, 18, twelve, points, tricks)
    assert (verdict.level, verdict.list_score) == (level, score)


# 3: xskat-android 20


def test_a_jack_in_the_skat_was_left_out_of_the_matadors_of_a_hand_game() -> None:
    match = table("H hand", {M: "CJ DJ HA HT HK HQ H9 SA ST CA"}, skat="SJ C7")
    match.taken(points=(93 - 2, 27), tricks=(9, 0))
    assert matadors(ContractType.HEARTS, match.deal.twelve) == 2
    verdict = judged("H", 18, match.deal.twelve, 93, (9, 1), hand=True)
    assert (verdict.level, verdict.list_score) == (5, 50)


# 4: open_spiel 668


@pytest.mark.parametrize(
    ("hand", "legal"),
    [("DQ DJ HJ S9", "DQ DJ"), ("HJ S9 C7", "HJ S9 C7"), ("DJ HA", "DJ")],
)
def test_following_suit_in_null_was_broken(hand: str, legal: str) -> None:
    assert playable(ContractType.NULL, cards(hand), cards("D7")) == cards(legal)


# 5: jskat 57


def test_a_club_jack_forced_out_by_a_jack_ended_the_game_as_a_revoke() -> None:
    match = table(
        "G", {F: "HJ CA C8 C9 S8 S9 D8 D9 H8 H9", M: "CJ SA D7 SK SQ DK DQ HK HQ ST"}, skat="S7 H7"
    )
    match.play("HJ")
    assert [str(play.card) for play in GAME.legal(match.state, M) if isinstance(play, Play)] == [
        "JC"
    ]
    match.play("CJ")
    match.act(GAME.legal(match.state, R)[0])
    assert match.state.table.tricks[0].winner == M
    assert not match.all_of(DealScored)


def test_a_club_jack_is_no_club_when_a_club_is_led_in_grand() -> None:
    assert playable(ContractType.GRAND, cards("CJ SA C7"), cards("CA")) == cards("C7")


# 6: FreeBoardGames 1308


def test_the_third_player_was_not_asked_when_two_had_passed() -> None:
    match = Match(rules()).auction([(M, "pass")])
    auction = match.deal.auction
    assert (match.on_turn, auction.role, auction.listener) == (R, Role.SPEAKER, F)
    assert GAME.legal(match.state, R)[0] == Bid(18)
    match.auction([(R, 18), (F, "pass")])
    assert (match.deal.declarer, match.deal.bid) == (R, 18)


def test_forehand_was_not_asked_when_both_others_had_passed() -> None:
    match = Match(rules()).auction([(M, "pass"), (R, "pass")])
    assert match.on_turn == F
    assert GAME.legal(match.state, F) == (Bid(18), Pass())


# 7: jskat 2


@pytest.mark.parametrize("away", ["H9", "H9 D9 DQ", "H9 D9 DQ S8", "H9 H9", ""])
def test_the_declarer_played_with_eleven_cards(away: str) -> None:
    match = dealt(REPORTED, REPORTED_SKAT).won_by(M)
    match.act(TakeSkat())
    assert match.refused(M, Discard(cards(away))) == "bad_discard"


def test_a_card_that_is_not_held_could_be_discarded() -> None:
    match = dealt(REPORTED, REPORTED_SKAT).won_by(M)
    match.act(TakeSkat())
    assert match.refused(M, Discard(cards("H9 CJ"))) == "card_not_in_hand"


def test_the_points_of_the_defenders_were_not_counted_from_their_cards() -> None:
    match = table("C", REPORTED, skat=REPORTED_SKAT, away="DQ DK")
    outcome = match.play_out()
    defenders = sum(trick.points for trick in match.all_of(TrickTaken) if trick.winner != M)
    assert outcome.points + defenders == 120


# 8: jskat 238


@pytest.mark.parametrize(
    ("away", "picked_up"), [("H9 D9", set()), ("H7 D9", {"H9"}), ("S8 C7", {"H9", "D9"})]
)
def test_the_declarer_had_eight_cards_after_discarding_picked_up_ones(
    away: str, picked_up: set[str]
) -> None:
    match = dealt(REPORTED, REPORTED_SKAT).won_by(M)
    match.act(TakeSkat())
    match.act(Discard(cards(away)))
    expected = (set(REPORTED[M].split()) | picked_up) - set(away.split())
    held = match.state.table.hands[M]
    assert len(held) == 10
    assert names(held) == expected


# 9 and 13: jskat 161, 165, 208, 210


def null_ouvert() -> Match:
    return table("N ouvert", REPORTED, skat=REPORTED_SKAT, away="H7 D9")


@pytest.mark.parametrize("viewer", [F, R, None])
def test_ouvert_cards_never_reached_the_defenders(viewer: int | None) -> None:
    match = null_ouvert()
    exposed = [event for event in match.events if isinstance(event, HandExposed)]
    assert [GAME.redact(match.state.options, event, viewer) for event in exposed] == exposed
    view = GAME.view(match.state, viewer)
    assert names(view.exposed) == (set(REPORTED[M].split()) | {"H9"}) - {"H7"}
    assert (view.skat, view.discarded) == ((), ())


def test_ouvert_showed_the_hand_before_discarding() -> None:
    match = null_ouvert()
    exposed = names(match.all_of(HandExposed)[0].cards)
    assert "H9" in exposed
    assert not {"H7", "D9"} & exposed


# 10: jskat 33


@pytest.mark.parametrize(
    ("points", "score"), [(89, 33), (90, 44), (30, -88), (31, -66), (60, -66), (61, 33)]
)
def test_89_points_were_scored_as_schneider(points: int, score: int) -> None:
    assert judged("S", 18, with_jacks("CJ SJ"), points).list_score == score


# 11: jskat 182


def test_a_series_did_not_end_after_its_last_deal() -> None:
    match = Match(rules(series_length=3)).pass_in().pass_in()
    match.won_by(match.on_turn)
    match.expire()
    assert [type(event) for event in match.events[-2:]] == [DealScored, SeriesEnded]
    assert len(match.all_of(DealStarted)) == 3
    assert match.refused(0, Pass()) == "match_over"
    with pytest.raises(Illegal, match="match over"):
        match.give(None, TimeOut(0, "3.a0"))


def test_a_series_did_not_end_when_its_last_deal_was_passed_in() -> None:
    match = Match(rules(series_length=3)).pass_in().pass_in().pass_in()
    assert [type(event) for event in match.events[-2:]] == [DealScored, SeriesEnded]
    assert match.on_turn_or_none is None
    assert match.refused(1, Bid(18)) == "match_over"


# 12: jskat 213


@pytest.mark.parametrize(("points", "tricks", "score"), [(0, (0, 10), 23), (4, (1, 9), -46)])
def test_every_null_result_was_labelled_schneider_and_schwarz(
    points: int, tricks: tuple[int, int], score: int
) -> None:
    verdict = judged("N", 18, with_jacks("CJ"), points, tricks)
    assert verdict.list_score == score
    assert (verdict.schneider, verdict.schwarz, verdict.level) == (False, False, None)


# 14: jskat 216


def test_the_closing_18_of_forehand_was_missing() -> None:
    match = dealt().auction([(M, "pass"), (R, "pass"), (F, 18)])
    assert match.events[-2:] == [BidMade(F, 18), AuctionWon(F, 18)]
    view = GAME.view(match.state, None)
    assert view.auction is not None
    assert (view.auction.calls[-1].seat, view.auction.calls[-1].value) == (F, 18)


# 15: jskat 167


def test_a_lost_overbid_game_without_matadors_had_a_wrong_result() -> None:
    """The real game iss-8650652: Diamonds without 1, bid 36, 75 points."""
    verdict = judged("D", 36, with_jacks("SJ HJ"), 75, (7, 3))
    assert (verdict.matadors, verdict.game_value, verdict.overbid) == (-1, 18, True)
    assert verdict.list_score == -72
    assert seeger_fabian_of(M, verdict.list_score, won=False)[M] == -122


# More


@pytest.mark.parametrize("step", ["discard", "announce"])
def test_a_timeout_before_the_announcement_was_scored_with_matadors_without_11(step: str) -> None:
    match = dealt({M: "CJ SJ HJ C7 C8 C9 CQ CK CA CT"}).won_by(M, 24)
    match.act(TakeSkat())
    if step == "announce":
        match.act(Discard(match.deal.skat))
    match.expire()
    assert (match.last.list_score, match.last.matadors, match.last.contract) == (-48, 0, None)


def test_a_hand_without_any_trump_was_without_10() -> None:
    assert matadors(ContractType.CLUBS, NO_CLUB_TRUMP) == -11
    verdict = judged("C", 144, NO_CLUB_TRUMP, 61)
    assert (verdict.level, verdict.list_score) == (12, 144)


def test_null_below_the_bid_was_doubled() -> None:
    match = dealt({M: "CJ H7 H8 H9 S7 S8 S9 D7 D8 D9"}, "C7 C8").won_by(M, 24)
    match.act(TakeSkat())
    match.act(Discard(cards("C7 C8")))
    assert match.refused(M, Announce(ContractType.NULL)) == "below_bid"


def test_null_below_the_bid_is_lost_as_the_cheapest_game_by_the_order() -> None:
    match = table(
        "N",
        {M: "CJ H7 H8 H9 S7 S8 S9 D7 D8 D9"},
        skat="C7 C8",
        away="C7 C8",
        bid=24,
        null_below_bid=NullBelowBid.ISKO,
    )
    assert match.last.list_score == -2 * 24  # Clubs or Grand with 1; the others cost 27 and more


def test_values_beyond_264_were_offered() -> None:
    match = Match(rules()).auction([(M, 264), (F, "hold")])
    assert GAME.legal(match.state, M) == (Pass(),)
    match.auction([(M, "pass")])
    assert GAME.legal(match.state, R) == (Pass(),)
    match.auction([(R, "pass")])
    assert (match.deal.declarer, match.deal.bid) == (F, 264)


def test_diamonds_hand_at_40_with_a_jack_in_the_skat_is_overbid() -> None:
    """No bug, but a frequent complaint."""
    verdict = judged("D", 40, with_jacks("CJ HJ"), 70, hand=True)
    assert verdict.list_score == -90


def test_grand_ouvert_that_is_not_schwarz_costs_528() -> None:
    """No bug, but a frequent complaint."""
    contract = Contract(ContractType.GRAND, True, True, True, True)
    verdict = judge(contract, 18, with_jacks("CJ SJ HJ DJ"), Reached(106, 14, 9, 1))
    assert verdict.list_score == -528
