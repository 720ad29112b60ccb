"""Clauses 3 and 4: phases and auction."""

from __future__ import annotations

import pytest

from games.skat.scripted import F, M, Match, R, rules, table
from spielwerk.games.skat import GAME
from spielwerk.games.skat.auction import By, Role
from spielwerk.games.skat.bidding import BID_VALUES
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.commands import Announce, Bid, Discard, Hold, Pass, Play, TakeSkat
from spielwerk.games.skat.events import AuctionWon, DealPassedIn, DealScored, DealStarted, Passed
from spielwerk.games.skat.model import Phase

VALUES = """
18 20 22 23 24 27 30 33 35 36 40 44 45 46 48 50 54 55 59 60 63 66 70 72 77 80 81 84 88 90 96 99
100 108 110 117 120 121 126 130 132 135 140 143 144 150 153 154 156 160 162 165 168 170 176 180
187 192 198 204 216 240 264
"""


def auction(*calls: tuple[int, int | str]) -> Match:
    return Match(rules()).auction(calls)


def test_3_1_a_deal_goes_from_the_auction_to_the_score() -> None:
    match = Match(rules())
    phases = [match.state.phase]
    match.won_by(M)
    phases.append(match.state.phase)
    match.act(TakeSkat())
    phases.append(match.state.phase)
    match.act(Discard(match.deal.skat))
    phases.append(match.state.phase)
    match.act(GAME.legal(match.state, M)[0])
    phases.append(match.state.phase)
    assert phases == [Phase.AUCTION, Phase.SKAT, Phase.DISCARD, Phase.ANNOUNCE, Phase.PLAY]


def test_3_1_a_hand_game_goes_straight_to_the_play() -> None:
    assert table("C hand").state.phase is Phase.PLAY


def test_3_2_one_seat_must_act_at_any_time() -> None:
    match = Match(rules())
    while match.on_turn_or_none is not None:
        assert list(GAME.turns(match.state)) == [match.on_turn]
        match.act(GAME.legal(match.state, match.on_turn)[-1])
    assert GAME.turns(match.state) == {}


@pytest.mark.parametrize(
    ("command", "phases"),
    [
        (Bid(18), {"auction"}),
        (Hold(), {"auction"}),
        (Pass(), {"auction"}),
        (TakeSkat(), {"skat"}),
        (Discard(()), {"discard"}),
        (Announce(ContractType.CLUBS), {"skat", "announce"}),
        (Play(GAME.legal(table("C").state, F)[0].card), {"play"}),  # type: ignore[union-attr]
    ],
)
def test_3_1_a_command_of_another_phase_is_refused(command: object, phases: set[str]) -> None:
    for phase, match in stages().items():
        if phase not in phases:
            assert match.refused(match.on_turn, command) == "wrong_phase"  # type: ignore[arg-type]


def stages() -> dict[str, Match]:
    """A deal in each of its phases."""
    skat, discard, announce = (Match(rules()).won_by(M) for _ in range(3))
    for match in (discard, announce):
        match.act(TakeSkat())
    announce.act(Discard(announce.deal.skat))
    return {
        "auction": Match(rules()),
        "skat": skat,
        "discard": discard,
        "announce": announce,
        "play": table("C"),
    }


@pytest.mark.parametrize("phase", ["auction", "skat", "discard", "announce", "play"])
def test_3_2_a_seat_that_is_not_on_turn_is_refused(phase: str) -> None:
    match = stages()[phase]
    command = GAME.legal(match.state, match.on_turn)[0]
    for seat in {F, M, R} - {match.on_turn}:
        assert match.refused(seat, command) == "not_your_turn"
        assert GAME.legal(match.state, seat) == ()


def test_4_1_there_are_63_values() -> None:
    assert tuple(map(int, VALUES.split())) == BID_VALUES
    assert len(BID_VALUES) == 63


