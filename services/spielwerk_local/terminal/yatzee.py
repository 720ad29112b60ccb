"""The Yatzee table in a terminal: all sheets side by side, everybody's dice, the own choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from spielwerk.games.yatzee.messages import Command, Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import DICE, ROWS, UPPER, Row, Status, Throw
from spielwerk.games.yatzee.scoring import allowed_rows, entry
from spielwerk.games.yatzee.views import SeatView, View, sheet_of
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import Say, words
from spielwerk_local.terminal.yatzee_course import pictures, tell
from spielwerk_local.terminal.yatzee_words import YATZEE

__all__ = ["ask", "draw", "read", "tell"]

_NAME: Final = 12
_ROLL: Final = ("r", "roll", "w", "würfeln")


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it."""
    say = words(YATZEE, language)
    return Panel(
        Group(_sheets(view, names, say), Text(), _dice(view, names, say)),
        title="Yatzee",
        subtitle=_subtitle(view, say),
        width=86,
    )


def ask(legal: Sequence[Command], view: View, language: str) -> RenderableType:
    """What the person may do, with the own dice and their numbers."""
    say, throws = words(YATZEE, language), _own(view).throws
    if Roll() in legal:
        return Text(say("ask_roll"))
    again = any(isinstance(command, NextThrow) for command in legal)
    return Group(_numbered(throws[-1]), Text(say("ask_choose" if again else "ask_enter")))


def read(text: str, _view: View, legal: Sequence[Command], language: str) -> Command:
    """The command in what was typed; BadInput says what is wrong with it."""
    say, typed = words(YATZEE, language), text.strip().lower()
    word, _, rest = typed.partition(" ")
    command: Command
    if typed in _ROLL:
        command = Roll()
    elif word == "e":
        return _entry(rest.strip(), legal, say)
    elif typed.replace(" ", "").replace(",", "").isdecimal():
        command = NextThrow(_hold(typed, say))
    else:
        command = Enter(_row(typed, say))
    if command not in legal:
        raise BadInput(say("no_move", text=escape(text)))
    return command


def _entry(text: str, legal: Sequence[Command], say: Say) -> Enter:
    row = _row(text, say)
    if not any(isinstance(command, Enter) for command in legal):
        raise BadInput(say("no_move", text="e"))
    if Enter(row) not in legal:
        raise BadInput(say("row_closed", row=say(row.value)))
    return Enter(row)


def _row(text: str, say: Say) -> Row:
    """A row by its number in the sheet or the beginning of its name."""
    index = number(text, len(ROWS))
    if index is not None:
        return ROWS[index - 1]
    known = [row for row in ROWS if text and say(row.value).lower().startswith(text)]
    if not known:
        raise BadInput(say("no_row", text=escape(text)))
    return known[0]


def _hold(text: str, say: Say) -> tuple[int, ...]:
    """`1 3`, `1,3` or `13`: positions from 1; `0` for none."""
    digits = [int(digit) for digit in text if digit.isdecimal()]
    if digits == [0]:
        return ()
    known = len(set(digits)) == len(digits) and len(digits) < DICE
    if not known or not all(1 <= digit <= DICE for digit in digits):
        raise BadInput(say("no_dice"))
    return tuple(sorted(digit - 1 for digit in digits))


def _sheets(view: View, names: Sequence[str], say: Say) -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column()
    table.add_column()
    for seat in view.seats:
        style = "bold" if seat.seat == view.seat else ""
        table.add_column(escape(names[seat.seat][:_NAME]), justify="right", header_style=style)
    columns = [_cells(view, seat) for seat in view.seats]
    for place, row in enumerate(ROWS, start=1):
        cells = [cells.get(row, "") for cells in columns]
        table.add_row(Text(f"{place:2}", style="dim"), say(row.value), *cells)
        if row is UPPER[-1]:
            table.add_row("", _bonus_line(view, say), *_sums(view, "bonus"), end_section=True)
    if any(seat.sums.extra for seat in view.seats):
        table.add_row("", say("extra"), *_sums(view, "extra"))
    table.add_row("", Text(say("total"), style="bold"), *_sums(view, "total"))
    return table


def _bonus_line(view: View, say: Say) -> str:
    upper = "-" if view.seat is None else _own(view).sums.upper
    return say("bonus", upper=upper, threshold=view.options.upper_threshold)


def _sums(view: View, name: str) -> list[Text]:
    return [Text(str(getattr(seat.sums, name)), style="bold") for seat in view.seats]


def _cells(view: View, seat: SeatView) -> dict[Row, Text]:
    """The points of filled rows; what the viewer's dice would bring in the open ones, dim."""
    cells = {made.row: Text(str(made.points) if made.points else "—") for made in seat.sheet}
    if seat.seat == view.seat and seat.status is Status.TABLE:
        sheet, dice = sheet_of(seat), seat.throws[-1].dice
        for row in allowed_rows(dice, sheet, view.options):
            points = entry(row, dice, sheet, view.options).points
            cells[row] = Text(f"({points})", style="dim")
    return cells


def _dice(view: View, names: Sequence[str], say: Say) -> Table:
    table = Table.grid(padding=(0, 2))
    for seat in view.seats:
        thrown = pictures(seat.throws[-1].dice) if seat.throws else ""
        table.add_row(
            Text(names[seat.seat][:_NAME], style="bold" if seat.seat == view.seat else ""),
            Text(thrown),
            Text(_status(seat, say), style="dim"),
            Text(_time_left(view, seat, say), style="dim"),
        )
    return table


def _status(seat: SeatView, say: Say) -> str:
    if seat.left:
        return say("gone")
    return say("late") if seat.exhausted else say(seat.status.value)


def _time_left(view: View, seat: SeatView, say: Say) -> str:
    left_ms = view.options.budget_ms - seat.used_ms
    return say("time_left", seconds=left_ms // 1000)


def _numbered(throw: Throw) -> Text:
    dice: list[Any] = []
    for place, face in enumerate(pictures(throw.dice).split(), start=1):
        dice += [(f"{place}:", "dim"), (face, "bold"), "  "]
    return Text.assemble(*dice)


def _subtitle(view: View, say: Say) -> str:
    parts = [say("round", round=view.round)]
    if view.seat is not None:
        parts.append(say("throw", throw=max(1, _own(view).throw)))
    return " · ".join(parts)


def _own(view: View) -> SeatView:
    assert view.seat is not None, "only who has a seat is asked"
    return view.seats[view.seat]
