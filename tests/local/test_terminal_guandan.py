"""What the terminal shows of Guandan, and what it makes of typed lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache

import pytest
from rich.console import Console, RenderableType

from games.guandan.scripted import after_deal, cards, table, whole
from spielwerk.cards import Card
from spielwerk.chance import HmacChance
from spielwerk.games.game import Context
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.cards import Main
from spielwerk.games.guandan.combos import Shape
from spielwerk.games.guandan.messages import Event, NextDeal, Pass, Play, Restart, ReturnCard
from spielwerk.games.guandan.model import State
from spielwerk.games.guandan.options import Options
from spielwerk_local.terminal import words
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.guandan_words import GUANDAN
from spielwerk_local.terminal.reading import BadInput

NAMES = ("Ada", "Ben", "Cleo", "Dan")
CONTEXT = Context(HmacChance(bytes(32), "drawn"), lambda _seat: 0)
FACES = drawer_of("guandan")


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(what)
    return out.getvalue()


@cache
def playthrough() -> tuple[tuple[State, tuple[Event, ...]], ...]:
    """Every state of two deals, with the events that led to it."""
    return tuple(_played())


def _played() -> Iterator[tuple[State, tuple[Event, ...]]]:
    state = GAME.setup(Options(max_deals=2), 4)
    events = GAME.start(state, CONTEXT)
    while events:
        for event in events:
            state = GAME.evolve(state, event)
        yield state, events
        seat = next(iter(GAME.turns(state)), None)
        if seat is None:
            return
        events = GAME.decide(state, seat, GAME.legal(state, seat)[-1], CONTEXT)


def shown_cards(text: str) -> set[str]:
    return set(re.findall(r"(?:10|[A2-9JQK])[♣♦♥♠]", text))


def test_the_own_hand_is_shown_and_no_other() -> None:
    for state, _ in playthrough()[::5]:
        laid = {c for move in state.table.moves if move.combination for c in _faces(move)}
        for viewer in (0, 3, None):
            view = GAME.view(state, viewer)
            text = shown_cards(printed(draw("guandan", view, NAMES)))
            own = {named(card) for card in view.hand if isinstance(card, Card)}
            assert own <= text
            assert text <= own | laid


def _faces(move: object) -> set[str]:
    combination = move.combination  # type: ignore[attr-defined]
    both = (*combination.cards, *combination.wild_as)
    return {named(card) for card in both if isinstance(card, Card)}


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_event_is_told_or_left_out_in_each_language(language: str) -> None:
    told = [FACES.tell(event, NAMES, language) for _, events in playthrough() for event in events]
    lines = [line for line in told if line is not None]
    assert len(lines) > 100
    assert not any("{" in line or "_" in line for line in lines)


def test_both_languages_name_the_same_facts() -> None:
    for english, german in GUANDAN.values():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))


def read(text: str, state: State, seat: int = 0) -> object:
    return FACES.read(text, GAME.view(state, seat), GAME.legal(state, seat), "en")


def test_cards_are_named_by_number_or_by_name_and_a_reading_by_its_number() -> None:
    state = table("5S 6D 7C 9H 9H RJ", "3S", "3S", "3S", level="9").state

    assert read("RJ", state) == read("1", state) == Play(cards("RJ"), Shape.SINGLE, Main("RJ"))
    with pytest.raises(BadInput, match="= 1: straight to 7, = 2: straight to 8"):
        read("5s 6d 7c 9h 9h", state)
    chosen = read("5s 6d 7c 9♥ 9h = 2", state)
    assert isinstance(chosen, Play)
    assert chosen.main == "8"
    assert GAME.decide(state, 0, chosen, CONTEXT)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pass", "You lead"),
        ("", "no combination"),
        ("5S 6D", "no combination"),
        ("KS", "not in your hand"),
        ("5S 5S", "not in your hand"),
        ("7", "is no card"),
        ("XX", "is no card"),
    ],
)
def test_what_cannot_be_led_is_explained(text: str, why: str) -> None:
    state = table("5S 6D 7C 9H 9H RJ", "3S", "3S", "3S", level="9").state
    with pytest.raises(BadInput, match=why):
        read(text, state)


def test_a_follower_passes_or_beats() -> None:
    match = table("6S 6D", "5S 5D 7S 7D", "3S", "3S", level="9")
    match.play("6S 6D")

    assert read("pass", match.state, 1) == read("P", match.state, 1) == Pass()
    assert isinstance(read("7S 7D", match.state, 1), Play)
    with pytest.raises(BadInput, match="does not beat"):
        read("5S 5D", match.state, 1)


def test_a_card_is_returned_and_the_next_deal_started() -> None:
    match = after_deal((0, 1, 2, 3), whole("3S JS", "AS", "4S", "AD"), level="9")
    assert read("next", match.state) == NextDeal()
    assert read("restart", match.state) == Restart()
    with pytest.raises(BadInput, match="Type next"):
        read("3S", match.state)
    match.give(0, NextDeal())

    assert read("3S", match.state) == ReturnCard(cards("3S")[0])
    with pytest.raises(BadInput, match="Choose one of"):
        read("JS", match.state)


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_question_is_asked_in_each_language(language: str) -> None:
    asked = set()
    for state, _ in playthrough():
        for seat in GAME.turns(state):
            legal = GAME.legal(state, seat)
            asked.add(printed(FACES.ask(legal, GAME.view(state, seat), language)).split()[0])
    assert len(asked) >= 3
