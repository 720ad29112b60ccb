"""Clauses 1 and 6: cards, following suit, tricks, early end."""

from __future__ import annotations

import pytest

from games.skat.scripted import F, M, Match, R, card, cards, names, table
from spielwerk.cards import Rank
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import (
    GROUP,
    PACK,
    POINTS,
    STRENGTH,
    TRUMP_LINE,
    ContractType,
    Group,
    playable,
    points_of,
    winning_place,
)
from spielwerk.games.skat.commands import Play
from spielwerk.games.skat.events import DealScored, TrickTaken
from spielwerk.games.skat.model import DealReason

KINDS = {kind.value: kind for kind in ContractType}


def test_1_1_there_are_32_cards_from_clubs_to_diamonds() -> None:
    assert " ".join(str(one)[::-1] for one in PACK[:9]) == "C7 C8 C9 CT CJ CQ CK CA S7"
    assert [PACK[n].suit.value for n in (0, 8, 16, 24)] == ["C", "S", "H", "D"]
    assert len(set(PACK)) == 32


def test_1_2_the_pack_has_120_points_30_in_each_suit() -> None:
    assert points_of(PACK) == 120
    assert [POINTS[one] for one in cards("CA CT CK CQ CJ C9 C8 C7")] == [11, 10, 4, 3, 2, 0, 0, 0]
    assert {points_of(PACK[n : n + 8]) for n in (0, 8, 16, 24)} == {30}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("C", "CJ SJ HJ DJ CA CT CK CQ C9 C8 C7"),
        ("D", "CJ SJ HJ DJ DA DT DK DQ D9 D8 D7"),
        ("G", "CJ SJ HJ DJ"),
        ("N", ""),
    ],
)
def test_1_4_the_trumps_from_high_to_low(kind: str, line: str) -> None:
    trumps = TRUMP_LINE[KINDS[kind]]
    assert trumps == cards(line)
    assert list(trumps) == sorted(trumps, key=STRENGTH[KINDS[kind]].__getitem__, reverse=True)


@pytest.mark.parametrize(
    ("kind", "order"), [("G", "CA CT CK CQ C9 C8 C7"), ("N", "CA CK CQ CJ CT C9 C8 C7")]
)
def test_1_4_the_other_cards_from_high_to_low(kind: str, order: str) -> None:
    held = cards(order)
    assert sorted(held, key=STRENGTH[KINDS[kind]].__getitem__, reverse=True) == list(held)


def test_1_5_jacks_belong_to_trump_except_in_null() -> None:
    for kind in ContractType:
        groups = {GROUP[kind][one] for one in PACK if one.rank is Rank.JACK}
        assert groups == (
            {Group.TRUMP} if kind is not ContractType.NULL else set(Group) - {Group.TRUMP}
        )


@pytest.mark.parametrize("declarer", [F, M, R])
def test_6_1_the_forehand_leads_whoever_plays_alone(declarer: int) -> None:
    match = table("G", declarer=declarer)
    assert match.on_turn == F


def test_6_1_the_winner_of_a_trick_leads_the_next() -> None:
    match = table("G", {F: "C7", M: "C8", R: "CA"})
    match.play("C7", "C8", "CA")
    assert match.events[-1] == TrickTaken(1, R, 11)
    assert match.on_turn == R


@pytest.mark.parametrize(
    ("kind", "led", "hand", "legal"),
    [
        ("H", "DJ", "HA DA D7", "HA"),
        ("H", "D8", "DJ HA C7", "DJ HA C7"),
        ("N", "DJ", "DA D7 C7", "DA D7"),
        ("G", "HJ", "CJ SA D7", "CJ"),
        ("G", "CA", "CJ SA C7", "C7"),
        ("C", "S7", "CJ SJ SA", "SA"),
        ("C", "C7", "SJ S7 S8", "SJ"),
        ("S", "HA", "SJ S7 C8", "SJ S7 C8"),
    ],
)
def test_6_2_a_card_of_the_led_group_must_follow(
    kind: str, led: str, hand: str, legal: str
) -> None:
    assert names(playable(KINDS[kind], cards(hand), cards(led))) == set(legal.split())


@pytest.mark.parametrize(
    ("kind", "trick", "winner"),
    [
        ("H", "D7 DA D8", 1),
        ("H", "DA H7 DT", 1),
        ("H", "DA H7 DJ", 2),
        ("H", "HA SJ CJ", 2),
        ("H", "C7 SA DA", 0),
        ("G", "CA CJ C7", 1),
        ("G", "CT CA SJ", 2),
        ("G", "C7 SA HA", 0),
        ("N", "CT CJ C9", 1),
        ("N", "C7 SA HA", 0),
    ],
)
def test_6_3_the_highest_trump_or_the_highest_card_of_the_led_suit_wins(
    kind: str, trick: str, winner: int
) -> None:
    assert winning_place(KINDS[kind], cards(trick)) == winner


def test_6_4_an_illegal_card_is_refused_and_nothing_changes() -> None:
    match = table("H", {F: "DJ", M: "HA DA", R: "HK"})
    match.play("DJ")
    assert match.refused(M, Play(card("DA"))) == "must_follow"
    assert match.refused(M, Play(card("HK"))) == "card_not_in_hand"
    match.play("HA")


def ended_after(match: Match, trick: str) -> bool:
    match.play(*trick.split())
    return bool(match.all_of(DealScored))


def test_6_5_null_ends_with_the_declarers_first_trick() -> None:
    match = table("N", {F: "C7 D7", M: "C8 DA", R: "C9 D8"})
    assert not ended_after(match, "C7 C8 C9")
    match = table("N", {F: "D7", M: "DA", R: "D8"})
    assert ended_after(match, "D7 DA D8")
    assert (match.last.reason, match.last.won) == (DealReason.EARLY, False)


@pytest.mark.parametrize("words", ["schwarz", "ouvert"])
def test_6_5_an_announced_schwarz_ends_with_a_trick_of_the_defenders(words: str) -> None:
    match = table(f"G hand {words}", {F: "CA", M: "C8", R: "C7"})
    assert ended_after(match, "CA C8 C7")
    assert (match.last.reason, match.last.won) == (DealReason.EARLY, False)


def test_6_5_a_won_trick_does_not_end_an_announced_schwarz() -> None:
    match = table("G hand schwarz", {F: "C7", M: "CA", R: "C8"})
    assert not ended_after(match, "C7 CA C8")


def test_6_5_without_early_end_all_ten_tricks_are_played() -> None:
    match = table("G hand schwarz", {F: "CA", M: "C8", R: "C7"}, early_end=False)
    assert not ended_after(match, "CA C8 C7")
    outcome = match.play_out()
    assert (outcome.reason, outcome.won) == (DealReason.PLAYED, False)
    assert outcome.declarer_tricks + outcome.defender_tricks == 10


@pytest.mark.parametrize("contract", ["C", "G", "H hand", "S hand schneider"])
def test_6_6_other_games_go_to_the_tenth_trick(contract: str) -> None:
    outcome = table(contract).play_out()
    assert outcome.reason is DealReason.PLAYED
    assert outcome.declarer_tricks + outcome.defender_tricks == 10


def test_6_legal_lists_exactly_the_cards_that_are_accepted() -> None:
    match = table("H", {F: "D8", M: "DJ D9 HA", R: "DA"})
    match.play("D8")
    listed = set(GAME.legal(match.state, M))
    assert Play(card("D9")) in listed
    for one in match.state.table.hands[M]:
        if Play(one) not in listed:
            assert match.refused(M, Play(one)) == "must_follow"
