"""Matches with given dice and given times, moved on command by command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spielwerk.chance import Chance, HmacChance
from spielwerk.errors import Illegal
from spielwerk.games.game import Actor, Context, Resign, Result, Seat, TimeOut
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import Command, Enter, Event, NextThrow, Roll
from spielwerk.games.yatzee.model import DICE, Dice, Row, Sheet, State, Status
from spielwerk.games.yatzee.options import Options
from spielwerk.testing.chance import FixedChance

VECTORS = Path(__file__).parents[1] / "vectors" / "yatzee"
FACTS: dict[str, Any] = json.loads(
    (VECTORS.parent / "cribbage" / "whole_space_facts.json").read_text("utf-8")
)["yatzee"]


def rows(name: str) -> list[dict[str, Any]]:
    """All cases of a vector file."""
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


def labels(round_no: int, seat: Seat, throw: int, dice: Sequence[int]) -> dict[str, int]:
    """The draws of one throw that shows these dice."""
    place = f"die/{round_no}/{seat}/{throw}"
    return {f"{place}/{position}": pips for position, pips in enumerate(dice)}


def sheet_of(points: Mapping[str, int], extra: int = 0) -> Sheet:
    """A sheet with these rows filled."""
    return Sheet(tuple(points.get(row.value) for row in Row), extra)


class Match:
    """A match under test: its state and everything that has happened.

    Draws whose outcome is not given follow from a fixed seed. Each command takes `spent` ms of its
    seat unless the test says otherwise.
    """

    def __init__(
        self,
        seats: int = 2,
        rules: Options | None = None,
        *,
        dice: Mapping[str, int] | None = None,
        chance: Chance | None = None,
        spent: int = 0,
        **options: Any,
    ) -> None:
        self.options = rules or Options(**options)
        self.chance = chance or _Loaded(dice or {})
        self.elapsed = dict.fromkeys(range(seats), spent)
        self.context = Context(self.chance, self.elapsed.__getitem__)
        self.state: State = GAME.setup(self.options, seats)
        self.events: list[Event] = []
        self._fold(GAME.start(self.state, self.context))

    @property
    def statuses(self) -> list[str]:
        return [place.status.value for place in self.state.places]

    @property
    def used(self) -> list[int]:
        return [place.used_ms for place in self.state.places]

    @property
    def result(self) -> Result:
        found = GAME.result(self.state)
        assert found is not None
        return found

    def sheet(self, seat: Seat) -> Sheet:
        return self.state.places[seat].own.sheet

    def load(self, seat: Seat, *throws: Sequence[int]) -> Match:
        """Give the dice of the seat's throws of this round."""
        assert isinstance(self.chance, _Loaded)
        for number, dice in enumerate(throws, start=1):
            self.chance.given |= labels(self.state.round, seat, number, dice)
        return self

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        self._fold(events)
        return events

    def roll(self, seat: Seat, *dice: int) -> tuple[Event, ...]:
        """Throw, with these five dice on the table afterwards."""
        if dice:
            assert isinstance(self.chance, _Loaded)
            number = len(self.state.places[seat].own.throws) + 1
            self.chance.given |= labels(self.state.round, seat, number, dice)
        return self.give(seat, Roll())

    def hold(self, seat: Seat, *positions: int) -> tuple[Event, ...]:
        return self.give(seat, NextThrow(positions))

    def enter(self, seat: Seat, row: Row) -> tuple[Event, ...]:
        return self.give(seat, Enter(row))

    def turn(self, seat: Seat, row: Row, *dice: int) -> tuple[Event, ...]:
        """One throw and an entry."""
        self.roll(seat, *dice)
        return self.enter(seat, row)

    def expire(self, seat: Seat) -> tuple[Event, ...]:
        return self.give(None, TimeOut(seat, GAME.turns(self.state)[seat].key))

    def leave(self, seat: Seat) -> tuple[Event, ...]:
        return self.give(seat, Resign())

    def refusal(self, actor: Actor, command: Command) -> str:
        """The reason of a refusal that changes nothing."""
        before = self.state
        try:
            GAME.decide(self.state, actor, command, self.context)
        except Illegal as refused:
            assert self.state is before
            return refused.reason
        raise AssertionError(f"{command} was accepted")

    def play_round(self, row: Row | None = None, dice: Dice = ()) -> None:
        """Everybody who must act throws once and fills the row, or the first open one."""
        number = self.state.round
        while self.state.round == number and self.state.reason is None:
            seat = min(GAME.turns(self.state))
            if self.state.places[seat].status is Status.CUP:
                self.roll(seat, *dice)
            self.enter(seat, row or self.sheet(seat).open_rows[0])

    def play_to_the_end(self) -> Result:
        while self.state.reason is None:
            self.play_round()
        return self.result

    def of(self, *kinds: type) -> list[Any]:
        """All events of these kinds so far."""
        return [event for event in self.events if isinstance(event, kinds)]

    def _fold(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events.extend(events)


class _Loaded:
    """Given dice by label, all others from a fixed seed; remembers the labels."""

    def __init__(self, given: Mapping[str, int]) -> None:
        self.given = dict(given)
        self.drawn: list[str] = []
        self._rest = HmacChance(b"y" * 32, "match")

    def die(self, label: str) -> int:
        self.drawn.append(label)
        given = self.given.get(label)
        return self._rest.die(label) if given is None else FixedChance({label: given}).die(label)

    def shuffle(self, label: str, order: Sequence[Any]) -> tuple[Any, ...]:
        raise AssertionError(f"{label}: Yatzee shuffles nothing, least of all {order}")

    def choose(self, label: str, options: Sequence[Any]) -> Any:
        raise AssertionError(f"{label}: the rules of Yatzee choose nothing, least of all {options}")


def drawn(match: Match) -> list[str]:
    """The labels drawn so far."""
    assert isinstance(match.chance, _Loaded)
    return match.chance.drawn


__all__ = ["DICE", "FACTS", "Match", "drawn", "labels", "rows", "sheet_of"]
