"""The rest of a deal with all cards open, played as well as possible by both sides.

Alpha-beta over the declarer's further card points (in Null: over whether he takes a trick), with
bounds remembered at the beginning of each trick. Cards of one hand that only seen or own cards
stand between and that count the same are one choice.
"""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.games.skat.bots.maxims import Trick
from spielwerk.games.skat.bots.playout import World
from spielwerk.games.skat.bots.spaces import Space
from spielwerk.games.skat.cards import ContractType

Hands: TypeAlias = tuple[int, int, int]
Bounds: TypeAlias = dict[tuple[int, int, int, int], tuple[int, int]]


class Solver:
    """Solves positions of one contract and declarer; what it found it remembers."""

    def __init__(self, space: Space, declarer: int) -> None:
        self._space = space
        self._declarer = declarer
        self._bounds: Bounds = {}
        self._null = space.kind is ContractType.NULL
        self._most = 1 if self._null else 120
        # Only the suit and the rank of a card count in Null.
        self._value = dict.fromkeys(space.points, 0) if self._null else space.points

    def after(self, world: World, card: int) -> int:
        """Points that the declarer still gets when the seat on turn lays the card; Null: tricks."""
        seat = (world.leader + len(world.trick)) % 3
        hands, trick = _without(world.hands, seat, card), (*world.trick, card)
        if len(trick) == 3:
            return self._taken(hands, world.leader, trick, 0, self._most)
        return self._card(hands, world.leader, trick, 0, self._most)

    def _trick(self, hands: Hands, leader: int, low: int, high: int) -> int:
        if not hands[leader]:
            return 0
        key = (*hands, leader)
        known = self._bounds.get(key)
        least, most = known or (0, self._most)
        if known:
            if least >= high or least == most:
                return least
            if most <= low:
                return most
            low, high = max(low, least), min(high, most)
        value = self._card(hands, leader, (), low, high)
        if value <= low:
            most = min(most, value)
        elif value >= high:
            least = max(least, value)
        else:
            least = most = value
        self._bounds[key] = (least, most)
        return value

    def _card(self, hands: Hands, leader: int, trick: Trick, low: int, high: int) -> int:
        space = self._space
        place = len(trick)
        seat = (leader + place) % 3
        hand = hands[seat]
        legal = hand & space.suit[trick[0]] or hand if trick else hand
        mine = seat == self._declarer
        best = -1 if mine else 1000
        for card in self._choices(legal, hands, trick):
            after = _without(hands, seat, card)
            if place == 2:
                value = self._taken(after, leader, (*trick, card), low, high)
            else:
                value = self._card(after, leader, (*trick, card), low, high)
            if mine:
                best = max(best, value)
                low = max(low, best)
            else:
                best = min(best, value)
                high = min(high, best)
            if low >= high:
                break
        return best

    def _taken(self, hands: Hands, leader: int, trick: Trick, low: int, high: int) -> int:
        space = self._space
        a, b, c = trick
        counting = space.suit[a] | space.trump
        led_b, led_c = b & counting, c & counting
        place = 0 if a > led_b and a > led_c else 1 if led_b > led_c else 2
        winner = (leader + place) % 3
        if winner != self._declarer:
            return self._trick(hands, winner, low, high)
        if self._null:
            return 1
        value = space.points
        points = value[a] + value[b] + value[c]
        return points + self._trick(hands, winner, low - points, high - points)

    def _choices(self, legal: int, hands: Hands, trick: Trick) -> list[int]:
        """One card of each run of equals, the highest first."""
        space = self._space
        others = hands[0] | hands[1] | hands[2]
        for card in trick:
            others |= card
        choices: list[int] = []
        last = last_points = 0
        value, suits = self._value, space.suit
        rest = legal
        while rest:
            card = 1 << (rest.bit_length() - 1)
            rest ^= card
            points = value[card]
            if last and points == last_points and suits[card] == suits[last]:
                between = others & (last - 1) & ~(2 * card - 1)
                if not between:
                    last = card
                    continue
            choices.append(card)
            last, last_points = card, points
        return choices


def _without(hands: Hands, seat: int, card: int) -> Hands:
    if seat == 0:
        return hands[0] ^ card, hands[1], hands[2]
    if seat == 1:
        return hands[0], hands[1] ^ card, hands[2]
    return hands[0], hands[1], hands[2] ^ card
