"""What the terminal shows of Mau-Mau, and what it makes of typed lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache

import pytest
from rich.console import Console, RenderableType

from games.maumau.scripted import Match, card, table
from spielwerk.cards import Card, Suit
from spielwerk.chance import HmacChance
from spielwerk.games.game import Context, Resign
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.messages import Announce, Draw, Event, Play
from spielwerk.games.maumau.model import State
from spielwerk.games.maumau.options import Options
from spielwerk_local.terminal import words
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.maumau_words import MAUMAU
from spielwerk_local.terminal.reading import BadInput

NAMES = ("Ada", "Ben", "Cleo", "Dan")
CONTEXT = Context(HmacChance(bytes(32), "drawn"), lambda _seat: 0)
FACES = drawer_of("maumau")


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(what)
    return out.getvalue()


@cache
def playthrough() -> tuple[tuple[State, tuple[Event, ...]], ...]:
    """Every state of a match of two games, with the events that led to it."""
    return tuple(_played())


def _played() -> Iterator[tuple[State, tuple[Event, ...]]]:
    state = GAME.setup(Options(games=2, hand_size=4, max_turns=80), 3)
    events = GAME.start(state, CONTEXT)
    while events:
        for event in events:
            state = GAME.evolve(state, event)
        yield state, events
        seat = next(iter(GAME.turns(state)), None)
        if seat is None:
            return
        events = GAME.decide(state, seat, GAME.legal(state, seat)[0], CONTEXT)


def shown_cards(text: str) -> set[str]:
    return set(re.findall(r"(?:10|[A2-9JQK])[♣♦♥♠]", text))


def test_the_own_hand_and_the_pile_are_shown_and_no_other_hand() -> None:
    for state, _ in playthrough():
        if state.table is None or state.over:
            continue
        laid = {named(one) for one in state.table.pile if isinstance(one, Card)}
        for viewer in (0, 2, None):
            view = GAME.view(state, viewer)
            text = shown_cards(printed(draw("maumau", view, NAMES)))
            own = {named(one) for one in view.hand if isinstance(one, Card)}
            assert own <= text <= own | laid


def test_at_the_end_all_hands_places_and_points_are_shown() -> None:
    state, _ = playthrough()[-1]
    assert state.last is not None
    text = printed(draw("maumau", GAME.view(state, None), NAMES))

    held = {named(c) for h in state.last.hands for c in h.cards if isinstance(c, Card)}
    assert held <= shown_cards(text)
    assert all(f"{points} points" in text for points in state.last.points)


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_event_is_told_or_left_out_in_each_language(language: str) -> None:
    told = [FACES.tell(event, NAMES, language) for _, events in playthrough() for event in events]
    lines = [line for line in told if line is not None]
    assert len(lines) > 50
    assert not any("{" in line or "_" in line for line in lines)


def test_both_languages_name_the_same_facts() -> None:
    for english, german in MAUMAU.values():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))


def read(text: str, match: Match, language: str = "en") -> object:
    seat = match.table.turn
    assert seat is not None
    return FACES.read(text, GAME.view(match.state, seat), GAME.legal(match.state, seat), language)


@pytest.mark.parametrize("text", ["2", "2h", " 2♥ "])
def test_a_card_is_named_by_number_or_by_name(text: str) -> None:
    assert read(text, table("2H 2C KD", "9H 4S")) == Play(card("2H"))


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("JC s", Suit.SPADES),
        ("jc ♦", Suit.DIAMONDS),
        ("1 hearts", Suit.HEARTS),
        ("JC Herz", Suit.HEARTS),
        ("JC kreuz", Suit.CLUBS),
        ("JC Pik", Suit.SPADES),
    ],
)
def test_a_jack_is_laid_with_its_suit(text: str, wish: Suit) -> None:
    assert read(text, table("JC 2H KD", "9H 4S")) == Play(card("JC"), wish)


def test_a_last_jack_needs_no_suit() -> None:
    match = table("JC", "9H 4S", more={"announced": (True, False)})

    assert read("JC", match) == Play(card("JC"))


@pytest.mark.parametrize("text", ["joker", "X", "bj"])
def test_a_joker_is_named(text: str) -> None:
    assert read(text, table("X1 2H KD", "9H 4S")) == Play(card("X1"))


@pytest.mark.parametrize("text", ["draw", "D", "ziehe", "z"])
def test_drawing_is_one_word(text: str) -> None:
    assert read(text, table("2H 2C KD", "9H 4S")) == Draw()


@pytest.mark.parametrize("text", ["last", "L", "letzte"])
def test_announcing_is_one_word(text: str) -> None:
    assert read(text, table("2H KD", "9H 4S")) == Announce()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no card"),
        ("9Z", "is no card"),
        ("9H", "not in your hand"),
        ("rj", "not in your hand"),
        ("KD", "does not fit"),
        ("2H s", "Only a jack"),
        ("JC", "Say a suit"),
        ("JC x", "Say a suit"),
        ("last", "two cards"),
    ],
)
def test_what_cannot_be_done_is_explained(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read(text, table("JC 2H KD", "9H 4S"))


def test_drawing_is_refused_where_a_card_must_be_laid() -> None:
    with pytest.raises(BadInput, match="A card fits"):
        read("draw", table("2H KD 3C", "9H 4S", voluntary_draw=False))


def test_a_jack_that_does_not_fit_is_refused_before_its_suit() -> None:
    with pytest.raises(BadInput, match="does not fit"):
        read("JC s", table("JC KD 3C", "9H 4S", up="JD"))


def asked(match: Match, language: str) -> str:
    seat = match.table.turn
    assert seat is not None
    legal, view = GAME.legal(match.state, seat), GAME.view(match.state, seat)
    return printed(FACES.ask(legal, view, language))


def test_the_question_names_what_is_due() -> None:
    assert "Lay a card" in asked(table("2H KD 3C", "9H 4S"), "en")
    assert "Nothing fits" in asked(table("KD 3C 4C", "9H 4S"), "en")
    assert "4 Karten" in asked(table("KD 3C", "9H 4S", up="7C", more={"pending": 4}), "de")
    assert "Say last" in asked(table("2H KD", "9H 4S"), "en")
    assert "costs cards" in asked(table("2H", "9H 4S"), "en")


def test_wish_sevens_marks_and_seats_that_left_are_shown() -> None:
    match = table("JC 2H KD", "9S 7S 4H", "2C 3C")
    match.do("JC:S", "7S")
    match.give(0, Resign())
    text = printed(draw("maumau", GAME.view(match.state, 2), NAMES))
    assert "+4" in text
    assert "out" in text

    match = table("JC 2S", "9S 7S 4H")
    match.do("announce", "JC:S")
    text = printed(draw("maumau", GAME.view(match.state, 1), NAMES))
    assert "last card!" in text
    assert re.search(r"Wish +spades", text)


def test_another_turn_is_told() -> None:
    match = table("8H 2H KD", "9S 7S 4H")
    lines = [FACES.tell(event, NAMES, "en") for event in match.do("8H")]

    assert lines == ["Ada lays 8♥.", "Ada is on turn once more."]
    assert "once more" in printed(draw("maumau", GAME.view(match.state, 0), NAMES))
