"""Every damage to a stored match of every game is found at its place."""

from __future__ import annotations

import random
from functools import cache

import pytest

from audit.damaging import DAMAGES, Messages
from audit.playing import Table, played
from games.playing import EVERY_GAME
from spielwerk.audit.checking import verify_stored
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.match.verify import Mismatch

_MATCHES = 6
_LONGEST = 120


@cache
def table(game: AnyGame, seed: int) -> Table:
    return played(game, seed % _MATCHES, _LONGEST)


def check_found(game: AnyGame, kind: str, seed: int) -> None:
    whole = table(game, seed)
    damaged, places = DAMAGES[kind](list(whole.stored), random.Random(f"{kind} {seed}"))
    with pytest.raises(Mismatch) as found:
        verify(whole, damaged)
    assert found.value.version in places, (kind, seed, str(found.value))


def verify(whole: Table, messages: Messages) -> int:
    return verify_stored(whole.match_id, messages, registry.version).records


@EVERY_GAME
@pytest.mark.parametrize("seed", range(_MATCHES))
def test_an_undamaged_match_passes(game: AnyGame, seed: int) -> None:
    whole = table(game, seed)
    assert verify(whole, whole.stored) == len(whole.stored)


@EVERY_GAME
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damage_is_found_at_its_place(game: AnyGame, kind: str) -> None:
    for seed in range(8):
        check_found(game, kind, seed)


@pytest.mark.slow
@EVERY_GAME
def test_each_of_500_damages_is_found_at_its_place(game: AnyGame) -> None:
    kinds = list(DAMAGES)
    for seed in range(500):
        check_found(game, kinds[seed % len(kinds)], 1_000 + seed)


@EVERY_GAME
def test_any_flipped_bit_of_the_last_record_is_found(game: AnyGame) -> None:
    """No later record carries its hash; its own header does."""
    whole = table(game, 0)
    last = whole.stored[-1]
    rng = random.Random(game.key)
    for _ in range(40):
        data = bytearray(last.data)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        changed = type(last)(last.sequence, last.subject, last.headers, bytes(data))
        with pytest.raises(Mismatch) as found:
            verify(whole, [*whole.stored[:-1], changed])
        assert found.value.version == len(whole.stored)
