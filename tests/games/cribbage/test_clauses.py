"""Every numbered clause of the rules has a test that names it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from games.cribbage.scripted import Match, cards
from spielwerk.api.games.cribbage.v1 import cribbage_pb2
from spielwerk.cards import french_pack
from spielwerk.chance import HmacChance
from spielwerk.games import cribbage
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import DealStarted
from spielwerk.games.cribbage.options import Options, Variant
from spielwerk.games.game import Context

HERE = Path(__file__).parent
README = Path(cribbage.__file__).parent / "README.md"


def test_each_clause_has_a_test() -> None:
    clauses = set(re.findall(r"^- (\d+)\.(\d+) ", README.read_text("utf-8"), re.MULTILINE))
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    named = set(re.findall(r"^def test_(\d+)_(\d+)_", tests, re.MULTILINE))

    assert len(clauses) > 50
    assert clauses - named == set()


def test_11_1_each_draw_has_a_label_of_its_own() -> None:
    match = Match(Options(), decks={"cut/1/1": cards("7C 7D"), "cut/1/2": cards("2C TH")})

    assert match.chance.drawn == ["cut/1/1", "cut/1/2", "deal/1/1"]


def test_11_1_a_deal_is_the_shuffle_of_the_canonical_pack() -> None:
    chance = HmacChance(b"k" * 32, "m")
    events = GAME.start(GAME.setup(Options(), 2), Context(chance, lambda _: 0))

    decks = [event.deck for event in events if isinstance(event, DealStarted)]
    assert decks == [chance.shuffle("deal/1/1", french_pack())]


def test_12_1_what_serves_comparisons_is_in_no_message() -> None:
    names = {field.name for field in fields(Variant)}

    assert not names & {field.name for field in fields(Options)}
    assert not names & set(cribbage_pb2.Options.DESCRIPTOR.fields_by_name)
