"""Every case of the vector file."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from typing import Any

import pytest

from games.house_of_cards.scripted import CASES, Match, card, code, command, rows
from spielwerk.cards import Card
from spielwerk.errors import Illegal
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.building import (
    FLOOR_PLACES,
    ROOF_PLACES,
    STOREYS,
    floor_limit,
    match,
    roof_value,
)
from spielwerk.games.house_of_cards.messages import (
    CardOpened,
    CardsReplaced,
    Event,
    FloorLaid,
    GameEnded,
    JokerDrawn,
    RoofBuilt,
)
from spielwerk.games.house_of_cards.model import STOCK_ORDER, Site, State
from spielwerk.games.house_of_cards.options import (
    CreditStep,
    JokerRemoves,
    Options,
    credits_of,
)

KINDS = ("structure", "roof", "floor_limit", "credits", "script")
NAMES = {
    "card_opened": CardOpened,
    "joker_drawn": JokerDrawn,
    "roof_built": RoofBuilt,
    "floor_laid": FloorLaid,
    "cards_replaced": CardsReplaced,
    "game_ended": GameEnded,
}
OWN_FIELDS = {"seat", "slots", "spent_ms", "public"}
"""What our events say beside the vectors' fields."""


def test_every_line_of_the_file_is_run() -> None:
    assert sum(len(rows(kind)) for kind in KINDS) == len(CASES.read_text("utf-8").splitlines())


@pytest.mark.parametrize("case", rows("structure"))
def test_structure(case: dict[str, Any]) -> None:
    storeys = range(1, STOREYS + 1)
    cards = [one for one in STOCK_ORDER if isinstance(one, Card)]
    high = sorted((roof_value((one, one), None) or 0 for one in cards), reverse=True)
    house = sum(high[:42]) // 2
    left = len(STOCK_ORDER) - 2 * len(ROOF_PLACES) - len(FLOOR_PLACES)

    assert case["roofs"] == len(ROOF_PLACES)
    assert case["floors"] == len(FLOOR_PLACES)
    assert case["roof_cards"] == 2 * len(ROOF_PLACES)
    assert case["cards"] == 2 * len(ROOF_PLACES) + len(FLOOR_PLACES)
    assert case["pack"] == len(STOCK_ORDER)
    assert case["max_left"] == left
    assert case["max_house"] == house
    assert case["max_score"] == house + Options().bonus_per_card * left
    assert case["roofs_per_storey"] == [len([p for p in ROOF_PLACES if p[0] == s]) for s in storeys]
    assert case["floors_per_storey"] == [
        len([p for p in FLOOR_PLACES if p[0] == s]) for s in storeys[:-1]
    ]


@pytest.mark.parametrize("case", rows("roof"))
def test_roof(case: dict[str, Any]) -> None:
    pair = [card(name) for name in case["cards"]]
    value = roof_value(pair, case["limit"]) if match(*pair) else None

    assert match(*pair) is case["matching"]
    assert (value is not None) is case["legal"]
    assert value == case["value"]


@pytest.mark.parametrize("case", rows("floor_limit"))
def test_floor_limit(case: dict[str, Any]) -> None:
    assert floor_limit(case["left"], case["right"], card(case["floor"])) == case["limit"]


@pytest.mark.parametrize("case", rows("credits"))
def test_credits(case: dict[str, Any]) -> None:
    table = tuple(CreditStep(*step) for step in case["table"])

    assert credits_of(case["score"], Options(credits=table).credits) == case["credits"]


@pytest.mark.parametrize("case", rows("script"))
def test_script(case: dict[str, Any]) -> None:
    game = Match(case["stock"], **options(case["options"]))
    assert told(game.events) == case["start_events"]
    assert digest(game.state) == case["start"]
    for step in case["steps"]:
        if step["ok"]:
            assert told(game.give(0, command(step["do"]))) == step["events"]
            assert digest(game.state) == step["after"]
        else:
            before = game.state
            with pytest.raises(Illegal) as refused:
                game.give(0, command(step["do"]))
            assert refused.value.reason == step["error"]
            assert game.state is before
    assert final(game.site) == case["final"]
    assert (GAME.result(game.state) is None) is (case["final"] is None)


def options(given: dict[str, Any]) -> dict[str, Any]:
    """House rules as our values."""
    return {n: JokerRemoves(v) if n == "joker_removes" else v for n, v in given.items()}


def told(events: Any) -> list[dict[str, Any]]:
    """Our events in the words of the vectors."""
    by_class = {cls: name for name, cls in NAMES.items()}
    return [{"e": by_class[type(e)]} | content(e) for e in events if type(e) in by_class]


def content(event: Event) -> dict[str, Any]:
    left_out = OWN_FIELDS | ({"slot"} if isinstance(event, FloorLaid) else set())
    names = [field.name for field in fields(event) if field.name not in left_out]
    return {name: plain(getattr(event, name)) for name in names}


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Card):
        return code(value)
    return value.value if isinstance(value, Enum) else value


def digest(state: State) -> dict[str, Any]:
    site = state.sites[0]
    slots = [site.card(slot) for slot in range(state.options.open)]
    return {
        "open": [None if item is None else code(item) for item in slots],
        "stock": len(state.left_in_stock(0)),
        "score": site.house.points,
        "roofs": len(site.house.roofs),
        "floors": len(site.house.floors),
        "discarded": len(site.discarded),
    }


def final(site: Site) -> dict[str, Any] | None:
    if site.ending is None:
        return None
    end = site.ending
    return {field.name: plain(getattr(end, field.name)) for field in fields(end)}
