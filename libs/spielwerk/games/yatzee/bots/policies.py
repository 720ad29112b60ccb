"""The three ways to play: beginner, normal and expert."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spielwerk.chance import Chance
from spielwerk.games.yatzee.bots.solitaire import Worth, plan
from spielwerk.games.yatzee.messages import Command, Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import DICE, Dice, Hold, Row, Sheet
from spielwerk.games.yatzee.options import Options
from spielwerk.games.yatzee.scoring import allowed_rows, entry
from spielwerk.games.yatzee.views import SeatView, View, sheet_of

Choose = Callable[[View, Sequence[Command], Chance], Command]


def planned(worth: Worth) -> Choose:
    """Play each round as well as possible, by what a filled row is worth."""

    def choose(view: View, legal: Sequence[Command], chance: Chance) -> Command:  # noqa: ARG001
        if Roll() in legal:
            return Roll()
        own = _own(view)
        dice = own.throws[-1].dice
        best = plan(sheet_of(own), view.options, worth)
        keep = best.keep(dice, own.throw)
        return Enter(best.row(dice)) if keep is None else NextThrow(positions(dice, keep))

    return choose


def careless(view: View, legal: Sequence[Command], chance: Chance) -> Command:
    """Keep the number that lies most often, half the time anything; enter what brings most."""
    if Roll() in legal:
        return Roll()
    own = _own(view)
    dice = own.throws[-1].dice
    holds = [command for command in legal if isinstance(command, NextThrow)]
    most = max(dice, key=lambda pips: (dice.count(pips), pips))
    if not holds or dice.count(most) == DICE:
        return Enter(_best_now(dice, sheet_of(own), view.options))
    if chance.choose("careless", (True, False)):
        return chance.choose("hold", holds)
    return NextThrow(tuple(place for place, pips in enumerate(dice) if pips == most))


def positions(dice: Dice, keep: Dice) -> Hold:
    """Where the kept dice lie: of equal dice the first ones."""
    found: list[int] = []
    for pips in keep:
        found.append(next(p for p, lies in enumerate(dice) if lies == pips and p not in found))
    return tuple(sorted(found))


def _best_now(dice: Dice, sheet: Sheet, options: Options) -> Row:
    rows = allowed_rows(dice, sheet, options)
    return max(rows, key=lambda row: entry(row, dice, sheet, options).points)


def _own(view: View) -> SeatView:
    assert view.seat is not None, "a bot sees its own seat"
    return view.seats[view.seat]
