"""Every numbered clause of the rules has a test that names it."""

from __future__ import annotations

import re
from pathlib import Path

from games.maumau.scripted import cards, table
from spielwerk.chance import HmacChance
from spielwerk.games import maumau
from spielwerk.games.game import Context
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import pack
from spielwerk.games.maumau.messages import GameStarted
from spielwerk.games.maumau.options import Options

HERE = Path(__file__).parent
README = Path(maumau.__file__).parent / "README.md"


def test_each_clause_has_a_test() -> None:
    clauses = set(re.findall(r"^- (\d+)\.(\d+) ", README.read_text("utf-8"), re.MULTILINE))
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    named = set(re.findall(r"^def test_(\d+)_(\d+)_", tests, re.MULTILINE))

    assert len(clauses) > 50
    assert clauses - named == set()


def test_12_1_each_draw_has_a_label_of_its_own() -> None:
    match = table("2H KS", "9H 4S", talon="", up="4C 6C 5H", reshuffles=[["6C", "4C"], ["5H"]])
    match.do("draw", "9H", "draw", "draw", "draw")
    assert match.chance.drawn == ["reshuffle/1/1", "reshuffle/1/2"]

    again = table("2H", "9H 4S", reshuffles=[["2C"]], games=2, more={"announced": (True, False)})
    again.do("2H")
    assert again.chance.drawn == ["deal/2"]


def test_12_1_a_deal_is_the_shuffle_of_the_canonical_pack() -> None:
    chance = HmacChance(b"k" * 32, "m")
    events = GAME.start(GAME.setup(Options(jokers=3), 4), Context(chance, lambda _: 0))

    decks = [event.deck for event in events if isinstance(event, GameStarted)]
    assert decks == [chance.shuffle("deal/1", pack(3))]


def test_12_1_a_reshuffle_starts_from_the_pile_oldest_first() -> None:
    match = table("2H KS", "9H 4S", talon="", up="4C 6C 8C 5H")
    chance = HmacChance(b"k" * 32, "m")
    match.context = Context(chance, lambda _: 0)
    match.do("draw")

    order = chance.shuffle("reshuffle/1/1", cards("4C 6C 8C"))
    assert (*match.table.hands[0][-1:], *match.table.talon) == order
