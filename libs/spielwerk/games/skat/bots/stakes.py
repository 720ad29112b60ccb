"""What the end of a deal is worth to its declarer, for weighing one card against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spielwerk.games.skat.bots.judging import needed
from spielwerk.games.skat.bots.spaces import Space
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.model import Contract
from spielwerk.games.skat.scoring import BASE, GAME, SCHNEIDER, null_value

CARD_POINT: Final = 40
"""Hundredths of a point of the series for each card point: near the threshold it may decide."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """Contract and bid; the worth is in hundredths of a Seeger-Fabian point.

    A game won brings the declarer its value and 50; a game lost costs twice its loss value and 50,
    and brings 40 to each opponent.
    """

    space: Space
    contract: Contract
    bid: int

    def worth(self, run: int, points: int, tricks: int, defender_tricks: int) -> int:
        """Of an end with so many points (the two cards aside are in them) and tricks."""
        if self.contract.type is ContractType.NULL:
            return self._settled(null_value(self.contract), won=not tricks)
        contract = self.contract
        schneider = points >= SCHNEIDER or points <= 120 - SCHNEIDER
        schwarz = not tricks or not defender_tricks
        level = run + 1 + contract.hand + contract.ouvert
        level += 2 * contract.schneider or schneider
        level += 2 * contract.schwarz or schwarz
        base = BASE[contract.type]
        won = self._made(points, defender_tricks) and base * level >= self.bid
        value = base * (level if won else max(level, needed(self.space, self.bid)))
        return self._settled(value, won=won) + CARD_POINT * points

    def _made(self, points: int, defender_tricks: int) -> bool:
        if self.contract.schwarz:
            return not defender_tricks
        return points >= (SCHNEIDER if self.contract.schneider else GAME)

    @staticmethod
    def _settled(value: int, *, won: bool) -> int:
        return 100 * (value + 50) if won else -100 * (2 * value + 90)
