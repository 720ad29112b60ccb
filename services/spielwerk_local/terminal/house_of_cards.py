"""The House of Cards in a terminal: the house as a pyramid, the open cards, the others' scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from spielwerk.games.house_of_cards.building import STOREYS
from spielwerk.games.house_of_cards.messages import (
    CardsReplaced,
    Command,
    Event,
    Finish,
    Floor,
    FloorLaid,
    GameEnded,
    JokerDrawn,
    Replace,
    Roof,
    RoofBuilt,
    TimedOut,
)
from spielwerk.games.house_of_cards.model import House
from spielwerk.games.house_of_cards.views import SeatView, SiteView, View
from spielwerk_local.terminal.cards import drawn, named, read_card
from spielwerk_local.terminal.house_of_cards_words import HOUSE_OF_CARDS
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import Say, words

_CELL: Final = 14
"""Columns of a roof; a storey is set in by half of it."""
_ROOF: Final = ("roof", "r", "dach", "d")
_FLOOR: Final = ("floor", "f", "boden", "b")
_REPLACE: Final = ("replace", "x", "tauschen", "t")
_FINISH: Final = ("finish", "fertig")


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it: every house that lies open, scores of the others."""
    say = words(HOUSE_OF_CARDS, language)
    parts: list[RenderableType] = []
    for seat in view.seats:
        parts.append(_line(seat, names, say))
        if seat.site is not None:
            parts += [*_pyramid(seat.site.house), _open(seat.site)]
    return Panel(Group(*parts), title=say("title"), width=92)


def ask(legal: Sequence[Command], _view: View, language: str) -> RenderableType:
    """What the person may type."""
    say = words(HOUSE_OF_CARDS, language)
    return Text(say("ask", more=say("ask_replace" if Replace() in legal else "ask_finish")))


def read(text: str, view: View, _legal: Sequence[Command], language: str) -> Command:
    """The command in what was typed; BadInput says what is wrong with it.

    Whether it is allowed is left to the rules, which name the reason.
    """
    say = words(HOUSE_OF_CARDS, language)
    word, *rest = text.lower().replace(".", " ").replace(",", " ").split() or [""]
    if word in _REPLACE:
        return Replace()
    if word in _FINISH:
        return Finish()
    if word not in (*_ROOF, *_FLOOR):
        raise BadInput(say("bad_word"))
    storey, index = _place(rest[:2], say)
    slots = [_slot(card, view, say) for card in rest[2:]]
    if word in _ROOF:
        if len(slots) != 2:
            raise BadInput(say("two_cards"))
        return Roof(storey, index, *slots)
    if len(slots) != 1:
        raise BadInput(say("one_card"))
    return Floor(storey, index, *slots)


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or None for what the table shows anyway."""
    teller = _TELLERS.get(type(event))
    return teller(event, names, words(HOUSE_OF_CARDS, language)) if teller else None


def _place(typed: Sequence[str], say: Say) -> tuple[int, int]:
    """Storey and index; people count places from 1."""
    numbers = [number(text, STOREYS) for text in typed]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        raise BadInput(say("bad_place"))
    return numbers[0], numbers[1] - 1


def _slot(text: str, view: View, say: Say) -> int:
    """The slot of an open card by its number from 1 or its name."""
    lying = _own(view).open
    place = number(text, view.options.open)
    for item in lying:
        if item.slot + 1 == place:
            return item.slot
    try:
        card = read_card(text)
    except ValueError:
        raise BadInput(say("no_card", text=escape(text))) from None
    for item in lying:
        if item.card == card:
            return item.slot
    raise BadInput(say("no_card", text=named(card)))


def _own(view: View) -> SiteView:
    assert view.seat is not None, "spectators are not asked"
    site = view.seats[view.seat].site
    assert site is not None, "a seat sees its own site"
    return site


def _line(seat: SeatView, names: Sequence[str], say: Say) -> Text:
    """Score and stock of a seat."""
    site, name = seat.site, names[seat.seat]
    if site is None:
        text = say("other", name=name, score=seat.score, moves=seat.moves)
        return Text(f"{text}, {say('ended')}" if seat.ended else text, style="dim")
    parts = [
        name,
        say("score", score=seat.score),
        say("stock", stock=site.stock),
        say("jokers", jokers=site.jokers),
        say("discarded", count=len(site.discarded)),
    ]
    if site.ending is not None:
        parts.append(say(site.ending.reason.value))
    return Text(" · ".join(parts), style="bold")


def _pyramid(house: House) -> list[Text]:
    """The storeys from the highest that can be begun down to the ground.

    Roofs `/K♣ Q♣\\20` stand above the floors `=2♣=<=13`; what is free shows its place.
    """
    top = max((floor.storey + 1 for floor in house.floors), default=1)
    top = max([top, *(roof.storey + 1 for roof in house.roofs)])
    lines = []
    for storey in range(min(top, STOREYS), 0, -1):
        lines.append(_cells(storey, [_roof(house, storey, i) for i in range(7 - storey)]))
        if storey > 1:
            cells = [_floor(house, storey - 1, i) for i in range(7 - storey)]
            lines.append(_cells(storey, cells))
    return lines


def _cells(storey: int, cells: Sequence[Text]) -> Text:
    line = Text(" " * (2 + (storey - 1) * _CELL // 2))
    for cell in cells:
        cell.align("center", _CELL)
        line.append_text(cell)
    return line


def _roof(house: House, storey: int, index: int) -> Text:
    roof = house.roof(storey, index)
    if roof is None:
        free = storey == 1 or house.floor(storey - 1, index) is not None
        return Text(f"{storey}.{index + 1}" if free else "·", style="dim")
    left, right = roof.cards
    return Text.assemble("/", f"{named(left)} {named(right)}", "\\", (str(roof.value), "bold"))


def _floor(house: House, storey: int, index: int) -> Text:
    floor = house.floor(storey, index)
    if floor is None:
        carried = house.roof(storey, index) and house.roof(storey, index + 1)
        return Text(f"_{storey}.{index + 1}_" if carried else "", style="dim")
    limit = "" if floor.limit is None else f"<={floor.limit}"
    return Text.assemble("=", named(floor.card), "=", (limit, "dim"))


def _open(site: SiteView) -> Text:
    cards = [Text.assemble((f"{item.slot + 1}:", "dim"), drawn(item.card)) for item in site.open]
    return Text("  ").join([Text(), *cards])


def _tell_floor(event: FloorLaid, names: Sequence[str], say: Say) -> str:
    limit = say("no_limit") if event.limit is None else event.limit
    return say("tell_floor", name=names[event.seat], card=named(event.card), limit=limit)


def _tell_end(event: GameEnded, names: Sequence[str], say: Say) -> str:
    return say(
        "tell_end",
        name=names[event.seat],
        score=event.score,
        credits=event.credits,
        reason=say(event.reason.value),
    )


_TELLERS: Final[dict[type, Callable[[Any, Sequence[str], Say], str]]] = {
    RoofBuilt: lambda e, names, say: say("tell_roof", name=names[e.seat], value=e.value),
    FloorLaid: _tell_floor,
    CardsReplaced: lambda e, names, say: say("tell_replaced", name=names[e.seat], count=e.count),
    JokerDrawn: lambda e, names, say: say("tell_joker", name=names[e.seat], points=e.points_lost),
    TimedOut: lambda e, names, say: say("tell_timeout", name=names[e.seat]),
    GameEnded: _tell_end,
}
