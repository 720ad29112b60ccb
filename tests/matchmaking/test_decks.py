"""A deck chosen by its id is completed before the match is created."""

from __future__ import annotations

from matchmaking.installation import Installation, refused
from spielwerk.api.v1 import games_pb2, match_pb2
from spielwerk.api.v1 import matchmaking_pb2 as pb
from spielwerk.codec import game_codec
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.options import Options
from spielwerk_matchmaking.choices import choose

BRIDGES = "nirgendbruecken"


def by_id(deck_id: str) -> games_pb2.GameOptions:
    options = games_pb2.GameOptions()
    options.quartett.deck_id = deck_id
    return options


async def test_a_practice_match_holds_the_whole_deck_and_the_usual_bot(
    installation: Installation,
) -> None:
    ann = installation.meet("ann")
    wish = pb.StartPracticeRequest(game="quartett", request_id="p1", options=by_id(BRIDGES))
    match_id = (await ann.StartPractice(wish)).match_id
    view = await installation.play("ann").GetView(match_pb2.GetViewRequest(match_id=match_id))
    opened = view.view.opened

    assert game_codec(GAME).read_options(opened.options) == Options(deck_id=BRIDGES)
    assert len(opened.options.quartett.deck.cards) == 24
    assert opened.occupants[1].bot.strength == "rank1"
    assert opened.occupants[1].bot.information == match_pb2.BOT_INFORMATION_OWN_VIEW


async def test_a_bot_that_knows_everything_is_declared_in_the_match(
    installation: Installation,
) -> None:
    ann = installation.meet("ann")
    wish = pb.StartPracticeRequest(game="quartett", request_id="p1", strength="oracle")
    match_id = (await ann.StartPractice(wish)).match_id
    view = await installation.play("ann").GetView(match_pb2.GetViewRequest(match_id=match_id))

    information = view.view.opened.occupants[1].bot.information
    assert information == match_pb2.BOT_INFORMATION_EVERYTHING


async def test_a_deck_that_is_not_installed_is_refused(installation: Installation) -> None:
    ann = installation.meet("ann")
    wish = pb.StartPracticeRequest(game="quartett", request_id="p1", options=by_id("tarot"))
    _, error = await refused(ann.StartPractice(wish))

    assert (error.reason, error.metadata["option"]) == ("bad_options", "deck_id")


def test_who_names_a_deck_and_who_brings_it_stand_in_the_same_queue() -> None:
    whole = games_pb2.GameOptions()
    game_codec(GAME).fill_options(Options(deck_id=BRIDGES), whole)
    whole.quartett.ClearField("deck_id")

    queues = [choose("quartett", wish, 2, "queue").queue for wish in (by_id(BRIDGES), whole)]
    assert queues[0] == queues[1]
    assert choose("quartett", by_id("channel-nil"), 2, "queue").queue != queues[0]
