"""Games that end by a timeout or a resignation in the play (clause 10)."""

from __future__ import annotations

from spielwerk.games.skat.cards import Cards, ContractType
from spielwerk.games.skat.model import Contract
from spielwerk.games.skat.scoring import (
    BASE,
    GAME,
    SCHNEIDER,
    Reached,
    Verdict,
    full_level,
    made,
    matadors,
    needed_level,
    null_verdict,
    simple_level,
    trump_verdict,
)


def given_up(
    contract: Contract,
    bid: int,
    twelve: Cards,
    reached: Reached,
    *,
    by_declarer: bool,
    respects_decided: bool,
) -> Verdict:
    """The side that gave up has lost in the simple level, unless the game was decided."""
    declarer_wins = not by_declarer
    if respects_decided:
        settled = decided(contract, bid, twelve, reached)
        declarer_wins = declarer_wins if settled is None else settled
    if contract.type is ContractType.NULL:
        return null_verdict(contract, won=declarer_wins)
    run = matadors(contract.type, twelve)
    if not declarer_wins:
        return trump_verdict(contract, bid, run, simple_level(contract, run), made=False)
    return _granted(contract, bid, run, reached)


def decided(contract: Contract, bid: int, twelve: Cards, reached: Reached) -> bool | None:
    """Whether the declarer has won (True) or lost (False) already; None while it is open."""
    if contract.type is ContractType.NULL or contract.schwarz:
        lost_trick = not made(contract, reached)
        return False if lost_trick else None
    target = SCHNEIDER if contract.schneider else GAME
    if reached.defender_points > 120 - target:
        return False
    if reached.points < target:
        return None
    level = full_level(contract, matadors(contract.type, twelve), reached)
    return True if BASE[contract.type] * level >= bid else None


def _granted(contract: Contract, bid: int, run: int, reached: Reached) -> Verdict:
    """Won in the simple level; Schneider, then Schwarz are granted where the bid needs them.

    Only as far as the defenders could still lose them: else the game was overbid anyhow.
    """
    simple, needed = simple_level(contract, run), needed_level(contract.type, bid)
    level = simple
    schneider = level < needed and not contract.schneider and reached.defender_points <= 30
    level += schneider
    no_trick = not reached.defender_tricks
    schwarz = (
        level < needed and not contract.schwarz and no_trick and (schneider or contract.schneider)
    )
    level += schwarz
    if level < needed:
        return trump_verdict(contract, bid, run, simple, made=True)
    return trump_verdict(contract, bid, run, level, made=True, schneider=schneider, schwarz=schwarz)
