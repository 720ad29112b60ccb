"""What went wrong in other programs of such games, each as a test with the right result."""

from __future__ import annotations

import random

import pytest

from games.house_of_cards.scripted import Match, card
from games.playing import Playing
from spielwerk.cards import Joker
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.building import roof_value
from spielwerk.games.house_of_cards.messages import Finish, GameEnded, MatchEnded
from spielwerk.games.house_of_cards.model import STOCK_ORDER, EndReason, State
from spielwerk.games.house_of_cards.options import Options


def whole_match(seed: int, seats: int = 1) -> list[State]:
    """Every state of a match of random placements, which goes on as long as it can."""
    game = Playing(GAME, Options(), seats, seed)
    rng = random.Random(seed)
    states = [game.state]
    while not game.over:
        seat = rng.choice(sorted(game.turns))
        moves = [c for c in GAME.legal(game.state, seat) if not isinstance(c, Finish)]
        for event in game.decide(seat, rng.choice(moves)):
            game.state = GAME.evolve(game.state, event)
            states.append(game.state)
    return states


def test_score_was_pumped_by_moving_an_ace_about() -> None:
    for seed in range(20):
        for state in whole_match(seed):
            house = state.sites[0].house
            assert house.points == sum(roof.value for roof in house.roofs)
            assert len(house.roofs) == len({(roof.storey, roof.index) for roof in house.roofs})


def test_an_ace_laid_as_a_floor_brought_points() -> None:
    game = Match("2H 3H AC KC KH 4S 5S 6C 7H 8S 9D 2S")
    game.do("roof 1 0 0 1", "roof 1 1 0 1")
    before = game.site.score
    game.do("floor 1 0 2")

    assert game.site.score == before == 14


def test_losing_scored_more_than_winning() -> None:
    game = Match(list(map(name, STOCK_ORDER)))
    game.do("roof 1 0 0 1", "finish")

    assert game.ending.left == 104
    assert (game.ending.bonus, game.ending.score) == (0, 5)


def name(item: object) -> str:
    return "XX" if isinstance(item, Joker) else str(item)


def test_the_final_move_did_not_end_the_game(perfect: Match) -> None:
    last, ended = perfect.events[-2:]

    assert isinstance(last, GameEnded)
    assert last.reason is EndReason.COMPLETE
    assert isinstance(ended, MatchEnded)
    assert GAME.turns(perfect.state) == {}


def test_cards_were_drawn_after_the_final_move(perfect: Match) -> None:
    assert [type(event).__name__ for event in perfect.events[-3:]] == [
        "RoofBuilt",
        "GameEnded",
        "MatchEnded",
    ]


def test_a_dead_position_was_not_recognised() -> None:
    stuck = Match("2H 3D 4S 5C")
    alive = Match("2H 3D 4S 5C 6D 7S")

    assert stuck.ending.reason is EndReason.STUCK
    assert alive.site.ending is None


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        *((limit, 2) for limit in range(2, 12)),
        *((limit, 12) for limit in range(12, 22)),
        (22, 22),
        (None, 22),
    ],
)
def test_several_aces_were_switched_together(limit: int | None, value: int) -> None:
    assert roof_value((card("AS"), card("AS")), limit) == value


@pytest.mark.parametrize("seed", range(10))
def test_cards_got_lost_between_stock_house_and_discards(seed: int) -> None:
    order = sorted(map(str, STOCK_ORDER))
    for state in whole_match(seed, seats=2):
        for seat, site in enumerate(state.sites):
            lying = [item.card for item in site.open]
            cards = [*state.left_in_stock(seat), *lying, *site.house.cards, *site.discarded]
            if len(cards) == len(STOCK_ORDER):
                assert sorted(map(str, cards)) == order
            else:
                assert site.ending is None


def test_a_roof_stayed_in_the_air() -> None:
    for seed in range(10):
        for state in whole_match(seed):
            house = state.sites[0].house
            for roof in house.roofs:
                assert roof.storey == 1 or house.floor(roof.storey - 1, roof.index)
            for floor in house.floors:
                assert house.roof(floor.storey, floor.index)
                assert house.roof(floor.storey, floor.index + 1)
