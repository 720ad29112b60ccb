"""The jokers of a pack, beside its 52 French cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.cards.playing import Card


class JokerColor(StrEnum):
    """Which joker: the black one is also called small, the red one big."""

    BLACK = "B"
    RED = "R"


@dataclass(frozen=True, slots=True)
class Joker:
    """A joker, written color then J: `RJ` is the red one."""

    color: JokerColor

    def __str__(self) -> str:
        return f"{self.color.value}J"

    def __repr__(self) -> str:
        return str(self)

    @classmethod
    def parse(cls, text: str) -> Joker:
        """Read `RJ`; raises ValueError for anything that is no joker."""
        joker = _BY_NAME.get(text)
        if joker is None:
            raise ValueError(f"not a joker: {text!r}")
        return joker


AnyCard: TypeAlias = Card | Joker
"""A card of a pack with jokers."""

BLACK_JOKER: Final = Joker(JokerColor.BLACK)
RED_JOKER: Final = Joker(JokerColor.RED)

_BY_NAME: Final = {str(joker): joker for joker in (BLACK_JOKER, RED_JOKER)}


def parse_any_card(text: str) -> AnyCard:
    """Read `5H` or `RJ`; raises ValueError for anything that is neither."""
    return _BY_NAME.get(text) or Card.parse(text)
