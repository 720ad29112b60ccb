"""Classes and messages of the same names map onto each other, or no codec is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import pytest

from spielwerk.api.types.v1 import card_pb2, result_pb2
from spielwerk.api.v1 import games_pb2, match_pb2
from spielwerk.cards import Card, french_pack
from spielwerk.codec import codec, game_codec, union_codec
from spielwerk.codec.events import read_occupants
from spielwerk.errors import BadOptions, InvalidArgument
from spielwerk.games import registry
from spielwerk.games.game import BotInformation, Result, Standing
from spielwerk.match.model import Bot, Human


def test_every_card_survives_the_way_there_and_back() -> None:
    cards = codec(Card, card_pb2.Card.DESCRIPTOR)
    for card in french_pack():
        assert cards.read(card_pb2.Card.FromString(cards.write(card).SerializeToString())) == card


def test_equal_cards_read_are_the_same_object() -> None:
    cards = codec(Card, card_pb2.Card.DESCRIPTOR)
    first, second = (cards.read(cards.write(Card.parse("5H"))) for _ in range(2))
    assert first is second


@pytest.mark.parametrize(("rank", "suit"), [(0, 1), (1, 0), (14, 1), (1, 9)])
def test_unspecified_and_unknown_enum_numbers_are_refused(rank: int, suit: int) -> None:
    message = card_pb2.Card.FromString(bytes([8, rank, 16, suit]))
    with pytest.raises(InvalidArgument) as refused:
        codec(Card, card_pb2.Card.DESCRIPTOR).read(message)
    assert refused.value.metadata["field"] in ("rank", "suit")


def test_nested_messages_maps_and_zero_seats_survive() -> None:
    standing = Standing(0, 1, True, -5, 100_000, 1, {"credits": 7})
    result = Result("target_reached", (standing,))
    results = codec(Result, result_pb2.Result.DESCRIPTOR)
    assert results.read(results.write(result)) == result


def test_a_union_is_told_apart_by_its_oneof() -> None:
    occupants = (Human("p"), Bot("expert", "expert@1", BotInformation.EVERYTHING))
    union = union_codec((Human, Bot), match_pb2.Occupant.DESCRIPTOR)
    assert read_occupants([union.write(o) for o in occupants]) == occupants


def test_an_empty_oneof_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="occupant is missing"):
        read_occupants([match_pb2.Occupant()])


def test_a_member_without_fields_is_still_present() -> None:
    message = match_pb2.Occupant()
    union_codec((Human, Bot), match_pb2.Occupant.DESCRIPTOR).fill(Human(""), message)
    assert message.WhichOneof("occupant") == "human"


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class MissingField:
    seat: int


@dataclass(frozen=True)
class WrongEnum:
    rank: Colour
    suit: Colour


@dataclass(frozen=True)
class NotRepeated:
    player_id: tuple[str, ...]


@dataclass(frozen=True)
class Unmappable:
    player_id: Mapping[str, str] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (MissingField, match_pb2.Human),
        (WrongEnum, card_pb2.Card),
        (NotRepeated, match_pb2.Human),
    ],
)
def test_what_does_not_agree_is_found_when_the_codec_is_built(cls: type, message: type) -> None:
    with pytest.raises(TypeError):
        codec(cls, message.DESCRIPTOR)  # type: ignore[attr-defined]


def test_a_union_with_another_member_is_refused() -> None:
    with pytest.raises(TypeError, match="differs from its classes"):
        union_codec((Human, Standing), match_pb2.Occupant.DESCRIPTOR)


@pytest.mark.parametrize("key", registry.GAMES)
def test_each_game_agrees_with_its_proto(key: str) -> None:
    for game in registry.GAMES[key].values():
        game_codec(game)


@pytest.mark.parametrize("key", registry.GAMES)
def test_unset_options_take_the_given_defaults(key: str) -> None:
    game = registry.newest(key)
    assert game_codec(game).read_options(games_pb2.GameOptions()) == game.options()


def test_options_outside_their_table_name_the_option() -> None:
    message = games_pb2.GameOptions()
    message.cribbage.target = 100
    with pytest.raises(BadOptions) as refused:
        game_codec(registry.newest("cribbage")).read_options(message)
    assert refused.value.metadata == {"option": "target"}


def test_a_command_of_no_game_is_a_bad_command() -> None:
    with pytest.raises(InvalidArgument) as refused:
        game_codec(registry.newest("cribbage")).read_command(games_pb2.GameCommand())
    assert refused.value.reason == "bad_command"
