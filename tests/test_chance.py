"""Draws follow from seed, entropy and label alone, and are fair."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import count

import pytest

from spielwerk.chance import HmacChance, commitment, decision_seed, draw_key

KEY = bytes(range(32))


def chance(match_id: str = "m") -> HmacChance:
    return HmacChance(KEY, match_id)


def test_the_commitment_is_the_seeds_hash() -> None:
    assert commitment(b"s" * 32) == hashlib.sha256(b"s" * 32).digest()


def test_the_draw_key_is_seed_and_entropies_and_missing_ones_are_zero() -> None:
    expected = hashlib.sha256(b"spielwerk|1|key" + b"s" * 32 + b"e" * 32 + bytes(32)).digest()
    assert draw_key(b"s" * 32, [b"e" * 32, b""]) == expected


def test_a_label_always_draws_the_same_and_another_one_something_else() -> None:
    deck = tuple(range(52))
    assert chance().shuffle("deal/1", deck) == chance().shuffle("deal/1", deck)
    assert chance().shuffle("deal/1", deck) != chance().shuffle("deal/2", deck)
    assert chance("m").shuffle("deal/1", deck) != chance("n").shuffle("deal/1", deck)


def test_a_shuffle_is_what_the_published_description_says() -> None:
    """Written anew from the description: 32-bit words, rejection, Fisher-Yates from the end."""
    words = (
        int.from_bytes(hmac.digest(KEY, f"spielwerk|1|m|deal/1|{n}".encode(), "sha256")[i : i + 4])
        for n in count()
        for i in range(0, 32, 4)
    )
    cards = list(range(52))
    for last in range(51, 0, -1):
        limit = 2**32 - 2**32 % (last + 1)
        word = next(word for word in words if word < limit)
        other = word % (last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    assert chance().shuffle("deal/1", range(52)) == tuple(cards)


def test_hi_03_dice_are_uniform() -> None:
    thrown = Counter(chance().die(f"die/{n}") for n in range(30_000))
    assert set(thrown) == set(range(1, 7))
    chi_square = sum((n - 5_000) ** 2 / 5_000 for n in thrown.values())
    assert chi_square < 20.5  # 5 degrees of freedom, p = 0.001


def test_hi_03_every_card_comes_to_every_place_equally_often() -> None:
    """13 cards, 13 places, 13,000 shuffles: 144 degrees of freedom."""
    seen = Counter(
        place
        for n in range(13_000)
        for place in enumerate(chance().shuffle(f"deal/{n}", range(13)))
    )
    chi_square = sum((seen[(p, c)] - 1_000) ** 2 / 1_000 for p in range(13) for c in range(13))
    assert chi_square < 201  # p = 0.001


def test_choosing_from_nothing_is_an_error() -> None:
    with pytest.raises(IndexError):
        chance().choose("x", ())


def test_choosing_gives_one_of_the_options() -> None:
    assert {chance().choose(f"c/{n}", "abc") for n in range(50)} == set("abc")


def test_a_bots_decision_seed_belongs_to_seat_and_turn() -> None:
    seeds = {decision_seed(b"b" * 32, seat, key) for seat in (0, 1) for key in ("1", "2")}
    assert len(seeds) == 4
