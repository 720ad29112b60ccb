"""What happened at the Yatzee table, a line an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from spielwerk.games.yatzee.messages import (
    BudgetExhausted,
    DiceHeld,
    DiceRolled,
    Event,
    MatchEnded,
    PlayerLeft,
    RoundEnded,
    RoundStarted,
    RowEntered,
    ThrowOpened,
)
from spielwerk.games.yatzee.model import Dice
from spielwerk_local.terminal.words import Say, words
from spielwerk_local.terminal.yatzee_words import YATZEE

_FACES: Final = "⚀⚁⚂⚃⚄⚅"


def pictures(dice: Dice) -> str:
    """`⚀ ⚅ ⚅ ⚂ ⚁`."""
    return " ".join(_FACES[pips - 1] for pips in dice)


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or several of a barrier that opens what was hidden; None for nothing new."""
    return _TOLD[type(event)](event, names, words(YATZEE, language)) or None


def _rolled(event: DiceRolled, names: Sequence[str], say: Say) -> str:
    if not event.dice:
        return say("tell_rolled_unseen", name=names[event.seat])
    return say("tell_rolled", name=names[event.seat], dice=pictures(event.dice))


def _entered(event: RowEntered, names: Sequence[str], say: Say) -> str:
    name = names[event.seat]
    if event.row is None:
        return say("tell_entered_unseen", name=name)
    row = say(event.row.value)
    if event.struck:
        return say("tell_struck", name=name, row=row)
    return say("tell_entered", name=name, row=row, points=event.points)


def _ended(event: RoundEnded, names: Sequence[str], say: Say) -> str:
    """A line a seat; a row struck without a throw has no dice to show."""
    lines = []
    for shown in event.seats:
        assert shown.row is not None, "a round ends when all have filled a row"
        name, row = names[shown.seat], say(shown.row.value)
        if shown.struck:
            lines.append(say("tell_struck", name=name, row=row))
        else:
            dice = pictures(shown.throws[-1].dice)
            lines.append(say("tell_shown", name=name, row=row, points=shown.points, dice=dice))
    return "\n".join(lines)


def _finished(event: MatchEnded, names: Sequence[str], say: Say) -> str:
    ordered = sorted(event.finals, key=lambda final: (final.place, final.seat))
    totals = ", ".join(f"{names[final.seat]} {final.final_milli / 1000:.3f}" for final in ordered)
    return say("tell_end", totals=totals)


_TOLD: Final[Mapping[type, Callable[[Any, Sequence[str], Say], str]]] = {
    RoundStarted: lambda e, _names, say: say("tell_round", round=e.round),
    DiceRolled: _rolled,
    DiceHeld: lambda e, names, say: say("tell_held", name=names[e.seat]),
    ThrowOpened: lambda e, _names, say: say("tell_opened", throw=e.throw),
    RowEntered: _entered,
    RoundEnded: _ended,
    BudgetExhausted: lambda e, names, say: say("tell_exhausted", name=names[e.seat]),
    PlayerLeft: lambda e, names, say: say("tell_left", name=names[e.seat]),
    MatchEnded: _finished,
}
"""What is said of each event."""
