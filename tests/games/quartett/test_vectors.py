"""Every line of the vectors: comparisons, bans, deck files, and games with all choice sets."""

from __future__ import annotations

from typing import Any

import pytest

from games.quartett.scripted import (
    CASES,
    SAMPLE,
    VECTORS,
    Match,
    cases,
    deck_in,
    deck_of,
    digest,
    only,
)
from spielwerk.errors import Illegal
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.bots import CHOICE_SETS
from spielwerk.games.quartett.bots.memory import suspects
from spielwerk.games.quartett.comparing import Forbid, allowed, better_of, forbidden
from spielwerk.games.quartett.deckfile import check_content, read_deck
from spielwerk.games.quartett.messages import Choose, Duel
from spielwerk.games.quartett.options import Options
from spielwerk.testing.chance import FixedChance


def each(kind: str) -> pytest.MarkDecorator:
    rows = cases(kind)
    return pytest.mark.parametrize("case", rows, ids=[row["id"] for row in rows])


@each("compare")
def test_compare(case: dict[str, Any]) -> None:
    category = {"label": "x"} | case["category"]
    cards = [
        {"id": name, "title": name, "values": {category["id"]: case[name]}} for name in ("a", "b")
    ]
    deck = deck_of(
        {"schema": "quartett-deck/1", "id": "two", "title": "two", "language": "en"}
        | {"categories": [category], "cards": cards}
    )
    winner = better_of(deck.categories[0], *(card.values[0] for card in deck.cards))

    assert {None: "tie", 0: "a", 1: "b"}[winner] == case["result"]


@each("forbidden")
def test_forbidden(case: dict[str, Any]) -> None:
    deck = deck_in(case)
    if case["in_game"] != "all":
        deck = only(deck, case["in_game"])
    card, forbid = deck.card(case["card"]), Forbid(case["mode"])

    assert list(forbidden(deck, card, forbid)) == case["forbidden"]
    assert list(allowed(deck, card, forbid)) == case["allowed"]


@each("deck_check")
def test_deck_check(case: dict[str, Any]) -> None:
    checked = check_content(case["deck_inline"])

    assert checked.codes == case["errors"]
    assert (checked.deck is not None) == case["valid"]


@each("script")
def test_script(case: dict[str, Any]) -> None:
    dealt = [card_id for stack in case["stacks"] for card_id in stack]
    options = Options(deck=only(deck_in(case), dealt), **given(case["options"]))
    match = Match(options).at(case["stacks"], case["first"])

    for step in case["steps"]:
        check_step(match, step)

    assert digest(match.state)["ended"] == case["final"]


def given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: Forbid(value) if name == "forbid" else value for name, value in options.items()}


def check_step(match: Match, step: dict[str, Any]) -> None:
    before, seat = match.state, step["chooser"]
    view = GAME.view(before, seat)
    assert (before.turn, view.top, list(view.allowed)) == (seat, step["top"], step["allowed"])
    assert len(suspects(view)) == step["suspects"]
    sets = {
        strength: list(choice_set(before if strength == "oracle" else view))
        for strength, choice_set in CHOICE_SETS.items()
    }
    assert sets == step["sets"]
    check_choices(match, sets)
    if not step["ok"]:
        with pytest.raises(Illegal) as refused:
            match.give(seat, Choose(step["choose"]))
        assert refused.value.reason == step["error"]
        assert match.state == before
        return
    duel = match.give(seat, Choose(step["choose"]))[0]
    assert isinstance(duel, Duel)
    told = {
        "round": duel.round,
        "chooser": duel.chooser,
        "category": duel.category,
        "cards": {str(owner): card for owner, card in enumerate(duel.cards)},
        "winner": duel.winner,
        "gained": list(duel.gained),
    }
    assert told == step["event"]
    assert digest(match.state) == step["after"]


def check_choices(match: Match, sets: dict[str, list[str]]) -> None:
    """Each strength plays any member of its set that it draws, and no other one."""
    seat = match.state.turn
    assert seat is not None
    legal = GAME.legal(match.state, seat)
    for strength, members in sets.items():
        bot = GAME.bots[strength]
        seen: Any = match.state if strength == "oracle" else GAME.view(match.state, seat)
        for member in members:
            chance = FixedChance(in_order=[Choose(member)])
            assert bot.choose(seen, legal, chance) == Choose(member)


def test_the_sample_deck_of_the_vectors_is_the_installed_one() -> None:
    text = (VECTORS / "sample_deck_channel_nil.json").read_text("utf-8")

    assert read_deck(text) == SAMPLE


def test_every_vector_is_of_a_kind_that_is_run() -> None:
    kinds = ("compare", "forbidden", "deck_check", "script")

    assert sum(len(cases(kind)) for kind in kinds) == len(CASES) > 0
