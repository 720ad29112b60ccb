"""The rest of a deal played out with open hands, quickly and plainly, to see who finishes when.

Hands are plays by value (see `planning`). Every seat leads its lowest long play, follows as low as
it can, leaves the trick to its partner and keeps its bombs for an opponent who is short of cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from spielwerk.games.game import Seat
from spielwerk.games.guandan.bots.planning import (
    BOMB,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    SIZES,
    TRIPLE,
    Groups,
)
from spielwerk.games.guandan.model import SEATS, partner_of, team_of

_HIGH: Final = 14
"""From here on a pair is no mere companion of a triple."""
_SHORT: Final = 10
"""An opponent with so few cards is bombed."""


class Laid(NamedTuple):
    """A play of a hand by its code and value."""

    code: int
    value: int


@dataclass(slots=True)
class Table:
    """A deal under way: plays and number of cards by seat, whose turn it is, what lies on top."""

    hands: list[Groups]
    left: list[int]
    turn: Seat
    top: Laid | None
    owner: Seat
    passes: int
    order: list[Seat]

    def copy(self) -> Table:
        """Another table that can be played on."""
        return Table(
            [[group[:] for group in hand] for hand in self.hands],
            self.left[:],
            self.turn,
            self.top,
            self.owner,
            self.passes,
            self.order[:],
        )


def play_out(table: Table) -> list[Seat]:
    """Play to the end of the deal; the seats by place."""
    while len(table.order) < 3:
        seat = table.turn
        hand = table.hands[seat]
        danger = _fewest_of_opponents(table, seat)
        if table.top is None:
            laid: Laid | None = _lead(hand, danger)
        else:
            laid = _follow(table, seat, danger)
        step(table, laid)
    rest = [seat for seat in SEATS if seat not in table.order]
    return [*table.order, *rest]


def step(table: Table, laid: Laid | None) -> None:
    """Let the seat on turn lay the play, which is taken out of its hand, or pass."""
    seat = table.turn
    if laid is not None:
        take(table.hands[seat], laid)
        table.left[seat] -= size_of(laid)
        settle(table, laid)
        return
    table.passes += 1
    others = sum(1 for other in SEATS if table.left[other] and other != table.owner)
    if table.passes < others:
        table.turn = _next(table, seat)
        return
    table.top, table.passes = None, 0
    leader = table.owner
    if not table.left[leader]:
        leader = partner_of(leader)
        if not table.left[leader]:
            leader = _next(table, table.owner)
    table.turn = leader


def settle(table: Table, laid: Laid) -> None:
    """The play of the seat on turn lies on top; its cards are already out of its hand."""
    seat = table.turn
    table.top, table.owner, table.passes = laid, seat, 0
    if not table.left[seat]:
        table.order.append(seat)
    table.turn = _next(table, seat)


def size_of(laid: Laid) -> int:
    """How many cards a play has."""
    if laid.code == BOMB:
        return laid.value & 15
    return 5 if laid.code == FULL_HOUSE else SIZES[laid.code]


def take(hand: Groups, laid: Laid) -> None:
    """Take the play out of the hand."""
    code, value = laid
    if code == FULL_HOUSE:
        hand[TRIPLE].remove(value)
        hand[PAIR].pop(0)
    elif value in hand[code]:
        hand[code].remove(value)
    else:  # a single out of a pair
        hand[PAIR].remove(value)
        hand[SINGLE].append(value)
        hand[SINGLE].sort()


def _next(table: Table, seat: Seat) -> Seat:
    for more in (1, 2, 3):
        other = (seat + more) % 4
        if table.left[other]:
            return other
    return seat


def _fewest_of_opponents(table: Table, seat: Seat) -> int:
    one, other = table.left[(seat + 1) % 4], table.left[(seat + 3) % 4]
    return min(one or 99, other or 99)


def _lead(hand: Groups, danger: int) -> Laid:
    """The lowest play, long ones before short ones; what an opponent could end on comes last."""
    best, lowest = None, 1 << 20
    for code, group in enumerate(hand[:BOMB]):
        if not group:
            continue
        laid, merit = Laid(code, group[0]), group[0] - 2 * SIZES[code]
        if code <= PAIR and SIZES[code] == danger:
            laid, merit = Laid(code, group[-1]), 100 - group[-1]
        elif code == TRIPLE and hand[PAIR] and hand[PAIR][0] < _HIGH:
            laid, merit = Laid(FULL_HOUSE, group[0]), group[0] - 10
        if merit < lowest:
            best, lowest = laid, merit
    return best or Laid(BOMB, hand[BOMB][0])


def _follow(table: Table, seat: Seat, danger: int) -> Laid | None:
    top, hand, owner = table.top, table.hands[seat], table.owner
    assert top is not None, "somebody led"
    if owner == partner_of(seat) and table.left[owner]:
        return None
    answer = _ordinary(hand, top, danger) if top.code != BOMB else None
    if answer is not None:
        return answer
    few = sum(map(len, hand)) <= 3
    if not few and table.left[owner] > _SHORT and danger > _SHORT:
        return None
    lowest = top.value if top.code == BOMB else 0
    # Of equal rung and value a longer number would win: there is none of another length.
    bomb = next((value for value in hand[BOMB] if value > lowest), None)
    return None if bomb is None else Laid(BOMB, bomb)


def _ordinary(hand: Groups, top: Laid, danger: int) -> Laid | None:
    code, value = top
    if code == FULL_HOUSE:
        if not hand[PAIR]:
            return None
        answer = next((held for held in hand[TRIPLE] if held > value), None)
        return None if answer is None else Laid(FULL_HOUSE, answer)
    answer = next((held for held in hand[code] if held > value), None)
    if answer is None and code == SINGLE and danger <= _SHORT:
        answer = next((held for held in hand[PAIR] if held > value and held >= _HIGH), None)
    return None if answer is None else Laid(code, answer)


def worth(order: list[Seat], seat: Seat) -> int:
    """What the places are worth to the seat: its team first and far ahead is best."""
    first = order[0]
    rise = 4 - order.index(partner_of(first))
    return 2 + rise if team_of(first) == team_of(seat) else -2 - rise
