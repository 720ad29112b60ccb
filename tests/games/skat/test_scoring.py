"""Clauses 7 and 8: matadors, level, value, won or lost, overbid; the worked examples."""

from __future__ import annotations

import pytest

from games.skat.scripted import F, M, R, cards, table
from spielwerk.games.skat.cards import PACK, TRUMP_LINE, Cards, ContractType
from spielwerk.games.skat.model import Contract, DealReason
from spielwerk.games.skat.scoring import Reached, Verdict, judge, matadors

KINDS = {kind.value: kind for kind in ContractType}
MODIFIERS = ("hand", "schneider", "schwarz", "ouvert")


def contract(text: str) -> Contract:
    """`D hand schneider`: with everything that is implied."""
    kind, *words = text.split()
    return Contract(KINDS[kind], **{word: word in words for word in MODIFIERS})


def twelve(kind: str, run: int) -> Cards:
    """Twelve cards with (positive) or without (negative) so many matadors."""
    line = TRUMP_LINE[KINDS[kind]]
    trumps = line[:run] if run > 0 else line[-run : -run + 1]
    return (*trumps, *[one for one in PACK if one not in line][: 12 - len(trumps)])


def judged(text: str, run: int, bid: int, points: int, tricks: tuple[int, int] = (6, 4)) -> Verdict:
    said = contract(text)
    kind = text[0]
    return judge(said, bid, twelve(kind, run), Reached(points, 120 - points, *tricks))


@pytest.mark.parametrize("run", [n for n in range(-11, 12) if n])
def test_7_2_matadors_are_the_unbroken_run_held_or_missing(run: int) -> None:
    assert matadors(ContractType.CLUBS, twelve("C", run)) == run


@pytest.mark.parametrize("run", [n for n in range(-4, 5) if n])
def test_7_2_grand_has_at_most_four_matadors(run: int) -> None:
    assert matadors(ContractType.GRAND, twelve("G", run)) == run


def test_7_1_matadors_are_counted_in_all_twelve_cards_whatever_was_discarded() -> None:
    match = table("D", {M: "CJ SJ HJ"}, skat="DJ DA", away="CJ DA")
    match.expire()
    assert match.last.matadors == 5


def test_7_2_null_has_no_matadors() -> None:
    assert matadors(ContractType.NULL, cards("CJ SJ")) == 0


@pytest.mark.parametrize(
    ("text", "points", "tricks", "level"),
    [
        ("C", 61, (6, 4), 3),
        ("C", 90, (8, 2), 4),
        ("C", 120, (10, 0), 5),
        ("C", 120, (9, 1), 4),
        ("C hand", 61, (6, 4), 4),
        ("C hand", 90, (8, 2), 5),
        ("C hand", 120, (10, 0), 6),
        ("C hand schneider", 90, (8, 2), 6),
        ("C hand schneider", 120, (10, 0), 7),
        ("C hand schneider", 80, (7, 3), 6),
        ("C hand schneider schwarz", 120, (10, 0), 8),
        ("C hand schneider schwarz ouvert", 120, (10, 0), 9),
        ("C", 30, (3, 7), 4),
        ("C", 0, (0, 10), 5),
        ("C hand schneider", 20, (2, 8), 6),
    ],
)
def test_7_3_the_level_adds_up(text: str, points: int, tricks: tuple[int, int], level: int) -> None:
    verdict = judged(text, 2, 18, points, tricks)
    assert (verdict.level, verdict.game_value) == (level, 12 * level)


@pytest.mark.parametrize(
    ("points", "schneider"), [(89, False), (90, True), (31, False), (30, True)]
)
def test_7_4_schneider_is_30_points_or_less(points: int, schneider: bool) -> None:
    assert judged("S", 1, 18, points).schneider is schneider


def test_7_5_schwarz_is_no_trick_not_no_points() -> None:
    assert not judged("S", 1, 18, 120, (9, 1)).schwarz
    assert judged("S", 1, 18, 120, (10, 0)).schwarz


@pytest.mark.parametrize(
    ("text", "value"), [("N", 23), ("N hand", 35), ("N ouvert", 46), ("N hand ouvert", 59)]
)
def test_7_6_null_has_fixed_values(text: str, value: int) -> None:
    assert judged(text, 1, 18, 0, (0, 10)).list_score == value
    assert judged(text, 1, 18, 4, (1, 9)).list_score == -2 * value


@pytest.mark.parametrize(("kind", "base"), [("C", 12), ("S", 11), ("H", 10), ("D", 9), ("G", 24)])
def test_7_6_the_value_is_base_times_level(kind: str, base: int) -> None:
    assert judged(kind, 1, 18, 61).list_score == 2 * base


def test_7_7_the_highest_values_are_264_and_216() -> None:
    everything = "hand schneider schwarz ouvert"
    assert judged(f"G {everything}", 4, 18, 120, (10, 0)).list_score == 264
    assert judged(f"C {everything}", 11, 18, 120, (10, 0)).list_score == 216


@pytest.mark.parametrize(("points", "won"), [(60, False), (61, True)])
def test_8_2_the_declarer_needs_61(points: int, won: bool) -> None:
    assert judged("C", 1, 18, points).won is won


@pytest.mark.parametrize(("points", "won"), [(89, False), (90, True)])
def test_8_2_an_announced_schneider_needs_90(points: int, won: bool) -> None:
    assert judged("C hand schneider", 1, 18, points).won is won


