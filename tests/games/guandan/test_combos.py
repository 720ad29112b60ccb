"""Clauses 4 to 6: combinations, wild cards, and what beats what."""

from __future__ import annotations

import pytest

from games.guandan.scripted import DEFAULTS, cards, table
from spielwerk.cards import Rank
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.combos import Reading, readings
from spielwerk.games.guandan.ladder import beats
from spielwerk.games.guandan.messages import CombinationPlayed
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.showing import combination


def read(text: str, level: str = "9", **options: bool) -> str:
    """All readings, as `straight 7, straight 8`."""
    found = readings(cards(text), Rank(level), Options(**options))
    return ", ".join(f"{reading.shape.value} {reading.main.value}" for reading in found)


def one(text: str, level: str = "9") -> Reading:
    (reading,) = readings(cards(text), Rank(level), DEFAULTS)
    return reading


def shown(text: str, which: int = 0, level: str = "9") -> str:
    found = readings(cards(text), Rank(level), DEFAULTS)[which]
    return " ".join(map(str, combination(cards(text), found, Rank(level)).wild_as))


def chain(*texts: str, level: str) -> bool:
    """Whether each combination beats the one before and no one beats a later one."""
    line = [one(text, level) for text in texts]
    return all(
        beats(new, old, Rank(level)) == (line.index(new) > line.index(old))
        for new in line
        for old in line
    )


def test_4_1_a_single_is_any_card() -> None:
    assert [read("3S"), read("9H"), read("BJ")] == ["single 3", "single 9", "single BJ"]


def test_4_2_a_pair_is_two_of_a_rank_or_two_equal_jokers() -> None:
    assert [read("3S 3S"), read("RJ RJ"), read("BJ BJ")] == ["pair 3", "pair RJ", "pair BJ"]
    assert [read("3S 4S"), read("RJ BJ"), read("RJ 9H")] == ["", "", ""]


def test_4_3_a_triple_is_three_of_a_rank() -> None:
    assert [read("KS KS KD"), read("RJ RJ 9H")] == ["triple K", ""]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("KS KD KC 4S 4D", "full_house K"),
        ("KS KD KC RJ RJ", "full_house K"),
        ("KS KD KC RJ BJ", ""),
        ("KS KD KC RJ 9H", ""),
        ("KS KD 9H RJ RJ", "full_house K"),
        ("3S 3D 9H 9H RJ", ""),
        ("3S 3D 4C 4S 9H", "full_house 3, full_house 4"),
    ],
)
def test_4_4_a_full_house_is_a_triple_and_a_pair(text: str, found: str) -> None:
    assert read(text) == found


def test_4_5_a_straight_is_five_ranks_in_a_row_of_mixed_suits() -> None:
    assert read("3S 4D 5C 6H 7S") == "straight 7"
    assert read("3S 4S 5S 6S 7S") == "straight_flush 7"
    assert [read("3S 4D 5C 6H"), read("3S 4D 5C 6H 7S 8S")] == ["", ""]
    assert read("JS QD KC AH 2S") == ""


def test_4_6_a_pair_run_is_three_pairs_in_a_row() -> None:
    assert [read("3S 3D 4S 4D 5S 5D"), read("3S 3D 4S 4D")] == ["pair_run 5", ""]
    assert read("3S 3D 4S 4D 5S 5D 6S 6D") == ""


def test_4_7_a_triple_run_is_two_triples_in_a_row() -> None:
    assert read("3S 3D 3C 4S 4D 4C") == "triple_run 4"
    assert read("3S 3D 3C 4S 4D 4C 5S 5D 5C") == ""
    assert read("KS KD KC 2S 2D 2C") == ""


def test_4_8_a_bomb_is_four_to_ten_of_a_rank() -> None:
    eight = "3S 3D 3C 3H 3S 3D 3C 3H"
    assert [read(eight[: 3 * n - 1]) for n in (4, 5, 8)] == ["bomb 3"] * 3
    assert [read(f"{eight} 9H"), read(f"{eight} 9H 9H")] == ["bomb 3", "bomb 3"]
    assert one(f"{eight} 9H 9H").size == 10


def test_4_9_a_straight_flush_is_five_in_a_row_of_one_suit() -> None:
    assert read("AS 2S 3S 4S 5S") == "straight_flush 5"
    assert read("TS JS QS KS AS") == "straight_flush A"


def test_4_10_the_joker_bomb_is_all_four_jokers() -> None:
    assert read("RJ RJ BJ BJ") == "joker_bomb RJ"
    assert [read("RJ RJ BJ"), read("RJ RJ BJ 9H"), read("RJ RJ BJ BJ 3S")] == ["", "", ""]


