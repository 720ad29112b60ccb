"""What a joker takes away from a house (clause 5)."""

from __future__ import annotations

from spielwerk.games.house_of_cards.model import House
from spielwerk.games.house_of_cards.options import JokerRemoves


def top(house: House, removes: JokerRemoves) -> int | None:
    """The storey, or row, that a joker takes now; None if nothing stands.

    A floor belongs to the storey that it carries. Rows count from the ground: the roofs of storey s
    are row 2s - 1, the floors on them row 2s.
    """
    if removes is JokerRemoves.STOREY:
        highest = [roof.storey for roof in house.roofs] + [f.storey + 1 for f in house.floors]
    else:
        highest = [2 * roof.storey - 1 for roof in house.roofs]
        highest += [2 * floor.storey for floor in house.floors]
    return max(highest, default=None)


def without(house: House, removed: int | None, removes: JokerRemoves) -> House:
    """The house after a joker has taken that storey or row."""
    if removed is None:
        return house
    if removes is JokerRemoves.STOREY:
        return House(
            tuple([roof for roof in house.roofs if roof.storey != removed]),
            tuple([floor for floor in house.floors if floor.storey + 1 != removed]),
        )
    return House(
        tuple([roof for roof in house.roofs if 2 * roof.storey - 1 != removed]),
        tuple([floor for floor in house.floors if 2 * floor.storey != removed]),
    )


def lost(before: House, after: House) -> House:
    """The roofs and floors that the joker took."""
    return House(
        tuple([roof for roof in before.roofs if roof not in after.roofs]),
        tuple([floor for floor in before.floors if floor not in after.floors]),
    )
