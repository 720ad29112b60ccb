"""Visible draws tell nothing of those to come, deals are fair, and matches share nothing.

All draws follow from fixed seeds: a failure is never chance.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

import pytest

from games.playing import EVERY_GAME, Playing, facts
from spielwerk.cards import Joker
from spielwerk.chance import HmacChance, draw_key
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.games.yatzee.messages import DiceRolled, Roll
from spielwerk.log.subjects import new_match_id

EVERY_CARD_GAME = pytest.mark.parametrize(
    "game",
    [game for game in EVERY_GAME.args[1] if facts(game).HIDES_CARDS],
    ids=lambda game: f"{game.key}-{game.rules_version}",
)
_DICE = 10_000
_NOW = 1_790_000_000_000


def critical(freedom: int) -> float:
    """The 99.9th percentile of chi-square, after Wilson and Hilferty."""
    ninth = 2 / (9 * freedom)
    return float(freedom * (1 - ninth + 3.0902 * sqrt(ninth)) ** 3)


@pytest.fixture(scope="module")
def dice() -> list[int]:
    """The first throws of 2000 matches of Yatzee, as their players see them."""
    game, thrown = registry.newest("yatzee"), list[int]()
    for seed in range(_DICE // 5):
        match = Playing(game, game.options(), 2, seed)
        thrown += next(e for e in match.give(0, Roll()) if isinstance(e, DiceRolled)).dice
    return thrown


def test_hi_03_visible_dice_are_uniform(dice: list[int]) -> None:
    expected = _DICE / 6
    assert sum((n - expected) ** 2 / expected for n in Counter(dice).values()) < critical(5)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_hi_03_what_followed_the_same_dice_before_predicts_no_die(
    dice: list[int], order: int
) -> None:
    """A table of what came after each run of so many dice, guessing the most frequent."""
    table: dict[tuple[int, ...], Counter[int]] = {}
    hits = []
    for at in range(order, len(dice)):
        past = tuple(dice[at - order : at])
        known = table.setdefault(past, Counter())
        if known:
            hits.append(known.most_common(1)[0][0] == dice[at])
        known[dice[at]] += 1
    assert no_better_than_guessing(hits)


def test_hi_03_no_earlier_die_predicts_a_later_one(dice: list[int]) -> None:
    """Sequences that repeat or are shifted copies of themselves, as of weak generators."""
    for lag in range(1, 1_000):
        hits = [dice[at] == dice[at - lag] for at in range(lag, len(dice))]
        assert no_better_than_guessing(hits), lag


def no_better_than_guessing(hits: Sequence[bool]) -> bool:
    """Whether a sixth was right, within five standard deviations."""
    deviation = sqrt(len(hits) * 5 / 36)
    return abs(sum(hits) - len(hits) / 6) < 5 * deviation


def test_hi_03_dice_come_of_no_shift_register(dice: list[int]) -> None:
    """The shortest linear recurrence of their low bits is as long as that of pure chance, half of
    the sequence: congruential generators and shift registers have a short one."""
    bits = [die & 1 for die in dice[:2_000]]
    assert abs(linear_complexity(bits) - len(bits) / 2) < 20
    register = [1, 0, 0, 1, 1]
    while len(register) < 2_000:
        register.append(register[-5] ^ register[-2])
    assert linear_complexity(register) == 5, "the attack finds nothing"


def linear_complexity(bits: Sequence[int]) -> int:
    """Berlekamp and Massey over bits; polynomials are integers, lowest coefficient first."""
    current, before, length, last, seen = 1, 1, 0, -1, 0
    for at, bit in enumerate(bits):
        seen = seen << 1 | bit  # bit i: the value i steps ago
        if not (current & seen).bit_count() & 1:
            continue
        kept = current
        current ^= before << (at - last)
        if 2 * length <= at:
            length, last, before = at + 1 - length, at, kept
    return length


@EVERY_CARD_GAME
@pytest.mark.parametrize("cards", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(900)
def test_hi_03_every_card_is_dealt_to_every_place_equally_often(game: AnyGame, cards: int) -> None:
    """So many cards dealt by the rules of each game at the beginning of its matches."""
    dealt = list(deals(game, cards))
    sizes = {place: len(lying) for place, lying in dealt[0].items()}
    copies = Counter(card for lying in dealt[0].values() for card in lying)
    seen = Counter((p, card) for table in dealt for p, lying in table.items() for card in lying)
    share = len(dealt) / copies.total()
    chi_square = sum(
        (seen[place, card] - (due := share * number * size)) ** 2 / due
        for place, size in sizes.items()
        for card, number in copies.items()
    )
    kinds = len(copies)  # drawn without putting back: a little less scatter
    assert chi_square * (kinds - 1) / kinds < critical((kinds - 1) * (len(sizes) - 1))


def deals(game: AnyGame, cards: int) -> Iterator[dict[str, tuple[Any, ...]]]:
    """What lies where when the first deal has been dealt, in many matches. Where it depends on the
    card where it lies, places are taken together and jokers left out."""
    dealt = seed = 0
    while dealt < cards:
        match = Playing(game, game.options(), max(2, game.seats[0]), seed)
        lying = facts(game).places(match.state)
        if game.key == "house_of_cards":  # all seats have the same stock
            lying = {place: lying[place] for place in lying if place.endswith(" 0")}
            lying = {p: [c for c in some if not isinstance(c, Joker)] for p, some in lying.items()}
        table = {
            p: tuple(some) for p, some in lying.items() if p.startswith(("hand", "open", "stack 0"))
        }
        table["rest"] = tuple(c for p, some in lying.items() if p not in table for c in some)
        yield {place: some for place, some in table.items() if some}
        dealt += sum(map(len, table.values()))
        seed += 1


@pytest.mark.parametrize("matches", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(900)
def test_hi_03_deals_of_matches_made_in_the_same_millisecond_are_independent(matches: int) -> None:
    """Neighbouring ids of one millisecond with neighbouring seeds, and with the very same seed:
    where a card lies in one deal says nothing of where it lies in the next."""
    for seed_of in (lambda number: number.to_bytes(32, "big"), lambda _: b"s" * 32):
        first = [first_card(number, seed_of(number)) for number in range(matches)]
        seen = Counter(pairwise(first))
        expected = (matches - 1) / 169
        chi_square = sum(
            (seen[a, b] - expected) ** 2 / expected for a in range(13) for b in range(13)
        )
        assert chi_square < critical(168)


def first_card(number: int, seed: bytes) -> int:
    match_id = new_match_id(_NOW, number.to_bytes(10, "big"))
    return HmacChance(draw_key(seed, [b"", b""]), match_id).shuffle("deal/1/1", range(13))[0]


def test_hi_03_a_known_entropy_and_id_do_not_give_the_deal_away() -> None:
    """Whoever knows all but the seed draws other cards: the commitment is no key."""
    seed, entropies = hashlib.sha256(b"seed").digest(), [b"a" * 32, b"b" * 32]
    dealt = HmacChance(draw_key(seed, entropies), "m").shuffle("deal/1/1", range(52))
    commitment = hashlib.sha256(seed).digest()
    for guess in (b"", bytes(32), commitment, *entropies):
        assert HmacChance(draw_key(guess, entropies), "m").shuffle("deal/1/1", range(52)) != dealt