def test_4_11_runs_with_a_low_ace_are_named_by_their_top() -> None:
    assert read("AS 2D 3C 4H 5S") == "straight 5"
    assert read("AS AD 2S 2D 3S 3D") == "pair_run 3"
    assert read("AS AD AC 2S 2D 2C") == "triple_run 2"


@pytest.mark.parametrize(
    "text", ["3S 3D 3C 4S", "3S 3D 3C 4S 5D", "3S 3D 3C 3H 4S", "", "3S 3D 3C 4S 4D 4C 5S 6S"]
)
def test_4_12_nothing_else_is_a_combination(text: str) -> None:
    assert read(text) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5S 6D 7C 9H 9H", "straight 7, straight 8, straight 9"),
        (
            "5S 6S 7S 9H 9H",
            "straight 7, straight 8, straight 9, "
            "straight_flush 7, straight_flush 8, straight_flush 9",
        ),
        ("3S 3D 4S 4D 9H 9H", "pair_run 4, pair_run 5, triple_run 4"),
        ("3S 3S 3D 3D 3C 3C 3H 3H 9H", "bomb 3"),
        ("8S 9H TS JD QC", "straight Q"),
    ],
)
def test_5_1_a_wild_card_may_be_any_ordinary_card(text: str, found: str) -> None:
    assert read(text) == found


def test_5_2_a_wild_card_alone_is_a_single_of_the_level() -> None:
    assert read("9H") == "single 9"
    assert not beats(one("9H"), one("9S"), Rank.NINE)
    assert not beats(one("9S"), one("9H"), Rank.NINE)


def test_5_3_more_than_one_allowed_reading_must_be_declared() -> None:
    match = table("5S 6D 7C 9H 9H KD", "3S 4D 5C 6H 8S", "3S", "3S", level="9")
    straight = cards("5S 6D 7C 9H 9H")
    with pytest.raises(Exception, match="name shape and main") as refused:
        match.play("5S 6D 7C 9H 9H")
    assert refused.value.metadata == {"readings": "straight 7, straight 8, straight 9"}  # type: ignore[attr-defined]
    with pytest.raises(Exception, match="name shape and main"):
        match.play("5S 6D 7C 9H 9H", "straight")
    (event,) = match.play("5S 6D 7C 9H 9H", None, "8")

    assert event == CombinationPlayed(
        0, straight, one("4S 5D 6C 7H 8S").shape, 5, one("4S 5D 6C 7H 8S").main, event.wild_as, 1
    )


def test_5_3_a_single_allowed_reading_needs_no_declaration() -> None:
    match = table("4S 5D 6C 7H 8S KD", "5S 6D 7C 9H 9H KD", "3S", "3S", level="9")
    match.play("4S 5D 6C 7H 8S")
    (event,) = match.play("5S 6D 7C 9H 9H")

    assert event.main.value == "9"


def test_5_4_what_is_named_must_fit_and_beat_even_if_another_reading_would() -> None:
    match = table("4S 5D 6C 7H 8S KD", "5S 6D 7C 9H 9H KD", "3S", "3S", level="9")
    match.play("4S 5D 6C 7H 8S")

    for shape, main, reason in (
        ("straight", "8", "does_not_beat"),
        ("straight", "J", "bad_declaration"),
        ("full_house", "9", "bad_declaration"),
        (None, "7", "does_not_beat"),
    ):
        with pytest.raises(Exception, match=reason.replace("_", " ")):
            match.play("5S 6D 7C 9H 9H", shape, main)
    assert match.play("5S 6D 7C 9H 9H", "straight", "9")


def test_5_5_the_accepted_reading_alone_is_compared_from_then_on() -> None:
    match = table("5S 6D 7C 9H 9H KD", "4S 5D 6C 7H 8S KD", "3S", "3S", level="9")
    match.play("5S 6D 7C 9H 9H", "straight", "7")

    assert match.play("4S 5D 6C 7H 8S")


@pytest.mark.parametrize(
    ("text", "which", "level", "wild"),
    [
        ("3S 9H", 0, "9", "3H"),
        ("9H", 0, "9", "9H"),
        ("9H 9H", 0, "9", "2H 2H"),
        ("3S 3D 4C 4S 9H", 0, "9", "3H"),
        ("3S 3D 9H 4C 9H", 0, "9", "3H 4H"),
        ("3S 3D 3C 9H 9H", 0, "9", "9H 9H"),
        ("9S 9D 9C 9H 9H", 0, "9", "AH AH"),
        ("AS AD AC AH AH", 0, "A", "KH KH"),
        ("5S 6D 7C 9H 9H", 0, "9", "3S 4S"),
        ("5S 6D 7C 9H 9H", 2, "9", "8S 9S"),
        ("5S 6S 7S 9H 9H", 1, "9", "4H 8H"),
        ("5S 6S 7S 9H 9H", 4, "9", "4S 8S"),
        ("5D 6D 7D 9H 9H", 1, "9", "4S 8S"),
        ("3S 3D 4S 4D 9H 9H", 0, "9", "2H 2H"),
        ("3S 3D 4S 5D 9H 9H", 0, "9", "4H 5H"),
        ("3S 3D 4S 4D 9H 9H", 2, "9", "3H 4H"),
        ("3S", 0, "9", ""),
    ],
)
def test_5_5_wild_cards_are_shown_as_what_they_stand_for(
    text: str, which: int, level: str, wild: str
) -> None:
    assert shown(text, which, level) == wild