def test_4_2_the_middlehand_speaks_first_and_may_skip_values() -> None:
    match = auction()
    assert match.on_turn == M
    assert GAME.legal(match.state, M) == (*map(Bid, BID_VALUES), Pass())
    match.auction([(M, 33)])
    assert match.deal.auction.bid == 33


def test_4_3_the_listener_holds_or_passes() -> None:
    assert GAME.legal(auction((M, 18)).state, F) == (Hold(), Pass())


def test_4_3_after_a_hold_the_speaker_must_go_higher() -> None:
    match = auction((M, 18), (F, "hold"))
    assert match.on_turn == M
    assert GAME.legal(match.state, M)[0] == Bid(20)


@pytest.mark.parametrize(
    ("calls", "declarer", "bid"),
    [
        ([(M, 18), (F, "hold"), (M, 20), (F, "hold"), (M, "pass"), (R, 22), (F, "pass")], R, 22),
        ([(M, "pass"), (R, "pass"), (F, 18)], F, 18),
        ([(M, 18), (F, "pass"), (R, "pass")], M, 18),
        ([(M, 18), (F, "hold"), (M, "pass"), (R, "pass")], F, 18),
        ([(M, 18), (F, "pass"), (R, 20), (M, "hold"), (R, 22), (M, "pass")], R, 22),
        ([(M, "pass"), (R, 18), (F, "hold"), (R, "pass")], F, 18),
    ],
)
def test_4_6_the_survivor_of_both_duels_plays(
    calls: list[tuple[int, int | str]], declarer: int, bid: int
) -> None:
    assert auction(*calls).events[-1] == AuctionWon(declarer, bid)


def test_4_4_the_bid_stays_for_the_rearhand() -> None:
    match = auction((M, 18), (F, "pass"))
    assert (match.on_turn, match.deal.auction.listener) == (R, M)
    assert match.refused(R, Bid(18)) == "not_higher"


def test_4_6_forehand_alone_says_18_or_passes_the_deal_in() -> None:
    match = auction((M, "pass"), (R, "pass"))
    assert match.deal.auction.role is Role.FOREHAND_ALONE
    for value in (20, 264, 17):
        assert match.refused(F, Bid(value)) == "illegal_value"
    assert match.refused(F, Hold()) == "wrong_role"
    events = match.give(F, Pass())
    assert [type(event) for event in events[:4]] == [
        Passed,
        DealPassedIn,
        DealScored,
        DealStarted,
    ]


def test_4_7_at_264_the_speaker_can_only_pass() -> None:
    match = auction((M, 264), (F, "hold"))
    assert GAME.legal(match.state, M) == (Pass(),)
    assert match.refused(M, Bid(264)) == "not_higher"


@pytest.mark.parametrize("value", [0, 17, 19, 21, 25, 265, 288])
def test_4_8_a_value_that_no_game_has_is_refused(value: int) -> None:
    assert auction().refused(M, Bid(value)) == "illegal_value"


def test_4_8_refusals_come_in_their_order() -> None:
    listening = auction((M, 24))
    assert listening.refused(M, Bid(17)) == "not_your_turn"
    assert listening.refused(F, Bid(17)) == "wrong_role"
    held = auction((M, 24), (F, "hold"))
    assert held.refused(M, Hold()) == "wrong_role"
    assert held.refused(M, Bid(17)) == "illegal_value"
    assert held.refused(M, Bid(23)) == "not_higher"
    assert table("C").refused(R, Bid(17)) == "wrong_phase"


def test_4_5_who_passed_is_out() -> None:
    match = auction((M, "pass"))
    assert match.refused(M, Bid(18)) == "not_your_turn"
    match.auction([(R, 18)])
    assert match.refused(M, Bid(20)) == "not_your_turn"


def test_4_every_word_is_told_with_who_said_it() -> None:
    match = auction((M, 18), (F, "hold"), (M, "pass"))
    assert match.events[-1] == Passed(M, By.PLAYER)
    assert [(call.seat, call.value) for call in match.deal.auction.calls] == [
        (M, 18),
        (F, 18),
        (M, 0),
    ]
