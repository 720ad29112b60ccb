"""Where a seat's open cards may go: the checks of a roof and a floor, and all that pass (clause
4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from spielwerk.errors import Illegal
from spielwerk.games.house_of_cards.building import (
    FLOOR_PLACES,
    ROOF_PLACES,
    floor_limit,
    is_floor_place,
    is_roof_place,
    match,
    roof_value,
)
from spielwerk.games.house_of_cards.messages import Floor, Roof
from spielwerk.games.house_of_cards.model import BuiltRoof, House, LaidFloor, Site


def roof_of(site: Site, command: Roof) -> BuiltRoof:
    """The roof that the command builds; raises Illegal in the order of clause 4.4."""
    storey, index = command.storey, command.index
    if not is_roof_place(storey, index):
        raise Illegal("no_such_place")
    first, second = site.card(command.slot1), site.card(command.slot2)
    if first is None or second is None or command.slot1 == command.slot2:
        raise Illegal("bad_slot")
    if site.house.roof(storey, index) is not None:
        raise Illegal("place_taken")
    floor = site.house.floor(storey - 1, index)
    if storey > 1 and floor is None:
        raise Illegal("no_floor")
    if not match(first, second):
        raise Illegal("cards_do_not_match")
    value = roof_value((first, second), floor.limit if floor else None)
    if value is None:
        raise Illegal("too_heavy")
    return BuiltRoof(storey, index, (first, second), value)


def floor_of(site: Site, command: Floor) -> LaidFloor:
    """The floor that the command lays; raises Illegal in the order of clause 4.6."""
    storey, index, house = command.storey, command.index, site.house
    if not is_floor_place(storey, index):
        raise Illegal("no_such_place")
    card = site.card(command.slot)
    if card is None:
        raise Illegal("bad_slot")
    if house.floor(storey, index) is not None:
        raise Illegal("place_taken")
    left, right = house.roof(storey, index), house.roof(storey, index + 1)
    if left is None or right is None:
        raise Illegal("no_support")
    return LaidFloor(storey, index, card, floor_limit(left.value, right.value, card))


def placements(site: Site) -> Iterator[Roof | Floor]:
    """All roofs, then all floors that the open cards make, by place, then by slots."""
    for storey, index, limit in roof_places(site.house):
        for one, other in combinations(site.open, 2):
            pair = (one.card, other.card)
            if match(*pair) and roof_value(pair, limit) is not None:
                yield Roof(storey, index, one.slot, other.slot)
    for storey, index in floor_places(site.house):
        for item in site.open:
            yield Floor(storey, index, item.slot)


def roof_places(house: House) -> Iterator[tuple[int, int, int | None]]:
    """(storey, index, limit) of the free places where a roof may stand."""
    standing = {(roof.storey, roof.index) for roof in house.roofs}
    limits = {(floor.storey, floor.index): floor.limit for floor in house.floors}
    for storey, index in ROOF_PLACES:
        if (storey, index) in standing:
            continue
        if storey == 1:
            yield storey, index, None
        elif (storey - 1, index) in limits:
            yield storey, index, limits[storey - 1, index]


def floor_places(house: House) -> Iterator[tuple[int, int]]:
    """(storey, index) of the free places that two roofs carry."""
    standing = {(roof.storey, roof.index) for roof in house.roofs}
    lying = {(floor.storey, floor.index) for floor in house.floors}
    for storey, index in FLOOR_PLACES:
        carried = {(storey, index), (storey, index + 1)} <= standing
        if carried and (storey, index) not in lying:
            yield storey, index
