"""The Skat table in a terminal: seats and scores, auction, contract, trick, the own hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import Call, CallKind
from spielwerk.games.skat.commands import Bid, Command
from spielwerk.games.skat.model import Phase
from spielwerk.games.skat.options import Points
from spielwerk.games.skat.views import View
from spielwerk_local.terminal.cards import drawn, row
from spielwerk_local.terminal.skat_course import contract_name, outcome_line, tell
from spielwerk_local.terminal.skat_hand import sorted_hand
from spielwerk_local.terminal.skat_typed import read
from spielwerk_local.terminal.skat_words import SKAT
from spielwerk_local.terminal.words import Say, words

__all__ = ["ask", "draw", "read", "tell"]

_STYLES: Final = ("bold cyan", "bold magenta", "bold green")
_BACK: Final = "▒▒"


def draw(view: View, names: Sequence[str], language: str) -> RenderableType:
    """The table as the viewer sees it, the own hand below."""
    say = words(SKAT, language)
    return Panel(
        Group(_seats(view, names, say), Text(), _middle(view, names, say), *_own(view, say)),
        title=say("title", deal=view.deal_no, length=view.options.series_length),
        subtitle=_last(view, names, say),
        width=88,
    )


def ask(legal: Sequence[Command], view: View, language: str) -> RenderableType:
    """What the person may do."""
    say = words(SKAT, language)
    match view.phase:
        case Phase.AUCTION:
            return Text(_ask_in_auction(legal, view, say))
        case Phase.SKAT:
            return Text(say("ask_skat"))
        case Phase.DISCARD:
            return Text(say("ask_discard"))
        case Phase.ANNOUNCE:
            return Text(say("ask_announce"))
        case _:
            more = say("ask_concede") if view.options.claims else ""
            return Text(say("ask_play") + more)


def _ask_in_auction(legal: Sequence[Command], view: View, say: Say) -> str:
    bids = [command.value for command in legal if isinstance(command, Bid)]
    if bids:
        return say("ask_speak", value=bids[0])
    if len(legal) == 1:
        return say("ask_only_pass")
    return say("ask_hear", value=view.auction.bid if view.auction else view.bid)


def _seats(view: View, names: Sequence[str], say: Say) -> Table:
    grid = Table.grid(padding=(0, 2))
    totals = view.list_points
    if view.options.standing is Points.SEEGER_FABIAN:
        totals = view.seeger_fabian
    own = view.seat or 0
    for step in range(3):
        seat = (own + step) % 3
        name = Text(names[seat][:14], style=_STYLES[seat])
        backs = Text(" ".join([_BACK] * view.hand_counts[seat]), style="dim")
        grid.add_row(name, _part(view, seat, say), say("score", points=totals[seat]), backs)
    return grid


def _part(view: View, seat: Seat, say: Say) -> Text:
    """Place in this deal, and whether it plays alone or must act."""
    if view.forehand is None:
        return Text()
    place = ("forehand", "middlehand", "rearhand")[(seat - view.forehand) % 3]
    alone = f", {say('plays')}" if view.declarer == seat else ""
    turn = f" ← {say('on_turn')}" if view.to_act == seat else ""
    return Text(say(place) + alone + turn)


def _middle(view: View, names: Sequence[str], say: Say) -> Table:
    middle = Table.grid(padding=(0, 2))
    if view.declarer is None and view.auction is not None:
        said = Text(" · ").join(_call(call, names, say) for call in view.auction.calls)
        middle.add_row(say("auction"), said)
        return middle
    middle.add_row(say("contract"), _contract(view, say))
    if view.exposed:
        middle.add_row(say("open"), row(view.exposed))
    if view.contract is not None:
        middle.add_row(say("trick", number=len(view.tricks) + 1), _trick(view, names))
        taken = view.taken
        counted = say(
            "taken",
            declarer=taken.declarer_points,
            tricks=taken.declarer_tricks,
            defenders=taken.defender_points,
            others=taken.defender_tricks,
        )
        middle.add_row("", Text(counted, style="dim"))
    return middle


def _call(call: Call, names: Sequence[str], say: Say) -> Text:
    if call.kind is CallKind.PASS:
        word = say("pass")
    else:
        word = str(call.value) if call.kind is CallKind.BID else say("hold", value=call.value)
    return Text(f"{names[call.seat]} {word}", style=_STYLES[call.seat])


def _contract(view: View, say: Say) -> str:
    if view.contract is None:
        return say("bid_only", bid=view.bid)
    return say("bid_at", contract=contract_name(view.contract, say), bid=view.bid)


def _trick(view: View, names: Sequence[str]) -> Text:
    leader = view.leader or 0
    laid = []
    for place, card in enumerate(view.trick):
        seat = (leader + place) % 3
        laid.append(Text.assemble((f"{names[seat]} ", _STYLES[seat]), drawn(card)))
    return Text("  ").join(laid)


def _own(view: View, say: Say) -> list[RenderableType]:
    if not view.hand and not view.discarded:
        return []
    hand = Text(" ").join(
        Text.assemble((f"{index}:", "dim"), drawn(card))
        for index, card in enumerate(sorted_hand(view), start=1)
    )
    lines: list[RenderableType] = [Text(), Text(say("hand"), style="dim"), hand]
    for word, cards in (("skat", view.skat), ("discarded", view.discarded)):
        if cards:
            lines.append(Text.assemble((f"{say(word)} ", "dim"), row(cards)))
    return lines


def _last(view: View, names: Sequence[str], say: Say) -> str | None:
    told = outcome_line(view.last, names, say) if view.last else None
    return f"{say('last')}: {told}" if told else None
