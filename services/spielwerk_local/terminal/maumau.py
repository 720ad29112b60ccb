"""The Mau-Mau table in a terminal: the seats, the open card with wish and sevens, the own hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from spielwerk.cards import AnyCard, Card, Joker, JokerColor, Suit
from spielwerk.games.game import Seat
from spielwerk.games.maumau.cards import Cards, is_jack
from spielwerk.games.maumau.messages import Announce, Command, Draw, Play
from spielwerk.games.maumau.views import View
from spielwerk_local.terminal.cards import drawn, read_card
from spielwerk_local.terminal.maumau_course import card_name, points_of, tell
from spielwerk_local.terminal.maumau_words import MAUMAU
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import LANGUAGES, Say, words

__all__ = ["ask", "draw", "read", "tell"]

_NAME: Final = 14
_SEEN: Final = 8
"""So many cards of the pile are drawn."""
_DRAW: Final = ("draw", "d", "ziehen", "ziehe", "z")
_ANNOUNCE: Final = ("last", "l", "letzte", "mau")
_JOKERS: Final = {"JOKER": None, "X": None, "BJ": JokerColor.BLACK, "RJ": JokerColor.RED}
"""How a joker may be named, and which one is meant."""


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it."""
    say = words(MAUMAU, language)
    points = points_of(view.totals)
    facts = {"game": view.game, "games": view.options.games, "turn": view.turn_no}
    return Panel(
        Group(_seats(view, names, say), Text(), _middle(view, say), *_hand(view, say)),
        title=say("title"),
        subtitle=say("subtitle", points=points, **facts),
        width=92,
    )


def ask(legal: Sequence[Command], view: View, language: str) -> RenderableType:
    """What the person may do."""
    say = words(MAUMAU, language)
    lines = []
    if Announce() in legal:
        lines.append(Text(say("ask_announce"), style="yellow"))
    alone = view.options.announce and len(view.hand) == 1
    if alone and view.seat is not None and not view.announced[view.seat]:
        lines.append(Text(say("ask_forgotten"), style="yellow"))
    if view.pending:
        lines.append(Text(say("ask_sevens", number=view.pending)))
    else:
        lines.append(Text(say("ask_play" if view.fitting else "ask_draw")))
    return Group(*lines)


def read(text: str, view: View, legal: Sequence[Command], language: str) -> Command:
    """The command in what was typed; BadInput says what is wrong with it."""
    say = words(MAUMAU, language)
    word, _, rest = text.strip().partition(" ")
    if word.lower() in _DRAW:
        return _allowed(Draw(), legal, say("no_draw"))
    if word.lower() in _ANNOUNCE:
        return _allowed(Announce(), legal, say("no_announce"))
    card = _card(word, view, say)
    if not is_jack(card):
        if rest.strip():
            raise BadInput(say("no_wish"))
        return _allowed(Play(card), legal, say("no_fit", card=card_name(card, say)))
    if card not in view.fitting:
        raise BadInput(say("no_fit", card=card_name(card, say)))
    wish = _suit(rest, say) if len(view.hand) > 1 else None
    return Play(card, wish)


def _allowed(command: Command, legal: Sequence[Command], why: str) -> Command:
    if command not in legal:
        raise BadInput(why)
    return command


def _card(text: str, view: View, say: Say) -> AnyCard:
    """A card of the hand by its number or its name."""
    index = number(text, len(view.hand))
    if index is not None:
        return view.hand[index - 1]
    if text.upper() in _JOKERS:
        return _joker(_JOKERS[text.upper()], view, say)
    try:
        card = read_card(text)
    except ValueError:
        raise BadInput(say("not_a_card", text=text)) from None
    if card not in view.hand:
        raise BadInput(say("not_in_hand", card=card_name(card, say)))
    return card


def _joker(color: JokerColor | None, view: View, say: Say) -> AnyCard:
    for card in view.hand:
        if isinstance(card, Joker) and color in (None, card.color):
            return card
    raise BadInput(say("not_in_hand", card=say("joker")))


def _suit(text: str, say: Say) -> Suit:
    """A suit by its letter, its symbol or its name in any language."""
    written = text.strip().lower()
    for suit, symbol in zip(Suit, "♣♦♥♠", strict=True):
        known = {words(MAUMAU, language)(suit.name.lower()).lower() for language in LANGUAGES}
        if written in known | {symbol, suit.value.lower()}:
            return suit
    raise BadInput(say("wish_needed"))


def _seats(view: View, names: Sequence[str], say: Say) -> Table:
    grid = Table.grid(padding=(0, 2))
    own, count = view.seat or 0, len(view.hand_counts)
    for step in range(count):
        seat = (own + step) % count
        left = view.hand_counts[seat]
        held = say("one_left") if left == 1 else say("cards_left", number=left)
        grid.add_row(Text(names[seat][:_NAME], style="bold cyan"), held, _mark(view, seat, say))
    return grid


def _mark(view: View, seat: Seat, say: Say) -> Text:
    parts = []
    if view.turn == seat:
        parts.append(f"← {say('again' if view.again else 'on_turn')}")
    if view.announced[seat]:
        parts.append(say("announced"))
    if seat in view.left:
        parts.append(say("left"))
    mark = Text("  ".join(parts), style="bold")
    if view.turn is None and view.last is not None:
        place, points = view.last.places[seat], view.last.points[seat]
        held = _row(view.last.hands[seat].cards, say)
        return Text.assemble(say("place", place=place, points=points), "  ", held)
    return mark


def _middle(view: View, say: Say) -> Table:
    middle = Table.grid(padding=(0, 2))
    middle.add_row(say("open"), _row(view.pile[-1:], say))
    if view.wish is not None:
        middle.add_row(say("wish"), Text(say(view.wish.name.lower()), style="bold yellow"))
    if view.pending:
        total = say("pending_cards", number=view.pending)
        middle.add_row(say("pending"), Text(total, style="bold red"))
    middle.add_row(say("pile"), _row(view.pile[:-1][-_SEEN:], say))
    middle.add_row(say("talon"), str(view.talon_count))
    middle.add_row(say("direction"), say("clockwise" if view.direction > 0 else "counter"))
    return middle


def _hand(view: View, say: Say) -> list[RenderableType]:
    if not view.hand:
        return []
    hand = Text(" ").join(
        Text.assemble((f"{index}:", "bold" if card in view.fitting else "dim"), _drawn(card, say))
        for index, card in enumerate(view.hand, start=1)
    )
    return [Text(), Text(say("hand"), style="dim"), hand]


def _row(cards: Cards | Iterable[AnyCard], say: Say) -> Text:
    return Text(" ").join(_drawn(card, say) for card in cards)


def _drawn(card: AnyCard, say: Say) -> Text:
    if isinstance(card, Card):
        return drawn(card)
    style = "red on white" if card.color is JokerColor.RED else "black on white"
    return Text(f" {say('joker')} ", style=style)
