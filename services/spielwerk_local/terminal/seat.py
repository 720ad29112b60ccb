"""A seat that a person plays at a terminal: follow the match, draw, ask, submit."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from rich.console import Console
from rich.markdown import Markdown

from spielwerk.client import MatchView, Spielwerk, Watched
from spielwerk.errors import Refused, StaleTurn
from spielwerk.games.game import Result
from spielwerk.match.model import PLATFORM_EVENTS, Bot, ClockShifted, Ended, Human, Occupant
from spielwerk_local.terminal.drawing import drawer_of
from spielwerk_local.terminal.inbox import Inbox, Typed
from spielwerk_local.terminal.reading import BadInput, Lines
from spielwerk_local.terminal.words import GENERAL, words

_COURSE: Final = 12
_HELP: Final = ("help", "hilfe", "?")
_RESIGN: Final = ("resign", "aufgeben")
_QUIT: Final = ("quit", "exit", "ende")


@dataclass(frozen=True, slots=True)
class _Question:
    """An open turn as it was shown."""

    turn_key: str
    commands: tuple[Any, ...]
    table: Any


class TerminalSeat:
    """One person's seat in one match."""

    def __init__(self, client: Spielwerk, match_id: str, language: str, console: Console) -> None:
        self._client = client
        self._match = client.match(match_id)
        self._language = language
        self._console = console
        self._say = words(GENERAL, language)
        self._course: deque[str] = deque(maxlen=_COURSE)
        self._question: _Question | None = None

    async def play(self, source: TextIO) -> None:
        """Play until the match or the input ends, or the person leaves."""
        await self._match.join()
        view = await self._match.view()
        self._seat = view.seat
        self._names = tuple([await self._name(who) for who in view.opened.occupants])
        self._drawer = drawer_of(view.opened.game)
        self._game = view.opened.game
        self._console.print(self._say("help_hint"))
        async with (
            self._match.watch() as watched,
            Inbox(watched, Lines(source)) as inbox,
        ):
            while True:
                happening = await inbox.next(asking=self._question is not None)
                if isinstance(happening, Typed):
                    if happening.text is None or not await self._typed(happening.text.strip()):
                        self._console.print(self._say("left"))
                        return
                elif await self._seen(happening):
                    return

    async def _seen(self, item: Watched) -> bool:
        """Take a snapshot or an update; True at the end of the match."""
        if not isinstance(item, MatchView):
            self._tell(item.events)
        if item.ended is not None:
            await self._show_end(item.ended)
            return True
        own = next((turn for turn in item.turns if turn.seat == self._seat), None)
        if own is None:
            self._question = None
        elif self._question is None or own.key != self._question.turn_key:
            await self._ask()
        return False

    async def _ask(self) -> None:
        """Draw the table and ask, unless the turn is over already."""
        self._question = None
        legal, view = await self._match.legal(), await self._match.view()
        if legal.turn_key is None or not legal.commands or legal.version != view.version:
            return
        self._question = _Question(legal.turn_key, legal.commands, view.table)
        self._print_course()
        self._console.print(self._drawer.draw(view.table, self._names, self._language))
        self._console.print(self._drawer.ask(legal.commands, view.table, self._language))

    async def _typed(self, text: str) -> bool:
        """Do what was typed; False to leave."""
        word, _, rest = text.lower().partition(" ")
        if word in _QUIT:
            return False
        if word in _HELP:
            await self._help(rest.strip())
        elif word in _RESIGN:
            self._question = None
            await self._match.resign()
        elif text and self._question is not None:
            await self._move(text, self._question)
        return True

    async def _move(self, text: str, question: _Question) -> None:
        try:
            command = self._drawer.read(text, question.table, question.commands, self._language)
        except BadInput as bad:
            self._warn(str(bad))
            return
        self._question = None
        try:
            await self._match.submit(command, question.turn_key)
        except StaleTurn:
            self._warn(self._say("stale"))
            await self._ask()
        except Refused as refused:
            self._warn(self._say("refused", why=refused.message))
            await self._ask()

    async def _help(self, number: str) -> None:
        rules = await self._client.rules(self._game, self._language)
        clauses = [clause for clause in rules.clauses if number in ("", clause.number)]
        if not clauses:
            self._warn(self._say("no_clause", number=number))
        for clause in clauses:
            self._console.print(f"{clause.number} {clause.heading}", style="bold", highlight=False)
            self._console.print(Markdown(clause.text))
        self._console.print(self._say("help_hint"))

    async def _show_end(self, ended: Ended) -> None:
        view = await self._match.view()
        self._print_course()
        if view.table is not None:
            self._console.print(self._drawer.draw(view.table, self._names, self._language))
        for line in result_lines(ended, self._names, self._language):
            self._console.print(line, highlight=False)
        if ended.result is not None and len(ended.result.standings) > 1:
            own = next(s for s in ended.result.standings if s.seat == view.seat)
            outcome = "won" if own.won else "drawn" if is_draw(ended.result) else "lost"
            self._console.print(self._say(outcome), style="bold")

    def _tell(self, events: tuple[Any, ...]) -> None:
        for event in events:
            if isinstance(event, ClockShifted):
                self._course.append(outage_line(event, self._language))
            elif not isinstance(event, PLATFORM_EVENTS):
                told = self._drawer.tell(event, self._names, self._language)
                if told is not None:
                    self._course.append(told)

    def _print_course(self) -> None:
        for line in self._course:
            self._console.print(line, style="dim", highlight=False)
        self._course.clear()

    def _warn(self, text: str) -> None:
        self._console.print(text, style="yellow", highlight=False)

    async def _name(self, occupant: Occupant) -> str:
        match occupant:
            case Bot(strength):
                return self._say("bot", strength=strength)
            case Human(player_id):
                return (await self._client.accounts.profile(player_id)).name


def is_draw(result: Result) -> bool:
    """Whether nobody has won."""
    return not any(standing.won for standing in result.standings)


def outage_line(shift: ClockShifted, language: str) -> str:
    """That the services were away, and what players get for it."""
    begin, end = (
        f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S}"
        for ms in (shift.from_ms, shift.until_ms)
    )
    return words(GENERAL, language)("outage", begin=begin, end=end, more=shift.ms / 1000)


def result_lines(ended: Ended, names: tuple[str, ...], language: str) -> list[str]:
    """How a match ended, a line a seat."""
    say = words(GENERAL, language)
    if ended.result is None:
        return [say("void"), say("result", reason=say(ended.reason))]
    lines = [say("result", reason=say(ended.result.reason))]
    for standing in sorted(ended.result.standings, key=lambda s: (s.place, s.seat)):
        score = f"{standing.score_milli / 1000:g}"
        lines.append(say("place", place=standing.place, name=names[standing.seat], score=score))
    return lines