def test_8_2_an_announced_schwarz_needs_every_trick() -> None:
    assert judged("C hand schneider schwarz", 1, 18, 120, (10, 0)).won
    assert not judged("C hand schneider schwarz", 1, 18, 120, (9, 1)).won


@pytest.mark.parametrize(
    ("text", "run", "bid", "points", "tricks", "score"),
    [
        pytest.param("D", -2, 18, 59, (6, 4), -54, id="1: iss-541932"),
        pytest.param("C hand schneider schwarz", 3, 18, 120, (10, 0), 108, id="2: iss-26496"),
        pytest.param("H", 1, 24, 65, (6, 4), -60, id="3: jack in the skat"),
        pytest.param("H", 1, 24, 90, (8, 2), 30, id="3: saved by Schneider"),
        pytest.param("H", 1, 24, 55, (6, 4), -60, id="3: also not made"),
        pytest.param("H hand", 1, 60, 70, (6, 4), -120, id="4: the same in Hand"),
        pytest.param("D hand", 1, 40, 70, (6, 4), -90, id="4: Diamonds Hand"),
        pytest.param("S hand", 1, 72, 70, (6, 4), -154, id="5"),
        pytest.param("H hand", 2, 18, 93, (8, 2), 50, id="6: jack in the skat helps"),
        pytest.param("D", 1, 36, 41, (4, 6), -72, id="7: iss-596891"),
        pytest.param("D", -1, 36, 75, (7, 3), -72, id="7: iss-8650652"),
        pytest.param("G", 1, 48, 12, (1, 9), -144, id="8: iss-10327743"),
        pytest.param("D hand schneider", 2, 18, 88, (8, 2), -108, id="9: iss-1163253"),
        pytest.param("D hand schneider", -1, 46, 106, (8, 2), -108, id="9: iss-6358905"),
        pytest.param("S", 2, 18, 120, (9, 1), 44, id="10: no Schwarz"),
        pytest.param("S", 2, 18, 120, (10, 0), 55, id="10: Schwarz"),
        pytest.param(
            "C hand schneider schwarz ouvert", 2, 18, 120, (10, 0), 108, id="11: Clubs ouvert"
        ),
        pytest.param(
            "G hand schneider schwarz ouvert", 4, 18, 106, (9, 1), -528, id="11: Grand ouvert"
        ),
        pytest.param(
            "C hand schneider schwarz ouvert", 1, 18, 13, (0, 1), -192, id="11: iss-13577"
        ),
        pytest.param("N hand ouvert", 1, 18, 12, (1, 9), -118, id="12: iss-25"),
        pytest.param("N ouvert", 1, 18, 0, (0, 10), 46, id="12: iss-1390253"),
        pytest.param("D", -1, 22, 89, (8, 2), -54, id="8.4: 89 points do not help"),
        pytest.param("D", -1, 22, 90, (8, 2), 27, id="8.4: 90 points do"),
    ],
)
def test_8_worked_examples(
    text: str, run: int, bid: int, points: int, tricks: tuple[int, int], score: int
) -> None:
    assert judged(text, run, bid, points, tricks).list_score == score


@pytest.mark.parametrize(("skat", "run"), [("CJ C7", 1), ("SJ C7", -1), ("C8 C7", -4)])
def test_8_5_a_jack_in_the_skat_changes_the_matadors(skat: str, run: int) -> None:
    match = table("H hand", {M: "HA HT HK HQ H9 H8 H7 SA ST DA", F: "DJ HJ"}, skat=skat)
    match.expire()
    assert match.last.matadors == run


def test_8_1_the_skat_counts_for_the_declarer_also_in_a_hand_game() -> None:
    match = table("C hand", skat="DA DT")
    outcome = match.play_out()
    tricks = match.state.series.last
    assert tricks is outcome
    assert outcome.points >= 21


def test_8_1_the_discards_count_for_the_declarer() -> None:
    match = table("C", {M: "SA ST"}, skat="S7 S8", away="SA ST")
    assert match.play_out().points >= 21


def test_8_6_a_loss_costs_at_least_the_next_multiple_that_covers_the_bid() -> None:
    verdict = judged("H", 1, 33, 50)
    assert (verdict.game_value, verdict.loss_value, verdict.overbid) == (20, 40, True)


@pytest.mark.parametrize(
    ("points", "tricks", "level"), [(31, (3, 7), 2), (30, (3, 7), 3), (0, (0, 10), 4)]
)
def test_8_7_a_declarer_who_is_schneider_or_schwarz_loses_in_that_level(
    points: int, tricks: tuple[int, int], level: int
) -> None:
    assert judged("D", 1, 18, points, tricks).loss_value == 9 * level


def test_8_7_an_announcement_that_was_missed_stays_in_the_loss() -> None:
    assert judged("D hand schneider", 1, 18, 88).loss_value == 9 * 5


def test_8_8_an_early_end_names_only_what_is_proven() -> None:
    match = table("G hand ouvert", {F: "CA", M: "C8", R: "C7"})
    match.play("CA", "C8", "C7")
    outcome = match.last
    assert (outcome.reason, outcome.schneider, outcome.schwarz) == (DealReason.EARLY, False, False)


def test_8_3_a_won_game_covers_its_bid() -> None:
    verdict = judged("C", 1, 24, 70)
    assert (verdict.won, verdict.overbid, verdict.loss_value) == (True, False, 0)
    lost = judged("C", 1, 27, 70)
    assert (lost.won, lost.made, lost.overbid) == (False, True, True)
