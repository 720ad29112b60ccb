"""The engine agrees with the literal way of reading cards, on random sets and hands."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from games.guandan import reference
from games.guandan.scripted import DEFAULTS, facts
from spielwerk.cards import Rank
from spielwerk.games.guandan.cards import FACES, LEVELS, MAINS, PACK, Cards, Main, wild_face
from spielwerk.games.guandan.combos import BOMBS, Reading, Shape, readings
from spielwerk.games.guandan.held import hold, must_mix, pick, spread
from spielwerk.games.guandan.ladder import beats
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.plays import rank_plays

SETS = 2500
HANDS = 8
PAIRS = 20_000


def random_set(rng: random.Random) -> tuple[Cards, Rank]:
    """Up to ten cards of few ranks, often with wild cards, so that many are combinations."""
    level = rng.choice(LEVELS)
    if rng.random() < 0.01:
        return PACK[-4:], level
    start = rng.randrange(13)
    near = {LEVELS[(start + step) % 13] for step in range(rng.choice((1, 2, 3, 5)))}
    suits = rng.choice(("S", "CDHS", "CDHS", "HS"))
    jokers = rng.random() < 0.2

    def wanted(name: str) -> bool:
        return (name[0] in near and name[1] in suits) or name == f"{level.value}H"

    pool = [card for card in PACK if wanted(str(card)) or (jokers and str(card)[1] == "J")]
    size = rng.choice((1, 2, 3, 4, 5, 5, 5, 5, 6, 6, 6, 7, 8, 9, 10))
    return tuple(rng.sample(pool, min(size, len(pool)))), level


def as_reference(found: Reading) -> reference.Named:
    return found.shape.value, found.size, found.main.value


def test_random_sets_have_the_readings_of_every_substitution() -> None:
    rng = random.Random("readings")
    seen = set()
    for _ in range(SETS):
        some, level = random_set(rng)
        found = readings(some, level, DEFAULTS)
        literal = reference.readings([str(card) for card in some], level.value)
        assert set(map(as_reference, found)) == literal, (some, level)
        assert len(facts(found)) == len(literal)
        seen |= {reading.shape for reading in found}

    assert len(seen) == 10


def short_hands(seed: str, number: int = HANDS) -> Iterator[tuple[Cards, Rank, random.Random]]:
    rng = random.Random(seed)
    for _ in range(number):
        some, level = random_set(rng)
        more = [card for card in PACK if card not in some]
        some = some[:8]
        yield (*some, *rng.sample(more, max(0, 8 - len(some)))), level, rng


@pytest.mark.parametrize("leading", [True, False])
def test_the_plays_of_random_short_hands_are_all_subsets_that_beat(leading: bool) -> None:
    played = 0
    for hand, level, rng in short_hands(f"plays {leading}"):
        whole = reference.plays(list(map(str, hand)), level.value, None)
        top = None if leading else rng.choice(sorted(whole))[0]
        literal = {
            (named, subset)
            for named, subset in whole
            if top is None or reference.beats(named, top, level.value)
        }
        assert engine_plays(hand, level, top) == literal
        played += len(literal)

    assert played > HANDS


def engine_plays(
    hand: Cards, level: Rank, top: reference.Named | None
) -> set[tuple[reference.Named, tuple[str, ...]]]:
    held = hold(hand, level)
    table = None if top is None else Reading(Shape(top[0]), top[1], Main(top[2]))
    wild = str(FACES[wild_face(held.level)])
    return {
        (
            as_reference(play.reading),
            tuple(sorted([str(FACES[face]) for face in faces] + [wild] * play.wilds)),
        )
        for play in rank_plays(held, DEFAULTS, table)
        for faces in spread(play, held, DEFAULTS)
    }


def every_reading() -> list[Reading]:
    """All readings that some set has, at some level."""
    rng = random.Random("all")
    found = {r for _ in range(4000) for r in readings(*random_set(rng), DEFAULTS)}
    return sorted(found, key=as_reference)


def test_random_pairs_of_readings_compare_as_the_written_ladder_says() -> None:
    rng, known = random.Random("pairs"), every_reading()
    outcomes = []
    for _ in range(PAIRS):
        new, old, level = rng.choice(known), rng.choice(known), rng.choice(LEVELS)
        won = beats(new, old, level)
        assert won == reference.beats(as_reference(new), as_reference(old), level.value)
        assert not (won and beats(old, new, level))
        outcomes.append(won)

    assert len({reading.main for reading in known}) == len(MAINS)
    assert len({reading.shape for reading in known} & BOMBS) == 3
    assert set(outcomes) == {True, False}


@pytest.mark.parametrize("flag", ["flush_run_as_straight", "flush_wild_as_straight"])
def test_the_chosen_cards_of_every_play_have_its_reading_under_each_house_rule(flag: str) -> None:
    options = Options(**{flag: not getattr(DEFAULTS, flag)})
    for hand, level, _ in short_hands(flag, 60):
        held = hold(hand, level)
        for play in rank_plays(held, options, None):
            chosen = pick(play, held, options)
            assert play.reading in readings(chosen, level, options)
            assert all(list(hand).count(card) >= chosen.count(card) for card in chosen)
            for faces in spread(play, held, options):
                suits = {face % 4 for face in faces}
                assert len(suits) > 1 or not must_mix(play, options)
