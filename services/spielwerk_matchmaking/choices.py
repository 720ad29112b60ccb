"""What a player may choose to play: a game, its house rules and the number of seats."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import DecodeError

from spielwerk.api.v1 import games_pb2
from spielwerk.codec import game_codec
from spielwerk.errors import InvalidArgument
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.games.options import defaults

_REQUEST_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Choice:
    """A game with complete options (base64 of the canonical message) for a number of seats."""

    game: AnyGame
    options: str
    seats: int

    @property
    def queue(self) -> str:
        """The name of the queue for exactly this; 32 hexadecimal digits."""
        text = f"{self.game.key}|{self.seats}|{self.options}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def choose(key: str, options: games_pb2.GameOptions, seats: int, mode: str) -> Choice:
    """Check a wish and complete it with the mode's defaults.

    Raises NotFound (game_unknown), InvalidArgument (bad_options, bad_players).
    """
    game = registry.newest(key)
    seats = seats or game.seats[0]
    if seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise InvalidArgument("bad_players", f"{key} is for {least} to {most} players")
    codec = game_codec(game)
    complete = games_pb2.GameOptions()
    codec.fill_options(codec.read_options(options, defaults(game.options, mode)), complete)
    return Choice(game, pack_options(complete), seats)


def pack_options(options: games_pb2.GameOptions) -> str:
    """The same text for the same options."""
    return base64.b64encode(options.SerializeToString(deterministic=True)).decode()


def unpack_options(text: str) -> games_pb2.GameOptions:
    """The options; ValueError for what `pack_options` has not made."""
    try:
        return games_pb2.GameOptions.FromString(base64.b64decode(text, validate=True))
    except DecodeError as error:
        raise ValueError("not options") from error


def check_request_id(text: str) -> str:
    """The id; InvalidArgument (bad_request_id) if it cannot be one."""
    if not _REQUEST_ID.fullmatch(text):
        raise InvalidArgument("bad_request_id", "1 to 64 of [0-9A-Za-z_-]", field="request_id")
    return text


def fingerprint(parts: Iterable[object]) -> str:
    """Tells whether a repeated request is the same request."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:32]