def test_5_6_house_rules_narrow_and_widen_the_readings() -> None:
    assert read("3S 4S 5S 6S 7S", flush_run_as_straight=True) == "straight 7, straight_flush 7"
    assert read("3S 4S 5S 6S 9H", flush_wild_as_straight=False) == (
        "straight_flush 6, straight_flush 7"
    )
    assert read("3S 4D 5S 6S 9H", flush_wild_as_straight=False) == "straight 6, straight 7"
    assert read("9H 9H", wild_pair_any_rank=False) == "pair 9"
    assert len(readings(cards("9H 9H"), Rank.NINE, DEFAULTS)) == 13


def test_5_6_three_of_a_rank_with_two_wild_cards_are_bomb_or_full_house() -> None:
    assert read("3S 3D 3C 9H 9H") == "full_house 3, bomb 3"
    assert read("3S 3D 3C 3H 9H") == "bomb 3"


def test_5_7_cards_are_told_in_one_order_whatever_order_they_came_in() -> None:
    told = []
    for text in ("9H 4S 3D 3C 4C", "4S 4C 9H 3C 3D"):
        match = table("3C 3D 4C 4S 9H KD", "3S", "3S", "3S", level="9")
        told.append(match.play(text, "full_house", "4")[0])

    assert told[0] == told[1]
    assert told[0].cards == cards("3C 3D 4C 4S 9H")


def test_6_1_ordinary_combinations_need_shape_size_and_a_higher_main() -> None:
    level = Rank.FIVE
    assert beats(one("5S 5D", "5"), one("AS AD", "5"), level)
    assert beats(one("BJ BJ", "5"), one("5S 5D", "5"), level)
    assert not beats(one("AS", "5"), one("KS KD", "5"), level)
    assert beats(one("6S 7D 8C 9H TS", "5"), one("5S 6D 7C 8H 9S", "5"), level)
    assert not beats(one("3S 4D 5C 6H 7S", "5"), one("4S 5D 6C 7H 8S", "5"), level)


def test_6_2_every_bomb_beats_every_ordinary_combination() -> None:
    for bomb in ("2S 2D 2C 2S", "2S 3S 4S 5S 6S", "RJ RJ BJ BJ"):
        for other in ("RJ", "AS AD AC KS KD", "TS JD QC KH AS"):
            assert beats(one(bomb), one(other), Rank.NINE)
            assert not beats(one(other), one(bomb), Rank.NINE)


def test_6_3_the_ladder_of_bombs() -> None:
    assert chain(
        "AS AD AC AS",
        "5S 5D 5C 5S",
        "2S 2D 2C 2S 2D",
        "5S 5D 5C 5S 5D",
        "AS 2S 3S 4S 5S",
        "TS JS QS KS AS",
        "2S 2D 2C 2S 2D 2C",
        "2S 2D 2C 2S 2D 2C 2H",
        "2S 2D 2C 2S 2D 2C 2H 2H",
        "2S 2D 2C 2S 2D 2C 2H 2H 5H",
        "2S 2D 2C 2S 2D 2C 2H 2H 5H 5H",
        "RJ RJ BJ BJ",
        level="5",
    )


def test_6_4_equal_never_beats_and_suits_and_the_pair_of_a_full_house_never_count() -> None:
    level = Rank.NINE
    for new, old in (("7S", "7H"), ("TS JS QS KS AS", "TD JD QD KD AD")):
        assert not beats(one(new), one(old), level)
    assert not beats(one("3S 3D 3C AS AD"), one("3S 3D 3C 2S 2D"), level)


def test_runs_keep_their_natural_order_at_every_level() -> None:
    assert chain("AS AD AC 2S 2D 2C", "2S 2D 2C 3S 3D 3C", "KS KD KC AS AD AC", level="2")


def test_the_legal_list_names_every_reading() -> None:
    match = table("5S 6D 7C 9H 9H", "3S", "3S", "3S", level="9")
    straights = [c for c in GAME.legal(match.state, 0) if len(getattr(c, "cards", ())) == 5]

    assert {c.main.value for c in straights} == {"7", "8", "9"}  # type: ignore[union-attr]
