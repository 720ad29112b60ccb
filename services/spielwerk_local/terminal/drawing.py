"""How a game looks and is played in a terminal: one drawer a game, and one that knows none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.pretty import Pretty
from rich.text import Text

from spielwerk.games.game import Resign
from spielwerk_local.terminal import (
    cribbage,
    guandan,
    house_of_cards,
    maumau,
    quartett,
    skat,
    yatzee,
)
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import GENERAL, words

Names = Sequence[str]
"""By seat."""


@dataclass(frozen=True, slots=True)
class Drawer:
    """The face of a game. All texts are in the language given.

    `draw(view, names, language)` is the table; `tell(event, names, language)` one line of what
    happened, or None; `ask(legal, view, language)` what a person is asked for;
    `read(text, view, legal, language)` the command typed, or BadInput.
    """

    draw: Callable[[Any, Names, str], RenderableType]
    tell: Callable[[Any, Names, str], str | None]
    ask: Callable[[Sequence[Any], Any, str], RenderableType]
    read: Callable[[str, Any, Sequence[Any], str], Any]


def drawer_of(game: str) -> Drawer:
    """The game's own drawer, or the general one."""
    return DRAWERS.get(game, _GENERAL)


def draw(game: str, view: Any, names: Names, language: str = "en") -> RenderableType:
    """The table of a game as its View shows it."""
    return drawer_of(game).draw(view, names, language)


def _draw(view: Any, names: Names, _language: str) -> RenderableType:
    return Panel(Pretty(view, max_length=40), title=" - ".join(names))


def _tell(event: Any, _names: Names, _language: str) -> str | None:
    return str(event)


def _ask(legal: Sequence[Any], _view: Any, language: str) -> RenderableType:
    lines = [f"{index}: {command}" for index, command in enumerate(_choices(legal), start=1)]
    return Group(*map(Text, lines), Text(words(GENERAL, language)("choose")))


def _read(text: str, _view: Any, legal: Sequence[Any], language: str) -> Any:
    choices = _choices(legal)
    chosen = number(text, len(choices))
    if chosen is None:
        raise BadInput(words(GENERAL, language)("bad_number", count=len(choices)))
    return choices[chosen - 1]


def _choices(legal: Sequence[Any]) -> list[Any]:
    return [command for command in legal if not isinstance(command, Resign)]


DRAWERS: Final = {
    "cribbage": Drawer(cribbage.draw, cribbage.tell, cribbage.ask, cribbage.read),
    "guandan": Drawer(guandan.draw, guandan.tell, guandan.ask, guandan.read),
    "house_of_cards": Drawer(
        house_of_cards.draw, house_of_cards.tell, house_of_cards.ask, house_of_cards.read
    ),
    "maumau": Drawer(maumau.draw, maumau.tell, maumau.ask, maumau.read),
    "quartett": Drawer(quartett.draw, quartett.tell, quartett.ask, quartett.read),
    "skat": Drawer(skat.draw, skat.tell, skat.ask, skat.read),
    "yatzee": Drawer(yatzee.draw, yatzee.tell, yatzee.ask, yatzee.read),
}
_GENERAL: Final = Drawer(_draw, _tell, _ask, _read)
