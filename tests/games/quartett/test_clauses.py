"""Clauses 1 and 2: options and the deal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.quartett.scripted import SAMPLE, Match, mini, table
from spielwerk.errors import BadOptions
from spielwerk.games.options import MODES, defaults
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.comparing import Forbid
from spielwerk.games.quartett.installed import DECK_IDS, installed_deck
from spielwerk.games.quartett.messages import StackDealt
from spielwerk.games.quartett.options import Options

# 1 Seats and options


@pytest.mark.parametrize("mode", MODES)
def test_1_2_the_defaults_are_the_same_in_every_mode(mode: str) -> None:
    assert defaults(Options, mode) == {
        "deck_id": "channel-nil",
        "deck": None,
        "forbid": Forbid.BEST,
        "max_rounds": 500,
        "turn_seconds": 30,
        "away_after": 3,
        "reveal_pause_ms": 2000,
        "games": 1,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("deck_id", "no-such-deck"),
        ("forbid", "best of all"),
        ("max_rounds", -1),
        ("turn_seconds", 4),
        ("away_after", 0),
        ("reveal_pause_ms", 10_001),
        ("games", 0),
        ("games", True),
    ],
)
def test_1_2_values_outside_their_table_are_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**{name: value})
    assert refused.value.metadata == {"option": name}


@pytest.mark.parametrize("deck_id", DECK_IDS)
def test_1_3_the_id_of_an_installed_deck_is_completed_to_the_whole_deck(deck_id: str) -> None:
    options = Options(deck_id=deck_id)

    assert options.deck == installed_deck(deck_id)
    assert options.deck.id == deck_id


def test_1_3_an_own_deck_is_kept_whatever_is_installed_under_its_id() -> None:
    own = replace(mini(), id="channel-nil")
    options = Options(deck_id="nirgendbruecken", deck=own)

    assert (options.deck, options.deck_id) == (own, "channel-nil")


def test_1_1_there_are_two_seats() -> None:
    assert list(GAME.seats) == [2]


# 2 Setup


def test_2_1_all_cards_are_dealt_equally_many_to_each() -> None:
    match = Match(Options())

    assert match.state.counts == (16, 16)
    assert {*match.state.stacks[0].cards, *match.state.stacks[1].cards} == set(SAMPLE.card_ids)


def test_2_2_seat_0_gets_the_first_card_and_first_cards_lie_on_top() -> None:
    match = Match(Options(deck=mini()), drawn={"deal/1": tuple("fdbeca")})

    assert [stack.cards for stack in match.state.stacks] == [tuple("fbc"), tuple("dea")]
    assert [e.cards for e in match.events if isinstance(e, StackDealt)] == [
        tuple("fbc"),
        tuple("dea"),
    ]


@pytest.mark.parametrize(("bots", "first"), [((1,), 0), ((0,), 1)])
def test_2_3_the_person_chooses_first_against_a_bot(bots: tuple[int, ...], first: int) -> None:
    match = Match(Options(), bots=bots, first=1 - first)

    assert match.state.turn == first
    assert "first" not in match.chance.drawn


@pytest.mark.parametrize("bots", [(), (0, 1)])
@pytest.mark.parametrize("first", [0, 1])
def test_2_3_between_equals_chance_decides(bots: tuple[int, ...], first: int) -> None:
    match = Match(Options(), bots=bots, first=first)

    assert match.state.turn == first
    assert match.chance.drawn == ["first", "deal/1"]


def test_2_5_stacks_and_pot_are_always_the_deck() -> None:
    match = table("abf ecd")
    for category in ("hi", "hi", "hi"):
        match.choose(category)
        state = match.state
        lying = (*state.stacks[0].cards, *state.stacks[1].cards, *state.pot)
        assert sorted(lying) == list("abcdef")
