"""Every numbered clause of the rules has a test that names it; and what no other file tests."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from games.skat.scripted import F, M, Match, R, card, dealt, rules, table
from spielwerk.chance import HmacChance
from spielwerk.errors import Illegal
from spielwerk.games import skat
from spielwerk.games.game import Context, Resign, TimeOut
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import PACK, ContractType
from spielwerk.games.skat.commands import Bid, Concede, Discard, Hold, Play
from spielwerk.games.skat.events import DealStarted
from spielwerk.games.skat.options import Options

HERE = Path(__file__).parent
README = Path(skat.__file__).parent / "README.md"


def test_each_clause_has_a_test() -> None:
    clauses = set(re.findall(r"^- (\d+)\.(\d+) ", README.read_text("utf-8"), re.MULTILINE))
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    named = set(re.findall(r"^def test_(\d+)_(\d+)_", tests, re.MULTILINE))

    assert len(clauses) > 70
    assert clauses - named == set()


def test_1_3_there_are_six_things_to_play() -> None:
    assert "".join(kind.value for kind in ContractType) == "CSHDGN"


def test_2_2_a_deal_is_the_shuffle_of_the_canonical_pack() -> None:
    chance = HmacChance(b"k" * 32, "m")
    events = GAME.start(GAME.setup(Options(), 3), Context(chance, lambda _: 0))

    decks = [event.deck for event in events if isinstance(event, DealStarted)]
    assert decks == [chance.shuffle("deal/1", PACK)]


def test_8_4_schneider_that_was_not_announced_covers_the_bid() -> None:
    match = table("D", {M: "CJ HJ", F: "SJ"}, skat="S7 S8", bid=27)
    match.taken(points=(120, 0), tricks=(0, 0))
    outcome = match.play_out()
    assert (outcome.schneider, outcome.won) == (True, True)
    assert outcome.game_value >= 27


def test_9_1_only_the_declarer_has_list_points() -> None:
    match = table("C", declarer=R)
    outcome = match.play_out()
    assert match.state.series.list_points == (0, 0, outcome.list_score)


def test_12_3_refusals_come_in_their_order() -> None:
    match = dealt()
    with pytest.raises(Illegal, match="not a player"):
        match.give(3, Bid(1))
    assert match.refused(F, TimeOut(M, "1.a0")) == "bad_command"
    assert match.refused(F, Concede()) == "bad_command"
    assert match.refused(F, Play(card("C7"))) == "wrong_phase"
    assert match.refused(F, Bid(1)) == "not_your_turn"
    assert match.refused(M, Hold()) == "wrong_role"
    playing = table("C")
    assert playing.refused(M, Discard(())) == "wrong_phase"
    assert playing.refused(M, Play(card("C7"))) == "not_your_turn"
    playing.give(M, Resign())
    assert playing.refused(M, Bid(1)) == "match_over"


def test_14_1_the_readme_names_every_option() -> None:
    text = README.read_text("utf-8")
    assert [item.name for item in fields(Options) if f"`{item.name}`" not in text] == []


def test_14_2_a_series_plays_by_its_options() -> None:
    match = Match(rules(series_length=6, first_dealer=1))
    assert match.deal.dealer == 1
    assert GAME.view(match.state, None).options.series_length == 6
