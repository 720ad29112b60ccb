"""The bots (clause 10)."""

from __future__ import annotations

import hashlib
import random
import statistics

import pytest

from games.house_of_cards.scripted import Match, card
from games.playing import Playing
from spielwerk.cards import Card
from spielwerk.chance import HmacChance
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.bots.policies import SAMPLES
from spielwerk.games.house_of_cards.bots.sketch import JOKER, NUMBER, Sketch, sketch_of, unseen
from spielwerk.games.house_of_cards.building import FLOOR_PLACES, ROOF_PLACES
from spielwerk.games.house_of_cards.messages import Command, Finish, Floor, Replace, Roof
from spielwerk.games.house_of_cards.model import STOCK_ORDER
from spielwerk.games.house_of_cards.options import JokerRemoves, Options
from spielwerk.games.house_of_cards.views import SiteView
from spielwerk.testing.pairings import play_match


def chosen(game: Match, strength: str) -> Command:
    view, legal = GAME.view(game.state, 0), GAME.legal(game.state, 0)
    return GAME.bots[strength].choose(view, legal, HmacChance(b"k" * 32, "bot"))


def scores(strength: str, deals: int) -> list[int]:
    """The scores on the same deals for every strength."""
    found = []
    for deal in range(deals):
        seed = hashlib.sha256(f"house {deal}".encode()).digest()
        played = play_match(GAME, Options(), [GAME.bots[strength]], seed, f"house-{deal}")
        found.append(played.result.standings[0].score_milli // 1000)
    return found


def test_10_1_greedy_takes_the_most_valuable_roof() -> None:
    game = Match("2H 3H KC KH 4S 5S 6C 7H 8S 9D 2S")

    assert chosen(game, "greedy") == Roof(1, 0, 2, 3)


def test_10_1_greedy_lays_the_lowest_card_when_no_roof_can_stand() -> None:
    game = Match("2H 3H 8D 2C 3C KH 7S 9H", open=3)
    game.do("roof 1 0 0 1", "roof 1 1 0 1")

    assert game.open == ["KH", "7S", "8D"]
    assert chosen(game, "greedy") == Floor(1, 0, 1)


def test_10_1_greedy_replaces_when_nothing_can_be_placed() -> None:
    assert chosen(Match("2H 3D 4S 5C", open=3), "greedy") == Replace()


def test_10_2_the_planner_draws_one_stock_a_sample() -> None:
    game = Playing(GAME, Options(), 1, 1)
    counted = Counted(b"k" * 32, "bot")
    GAME.bots["planner"].choose(GAME.view(game.state, 0), GAME.legal(game.state, 0), counted)

    assert counted.labels == [f"stock/{number}" for number in range(SAMPLES)]


class Counted(HmacChance):
    """Remembers its labels."""

    def __init__(self, key: bytes, match_id: str) -> None:
        super().__init__(key, match_id)
        self.labels: list[str] = []

    def shuffle(self, label, order):  # type: ignore[no-untyped-def]
        """As it is, and remembered."""
        self.labels.append(label)
        return super().shuffle(label, order)


def test_10_2_the_planner_stops_when_only_jokers_can_come() -> None:
    first = [card(text) for text in ["KC", "KD", "3H", "4S", "5D", "QC", "QD"]]
    rest = [item for item in STOCK_ORDER if isinstance(item, Card)]
    for item in first:
        rest.remove(item)
    game = Match([*map(str, first), *map(str, rest), "XX", "XX"])
    game.do("roof 1 0 0 1", "roof 1 1 0 1", *["replace"] * 19)

    assert len(game.state.left_in_stock(0)) == 2
    assert game.site.score == 40
    assert chosen(game, "planner") == Finish()


def test_10_2_the_planner_imagines_only_cards_it_has_not_seen() -> None:
    game = Playing(GAME, Options(), 1, 3)
    rng = random.Random(3)
    for _ in range(12):
        moves = [c for c in GAME.legal(game.state, 0) if not isinstance(c, Finish)]
        game.give(0, rng.choice(moves))
    site = GAME.view(game.state, 0).seats[0].site
    assert site is not None

    left = [NUMBER.get(item, JOKER) for item in game.state.left_in_stock(0)]
    assert unseen(site) == sorted(left)


@pytest.mark.parametrize("removes", tuple(JokerRemoves))
@pytest.mark.parametrize("seed", range(6))
def test_10_2_the_planner_s_sketch_plays_by_the_rules(seed: int, removes: JokerRemoves) -> None:
    game = Playing(GAME, Options(joker_removes=removes), 1, seed)
    rng = random.Random(seed)
    sketch = None
    while not game.over:
        site = GAME.view(game.state, 0).seats[0].site
        assert site is not None
        stock = [NUMBER.get(item, JOKER) for item in game.state.left_in_stock(0)]
        assert sketch is None or figures(sketch) == figures(sketch_of(site, 5, removes))
        sketch = sketch_of(site, 5, removes).copy(stock[::-1])
        moves = [c for c in GAME.legal(game.state, 0) if not isinstance(c, Finish)]
        move = rng.choice(moves)
        sketched(sketch, site, move)
        game.give(0, move)

    assert sketch is not None
    assert sum(sketch.roofs) == game.state.sites[0].house.points


def figures(sketch: Sketch) -> tuple[list[int], list[int], list[int]]:
    return sketch.roofs, sketch.floors, sorted(sketch.open)


def sketched(sketch: Sketch, site: SiteView, move: Command) -> None:
    """The same command in the sketch."""
    position = {item.slot: number for number, item in enumerate(site.open)}
    match move:
        case Roof(storey, index, slot1, slot2):
            place = ROOF_PLACES.index((storey, index))
            sketch.place((place, position[slot1], position[slot2]))
        case Floor(storey, index, slot):
            sketch.place((-1 - FLOOR_PLACES.index((storey, index)), position[slot], -1))
        case _:
            sketch.replace()


def test_10_2_the_planner_outdoes_greedy_clearly() -> None:
    greedy, planner = scores("greedy", 60), scores("planner", 4)

    assert statistics.fmean(planner) >= 1.3 * statistics.fmean(greedy)


@pytest.mark.slow
def test_10_2_the_planner_s_mean_over_200_deals_is_more_than_1_3_times_greedy_s() -> None:
    greedy, planner = scores("greedy", 200), scores("planner", 200)

    assert statistics.fmean(planner) >= 1.3 * statistics.fmean(greedy)
    assert statistics.fmean(planner) > 330
