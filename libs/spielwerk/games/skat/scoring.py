"""What a game is worth and whether it is won: matadors, level, value, overbid (clauses 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spielwerk.games.skat.cards import TRUMP_LINE, Cards, ContractType
from spielwerk.games.skat.model import TRICKS, Contract

GRAND_BASE: Final = 24
BASE: Final = {
    ContractType.CLUBS: 12,
    ContractType.SPADES: 11,
    ContractType.HEARTS: 10,
    ContractType.DIAMONDS: 9,
    ContractType.GRAND: GRAND_BASE,
}
NULL_VALUE: Final = {
    (False, False): 23,
    (True, False): 35,
    (False, True): 46,
    (True, True): 59,
}
"""Fixed values of Null by (hand, ouvert)."""

GAME: Final = 61
"""Points with which a declarer has won (clause 8.2)."""

SCHNEIDER: Final = 90
"""Points with which a side has made the other Schneider; 31 is safe (clause 7.4)."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What both sides have; the declarer's points are with the skat or the discards."""

    points: int
    defender_points: int
    declarer_tricks: int
    defender_tricks: int

    @property
    def schneider(self) -> bool:
        """One side is proven to end with 30 points or less."""
        return self.points >= SCHNEIDER or self.defender_points >= SCHNEIDER

    @property
    def schwarz(self) -> bool:
        """All tricks are played and one side has none."""
        tricks = (self.declarer_tricks, self.defender_tricks)
        return sum(tricks) == TRICKS and 0 in tricks


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a game was worth and who won it; `loss_value` is 0 for a won game.

    A lost game costs its loss value so many `times`.
    """

    matadors: int = 0
    level: int | None = None
    game_value: int
    schneider: bool = False
    schwarz: bool = False
    made: bool
    overbid: bool = False
    won: bool
    loss_value: int = 0
    times: int = 2

    @property
    def list_score(self) -> int:
        """The value if won; all lost games count double (clause 9.1)."""
        return self.game_value if self.won else -self.times * self.loss_value


def matadors(kind: ContractType, twelve: Cards) -> int:
    """The run of trumps from the club jack that is there (positive) or missing (negative)."""
    line, held = TRUMP_LINE[kind], frozenset(twelve)
    if not line:
        return 0
    with_them = line[0] in held
    run = 0
    for trump in line:
        if (trump in held) is not with_them:
            break
        run += 1
    return run if with_them else -run


def simple_level(contract: Contract, run: int) -> int:
    """The level without what was reached; an announcement counts with what it announces."""
    announced = 2 * contract.schneider + 2 * contract.schwarz
    return abs(run) + 1 + contract.hand + announced + contract.ouvert


def full_level(contract: Contract, run: int, reached: Reached) -> int:
    """The level with Schneider and Schwarz of either side (clause 7.3)."""
    unannounced = (reached.schneider and not contract.schneider) + (
        reached.schwarz and not contract.schwarz
    )
    return simple_level(contract, run) + unannounced


def needed_level(kind: ContractType, bid: int) -> int:
    """The lowest level whose value covers the bid."""
    return -(-bid // BASE[kind])


def null_value(contract: Contract) -> int:
    """23, 35, 46 or 59."""
    return NULL_VALUE[contract.hand, contract.ouvert]


def made(contract: Contract, reached: Reached) -> bool:
    """Whether the declarer reached what was announced (clause 8.2)."""
    if contract.type is ContractType.NULL:
        return not reached.declarer_tricks
    if contract.schwarz:
        return not reached.defender_tricks
    return reached.points >= (SCHNEIDER if contract.schneider else GAME)


def judge(contract: Contract, bid: int, twelve: Cards, reached: Reached) -> Verdict:
    """A game that was played as far as anything could change."""
    fulfilled = made(contract, reached)
    if contract.type is ContractType.NULL:
        return null_verdict(contract, won=fulfilled)
    run = matadors(contract.type, twelve)
    level = full_level(contract, run, reached)
    return trump_verdict(
        contract,
        bid,
        run,
        level,
        made=fulfilled,
        schneider=reached.schneider,
        schwarz=reached.schwarz,
    )


def trump_verdict(
    contract: Contract,
    bid: int,
    run: int,
    level: int,
    *,
    made: bool,
    schneider: bool = False,
    schwarz: bool = False,
) -> Verdict:
    """A suit game or Grand of this level: lost if not made, and if the bid was higher (8.3)."""
    base = BASE[contract.type]
    overbid = bid > base * level
    won = made and not overbid
    loss = base * max(level, needed_level(contract.type, bid))
    return Verdict(
        matadors=run,
        level=level,
        game_value=base * level,
        schneider=schneider,
        schwarz=schwarz,
        made=made,
        overbid=overbid,
        won=won,
        loss_value=0 if won else loss,
    )


def null_verdict(contract: Contract, *, won: bool) -> Verdict:
    """A Null game; it knows neither matadors nor Schneider."""
    value = null_value(contract)
    return Verdict(game_value=value, made=won, won=won, loss_value=0 if won else value)


def null_below_bid(contract: Contract, bid: int, twelve: Cards) -> Verdict:
    """A Null that could never cover the bid is lost as the cheapest game that does (clause 5.8)."""
    losses = []
    for kind, base in BASE.items():
        level = abs(matadors(kind, twelve)) + 1 + contract.hand
        losses.append(base * max(level, needed_level(kind, bid)))
    value = null_value(contract)
    return Verdict(game_value=value, made=False, overbid=True, won=False, loss_value=min(losses))
