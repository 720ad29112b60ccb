"""The two ways to play: greedy and planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spielwerk.chance import Chance
from spielwerk.games.house_of_cards.bots.judging import POINT, Judged, judged, play_on
from spielwerk.games.house_of_cards.bots.sketch import Placement, Sketch, sketch_of, unseen
from spielwerk.games.house_of_cards.building import FLOOR_PLACES, ROOF_PLACES, VALUE, roof_value
from spielwerk.games.house_of_cards.messages import Command, Finish, Floor, Replace, Roof
from spielwerk.games.house_of_cards.options import Options
from spielwerk.games.house_of_cards.views import SiteView, View

SAMPLES: Final = 8
"""Stocks that the planner imagines for a decision."""
CANDIDATES: Final = 5
"""Placements that it compares on them."""


def build_greedily(view: View, legal: Sequence[Command], chance: Chance) -> Command:  # noqa: ARG001 (nothing to draw)
    """The roof of most points at once, else a floor of the lowest card, else new cards."""
    site = _own(view)
    roofs = [command for command in legal if isinstance(command, Roof)]
    if roofs:
        return max(roofs, key=lambda command: _points(site, command))
    floors = [command for command in legal if isinstance(command, Floor)]
    if floors:
        value = {item.slot: VALUE[item.card.rank] for item in site.open}
        return min(floors, key=lambda command: value[command.slot])
    return Replace() if Replace() in legal else Finish()


def build_with_a_plan(view: View, legal: Sequence[Command], chance: Chance) -> Command:  # noqa: ARG001 (follows from the view)
    """The command after which imagined games go best, each on the same imagined stocks.

    A few games say little about small differences, so the judgement at a glance counts as well.
    Stopping now is worth what stands, since only jokers can take it away.
    """
    site, options = _own(view), view.options
    sketch = sketch_of(site, options.open, options.joker_removes)
    hidden = unseen(site)
    ways = _ways(sketch, hidden)
    stocks = [chance.shuffle(f"stock/{number}", hidden) for number in range(SAMPLES)]
    played = [sum(_played(sketch, way, stock, options) for stock in stocks) for _, way in ways]
    if max(played) < SAMPLES * site.house.points:
        return Finish()
    worths = [
        POINT * total + SAMPLES * glance for total, (glance, _) in zip(played, ways, strict=True)
    ]
    _, way = ways[worths.index(max(worths))]
    return Replace() if way is None else _command(site, way)


def _own(view: View) -> SiteView:
    assert view.seat is not None, "spectators do not play"
    site = view.seats[view.seat].site
    assert site is not None, "a seat sees its own site"
    return site


def _points(site: SiteView, command: Roof) -> int:
    by_slot = {item.slot: item.card for item in site.open}
    limit = next(
        (
            floor.limit
            for floor in site.house.floors
            if (floor.storey, floor.index) == (command.storey - 1, command.index)
        ),
        None,
    )
    return roof_value((by_slot[command.slot1], by_slot[command.slot2]), limit) or 0


def _ways(sketch: Sketch, hidden: Sequence[int]) -> list[tuple[int, Placement | None]]:
    """The placements that look best with what they are worth at a glance, the best first; None is
    to replace."""
    sketch.stock = list(hidden)  # how many are left counts, not in which order
    found: dict[tuple[int, ...], Judged] = {}
    for worth, placement in judged(sketch):
        place, one, other = placement
        cards = (sketch.open[one],) if other < 0 else (sketch.open[one], sketch.open[other])
        found.setdefault((place, *cards), (worth, placement))
    ranked = sorted(found.values(), key=lambda item: -item[0])[:CANDIDATES]
    return [*ranked, *([(0, None)] if hidden else [])]


def _played(sketch: Sketch, way: Placement | None, stock: Sequence[int], options: Options) -> int:
    copy = sketch.copy(stock)
    if way is None:
        copy.replace()
    else:
        copy.place(way)
    return play_on(copy, options.bonus_per_card, counts_open=options.bonus_counts_open)


def _command(site: SiteView, way: Placement) -> Command:
    place, one, other = way
    if place < 0:
        return Floor(*FLOOR_PLACES[-1 - place], site.open[one].slot)
    return Roof(*ROOF_PLACES[place], site.open[one].slot, site.open[other].slot)
