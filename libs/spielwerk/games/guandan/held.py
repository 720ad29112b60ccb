"""A hand as the enumeration of plays reads it, and the choice of suits for a play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from spielwerk.cards import AnyCard, Rank
from spielwerk.games.guandan.cards import (
    FACE_OF,
    FACES,
    KIND_OF_FACE,
    KIND_OF_LEVEL,
    Cards,
    Face,
    Kind,
    wild_face,
)
from spielwerk.games.guandan.combos import STRAIGHTS, Reading, Shape
from spielwerk.games.guandan.options import Options

FaceSet: TypeAlias = tuple[Face, ...]

_SUIT_BITS: Final = range(4)


class RankPlay(NamedTuple):
    """A play without its suits: natural kinds with repetition, how many wild cards, the reading.

    `suit` is set for a straight flush alone.
    """

    reading: Reading
    kinds: tuple[Kind, ...]
    wilds: int
    suit: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A hand by kind; wild cards are counted apart and lie in no other field."""

    level: Kind
    counts: tuple[int, ...]
    """Natural cards by kind."""
    wilds: int
    suits: tuple[int, ...]
    """By suit: the natural ranks as bits."""
    faces: tuple[FaceSet, ...]
    """By kind: the natural faces, those that no straight flush needs first."""

    @property
    def size(self) -> int:
        """How many cards these are."""
        return sum(self.counts) + self.wilds

    def suits_of(self, kinds: Iterable[Kind]) -> int:
        """The suits in which any of the kinds is held, as bits."""
        bits = 0
        for kind in kinds:
            for face in self.faces[kind]:
                bits |= 1 << face % 4
        return bits


def hold(cards: Iterable[AnyCard], level: Rank) -> Held:
    """The hand at the level."""
    return hold_faces([FACE_OF[card] for card in cards], KIND_OF_LEVEL[level])


def hold_faces(faces: Iterable[Face], level: Kind) -> Held:
    """The same for cards as numbers."""
    wild = wild_face(level)
    counts, suits, wilds = [0] * 15, [0] * 4, 0
    by_kind: list[list[Face]] = [[] for _ in range(15)]
    for face in faces:
        if face == wild:
            wilds += 1
            continue
        kind = KIND_OF_FACE[face]
        counts[kind] += 1
        by_kind[kind].append(face)
        if face < 52:
            suits[face % 4] |= 1 << kind
    needed = [_needed(bits) for bits in suits]
    ordered = tuple([tuple(_loose_first(held, needed)) for held in by_kind])
    return Held(level, tuple(counts), wilds, tuple(suits), ordered)


def pick(play: RankPlay, held: Held, options: Options) -> Cards:
    """Cards of the hand for the play; what a straight flush needs is spared where that is free."""
    if play.suit is not None:
        faces = [4 * kind + play.suit for kind in play.kinds]
    else:
        faces = _first_faces(play.kinds, held)
        if must_mix(play, options) and len({face % 4 for face in faces}) == 1:
            faces = _mixed(faces, held)
    wild = wild_face(held.level)
    return tuple([FACES[face] for face in sorted(faces)] + [FACES[wild]] * play.wilds)


def spread(play: RankPlay, held: Held, options: Options) -> Iterator[FaceSet]:
    """All ways to choose the natural cards of the play, each a sorted tuple of faces."""
    if play.suit is not None:
        yield tuple(4 * kind + play.suit for kind in play.kinds)
        return
    needed = {kind: play.kinds.count(kind) for kind in play.kinds}
    choices = [_choices(held.faces[kind], number) for kind, number in needed.items()]
    mixed = must_mix(play, options)
    for parts in product(*choices):
        faces = tuple(sorted(face for part in parts for face in part))
        if not mixed or len({face % 4 for face in faces}) > 1:
            yield faces


def must_mix(play: RankPlay, options: Options) -> bool:
    """Whether its natural cards may not share a suit: then they would be a straight flush."""
    if play.reading.shape is not Shape.STRAIGHT:
        return False
    allowed = options.flush_wild_as_straight if play.wilds else options.flush_run_as_straight
    return not allowed


@cache
def _needed(bits: int) -> int:
    """The ranks of one suit that lie in a run of five of them."""
    needed = 0
    for window in STRAIGHTS:
        if bits & window.mask == window.mask:
            needed |= window.mask
    return needed


def _loose_first(faces: list[Face], needed: list[int]) -> list[Face]:
    """Second copies and faces without a run first; inside, by suit."""
    if len(faces) < 2 or faces[0] >= 52:
        return faces

    def key(place: int) -> tuple[bool, Face]:
        face = faces[place]
        spare = face in faces[:place]
        return not spare and bool(needed[face % 4] >> face // 4 & 1), face

    faces.sort()
    return [faces[place] for place in sorted(range(len(faces)), key=key)]


def _first_faces(kinds: tuple[Kind, ...], held: Held) -> list[Face]:
    faces: list[Face] = []
    last, copies = -1, 0
    for kind in kinds:
        copies = copies + 1 if kind == last else 0
        last = kind
        faces.append(held.faces[kind][copies])
    return faces


def _mixed(faces: list[Face], held: Held) -> list[Face]:
    """One card exchanged for one of another suit; the enumeration knows that there is one."""
    suit = faces[0] % 4
    for place, face in enumerate(faces):
        for other in held.faces[face // 4]:
            if other % 4 != suit:
                return [*faces[:place], other, *faces[place + 1 :]]
    raise AssertionError("a straight of one suit is not enumerated")


def _choices(faces: FaceSet, number: int) -> list[FaceSet]:
    """The different ways to take so many of the faces."""
    found: set[FaceSet] = set()

    def take(chosen: FaceSet, rest: FaceSet) -> None:
        if len(chosen) == number:
            found.add(tuple(sorted(chosen)))
            return
        for place, face in enumerate(rest):
            take((*chosen, face), rest[place + 1 :])

    take((), faces)
    return sorted(found)
