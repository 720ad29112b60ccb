"""What the terminal shows of House of Cards, and what it makes of typed lines."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from client.house import House
from games.house_of_cards.scripted import Match, perfect_game
from spielwerk.client import Spielwerk
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.messages import Finish, Floor, Replace, Roof
from spielwerk.games.house_of_cards.model import EndReason
from spielwerk_local.terminal import words
from spielwerk_local.terminal.demo import demo
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.house_of_cards_words import HOUSE_OF_CARDS
from spielwerk_local.terminal.play import play
from spielwerk_local.terminal.reading import BadInput

NAMES = ("Ada", "Ben")
FACE = drawer_of("house_of_cards")
STOCK = "KC KD 2C QH QD JH JD 3C 4C 5C 6C 7C XX 9H 9D TC TD 8S 9S XX 2S 3S 4S 5S 6S 7S"


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(what)
    return out.getvalue()


def table(match: Match, viewer: int | None, language: str = "en") -> str:
    return printed(draw("house_of_cards", GAME.view(match.state, viewer), NAMES, language))


def read(text: str, match: Match, language: str = "en") -> object:
    return FACE.read(text, GAME.view(match.state, 0), GAME.legal(match.state, 0), language)


def built(seats: int = 1) -> Match:
    match = Match(STOCK, seats=seats)
    match.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2", "roof 2 0 3 4")
    return match


def test_roofs_floors_limits_and_free_places_are_drawn() -> None:
    text = table(built(), 0)

    assert "/K♣ K♦\\20" in text
    assert "/Q♥ Q♦\\20" in text
    assert "=2♣=<=20" in text
    assert "1.3" in text
    assert "Score 60" in text


def test_the_whole_house_fits_the_panel() -> None:
    lines = table(perfect_game(), 0).splitlines()

    assert sum(line.count("/") for line in lines) == 21
    assert all(line.startswith(("│", "╭", "╰")) for line in lines)
    assert "Score 524" in "".join(lines)


def test_open_cards_have_the_numbers_of_their_slots() -> None:
    assert re.findall(r"\d: \w+[♣♦♥♠]", table(built(), 0)) == [
        "1: 3♣",
        "2: 4♣",
        "3: 5♣",
        "4: 6♣",
        "5: 7♣",
    ]


@pytest.mark.parametrize("viewer", [1, None])
def test_a_duel_shows_the_others_no_card_of_a_seat(viewer: int | None) -> None:
    text = table(built(seats=2), viewer)

    assert "Ada: 60 points, 4 moves" in text
    assert "Q♥ Q♦" not in text
    assert "3♣" not in text


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_event_is_told_or_left_out_in_each_language(language: str) -> None:
    match = built(seats=2)
    match.do("replace", "finish")
    match.expire(1)
    events = [
        GAME.redact(match.state.options, event, viewer)
        for viewer in (0, 1)
        for event in match.events
    ]
    told = [FACE.tell(event, NAMES, language) for event in events if event is not None]
    lines = [line for line in told if line is not None]

    assert len(lines) > 12
    assert not any("{" in line or "tell_" in line for line in lines)


def test_the_words_are_there_in_both_languages_and_for_every_end() -> None:
    assert all(all(texts) and len(texts) == 2 for texts in HOUSE_OF_CARDS.values())
    assert {reason.value for reason in EndReason} <= set(HOUSE_OF_CARDS)


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_person_is_asked_for_what_it_may_do(language: str) -> None:
    match = built()
    view = GAME.view(match.state, 0)
    before = printed(FACE.ask(GAME.legal(match.state, 0), view, language))
    without = printed(FACE.ask((Finish(),), view, language))

    assert HOUSE_OF_CARDS["ask_replace"][words.LANGUAGES.index(language)] in before
    assert "tauschen" not in without
    assert "replace" not in without


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("roof 1.3 1 2", Roof(1, 2, 0, 1)),
        ("r 1 3 3c 4♣", Roof(1, 2, 0, 1)),
        ("dach 1.3 1 2", Roof(1, 2, 0, 1)),
        ("floor 2.1 5", Floor(2, 0, 4)),
        ("boden 2.1 7C", Floor(2, 0, 4)),
        ("replace", Replace()),
        ("tauschen", Replace()),
        ("finish", Finish()),
        ("fertig", Finish()),
    ],
)
def test_typed_lines_are_commands(text: str, command: object) -> None:
    assert read(text, built()) == command


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("jump", "Say roof"),
        ("", "Say roof"),
        ("roof", "A place is"),
        ("roof 1.7 1 2", "A place is"),
        ("roof 1.3 1", "two open cards"),
        ("floor 2.1 1 2", "one open card"),
        ("roof 1.3 1 KS", "K♠ does not lie open"),
        ("roof 1.3 1 zz", "zz does not lie open"),
    ],
)
def test_what_means_nothing_is_answered(text: str, answer: str) -> None:
    with pytest.raises(BadInput, match=answer):
        read(text, built())


async def test_a_person_plays_alone_to_the_end(installed: House, tmp_path: Path) -> None:
    out = io.StringIO()
    async with asyncio.timeout(60):
        await play(
            installed.address,
            "house_of_cards",
            data=tmp_path / "me",
            console=Console(file=out, width=100),
            source=io.StringIO("roof 9\nreplace\nfloor 1.1 1\nreplace\nfinish\n"),
        )
    text = out.getvalue()

    assert "A place is" in text
    assert "no support" in text
    assert "Result (player)" in text
    assert "You" not in text


async def test_a_duel_against_a_bot_ends_with_a_winner(installed: House) -> None:
    async with Spielwerk.connect(installed.address) as client:
        await client.create_guest("Ada")
        options = {"bonus_per_card": 1}
        begun = await client.matchmaking.practice(
            "house_of_cards", options, players=2, strength="greedy"
        )
        match = client.match(begun.match_id)
        await match.join()
        await match.resign()
        async with asyncio.timeout(60), match.watch() as watched:
            ended = [item.ended async for item in watched if item.ended is not None]

    assert ended[0].result is not None
    assert [standing.won for standing in ended[0].result.standings] == [False, True]


async def test_the_demo_lets_one_guest_play_alone(installed: House) -> None:
    out = io.StringIO()
    async with asyncio.timeout(120):
        await demo(installed.address, game="house_of_cards", console=Console(file=out, width=100))

    assert re.search(r"1\. Ada: \d{3}", out.getvalue())
