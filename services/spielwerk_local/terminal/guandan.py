"""The Guandan table in a terminal: four seats, levels, the trick, the own hand by strength."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from spielwerk.cards import AnyCard, Card, parse_any_card
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import Cards, weakest_key
from spielwerk.games.guandan.combos import Reading, readings
from spielwerk.games.guandan.ladder import beats
from spielwerk.games.guandan.messages import (
    Command,
    NextDeal,
    Pass,
    Play,
    Restart,
    ReturnCard,
)
from spielwerk.games.guandan.model import Combination, team_of
from spielwerk.games.guandan.views import View
from spielwerk_local.terminal.cards import drawn, read_card
from spielwerk_local.terminal.guandan_course import (
    card_name,
    card_names,
    combination_name,
    team_names,
    tell,
)
from spielwerk_local.terminal.guandan_words import GUANDAN
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.words import Say, words

__all__ = ["ask", "draw", "read", "tell"]

_STYLES: Final = ("bold cyan", "bold magenta")
"""By team."""
_NAME: Final = 14
_PASS: Final = ("pass", "p", "passe")
_NEXT: Final = ("next", "n", "weiter")
_RESTART: Final = ("restart", "neustart")


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it: the seats in turn, the trick, the own hand."""
    say = words(GUANDAN, language)
    level = _level(view.level.value)
    return Panel(
        Group(_seats(view, names, say), Text(), *_middle(view, names, say), *_hand(view, say)),
        title=say("title", level=level),
        subtitle=_subtitle(view, names, say),
        width=92,
    )


def ask(legal: Sequence[Command], view: View, language: str) -> RenderableType:
    """What the person may do."""
    say = words(GUANDAN, language)
    back = [command.card for command in legal if isinstance(command, ReturnCard)]
    if back:
        return Text(say("ask_return", cards=card_names(back, say)))
    if NextDeal() in legal:
        return Text(say("ask_next"))
    return Text(say("ask_play" if view.top else "ask_lead"))


def read(text: str, view: View, legal: Sequence[Command], language: str) -> Command:
    """The command in what was typed; BadInput says what is wrong with it."""
    say = words(GUANDAN, language)
    word = text.strip().lower()
    if word in _RESTART:
        return Restart()
    if NextDeal() in legal:
        if word in _NEXT:
            return NextDeal()
        raise BadInput(say("only_next"))
    if word in _PASS:
        if Pass() in legal:
            return Pass()
        raise BadInput(say("no_pass"))
    written, _, chosen = text.partition("=")
    cards = tuple(_card(part, view, say) for part in written.replace(",", " ").split())
    back = [command.card for command in legal if isinstance(command, ReturnCard)]
    if back:
        if len(cards) == 1 and cards[0] in back:
            return ReturnCard(cards[0])
        raise BadInput(say("one_card", cards=card_names(back, say)))
    return _play(cards, chosen.strip(), view, say)


def _play(cards: Cards, chosen: str, view: View, say: Say) -> Play:
    for card in cards:
        if cards.count(card) > view.hand.count(card):
            raise BadInput(say("not_in_hand", card=card_name(card, say)))
    found = readings(cards, view.level, view.options)
    if not found:
        raise BadInput(say("no_combination"))
    top = view.top
    allowed = [r for r in found if not top or beats(r, top.combination.reading, view.level)]
    if not allowed:
        raise BadInput(say("too_low"))
    index = number(chosen, len(allowed)) or (1 if len(allowed) == 1 else None)
    if index is None:
        raise BadInput(say("which", readings=_numbered(allowed, say)))
    reading = allowed[index - 1]
    return Play(cards, reading.shape, reading.main)


def _numbered(found: Iterable[Reading], say: Say) -> str:
    return ", ".join(f"= {n}: {combination_name(r, say)}" for n, r in enumerate(found, start=1))


def _card(text: str, view: View, say: Say) -> AnyCard:
    """A card by its number in the drawn hand or by its name."""
    hand = _by_strength(view)
    index = number(text, len(hand))
    if index is not None:
        return hand[index - 1]
    try:
        card = parse_any_card(text.upper()) if text.upper() in ("RJ", "BJ") else read_card(text)
    except ValueError:
        raise BadInput(say("not_a_card", text=text)) from None
    if card not in hand:
        raise BadInput(say("not_in_hand", card=card_name(card, say)))
    return card


def _by_strength(view: View) -> Cards:
    """The own hand as it is drawn, the strongest first."""
    return tuple(sorted(view.hand, key=lambda c: weakest_key(c, view.level), reverse=True))


def _seats(view: View, names: Sequence[str], say: Say) -> Table:
    grid = Table.grid(padding=(0, 2))
    own = view.seat or 0
    for step in range(4):
        seat = (own + step) % 4
        name = Text(names[seat][:_NAME], style=_STYLES[team_of(seat)])
        grid.add_row(name, say("cards_left", number=view.hand_counts[seat]), _mark(view, seat, say))
    return grid


def _mark(view: View, seat: Seat, say: Say) -> Text:
    if seat in view.order:
        return Text(say("place", place=view.order.index(seat) + 1), style="bold")
    return Text(f"← {say('on_turn')}") if view.turn == seat else Text()


def _middle(view: View, names: Sequence[str], say: Say) -> list[RenderableType]:
    middle = Table.grid(padding=(0, 2))
    for move in view.moves:
        if move.trick == view.trick:
            what = _combination(move.combination, say) if move.combination else say("passes")
            middle.add_row(Text(names[move.seat][:_NAME], style=_STYLES[team_of(move.seat)]), what)
    top = _combination(view.top.combination, say) if view.top else Text(say("nothing"))
    lines: list[RenderableType] = [Text(say("trick"), style="dim"), middle]
    lines += [Text.assemble((f"{say('top')}: ", "dim"), top), Text()]
    if view.agreed:
        wanting = ", ".join(names[seat] for seat in view.agreed)
        lines.append(Text(say("restart", names=wanting), style="yellow"))
    return lines


def _combination(laid: Combination, say: Say) -> Text:
    parts = [_row(laid.cards), Text(f"  {combination_name(laid, say)}", style="dim")]
    if laid.wild_as:
        parts.append(Text(f", {say('wild', cards=card_names(laid.wild_as, say))}", style="dim"))
    return Text.assemble(*parts)


def _hand(view: View, say: Say) -> list[RenderableType]:
    if not view.hand:
        return []
    hand = Text(" ").join(
        Text.assemble((f"{index}:", "dim"), _drawn(card))
        for index, card in enumerate(_by_strength(view), start=1)
    )
    return [Text(say("hand"), style="dim"), hand]


def _row(cards: Iterable[AnyCard]) -> Text:
    return Text(" ").join(_drawn(card) for card in cards)


def _drawn(card: AnyCard) -> Text:
    if isinstance(card, Card):
        return drawn(card)
    return Text(f" {card} ", style="red on white" if str(card) == "RJ" else "black on white")


def _subtitle(view: View, names: Sequence[str], say: Say) -> str:
    facts = {f"level_{team}": _level(view.levels[team].value) for team in (0, 1)}
    facts |= {f"names_{team}": team_names(team, names) for team in (0, 1)}
    return say("subtitle", deal=view.deal_no, **facts)


def _level(value: str) -> str:
    return "10" if value == "T" else value
