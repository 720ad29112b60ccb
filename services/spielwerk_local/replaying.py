"""`spielwerk replay`: steps through a match at the terminal, as any seat or seeing everything."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TextIO

from rich.console import Console

from spielwerk.audit.export import BadExport
from spielwerk.audit.replaying import Step, steps
from spielwerk.errors import MatchDamaged
from spielwerk.games import registry
from spielwerk.games.game import Seat
from spielwerk.match.model import PLATFORM_EVENTS, Bot, ClockShifted, Human, Match, Occupant
from spielwerk.match.views import visible_events
from spielwerk_local.sources import Source, opened
from spielwerk_local.terminal.drawing import drawer_of
from spielwerk_local.terminal.seat import outage_line, result_lines
from spielwerk_local.terminal.words import GENERAL, words

ALL: Final = "all"
SPECTATOR: Final = "spectator"

_HELP: Final = (
    "Enter or n: forward, b: back, <number>: to that version, first, last, "
    "as <seat> | as spectator | as all, help, quit"
)
_FORWARD: Final = ("", "n", "next", "f", "forward")
_BACK: Final = ("b", "back", "p")


class _Unclear(Exception):
    """What was typed means nothing here; the text says what would."""


@dataclass(slots=True)
class Place:
    """Where the reader stands: an index into the steps, and whose eyes it uses."""

    steps: Sequence[Step]
    viewer: Seat | str = ALL
    index: int = 0

    @property
    def step(self) -> Step:
        """The record that is shown."""
        return self.steps[self.index]

    @property
    def match(self) -> Match:
        """The match after that record."""
        return self.step.after

    def go(self, index: int) -> None:
        """To a record, or as near as there is one."""
        self.index = max(0, min(index, len(self.steps) - 1))

    def obey(self, text: str) -> bool:
        """Do what was typed; False to leave; _Unclear for what is no command."""
        word, _, rest = text.strip().lower().partition(" ")
        if word in ("q", "quit", "exit"):
            return False
        if word in _FORWARD:
            self.go(self.index + 1)
        elif word in _BACK:
            self.go(self.index - 1)
        elif word == "first":
            self.go(0)
        elif word == "last":
            self.go(len(self.steps) - 1)
        elif word.isascii() and word.isdecimal():
            self.go(int(word) - 1)
        elif word == "as":
            self.viewer = viewer_of(rest.strip(), self.match)
        else:
            raise _Unclear(_HELP)
        return True


def viewer_of(text: str, match: Match) -> Seat | str:
    """A seat of the match, `spectator` or `all`; _Unclear for anything else."""
    if text in (ALL, SPECTATOR):
        return text
    seats = len(match.opened.occupants)
    if not (text.isascii() and text.isdecimal() and int(text) < seats):
        raise _Unclear(f"as 0 to {seats - 1}, as spectator, or as all")
    return int(text)


async def replay(options: argparse.Namespace) -> int:
    """Step through a match of the log or of a file; 1 if its records do not follow, 2 for
    misuse."""
    console = Console(highlight=False)
    try:
        async with opened(options.match, options.data) as source:
            walk = list(steps(source.match_id, source.messages(), registry.version))
    except (MatchDamaged, BadExport) as damaged:
        console.print(f"{options.match} cannot be replayed: {damaged}", style="bold red")
        return 1
    except OSError as error:
        what = f"{options.match} is neither a match id nor a file: {error.strerror}"
        print(f"spielwerk replay: {what}", file=sys.stderr)
        return 2
    return read_through(source, walk, options, console, sys.stdin)


def read_through(
    source: Source,
    walk: Sequence[Step],
    options: argparse.Namespace,
    console: Console,
    typed: TextIO,
) -> int:
    """Show the match from the version and with the eyes that were asked for, then obey."""
    if not walk:
        console.print(f"{source.match_id} has no records", style="bold red")
        return 1
    place = Place(walk)
    try:
        place.viewer = viewer_of(options.viewer, place.match)
    except _Unclear as unclear:
        print(f"spielwerk replay: {unclear}", file=sys.stderr)
        return 2
    place.go(options.version - 1 if options.version else 0)
    console.print(f"match {source.match_id}: {walk[0].after.opened.game}, {len(walk)} versions")
    console.print(_HELP, style="dim")
    show(place, options.lang, console)
    _obey_all(place, options.lang, console, typed)
    return 0


def _obey_all(place: Place, language: str, console: Console, typed: TextIO) -> None:
    """Line by line, until one says quit or there are no more."""
    while True:
        if console.is_terminal:
            console.print("> ", end="")
        line = typed.readline()
        if not line:
            return
        try:
            if not place.obey(line):
                return
        except _Unclear as unclear:
            console.print(str(unclear), style="yellow")
        else:
            show(place, language, console)


def show(place: Place, language: str, console: Console) -> None:
    """The record, what happened in it, and the table after it, as the viewer sees them."""
    step, match = place.step, place.match
    names = tuple([_name(occupant, language) for occupant in match.opened.occupants])
    drawer = drawer_of(match.opened.game)
    console.rule(f"{_heading(place, names)}")
    for event in _seen(step, place.viewer):
        told = None
        if isinstance(event, ClockShifted):
            told = outage_line(event, language)
        elif not isinstance(event, PLATFORM_EVENTS):
            told = drawer.tell(event, names, language)
        console.print(told or type(event).__name__, style="dim" if told is None else "")
    if match.state is not None:
        for viewer in _eyes(place):
            console.print(drawer.draw(match.game.view(match.state, viewer), names, language))
    if match.ended is not None:
        for line in result_lines(match.ended, names, language):
            console.print(line)


def _heading(place: Place, names: Sequence[str]) -> str:
    record = place.step.record
    at = datetime.fromtimestamp(record.recorded_at_ms / 1000, UTC)
    who = record.cause.kind.value
    if record.cause.seat is not None:
        who = f"{who}, seat {record.cause.seat} ({names[record.cause.seat]})"
    eyes = place.viewer if isinstance(place.viewer, str) else f"seat {place.viewer}"
    return f"{record.version}/{len(place.steps)}  {at:%Y-%m-%d %H:%M:%S} UTC  {who}  as {eyes}"


def _seen(step: Step, viewer: Seat | str) -> Sequence[object]:
    """The record's events with the viewer's eyes."""
    if viewer == ALL:
        return step.record.events
    match = step.after
    seat = viewer if isinstance(viewer, int) else None
    return visible_events(match.game, match.opened.options, step.record, seat)


def _eyes(place: Place) -> Sequence[Seat | None]:
    """Whose tables are drawn: seeing everything is seeing with everybody's eyes."""
    if place.viewer == ALL:
        return range(len(place.match.opened.occupants))
    return [place.viewer if isinstance(place.viewer, int) else None]


def _name(occupant: Occupant, language: str) -> str:
    match occupant:
        case Human(player_id):
            return player_id
        case Bot(strength):
            return words(GENERAL, language)("bot", strength=strength)
