"""What the others may hold, as far as a seat can know it: from the play and from the auction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from spielwerk.chance import Chance
from spielwerk.games.game import Seat
from spielwerk.games.skat.bots.hearing import Heard, heard_of
from spielwerk.games.skat.bots.judging import logit_of, null_logit, run_of
from spielwerk.games.skat.bots.playout import World
from spielwerk.games.skat.bots.sight import Sight
from spielwerk.games.skat.bots.spaces import bits_of
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.model import SEATS
from spielwerk.games.skat.views import View

ASIDE: Final = 3
"""The place of the two cards that nobody plays, after those of the seats."""

DRAWS: Final = 3
"""Deals drawn for one guess; the one that suits auction and announcement best is taken."""

Places: TypeAlias = tuple[int, int, int, int]
"""A mask or a number for each seat and for the two cards aside."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A possible deal and the run of matadors in it."""

    world: World
    run: int


@dataclass(frozen=True, slots=True)
class Known:
    """What everybody knows: cards laid by seat, what the declarer took, words of the others."""

    laid: tuple[int, int, int]
    taken: tuple[int, int, int]
    """Declarer's points and tricks, defenders' tricks."""
    heard: tuple[tuple[Seat, Heard], ...]
    """Of the seats that are neither the declarer nor the one who guesses."""
    forehand: Seat | None


@dataclass(frozen=True, slots=True)
class Unseen:
    """The cards a seat has not seen: how many lie where, and what cannot lie where."""

    cards: tuple[int, ...]
    """The ones with the fewest possible places first."""
    slots: tuple[int, ...]
    """A place for each card."""
    lacks: Places


def guesses(view: View, sight: Sight, chance: Chance, count: int) -> list[Guess]:
    """So many possible deals."""
    hidden, known = unseen_of(view, sight), known_of(view, sight)
    drawn = []
    for number in range(count):
        deals = [
            _guess(sight, known, _dealt(hidden, chance, f"guess/{number}/{draw}"))
            for draw in range(DRAWS)
        ]
        drawn.append(max(deals, key=lambda guess: _suits(sight, guess, known)))
    return drawn


def known_of(view: View, sight: Sight) -> Known:
    """What the play has shown and the auction has told."""
    laid, bit, had = [0, 0, 0], sight.space.bit, view.taken
    for trick in view.tricks:
        for place, card in enumerate(trick.cards):
            laid[(trick.leader + place) % 3] |= bit[card]
    for place, card_bit in enumerate(sight.trick):
        laid[(sight.leader + place) % 3] |= card_bit
    others = [seat for seat in SEATS if seat not in (sight.me, sight.declarer)]
    return Known(
        laid=(laid[0], laid[1], laid[2]),
        taken=(had.declarer_points, had.declarer_tricks, had.defender_tricks),
        heard=tuple([(seat, heard_of(view, seat)) for seat in others]),
        forehand=view.forehand,
    )


def unseen_of(view: View, sight: Sight) -> Unseen:
    """Where the unseen cards may lie: whoever did not follow has none of that suit."""
    space = sight.space
    room = [0 if seat == sight.me else view.hand_counts[seat] for seat in SEATS]
    knows_aside = sight.me == sight.declarer and view.skat_taken
    unseen = sight.unseen
    if sight.exposed and sight.me != sight.declarer:
        room[sight.declarer] = 0
        unseen &= ~sight.exposed
    room.append(0 if knows_aside else 2)
    lacks = [0, 0, 0, 0]
    tricks = [
        (trick.leader, tuple(map(space.bit.__getitem__, trick.cards))) for trick in view.tricks
    ]
    for leader, cards in (*tricks, (sight.leader, sight.trick)):
        for place, card in enumerate(cards):
            if space.suit[card] != space.suit[cards[0]]:
                lacks[(leader + place) % 3] |= space.suit[cards[0]]
    slots = tuple(place for place, size in enumerate(room) for _ in range(size))

    def places_for(card: int) -> int:
        return sum(1 for place in range(4) if room[place] and not lacks[place] & card)

    cards = tuple(sorted(bits_of(unseen), key=places_for))
    return Unseen(cards, slots, (lacks[0], lacks[1], lacks[2], lacks[3]))


def _dealt(hidden: Unseen, chance: Chance, label: str) -> Places:
    """The unseen cards in possible places, by chance."""
    slots = list(chance.shuffle(label, hidden.slots))
    places = [0, 0, 0, 0]
    for card in hidden.cards:
        slot = next((s for s in slots if not hidden.lacks[s] & card), None)
        if slot is None:
            slot = _made_room(card, slots, places, hidden.lacks)
        slots.remove(slot)
        places[slot] |= card
    return places[0], places[1], places[2], places[3]


def _made_room(card: int, slots: list[int], places: list[int], lacks: Places) -> int:
    """A free place for a card that fits none: another card moves on and leaves its own.

    If none can, the first free place must do: a guess may be wrong.
    """
    for place in range(4):
        if lacks[place] & card:
            continue
        for other in bits_of(places[place]):
            free = next((s for s in slots if not lacks[s] & other), None)
            if free is not None:
                places[place] ^= other
                places[free] |= other
                slots[slots.index(free)] = place
                return place
    return slots[0]


def _guess(sight: Sight, known: Known, places: Places) -> Guess:
    hands = list(places[:3])
    hands[sight.me] = sight.hand
    if sight.exposed and sight.me != sight.declarer:
        hands[sight.declarer] = sight.exposed
    aside = places[ASIDE] or sight.aside
    points, tricks, defender_tricks = known.taken
    world = World(
        hands=(hands[0], hands[1], hands[2]),
        aside=aside,
        declarer=sight.declarer,
        leader=sight.leader,
        trick=sight.trick,
        points=points,
        tricks=tricks,
        defender_tricks=defender_tricks,
    )
    if sight.space.kind is ContractType.NULL:
        return Guess(world, 0)
    twelve = hands[sight.declarer] | known.laid[sight.declarer] | aside
    return Guess(world, run_of(sight.space, twelve))


def _suits(sight: Sight, guess: Guess, known: Known) -> tuple[int, int]:
    """How well the hands suit what was said, and the declarer's what was announced."""
    space, world = sight.space, guess.world
    contradictions = 0
    for seat, heard in known.heard:
        ten = space.held(world.hands[seat] | known.laid[seat])
        contradictions += heard.contradictions(ten, forehand=seat == known.forehand)
    if sight.me == sight.declarer:
        return -contradictions, 0
    kept = world.hands[sight.declarer] | known.laid[sight.declarer]
    leads = sight.declarer == known.forehand
    if space.kind is ContractType.NULL:
        return -contradictions, null_logit(space, kept, forehand=leads)
    return -contradictions, logit_of(space, kept, world.aside, forehand=leads)
