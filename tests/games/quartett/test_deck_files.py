"""Clause 10: decks are data, and a bad file says what is wrong with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from games.quartett.scripted import SAMPLE, VECTORS, mini
from spielwerk.games.quartett.deck import Kind, Value, Wins, as_file, fingerprint
from spielwerk.games.quartett.deckfile import BadDeck, check_content, check_text, read_deck
from spielwerk.games.quartett.installed import DECK_IDS, installed_deck
from spielwerk.games.quartett.options import Options

TEXT = (VECTORS / "sample_deck_channel_nil.json").read_text("utf-8")


def sample() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(TEXT)
    return content


@pytest.mark.parametrize("deck_id", DECK_IDS)
def test_10_1_every_installed_deck_is_sound_and_without_warnings(deck_id: str) -> None:
    checked = check_content(as_file(installed_deck(deck_id)))

    assert (checked.problems, checked.warnings) == ((), ())


def test_10_1_a_second_deck_has_other_categories_language_size_and_file_form() -> None:
    other = installed_deck("nirgendbruecken")

    assert {c.id for c in other.categories}.isdisjoint(c.id for c in SAMPLE.categories)
    assert (len(SAMPLE.categories), len(other.categories)) == (7, 6)
    assert (len(SAMPLE.cards), len(other.cards)) == (32, 24)
    assert (SAMPLE.language, other.language) == ("en", "de")


def test_10_1_a_deck_of_one_category_and_two_cards_can_be_played() -> None:
    content = as_file(mini("a 1/1 b 2/2"))
    content["categories"] = content["categories"][:1]
    for card in content["cards"]:
        del card["values"]["lo"]
    checked = check_content(content)

    assert checked.deck is not None
    assert Options(deck=checked.deck).deck.categories[0].wins is Wins.HIGHER


def test_10_3_values_are_whole_numbers() -> None:
    values = dict(zip((c.id for c in SAMPLE.categories), SAMPLE.card("A1").values, strict=True))

    assert values["clip_length"] == Value(213)
    assert values["first_broadcast"] == Value(19980529)
    assert values["eggs"] == Value(87)
    assert values["individual"] == Value(18, "umbrellas broken")


@pytest.mark.parametrize(
    ("kind", "scale", "number", "text"),
    [
        (Kind.INTEGER, 0, -3, "-3"),
        (Kind.DECIMAL, 1, 100, "10.0"),
        (Kind.DECIMAL, 2, -5, "-0.05"),
        (Kind.DECIMAL, 0, 7, "7"),
        (Kind.DATE, 0, 20000229, "2000-02-29"),
        (Kind.DATE, 0, 8001224, "0800-12-24"),
    ],
)
def test_10_3_numbers_are_shown_as_a_file_writes_them(
    kind: Kind, scale: int, number: int, text: str
) -> None:
    category = replace(SAMPLE.categories[0], kind=kind, scale=scale)

    assert category.text(number) == text


def test_10_5_first_broadcast_and_coarseness_are_won_by_the_lower_value() -> None:
    lower = [category.id for category in SAMPLE.categories if category.wins is Wins.LOWER]

    assert lower == ["first_broadcast", "coarseness"]


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        (lambda d: d.update(schema="quartett-deck/2"), "schema", "schema"),
        (lambda d: d.pop("title"), "schema", "title"),
        (lambda d: d.update(id="Channel Nil"), "schema", "id"),
        (lambda d: d.update(colour="red"), "unknown_key", "colour"),
        (lambda d: d["categories"][1].pop("wins"), "direction", "categories[1].wins"),
        (lambda d: d["categories"][1].pop("kind"), "kind", "categories[1].kind"),
        (lambda d: d["categories"][0].update(kind="float"), "kind", "categories[0].kind"),
        (lambda d: d["categories"][4].pop("scale"), "scale", "categories[4].scale"),
        (lambda d: d["categories"][4].update(scale=7), "scale", "categories[4].scale"),
        (lambda d: d["categories"][4].update(scale="1"), "scale", "categories[4].scale"),
        (lambda d: d["categories"][0].update(scale=1), "scale", "categories[0].scale"),
        (lambda d: d["categories"][0].update(weight=1), "unknown_key", "categories[0].weight"),
        (lambda d: d["categories"][4].update(min=0.0), "value_type", "categories[4].min"),
        (lambda d: d["categories"][4].update(max="9.99"), "value_scale", "categories[4].max"),
        (lambda d: d["cards"].pop(), "odd_number_of_cards", "cards"),
        (lambda d: d["cards"][3].update(id="A1"), "duplicate_card", "cards[3].id"),
        (lambda d: d["cards"][0].pop("title"), "schema", "cards[0].title"),
        (lambda d: d["cards"][0].update(joker=True), "unknown_key", "cards[0].joker"),
        (lambda d: d["cards"][0].pop("values"), "schema", "cards[0].values"),
        (lambda d: values(d).pop("eggs"), "missing_value", "cards[0].values.eggs"),
        (lambda d: values(d).update(cost=1), "unknown_value", "cards[0].values.cost"),
        (lambda d: values(d).update(eggs=8.7), "value_type", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="8,7"), "value_type", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="1e1"), "value_type", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="8.75"), "value_scale", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="NaN"), "value_scale", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="-Infinity"), "value_scale", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="10.1"), "out_of_range", "cards[0].values.eggs"),
        (lambda d: values(d).update(eggs="9" * 5000), "out_of_range", "cards[0].values.eggs"),
        (lambda d: values(d).update(frequency=True), "value_type", "cards[0].values.frequency"),
        (lambda d: values(d).update(frequency=3.0), "value_type", "cards[0].values.frequency"),
        (lambda d: values(d).update(frequency="3"), "value_type", "cards[0].values.frequency"),
        (lambda d: values(d).update(frequency=0), "out_of_range", "cards[0].values.frequency"),
        (lambda d: values(d).update(frequency=10**18), "out_of_range", "cards[0].values.frequency"),
        (
            lambda d: values(d).update(first_broadcast="2001-02-29"),
            "value_type",
            "cards[0].values.first_broadcast",
        ),
        (
            lambda d: values(d).update(first_broadcast="29.05.1998"),
            "value_type",
            "cards[0].values.first_broadcast",
        ),
        (lambda d: values(d).update(individual=18), "label", "cards[0].values.individual"),
        (
            lambda d: values(d)["individual"].pop("label"),
            "label",
            "cards[0].values.individual.label",
        ),
        (
            lambda d: values(d)["individual"].update(unit="mm"),
            "unknown_key",
            "cards[0].values.individual.unit",
        ),
        (
            lambda d: values(d)["individual"].pop("value"),
            "value_type",
            "cards[0].values.individual.value",
        ),
        (
            lambda d: values(d).update(frequency={"label": "x", "value": 3}),
            "value_type",
            "cards[0].values.frequency",
        ),
        (lambda d: d["cards"][0].update(title="\x1b[2J"), "schema", "cards[0].title"),
    ],
)
def test_10_6_a_problem_has_a_code_a_place_and_a_sentence(
    change: Change, code: str, path: str
) -> None:
    content = sample()
    change(content)
    checked = check_content(content)

    assert [(problem.code, problem.path) for problem in checked.problems] == [(code, path)]
    assert checked.problems[0].reason
    assert checked.deck is None


def values(content: dict[str, Any], card: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = content["cards"][card]["values"]
    return found


def test_10_6_all_problems_are_told_at_once_each_code_once_and_sorted() -> None:
    content = sample()
    content["colour"] = "red"
    content["categories"][0]["wins"] = "more"
    values(content)["clip_length"] = 0
    values(content, 1)["clip_length"] = -1
    values(content, 2).pop("eggs")
    content["cards"].pop()

    assert check_content(content).codes == [
        "direction",
        "missing_value",
        "odd_number_of_cards",
        "out_of_range",
        "unknown_key",
    ]


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        ({}, ["no_categories", "schema", "too_few_cards"]),
        ([], ["no_categories", "schema", "too_few_cards"]),
        (None, ["no_categories", "schema", "too_few_cards"]),
        ({"schema": 1, "categories": 7, "cards": [7]}, None),
        ({"schema": 1, "categories": ["x"], "cards": {"a": 1}}, None),
    ],
)
def test_10_6_what_is_no_deck_at_all_is_refused_without_an_error(
    content: object, codes: list[str] | None
) -> None:
    checked = check_content(content)

    assert checked.deck is None
    assert codes is None or checked.codes == codes


@pytest.mark.parametrize(
    ("text", "toml"),
    [("{", False), ('{"id": 1, "id": 2}', False), ("a = ", True), ("a = 1\na = 2", True)],
)
def test_10_6_text_that_cannot_be_parsed_says_where(text: str, toml: bool) -> None:
    with pytest.raises(BadDeck) as bad:
        read_deck(text, toml=toml)

    assert [problem.code for problem in bad.value.problems] == ["schema"]
    assert bad.value.reason == "bad_deck"


def test_10_6_a_refused_file_tells_all_problems_a_line_each() -> None:
    content = sample()
    values(content).update(eggs=8.7, frequency=0)

    with pytest.raises(BadDeck) as bad:
        read_deck(json.dumps(content))
    assert bad.value.message.splitlines() == [
        "cards[0].values.frequency: 0 is less than 1 (out_of_range)",
        'cards[0].values.eggs: 8.7: decimals are texts such as "7.3" (value_type)',
    ]


def test_10_7_odd_but_playable_decks_are_told_by_warnings() -> None:
    same = check_content(as_file(mini("a 9/1 b 9/5")))
    assert [(w.code, w.path) for w in same.warnings] == [("one_value", "categories[0]")]

    barred = check_content(as_file(mini("a 9/1 b 5/5 c 5/6 d 4/7")))
    assert [(w.code, w.path) for w in barred.warnings] == [("all_forbidden", "cards[0]")]
    assert barred.deck is not None


def test_10_8_the_hash_depends_on_the_content_and_not_on_the_layout() -> None:
    content = sample()
    turned = {key: content[key] for key in reversed(content)}
    turned["cards"][0]["values"]["eggs"] = "8.70"
    edited = copy.deepcopy(content)
    edited["cards"][0]["values"]["eggs"] = "8.8"

    assert fingerprint(read_deck(json.dumps(turned, indent=4))) == fingerprint(SAMPLE)
    assert fingerprint(read_deck(json.dumps(edited))) != fingerprint(SAMPLE)


@pytest.mark.parametrize("deck_id", DECK_IDS)
def test_10_a_deck_written_as_a_file_is_read_as_the_same_deck(deck_id: str) -> None:
    deck = installed_deck(deck_id)

    assert read_deck(json.dumps(as_file(deck))) == deck


def test_10_toml_and_json_of_the_same_shape_are_the_same_deck() -> None:
    toml = """
schema = "quartett-deck/1"
id = "mini"
title = "mini"
language = "en"
categories = [
  { id = "hi", label = "hi", kind = "integer", wins = "higher" },
  { id = "lo", label = "lo", kind = "integer", wins = "lower" },
]
cards = [
  { id = "a", title = "a", values = { hi = 9, lo = 3 } },
  { id = "b", title = "b", values = { hi = 5, lo = 5 } },
]
"""
    assert check_text(toml, toml=True).deck == mini("a 9/3 b 5/5")
