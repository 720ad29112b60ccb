"""Deals with given cards, and series moved on command by command.

Cards are written suit then rank here, as skat players do: `HT` is the ten of hearts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, TypeVar

import pytest

from spielwerk.cards import Card
from spielwerk.errors import Illegal
from spielwerk.games.game import Actor, Context, Seat, TimeOut
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import PACK, Cards, ContractType
from spielwerk.games.skat.commands import (
    Announce,
    Bid,
    Command,
    Discard,
    Hold,
    Pass,
    Play,
    TakeSkat,
)
from spielwerk.games.skat.events import Announced, CardPlayed, DealScored, Event, SeriesEnded
from spielwerk.games.skat.model import Deal, Outcome, State, Taken
from spielwerk.games.skat.options import Options
from spielwerk.games.skat.rules import to_act
from spielwerk.testing.chance import FixedChance

E = TypeVar("E")

VECTORS = Path(__file__).parents[1] / "vectors" / "skat"
F, M, R = 0, 1, 2
"""Forehand, middlehand, rearhand of the first deal when seat 2 deals."""


def rows(name: str) -> list[dict[str, Any]]:
    """All cases of a vector file."""
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def card(name: str) -> Card:
    """`card("HT")`."""
    return Card.parse(name[::-1])


def cards(text: str | Iterable[str]) -> Cards:
    """`cards("CJ HT")`, or any list of names."""
    names = text.split() if isinstance(text, str) else text
    return tuple(map(card, names))


def names(held: Iterable[Card]) -> set[str]:
    """The cards as the vectors write them."""
    return {str(one)[::-1] for one in held}


def deck(hands: Sequence[Cards], skat: Cards, forehand: Seat = F) -> Cards:
    """A pack that deals these hands, by seat, and this skat."""
    turn = [hands[(forehand + place) % 3] for place in range(3)]
    order: list[Card] = [one for hand in turn for one in hand[:3]]
    order += skat
    order += [one for hand in turn for one in hand[3:7]]
    order += [one for hand in turn for one in hand[7:]]
    assert set(order) == set(PACK)
    return tuple(order)


def filled(hands: Mapping[Seat, Cards], skat: Cards = ()) -> tuple[list[Cards], Cards]:
    """Whole hands and a skat: what is not given is filled with the cards left over."""
    given = {one for hand in hands.values() for one in hand} | set(skat)
    left = [one for one in PACK if one not in given]
    whole = []
    for seat in (0, 1, 2):
        held = hands.get(seat, ())
        missing = 10 - len(held)
        whole.append((*held, *left[:missing]))
        left = left[missing:]
    return whole, (*skat, *left)


_WORDS: dict[str, Command] = {"hold": Hold(), "pass": Pass()}


class Match:
    """A series under test: its state and everything that has happened."""

    def __init__(self, options: Options, decks: Mapping[str, Cards] | None = None) -> None:
        self.chance = FixedChance(dict(decks or {}), in_order=repeat(PACK))
        self.context = Context(self.chance, lambda _: 0)
        self.state: State = GAME.setup(options, 3)
        self.events: list[Event] = []
        self._fold(GAME.start(self.state, self.context))

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        self._fold(events)
        return events

    def act(self, command: Command) -> tuple[Event, ...]:
        """The command of whoever is on turn."""
        return self.give(self.on_turn, command)

    def refused(self, actor: Actor, command: Command) -> str:
        """Why the command is refused; nothing has changed."""
        before = self.state
        with pytest.raises(Illegal) as refusal:
            self.give(actor, command)
        assert self.state is before
        return refusal.value.reason

    def expire(self, seat: Seat | None = None) -> tuple[Event, ...]:
        """The time of the seat on turn is up."""
        seat = self.on_turn if seat is None else seat
        return self.give(None, TimeOut(seat, GAME.turns(self.state)[seat].key))

    def auction(self, calls: Iterable[tuple[Seat, int | str]]) -> Match:
        """Words of the auction: a value, "hold" or "pass"."""
        for seat, said in calls:
            spoken = Bid(said) if isinstance(said, int) else _WORDS[said]
            self.give(seat, spoken)
        return self

    def won_by(self, declarer: Seat, bid: int = 18) -> Match:
        """The declarer gets the game at the bid; a forehand without a higher bid gets 18."""
        deal = self.deal
        middle, rear = (deal.forehand + 1) % 3, deal.dealer
        if declarer == middle:
            return self.auction([(middle, bid), (deal.forehand, "pass"), (rear, "pass")])
        if declarer == rear:
            return self.auction([(middle, "pass"), (rear, bid), (deal.forehand, "pass")])
        if bid == 18:
            return self.auction([(middle, "pass"), (rear, "pass"), (declarer, 18)])
        return self.auction([(middle, bid), (declarer, "hold"), (middle, "pass"), (rear, "pass")])

    def with_skat(self, away: Cards, contract: Announce) -> tuple[Event, ...]:
        """Take the skat, discard, announce; the events of the announcement."""
        self.act(TakeSkat())
        self.act(Discard(away))
        return self.act(contract)

    def play(self, *played: str) -> tuple[Event, ...]:
        """Cards laid one after another by whoever is on turn; the events of the last one."""
        events: tuple[Event, ...] = ()
        for name in played:
            events = self.act(Play(card(name)))
        return events

    def play_out(self, choose: Callable[[Cards], Card] = lambda playable: playable[0]) -> Outcome:
        """Play the deal to its end, any legal card; how it ended."""
        number = self.deal.number
        while self.on_turn_or_none is not None and self.deal.number == number:
            playable = [c.card for c in GAME.legal(self.state, self.on_turn) if isinstance(c, Play)]
            self.act(Play(choose(tuple(playable))))
        return self.last

    def play_some_card(self) -> Match:
        """The first legal card of whoever is on turn."""
        self.act(GAME.legal(self.state, self.on_turn)[0])
        return self

    def pass_in_but(self, seat: Seat) -> Match:
        """The others pass until it is this seat's turn."""
        while self.on_turn != seat:
            self.act(Pass())
        return self

    def pass_in(self) -> Match:
        """Nobody bids."""
        number = self.deal.number
        while self.on_turn_or_none is not None and self.deal.number == number:
            self.act(Pass())
        return self

    def taken(self, *, points: tuple[int, int] = (0, 0), tricks: tuple[int, int] = (0, 0)) -> Match:
        """The same table with other tricks: (declarer, defenders)."""
        taken = Taken(points[0], points[1], tricks[0], tricks[1])
        self.state = replace(self.state, table=replace(self.state.table, taken=taken))
        return self

    @property
    def deal(self) -> Deal:
        """The running deal."""
        assert self.state.deal is not None
        return self.state.deal

    @property
    def on_turn(self) -> Seat:
        """Who must act."""
        seat = to_act(self.state)
        assert seat is not None, "nobody is on turn"
        return seat

    @property
    def on_turn_or_none(self) -> Seat | None:
        """Who must act, if the series goes on."""
        return to_act(self.state)

    @property
    def last(self) -> Outcome:
        """The last scored deal."""
        return self.all_of(DealScored)[-1].outcome

    @property
    def ended(self) -> SeriesEnded:
        """The end of the series."""
        return self.all_of(SeriesEnded)[-1]

    def all_of(self, kind: type[E]) -> list[E]:
        """Every event of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def _fold(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events.extend(events)


def rules(**changed: Any) -> Options:
    """Three deals, seat 2 deals first: seat 0 is forehand."""
    return Options(**{"series_length": 3, "first_dealer": 2} | changed)


def dealt(hands: Mapping[Seat, str] | None = None, skat: str = "", **options: Any) -> Match:
    """A first deal with these cards, filled up; the auction begins."""
    whole, two = filled({seat: cards(text) for seat, text in (hands or {}).items()}, cards(skat))
    return Match(rules(**options), {"deal/1": deck(whole, two)})


def table(
    contract: str,
    hands: Mapping[Seat, str] | None = None,
    *,
    skat: str = "",
    declarer: Seat = M,
    bid: int = 18,
    away: str = "",
    **options: Any,
) -> Match:
    """A deal in the play: `contract` is a type and modifiers, e.g. `C`, `G hand`, `N ouvert`."""
    match = dealt(hands, skat, **options).won_by(declarer, bid)
    kind, *words = contract.split()
    said = Announce(ContractType(kind), **{word: True for word in words if word != "hand"})
    if "hand" in words or (said.ouvert and kind != "N"):
        match.act(said)
    else:
        match.with_skat(cards(away) or match.deal.skat, said)
    return match


def contract_of(row: Mapping[str, Any]) -> Announce:
    """The announcement that a vector describes."""
    said = row["contract"]
    return Announce(
        ContractType(said["type"]), said["schneider_ann"], said["schwarz_ann"], said["ouvert"]
    )


def recorded_game(row: Mapping[str, Any], stop: str = "", **options: Any) -> Match:
    """Replay a game of vectors.jsonl up to dealt or skat_taken, else to the first card."""
    away = cards(row["discarded"] or ())
    skat = cards(row.get("skat_dealt") or row["discarded"])
    hands = [cards(hand) for hand in row.get("hands_dealt") or row["hands_play"]]
    match = Match(rules(**options), {"deal/1": deck(hands, skat)})
    if stop == "dealt":
        return match
    if row.get("bids"):
        match.auction((seat, said) for seat, said in row["bids"])
    else:
        match.won_by(row["declarer"])
    if row["contract"] is None:
        return match
    if not row["contract"]["hand"]:
        match.act(TakeSkat())
        if stop == "skat_taken":
            return match
        match.act(Discard(away))
    match.act(contract_of(row))
    return match


def announced_in(events: Iterable[Event]) -> Announced:
    """The announcement among the events."""
    return next(event for event in events if isinstance(event, Announced))


def played_in(events: Iterable[Event]) -> list[str]:
    """The cards laid, in order."""
    return [str(e.card)[::-1] for e in events if isinstance(e, CardPlayed)]
