"""What a bot bids, whether it takes the skat, what it lays away and what it announces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from spielwerk.games.skat.bots.judging import (
    logit_of,
    needed,
    null_logit,
    permille,
    prospect,
    run_of,
)
from spielwerk.games.skat.bots.spaces import Space, space_of
from spielwerk.games.skat.cards import Cards, ContractType
from spielwerk.games.skat.commands import Announce
from spielwerk.games.skat.scoring import BASE, NULL_VALUE

TRUMP_GAMES: Final = tuple(kind for kind in ContractType if kind is not ContractType.NULL)

NULL_SKAT: Final = 60
"""What exchanging two cards adds to a Null hand, in hundredths of a logit."""

RESCUE: Final = 5
"""A game below its bid is saved by Schneider about once in so many times that it is won."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A game with the two cards that would be laid away, and what it is expected to bring."""

    prospect: int
    kind: ContractType
    away: Cards
    ouvert: bool = False


def limit(dealt: Cards, *, forehand: bool, least: int) -> int:
    """The highest value worth bidding: games that are expected to bring `least` thousandths."""
    best = 0
    for kind in TRUMP_GAMES:
        space = space_of(kind)
        hand = space.mask(dealt)
        value = BASE[kind] * (run_of(space, hand) + 1)
        chance = permille(logit_of(space, hand, 0, forehand=forehand, dealt=True))
        if value > best and prospect(value, value, chance) >= least:
            best = value
    for value, ouvert in ((46, True), (23, False)):
        if value > best and prospect(value, value, _null_chance(dealt, forehand, ouvert)) >= least:
            best = value
    return best


def hand_game(dealt: Cards, bid: int, *, forehand: bool) -> Plan | None:
    """A Hand game that promises more than the same game with the skat."""
    best: Plan | None = None
    for kind in TRUMP_GAMES:
        space = space_of(kind)
        hand = space.mask(dealt)
        level = run_of(space, hand) + 2
        plain = _outlook(
            space, bid, level - 1, logit_of(space, hand, 0, forehand=forehand, dealt=True)
        )
        in_hand = _outlook(space, bid, level, logit_of(space, hand, 0, forehand=forehand) + 45)
        if in_hand > plain and (best is None or in_hand > best.prospect):
            best = Plan(in_hand, kind, ())
    return best


def plans(twelve: Cards, bid: int, *, forehand: bool) -> list[Plan]:
    """Every game with every discard, the most promising first."""
    found: list[Plan] = []
    for kind in TRUMP_GAMES:
        space = space_of(kind)
        whole = space.mask(twelve)
        level = run_of(space, whole) + 1
        for away in combinations(twelve, 2):
            aside = space.bit[away[0]] | space.bit[away[1]]
            logit = logit_of(space, whole ^ aside, aside, forehand=forehand)
            found.append(Plan(_outlook(space, bid, level, logit), kind, away))
    found += _null_plans(twelve, bid, forehand=forehand)
    return sorted(found, key=lambda plan: -plan.prospect)


def announcements(
    legal: Sequence[Announce], ten: Cards, aside: Cards, bid: int, *, forehand: bool
) -> list[tuple[int, Announce]]:
    """What each game without the skat in hand promises, the most promising first."""
    found = []
    for said in legal:
        space = space_of(said.type)
        hand = space.mask(ten)
        if said.type is ContractType.NULL:
            chance = permille(null_logit(space, hand, forehand=forehand))
            value = NULL_VALUE[False, said.ouvert]
            if value < bid:
                continue  # where it is accepted at all, it is lost
            promise = prospect(value, value, _shown(chance) if said.ouvert else chance)
        else:
            away = space.mask(aside)
            logit = logit_of(space, hand, away, forehand=forehand)
            promise = _outlook(space, bid, run_of(space, hand | away) + 1, logit)
        found.append((promise, said))
    return sorted(found, key=lambda item: -item[0])


def _outlook(space: Space, bid: int, level: int, logit: int) -> int:
    chance, base = permille(logit), BASE[space.kind]
    least = needed(space, bid)
    if level < least:
        chance //= RESCUE if least == level + 1 else 20 * RESCUE
    return prospect(base * max(level, least), base * max(level, least), chance)


def _null_chance(dealt: Cards, forehand: bool, ouvert: bool) -> int:
    space = space_of(ContractType.NULL)
    chance = permille(null_logit(space, space.mask(dealt), forehand=forehand) + NULL_SKAT)
    return _shown(chance) if ouvert else chance


def _shown(chance: int) -> int:
    """Open cards are safe only if nearly nothing can go wrong."""
    return max(0, 1000 - 3 * (1000 - chance))


def _null_plans(twelve: Cards, bid: int, *, forehand: bool) -> list[Plan]:
    space = space_of(ContractType.NULL)
    whole = space.mask(twelve)
    found = []
    for away in combinations(twelve, 2):
        hand = whole ^ space.bit[away[0]] ^ space.bit[away[1]]
        chance = permille(null_logit(space, hand, forehand=forehand))
        for ouvert in (False, True):
            value = NULL_VALUE[False, ouvert]
            if value >= bid:
                sure = _shown(chance) if ouvert else chance
                found.append(Plan(prospect(value, value, sure), ContractType.NULL, away, ouvert))
    return found
