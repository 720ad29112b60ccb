"""What is hidden from whom (clause 8); each test is a leak that must not be."""

from __future__ import annotations

from typing import Any

import pytest

from games.house_of_cards.scripted import Match
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.messages import (
    CardOpened,
    CardsReplaced,
    Event,
    FloorLaid,
    GameEnded,
    GameStarted,
    JokerDrawn,
    MatchEnded,
    RoofBuilt,
)
from spielwerk.games.house_of_cards.model import EndReason
from spielwerk.games.house_of_cards.options import Options
from spielwerk.games.house_of_cards.views import View

STOCK = "KC KD 2C QH QD JH JD 3C 4C 5C 6C 7C XX 9H 9D TC TD 8S 9S XX 2S 3S 4S 5S 6S 7S"
OTHERS = [0, None]
"""Who watches seat 1 in a duel."""


def duel() -> Match:
    """Seat 1 has built two storeys and lost the upper one; seat 0 still has its first cards."""
    game = Match(STOCK, seats=2)
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2", "roof 2 0 3 4", seat=1)
    game.do("replace", seat=1)
    return game


def seen(game: Match, viewer: int | None) -> list[Event]:
    """Every event that is left for the viewer."""
    events = [GAME.redact(game.state.options, event, viewer) for event in game.events]
    return [event for event in events if event is not None]


def view(game: Match, viewer: int | None) -> View:
    return GAME.view(game.state, viewer)


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_8_1_the_order_of_the_stock_was_in_the_start_event(viewer: int | None) -> None:
    started = seen(duel(), viewer)[0]

    assert started == GameStarted((), 26)


@pytest.mark.parametrize("viewer", [0, None])
def test_8_1_the_order_of_the_stock_was_in_the_view(viewer: int | None) -> None:
    game = Match(STOCK)

    assert view(game, viewer).stock == ()


def test_8_1_the_stock_lies_open_after_the_end() -> None:
    game = Match(STOCK)
    game.do("finish")
    ended = seen(game, None)[-1]

    assert isinstance(ended, MatchEnded)
    assert ended.stock == view(game, 0).stock == game.state.stock


@pytest.mark.parametrize("viewer", [0, None])
def test_8_2_alone_everything_but_the_stock_is_seen(viewer: int | None) -> None:
    game = Match(STOCK)
    game.do("roof 1 0 0 1")
    site = view(game, viewer).seats[0].site

    assert site is not None
    assert (site.open, site.house) == (game.site.open, game.site.house)
    assert (site.stock, site.jokers, site.discarded) == (19, 2, ())
    assert len(seen(game, viewer)) == len(game.events)


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_3_the_others_saw_the_cards_of_a_duel_and_so_their_own_stock(
    viewer: int | None,
) -> None:
    game = duel()
    events = [event for event in seen(game, viewer) if getattr(event, "seat", None) == 1]
    others: list[Any] = [e for e in events if not isinstance(e, RoofBuilt | JokerDrawn | GameEnded)]

    assert others == []
    assert view(game, viewer).seats[1].site is None
    drawn = [str(event.card) for event in game.events if isinstance(event, CardOpened)][10:]
    shown = "".join(str(event) for event in events) + str(view(game, viewer).seats[1])
    assert len(drawn) > 8
    assert not [name for name in drawn if name in shown]


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_3_a_roof_shows_its_value_alone(viewer: int | None) -> None:
    roofs = [event for event in seen(duel(), viewer) if isinstance(event, RoofBuilt)]

    assert roofs == [RoofBuilt(1, 0, 0, (), (), 20, 0, False)] * 3


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_3_floors_and_replaced_cards_are_not_seen(viewer: int | None) -> None:
    hidden = (FloorLaid, CardsReplaced, CardOpened)
    events = [e for e in seen(duel(), viewer) if isinstance(e, hidden) and e.seat == 1]

    assert events == []


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_3_score_and_number_of_commands_are_seen(viewer: int | None) -> None:
    other = view(duel(), viewer).seats[1]

    assert (other.score, other.moves, other.ended, other.site) == (40, 5, False, None)


def test_8_3_the_seat_itself_sees_all_of_its_own() -> None:
    game = duel()
    site = view(game, 1).seats[1].site

    assert site is not None
    assert site.open == game.state.sites[1].open
    own = [event for event in game.events if getattr(event, "seat", None) == 1]
    assert [event for event in seen(game, 1) if getattr(event, "seat", None) == 1] == own


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_3_a_joker_shows_the_points_it_took_alone(viewer: int | None) -> None:
    jokers = [event for event in seen(duel(), viewer) if isinstance(event, JokerDrawn)]

    assert jokers == [JokerDrawn(1, None, 0, 20, False)]


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_4_a_joker_without_loss_told_the_others_where_it_lies(viewer: int | None) -> None:
    game = Match("XX " + STOCK, seats=2)

    lost = [e for e in seen(game, viewer) if isinstance(e, JokerDrawn) and e.seat == 1]
    assert lost == []


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_5_the_end_of_one_game_shows_the_others_its_score(viewer: int | None) -> None:
    game = duel()
    game.do("finish", seat=1)
    ended = seen(game, viewer)[-1]

    assert ended == GameEnded(1, EndReason.PLAYER, 0, 0, 0, 40, 0, False)
    assert view(game, viewer).seats[1].site is None
    assert view(game, viewer).seats[1].ended


@pytest.mark.parametrize("viewer", OTHERS)
def test_8_5_when_all_have_ended_every_house_lies_open(viewer: int | None) -> None:
    game = duel()
    game.do("finish", seat=1)
    game.do("finish", seat=0)
    ended = seen(game, viewer)[-1]

    assert isinstance(ended, MatchEnded)
    for seat, board in enumerate(ended.boards):
        site = view(game, viewer).seats[seat].site
        assert site is not None
        assert (board.house, board.open, board.ending) == (site.house, site.open, site.ending)


def test_8_5_redaction_needs_no_state() -> None:
    game = duel()
    first = game.events[1]

    assert GAME.redact(Options(), first, 0) == first
    assert GAME.redact(Options(), first, 1) is None
