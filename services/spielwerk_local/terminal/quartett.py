"""The Quartett table in a terminal: the own card with its values, stacks, pot, the last duel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from spielwerk.games.quartett.deck import Category, DeckCard, Value, Wins
from spielwerk.games.quartett.messages import (
    Choose,
    Command,
    Duel,
    Event,
    GameEnded,
    GameStarted,
    Resigned,
    TimedOut,
)
from spielwerk.games.quartett.model import Past
from spielwerk.games.quartett.views import View
from spielwerk_local.terminal.quartett_words import QUARTETT
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import Say, words

_STYLES: Final = ("bold cyan", "bold magenta")
_ARROWS: Final = {Wins.HIGHER: "▲", Wins.LOWER: "▼"}


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it."""
    say, deck = words(QUARTETT, language), view.options.deck
    parts: list[RenderableType] = [_stacks(view, names, say)]
    if view.duels:
        parts += [Text(), _last_duel(view, names, say)]
    if view.top is not None:
        parts += [Text(), _card(view, deck.card(view.top), say)]
    return Panel(
        Group(*parts),
        title=Text.assemble("Quartett · ", deck.title),
        subtitle=Text(_subtitle(view, say)),
        width=86,
    )


def ask(legal: Sequence[Command], _view: View, language: str) -> RenderableType:
    """What the person is asked for."""
    say = words(QUARTETT, language)
    names = ", ".join(command.category for command in legal if isinstance(command, Choose))
    return Text(say("ask", categories=names))


def read(text: str, view: View, legal: Sequence[Command], language: str) -> Command:
    """The category by its number on the card, its id or its label."""
    say, categories = words(QUARTETT, language), view.options.deck.categories
    typed = text.strip().lower()
    place = number(typed, len(categories))
    found = [
        category
        for row, category in enumerate(categories, start=1)
        if row == place or typed in (category.id, category.label.lower())
    ]
    if not found:
        raise BadInput(say("no_category", text=escape(text)))
    command = Choose(found[0].id)
    if command not in legal:
        raise BadInput(say("forbidden", category=escape(found[0].label)))
    return command


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or None for what the table shows anyway."""
    teller = _TELLERS.get(type(event))
    return teller(event, names, words(QUARTETT, language)) if teller else None


def _stacks(view: View, names: Sequence[str], say: Say) -> Table:
    table = Table.grid(padding=(0, 2))
    for seat in (0, 1):
        turn = Text(say("on_turn") if view.turn == seat else "", style="dim")
        cards = Text(say("cards", count=view.counts[seat]))
        table.add_row(Text(names[seat], style=_STYLES[seat]), cards, turn)
    if view.pot:
        table.add_row(Text(say("pot")), Text(say("cards", count=len(view.pot))), Text())
    return table


def _last_duel(view: View, names: Sequence[str], say: Say) -> Table:
    past, deck = view.duels[-1], view.options.deck
    place = deck.place(past.category)
    assert place is not None, "duels are about categories of the deck"
    category = deck.categories[place]
    table = Table.grid(padding=(0, 2))
    table.add_row(Text(say("last_duel"), style="dim"), Text(category.label), Text())
    for seat, card_id in enumerate(past.cards):
        card = deck.card(card_id)
        style = _STYLES[seat] if past.winner == seat else "dim"
        shown = _value(category, card.values[place])
        table.add_row(Text(names[seat], style=style), Text(_title(card)), Text(shown, style=style))
    table.add_row(Text(), Text(_outcome(past, names, say), style="dim"), Text())
    return table


def _card(view: View, card: DeckCard, say: Say) -> Panel:
    table = Table.grid(padding=(0, 2))
    rows = zip(view.options.deck.categories, card.values, strict=True)
    for row, (category, value) in enumerate(rows, start=1):
        banned = category.id not in view.allowed
        style = "dim strike" if banned else ""
        table.add_row(
            Text(f"{row}", style="dim"),
            Text(category.label, style=style),
            Text(_ARROWS[category.wins], style="dim"),
            Text(_value(category, value), style=style or "bold"),
            Text(say("banned") if banned else "", style="dim"),
        )
    subtitle = Text(card.performer) if card.performer else None
    return Panel(table, title=Text(_title(card)), subtitle=subtitle, title_align="left")


def _value(category: Category, value: Value) -> str:
    more = value.label or category.unit
    return f"{category.text(value.number)} {more}".rstrip()


def _title(card: DeckCard) -> str:
    return f"{card.id} · {card.title}"


def _outcome(past: Past, names: Sequence[str], say: Say) -> str:
    if past.winner is None:
        return say("tie")
    return say("duel_won", name=names[past.winner])


def _subtitle(view: View, say: Say) -> str:
    parts = [say("round", round=view.round)]
    if view.options.games > 1:
        won = ":".join(map(str, view.wins))
        parts.append(say("game", game=view.game_no, won=won, draws=view.draws))
    return " · ".join(parts)


def _tell_duel(event: Duel, names: Sequence[str], say: Say) -> str:
    own, other = event.cards[event.chooser], event.cards[1 - event.chooser]
    facts = {
        "name": names[event.chooser],
        "category": event.category,
        "own": escape(own),
        "other": escape(other),
    }
    if event.winner is None:
        return say("tell_tie", **facts)
    return say("tell_duel", **facts, winner=names[event.winner], count=len(event.gained))


def _tell_end(event: GameEnded, names: Sequence[str], say: Say) -> str:
    counts = ":".join(map(str, event.counts))
    if event.winner is None:
        return say("tell_drawn", counts=counts)
    return say("tell_end", name=names[event.winner], counts=counts)


_TELLERS: Final[dict[type, Callable[[Any, Sequence[str], Say], str]]] = {
    GameStarted: lambda e, names, say: say("tell_game", game=e.game_no, name=names[e.first]),
    Duel: _tell_duel,
    Resigned: lambda e, names, say: say("tell_resigned", name=names[e.seat]),
    TimedOut: lambda e, names, say: say("tell_timeout", name=names[e.seat]),
    GameEnded: _tell_end,
}
