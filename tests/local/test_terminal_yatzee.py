"""What the terminal shows of Yatzee, and what it makes of typed lines."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from client.house import House
from games.yatzee.scripted import Match
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.options import OnBudgetExhausted, Sync, YatzeeBonus
from spielwerk_local.terminal import words
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.play import play
from spielwerk_local.terminal.reading import BadInput
from spielwerk_local.terminal.yatzee_course import pictures
from spielwerk_local.terminal.yatzee_words import YATZEE

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
FACE = drawer_of("yatzee")


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(what)
    return out.getvalue()


def table(match: Match, viewer: int | None, language: str = "en") -> str:
    return printed(draw("yatzee", GAME.view(match.state, viewer), NAMES, language))


def read(text: str, match: Match, language: str = "en") -> object:
    return FACE.read(text, GAME.view(match.state, 0), GAME.legal(match.state, 0), language)


def thrown(*dice: int) -> Match:
    match = Match(5)
    match.roll(0, *(dice or (6, 6, 6, 1, 2)))
    return match


def test_own_dice_are_shown_and_others_are_not() -> None:
    match = thrown()

    assert pictures((6, 6, 6, 1, 2)) in table(match, 0)
    for viewer in (1, None):
        assert not set("⚀⚁⚂⚃⚄⚅") & set(table(match, viewer))


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_sheets_of_five_seats_and_what_the_dice_would_bring_are_shown(language: str) -> None:
    match = Match(5)
    match.play_round(Row.CHANCE, (6, 6, 6, 6, 5))
    match.roll(0, 6, 6, 6, 1, 2)
    text = table(match, 0, language)

    assert re.search(r"13 +[Cc]hance +29 +29 +29 +29 +29", text)
    assert "(18)" in text
    assert all(name in text for name in NAMES)


def test_a_person_is_asked_for_what_it_may_do() -> None:
    match = Match()
    asked = [printed(FACE.ask(GAME.legal(match.state, 0), GAME.view(match.state, 0), "en"))]
    match = thrown()
    asked.append(printed(FACE.ask(GAME.legal(match.state, 0), GAME.view(match.state, 0), "en")))

    assert "Throw the dice" in asked[0]
    assert "1:⚅" in asked[1]
    assert "enter a row" in asked[1]


@pytest.mark.parametrize("text", ["r", "ROLL", "w", " würfeln "])
def test_the_cup_is_thrown(text: str) -> None:
    assert read(text, Match()) == Roll()


@pytest.mark.parametrize(
    ("text", "hold"),
    [("0", ()), ("1", (0,)), ("1 3", (0, 2)), ("3,1", (0, 2)), ("1245", (0, 1, 3, 4))],
)
def test_dice_to_lock_are_named_by_their_place(text: str, hold: tuple[int, ...]) -> None:
    assert read(text, thrown()) == NextThrow(hold)


@pytest.mark.parametrize(
    ("text", "language", "row"),
    [
        ("e 7", "en", Row.THREE_OF_A_KIND),
        ("e 13", "en", Row.CHANCE),
        ("e full", "en", Row.FULL_HOUSE),
        ("sixes", "en", Row.SIXES),
        ("e Kleine", "de", Row.SMALL_STRAIGHT),
        ("e sechser", "de", Row.SIXES),
    ],
)
def test_a_row_is_named_by_number_or_name(text: str, language: str, row: Row) -> None:
    assert read(text, thrown(), language) == Enter(row)


@pytest.mark.parametrize("text", ["", "e", "e 14", "e 0", "6", "11", "12345", "1 6", "sevens", "r"])
def test_what_is_no_move_is_refused_with_an_explanation(text: str) -> None:
    with pytest.raises(BadInput, match=r".+"):
        read(text, thrown())


@pytest.mark.parametrize("text", ["1 2", "e 7", "0", "chance"])
def test_with_the_cup_in_hand_nothing_is_locked_or_entered(text: str) -> None:
    with pytest.raises(BadInput):
        read(text, Match())


def test_a_filled_row_is_refused() -> None:
    match = Match()
    match.play_round(Row.CHANCE)
    match.roll(0)

    with pytest.raises(BadInput, match="chance"):
        read("e chance", match)


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_event_is_told_in_each_language(language: str) -> None:
    told = []
    for rule in (OnBudgetExhausted.AUTO_ENTER, OnBudgetExhausted.STRIKE):
        match = Match(3, on_budget_exhausted=rule, sync=Sync.THROW)
        match.roll(0)
        match.hold(0)
        match.turn(1, Row.CHANCE)
        match.leave(2)
        match.expire(0)
        match.play_to_the_end()
        for event in match.events:
            for viewer in match.elapsed:
                seen = GAME.redact(match.options, event, viewer)
                assert seen is not None
                told.append(FACE.tell(seen, NAMES, language))

    lines = [line for line in told if line is not None]
    assert len(lines) == len(told)
    assert not any("{" in line or "_" in line for line in lines)


def test_both_languages_name_the_same_facts() -> None:
    for english, german in YATZEE.values():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))


def test_extra_points_and_the_end_are_shown() -> None:
    match = Match(yatzee_bonus=YatzeeBonus.HASBRO)
    match.play_round(Row.YATZEE, (6, 6, 6, 6, 6))
    match.play_round(Row.SIXES, (6, 6, 6, 6, 6))
    match.play_to_the_end()

    assert re.search(r"further yatzees +100 +100", table(match, None))
    assert "The match is over: Ben" in (FACE.tell(match.events[-1], NAMES, "en") or "")


async def test_a_whole_match_is_played_against_a_bot(installed: House, tmp_path: Path) -> None:
    lines = [line for row in range(1, 14) for line in ("r", f"e {row}")]
    out = io.StringIO()
    async with asyncio.timeout(120):
        await play(
            installed.address,
            "yatzee",
            bot="expert",
            data=tmp_path / "me",
            console=Console(file=out, width=100),
            source=io.StringIO("".join(f"{line}\n" for line in lines)),
        )

    assert "Result (all rounds played)" in out.getvalue()
    assert "You lose." in out.getvalue() or "You win." in out.getvalue()
