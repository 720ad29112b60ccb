"""A house in plain numbers, for bots that play many games ahead in their heads.

Cards are numbers: 4 * (place of the rank, ace 0) + place of the suit; a joker is JOKER. Places are
indices into ROOF_PLACES and FLOOR_PLACES. 0 is an empty place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from spielwerk.cards import AnyCard, Card, Joker, french_pack
from spielwerk.games.house_of_cards.building import FLOOR_PLACES, ROOF_PLACES, match, roof_value
from spielwerk.games.house_of_cards.options import JokerRemoves
from spielwerk.games.house_of_cards.views import SiteView

JOKER: Final = 52
UNLIMITED: Final = 99
"""A limit that no roof reaches."""

CARDS: Final = french_pack()
NUMBER: Final = {card: number for number, card in enumerate(CARDS)}
IS_ACE: Final = tuple(number < 4 for number in range(JOKER))

_ROOF: Final = {place: number for number, place in enumerate(ROOF_PLACES)}
_FLOOR: Final = {place: number for number, place in enumerate(FLOOR_PLACES)}
STOREY: Final = tuple(storey for storey, _ in ROOF_PLACES)
"""By roof."""
BELOW: Final = tuple(_FLOOR.get((storey - 1, index), -1) for storey, index in ROOF_PLACES)
"""The floor that carries a roof; -1 on the ground."""
ABOVE: Final = tuple(_ROOF[storey + 1, index] for storey, index in FLOOR_PLACES)
"""The roof that a floor carries."""
LEFT: Final = tuple(_ROOF[place] for place in FLOOR_PLACES)
RIGHT: Final = tuple(_ROOF[storey, index + 1] for storey, index in FLOOR_PLACES)
"""The roofs that carry a floor."""


def _values(one: Card, other: Card) -> tuple[int, ...]:
    """By limit, 0 to 22: what the two cards count as a roof; 0 if they are none."""
    if not match(one, other):
        return (0,) * 23
    return tuple(roof_value((one, other), limit) or 0 for limit in range(23))


WORTH: Final = tuple(tuple(_values(one, other) for other in CARDS) for one in CARDS)
"""WORTH[one][other][min(limit, 22)]."""

Placement: TypeAlias = tuple[int, int, int]
"""A roof (place, position, position) or a floor (-1 - place, position, -1); positions are those
in `open`."""


class Sketch:
    """One site, changed in place. The last card of `stock` is drawn next."""

    __slots__ = ("floors", "open", "roofs", "rows", "size", "stock")

    def __init__(self, size: int, *, rows: bool) -> None:
        self.size = size
        self.rows = rows
        """A joker takes a row alone."""
        self.roofs = [0] * len(ROOF_PLACES)
        self.floors = [0] * len(FLOOR_PLACES)
        self.open: list[int] = []
        self.stock: list[int] = []

    def copy(self, stock: Sequence[int]) -> Sketch:
        """The same site over another stock."""
        other = Sketch(self.size, rows=self.rows)
        other.roofs = self.roofs[:]
        other.floors = self.floors[:]
        other.open = self.open[:]
        other.stock = list(stock)
        return other

    def place(self, placement: Placement) -> None:
        """Build a roof or lay a floor, and draw; a complete house draws no more."""
        place, one, other = placement
        cards = self.open
        if place < 0:
            floor, card = -1 - place, cards[one]
            low = min(self.roofs[LEFT[floor]], self.roofs[RIGHT[floor]])
            self.floors[floor] = UNLIMITED if IS_ACE[card] else low
            cards.pop(one)
        else:
            limit = self.floors[BELOW[place]] if BELOW[place] >= 0 else UNLIMITED
            self.roofs[place] = WORTH[cards[one]][cards[other]][min(limit, 22)]
            for position in sorted((one, other), reverse=True):
                cards.pop(position)
            if all(self.roofs):
                return
        self.draw()

    def replace(self) -> None:
        """Throw the open cards away and draw."""
        self.open = []
        self.draw()

    def draw(self) -> None:
        """Open cards up to the number that lies open; jokers act."""
        while len(self.open) < self.size and self.stock:
            card = self.stock.pop()
            if card == JOKER:
                self.joker()
            else:
                self.open.append(card)

    def joker(self) -> None:
        """Remove the top storey, or the highest row."""
        roofs, floors = self.roofs, self.floors
        top = max((STOREY[place] for place, value in enumerate(roofs) if value), default=0)
        bare = max((STOREY[ABOVE[f]] for f, limit in enumerate(floors) if limit), default=0)
        storey = max(top, bare)
        if not self.rows or top == storey:
            for place, at in enumerate(STOREY):
                if at == storey:
                    roofs[place] = 0
        if not self.rows or top < storey:
            for floor, above in enumerate(ABOVE):
                if STOREY[above] == storey:
                    floors[floor] = 0


def sketch_of(site: SiteView, size: int, removes: JokerRemoves) -> Sketch:
    """The site as a seat sees it, over an empty stock."""
    sketch = Sketch(size, rows=removes is JokerRemoves.ROW)
    for roof in site.house.roofs:
        sketch.roofs[_ROOF[roof.storey, roof.index]] = roof.value
    for floor in site.house.floors:
        limit = UNLIMITED if floor.limit is None else floor.limit
        sketch.floors[_FLOOR[floor.storey, floor.index]] = limit
    sketch.open = [NUMBER[item.card] for item in site.open]
    return sketch


def unseen(site: SiteView) -> list[int]:
    """What the stock holds, in ascending order: two packs less all that was seen."""
    left = [2] * JOKER
    seen: list[AnyCard] = [item.card for item in site.open]
    seen += [*site.house.cards, *site.discarded]
    for card in seen:
        if not isinstance(card, Joker):
            left[NUMBER[card]] -= 1
    cards = [number for number, count in enumerate(left) for _ in range(count)]
    return cards + [JOKER] * site.jokers
