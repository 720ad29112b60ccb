"""The Cribbage table in a terminal: board with pegs, hands, crib, starter, count, show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from spielwerk.cards import Card
from spielwerk.games.cribbage.messages import Command, Discard, Go, Play
from spielwerk.games.cribbage.model import Cards, Count, Counted, Laid, ShowPoints, in_order
from spielwerk.games.cribbage.views import View
from spielwerk.games.game import Seat
from spielwerk_local.terminal.cards import drawn, named, read_card, row
from spielwerk_local.terminal.cribbage_course import tell
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import CRIBBAGE, Say, words

__all__ = ["ask", "draw", "read", "tell"]

_TRACK: Final = 61
"""Holes of the drawn track; a longer game has more points a hole."""
_STYLES: Final = ("bold cyan", "bold magenta")
_BACK: Final = "▒▒"
_NAME: Final = 12


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it, its own side below."""
    say = words(CRIBBAGE, language)
    own = view.seat or 0
    return Panel(
        Group(
            _board(view, names),
            Text(),
            _side(view, 1 - own, names, say),
            _middle(view, names, say),
            _side(view, own, names, say),
            *_show(view, names, say),
        ),
        title=say("title", target=view.options.target),
        subtitle=_subtitle(view, say),
        width=86,
    )


def ask(legal: Sequence[Command], view: View, language: str) -> RenderableType:
    """What the person may do, with the numbers of the cards."""
    say = words(CRIBBAGE, language)
    hand = Text("  ").join(
        Text.assemble((f"{index}:", "dim"), drawn(card))
        for index, card in enumerate(in_order(view.hand), start=1)
    )
    if any(isinstance(command, Discard) for command in legal):
        question = "ask_discard"
    elif any(isinstance(command, Play) for command in legal):
        question = "ask_play"
    else:
        question = "ask_go"
    return Group(hand, Text(say(question)))


def read(text: str, view: View, legal: Sequence[Command], language: str) -> Command:
    """The command in what was typed; BadInput says what is wrong with it."""
    say = words(CRIBBAGE, language)
    if text.strip().lower() == "go":
        if Go() not in legal:
            raise BadInput(say("no_go"))
        return Go()
    cards = [_card(part, view, say) for part in text.replace(",", " ").split()]
    if any(isinstance(command, Discard) for command in legal):
        return _discard(cards, say)
    if len(cards) != 1:
        raise BadInput(say("one_card"))
    if Play(cards[0]) not in legal:
        raise BadInput(say("too_high", card=named(cards[0])))
    return Play(cards[0])


def _discard(cards: list[Card], say: Say) -> Discard:
    if len(cards) != 2:
        raise BadInput(say("two_cards"))
    if cards[0] == cards[1]:
        raise BadInput(say("twice"))
    return Discard(in_order(cards))


def _card(text: str, view: View, say: Say) -> Card:
    """A card of the hand by its number or its name."""
    hand = in_order(view.hand)
    index = number(text, len(hand))
    if index is not None:
        return hand[index - 1]
    try:
        card = read_card(text)
    except ValueError:
        raise BadInput(say("not_a_card", text=text)) from None
    if card not in hand:
        raise BadInput(say("not_in_hand", card=named(card)))
    return card


def _board(view: View, names: Sequence[str]) -> Table:
    board = Table.grid(padding=(0, 1))
    for seat in (0, 1):
        front, back = view.front[seat], view.back[seat]
        board.add_row(
            Text(names[seat][:_NAME], style=_STYLES[seat]),
            _track(front, back, view.options.target, _STYLES[seat]),
            Text(f"{front:3}", style=_STYLES[seat]),
        )
    return board


def _track(front: int, back: int, target: int, style: str) -> Text:
    """The holes with the back peg (○) and the front peg (●); every fifth hole is marked."""
    holes = ["┊" if hole % 5 == 0 else "·" for hole in range(_TRACK)]
    track = Text("".join(holes), style="dim")
    for score, peg in ((back, "○"), (front, "●")):
        hole = min(score, target) * (_TRACK - 1) // target
        track = Text.assemble(track[:hole], (peg, style), track[hole + 1 :])
    return track


def _side(view: View, seat: Seat, names: Sequence[str], say: Say) -> Text:
    name = Text(f"{names[seat][:_NAME]:<{_NAME}} ", style=_STYLES[seat])
    hand = view.hand if seat == view.seat else _laid_open(view, seat)
    cards = row(in_order(hand)) if hand else Text(" ".join([_BACK] * view.hand_counts[seat]))
    dealer = Text(f"  ({say('deals')})", style="dim") if view.dealer == seat else Text()
    return Text.assemble(name, cards, dealer)


def _laid_open(view: View, seat: Seat) -> Cards:
    """What the seat still held at the end of the match."""
    return next((holding.cards for holding in view.unplayed if holding.seat == seat), ())


def _middle(view: View, names: Sequence[str], say: Say) -> Table:
    middle = Table.grid(padding=(0, 2))
    starter = drawn(view.starter) if view.starter else Text(_BACK, style="dim")
    middle.add_row(say("starter"), starter)
    if view.dealer is not None:
        away = 2 * sum(view.discarded)
        crib = Text(" ".join([_BACK] * away), style="dim")
        own = Text.assemble("  ", row(view.discards)) if view.discards else Text()
        middle.add_row(say("crib", name=names[view.dealer]), Text.assemble(crib, own))
    earlier = view.played[: len(view.played) - len(view.seq)]
    laid = Text.assemble(_laid(earlier, dim=True), " " if earlier else "", _laid(view.seq))
    middle.add_row(say("played"), laid)
    middle.add_row(say("count"), Text(str(view.count), style="bold"))
    return middle


def _laid(cards: Sequence[Laid], *, dim: bool = False) -> Text:
    """Cards on the table, each in its player's colour."""
    return Text(" ").join(
        Text(named(laid.card), style="dim" if dim else _STYLES[laid.seat]) for laid in cards
    )


def _show(view: View, names: Sequence[str], say: Say) -> list[RenderableType]:
    if not view.last_show:
        return []
    shown = Table.grid(padding=(0, 1))
    for count in view.last_show:
        shown.add_row(
            Text(names[count.seat][:_NAME], style=_STYLES[count.seat]),
            say("shown_crib" if count.what is Counted.CRIB else "shown_hand"),
            " ".join(named(card) for card in (*count.cards, count.starter)),
            _items(count, say),
        )
    return [Text(), Text(say("show"), style="dim"), shown]


def _items(count: Count, say: Say) -> str:
    parts = [
        f"{say(name)} {getattr(count.items, name)}"
        for name in ShowPoints.__dataclass_fields__
        if getattr(count.items, name)
    ]
    return f"{', '.join(parts) or say('nothing')} = {count.total}"


def _subtitle(view: View, say: Say) -> str:
    parts: list[Any] = [say("deal", game=view.game_no, deal=view.deal_no)]
    if view.options.games_to_win > 1:
        parts.append(say("games_won", won=":".join(map(str, view.games_won))))
    return " · ".join(parts)
