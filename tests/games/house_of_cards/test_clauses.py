"""Every numbered clause of the rules has a test that names it; the draw of the stock (clause 9)."""

from __future__ import annotations

import re
from pathlib import Path

from games.house_of_cards.scripted import Match
from games.playing import Playing
from spielwerk.chance import HmacChance
from spielwerk.games import house_of_cards
from spielwerk.games.game import Context
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.model import STOCK_ORDER
from spielwerk.games.house_of_cards.options import Options

HERE = Path(__file__).parent
README = Path(house_of_cards.__file__).parent / "README.md"


def test_each_clause_has_a_test() -> None:
    clauses = set(re.findall(r"^- (\d+)\.(\d+) ", README.read_text("utf-8"), re.MULTILINE))
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    named = set(re.findall(r"^def test_(\d+)_(\d+)_", tests, re.MULTILINE))

    assert len(clauses) > 40
    assert clauses - named == set()


def test_9_1_the_stock_is_the_only_draw_whatever_the_number_of_seats() -> None:
    game = Match("2H 3H KC KH 4S 5S 6C 7H", seats=5)

    assert game.chance.drawn == ["stock"]


def test_9_1_the_stock_is_the_shuffle_of_the_canonical_order() -> None:
    chance = HmacChance(b"k" * 32, "m")
    alone, duel = (GAME.setup(Options(), seats) for seats in (1, 4))
    first = GAME.start(alone, Context(chance, lambda _: 0))[0]

    assert first == GAME.start(duel, Context(chance, lambda _: 0))[0]
    assert first.stock == chance.shuffle("stock", STOCK_ORDER)  # type: ignore[union-attr]


def test_9_1_equal_commands_give_equal_houses_in_a_duel() -> None:
    game = Playing(GAME, Options(), 2, 5)
    for _ in range(20):
        command = GAME.legal(game.state, 0)[0]
        game.give(0, command)
        game.give(1, command)

    assert game.state.sites[0] == game.state.sites[1]
