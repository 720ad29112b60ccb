"""Clause 5: skat, discard, announcement."""

from __future__ import annotations

from itertools import combinations

import pytest

from games.skat.scripted import F, M, Match, announced_in, card, cards, dealt, names, rules, table
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import ContractType, in_order
from spielwerk.games.skat.commands import Announce, Discard, Play, TakeSkat
from spielwerk.games.skat.events import Announced, HandExposed, SkatTaken
from spielwerk.games.skat.model import Contract, DealReason, Phase
from spielwerk.games.skat.options import NullBelowBid

C, G, N = ContractType.CLUBS, ContractType.GRAND, ContractType.NULL
JACKS = "CJ SJ HJ DJ"


def after_skat(bid: int = 18, **options: object) -> Match:
    match = Match(rules(**options)).won_by(M, bid)
    match.act(TakeSkat())
    match.act(Discard(match.deal.skat))
    return match


def test_5_1_the_skat_joins_the_hand() -> None:
    match = dealt({M: JACKS}, "C7 S7").won_by(M)
    assert match.act(TakeSkat()) == (SkatTaken(M, in_order(cards("C7 S7")), 2),)
    assert {"C7", "S7", "CJ"} <= names(match.state.table.hands[M])
    assert len(match.state.table.hands[M]) == 12


def test_5_2_an_announcement_instead_is_a_hand_game_and_the_skat_stays() -> None:
    match = table("C hand", {M: JACKS}, skat="CA CT")
    assert match.deal.contract == Contract(C, hand=True)
    assert len(match.state.table.hands[M]) == 10
    assert names(match.deal.laid_away) == {"CA", "CT"}


def test_5_3_any_two_of_the_twelve_may_be_laid_away() -> None:
    match = dealt({M: JACKS}, "C7 S7").won_by(M)
    match.act(TakeSkat())
    hand = match.state.table.hands[M]
    assert GAME.legal(match.state, M) == tuple(map(Discard, combinations(hand, 2)))
    match.act(Discard(cards("DJ CJ")))
    assert names(match.deal.discarded) == {"CJ", "DJ"}
    assert len(match.state.table.hands[M]) == 10


def test_5_3_form_comes_before_possession() -> None:
    match = dealt({M: JACKS}, "C7 S7").won_by(M)
    match.act(TakeSkat())
    foreign = match.state.table.hands[F][0]
    assert match.refused(M, Discard((foreign,))) == "bad_discard"
    assert match.refused(M, Discard((foreign, foreign))) == "bad_discard"
    assert match.refused(M, Discard((foreign, card("CJ")))) == "card_not_in_hand"


def test_5_4_after_the_skat_only_plain_games_and_null_ouvert() -> None:
    match = after_skat()
    listed = GAME.legal(match.state, M)
    assert listed == (*map(Announce, ContractType), Announce(N, ouvert=True))


@pytest.mark.parametrize("kind", [kind for kind in ContractType if kind is not N])
@pytest.mark.parametrize("modifier", ["schneider", "schwarz", "ouvert"])
def test_5_4_announcements_need_a_hand_game(kind: ContractType, modifier: str) -> None:
    assert after_skat().refused(M, Announce(kind, **{modifier: True})) == "needs_hand"


def test_5_5_all_forms_of_a_hand_game_are_listed() -> None:
    match = Match(rules()).won_by(M)
    listed = GAME.legal(match.state, M)
    assert listed[0] == TakeSkat()
    assert len(listed) == 1 + 5 * 4 + 2


@pytest.mark.parametrize(
    ("said", "contract"),
    [
        (Announce(C), Contract(C, hand=True)),
        (Announce(C, schneider=True), Contract(C, hand=True, schneider=True)),
        (Announce(C, schwarz=True), Contract(C, hand=True, schneider=True, schwarz=True)),
        (
            Announce(G, ouvert=True),
            Contract(G, hand=True, schneider=True, schwarz=True, ouvert=True),
        ),
        (Announce(N, ouvert=True), Contract(N, hand=True, ouvert=True)),
    ],
)
def test_5_5_an_announcement_is_completed_by_what_it_implies(
    said: Announce, contract: Contract
) -> None:
    match = Match(rules()).won_by(M)
    assert announced_in(match.act(said)) == Announced(M, contract)


@pytest.mark.parametrize("modifier", ["schneider", "schwarz"])
@pytest.mark.parametrize("taken", [True, False])
def test_5_6_null_knows_neither_schneider_nor_schwarz(modifier: str, taken: bool) -> None:
    match = after_skat() if taken else Match(rules()).won_by(M)
    assert match.refused(M, Announce(N, **{modifier: True})) == "bad_modifier"


@pytest.mark.parametrize("contract", ["G ouvert", "C ouvert", "N ouvert", "N hand ouvert"])
def test_5_7_ouvert_cards_lie_open_before_the_first_card(contract: str) -> None:
    match = table(contract, {M: JACKS})
    assert match.events[-1] == HandExposed(M, match.state.table.hands[M])
    assert len(match.all_of(HandExposed)[0].cards) == 10
    assert match.state.phase is Phase.PLAY


@pytest.mark.parametrize(
    ("bid", "taken", "listed"),
    [
        (23, True, [False, True]),
        (24, True, [True]),
        (46, True, [True]),
        (48, True, []),
        (35, False, [False, True]),
        (36, False, [True]),
        (59, False, [True]),
        (60, False, []),
    ],
)
def test_5_8_a_null_game_below_the_bid_is_refused(
    bid: int, taken: bool, listed: list[bool]
) -> None:
    match = after_skat(bid) if taken else Match(rules()).won_by(M, bid)
    nulls = [
        said.ouvert
        for said in GAME.legal(match.state, M)
        if isinstance(said, Announce) and said.type is N
    ]
    assert nulls == listed
    for ouvert in {False, True} - set(listed):
        assert match.refused(M, Announce(N, ouvert=ouvert)) == "below_bid"


def test_5_8_by_the_order_such_a_null_game_is_lost_at_once() -> None:
    match = after_skat(24, null_below_bid=NullBelowBid.ISKO)
    assert Announce(N) in GAME.legal(match.state, M)
    match.act(Announce(N))
    outcome = match.last
    assert (outcome.reason, outcome.overbid, outcome.won) == (DealReason.EARLY, True, False)
    assert match.deal.number == 2


def test_5_8_by_the_order_the_declarer_loses_the_cheapest_game_that_covers_the_bid() -> None:
    """With CJ SJ: Diamonds with 2 covers 24 and costs 27; Hearts costs 30, Spades 33."""
    match = table(
        "N", {M: "CJ SJ", F: "HJ"}, bid=24, skat="H7 S7", null_below_bid=NullBelowBid.ISKO
    )
    assert match.last.list_score == -54


def test_5_8_by_the_order_hand_counts_for_the_game_that_is_lost() -> None:
    """With 2, Hand: Diamonds is 36."""
    match = table(
        "N hand", {M: "CJ SJ", F: "HJ"}, bid=36, skat="H7 S7", null_below_bid=NullBelowBid.ISKO
    )
    assert match.last.list_score == -72


def test_5_9_a_trump_game_is_never_too_low_to_be_announced() -> None:
    match = after_skat(264)
    match.act(Announce(ContractType.DIAMONDS))
    assert match.state.phase is Phase.PLAY


def test_5_9_an_announcement_is_final() -> None:
    match = table("C")
    assert match.refused(M, Announce(G)) == "wrong_phase"
    assert isinstance(GAME.legal(match.state, F)[0], Play)
