"""The legal commands of a turn as bots weigh them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spielwerk.cards import Rank
from spielwerk.games.guandan.cards import (
    FACE_OF,
    KIND_OF_FACE,
    KIND_OF_LEVEL,
    KIND_OF_MAIN,
    Face,
    Kind,
    wild_face,
)
from spielwerk.games.guandan.combos import BOMBS, READINGS, RUNS, Reading, Shape
from spielwerk.games.guandan.ladder import rung_of, value_of
from spielwerk.games.guandan.messages import Command, Play


class Offer(NamedTuple):
    """One play: what it is and what it costs."""

    command: Play
    reading: Reading
    faces: tuple[Face, ...]
    kinds: tuple[Kind, ...]
    """Of the natural cards."""
    wilds: int
    rung: int
    value: int

    @property
    def height(self) -> int:
        """The rank that it is named by, 2 to A as 2 to 14, level and jokers above."""
        return self.value + 2 if self.reading.shape in RUNS else self.value

    @property
    def bomb(self) -> bool:
        """Whether it beats every ordinary combination."""
        return self.reading.shape in BOMBS


def offers_of(legal: Sequence[Command], level: Rank) -> list[Offer]:
    """The plays among the legal commands, in their order; legal plays name their reading."""
    number = KIND_OF_LEVEL[level]
    wild = wild_face(number)
    found = []
    for command in legal:
        if not isinstance(command, Play) or command.shape is None or command.main is None:
            continue
        faces = tuple([FACE_OF[card] for card in command.cards])
        kinds = tuple([KIND_OF_FACE[face] for face in faces if face != wild])
        shape: Shape = command.shape
        reading = READINGS[shape, len(faces), KIND_OF_MAIN[command.main]]
        rung, value = rung_of(reading), value_of(reading, number)
        found.append(Offer(command, reading, faces, kinds, len(faces) - len(kinds), rung, value))
    return found
