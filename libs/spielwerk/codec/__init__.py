"""Dataclasses to protobuf messages and back, by name, so that rules never import protobuf."""

from spielwerk.codec.games import GameCodec, game_codec
from spielwerk.codec.mapping import Codec, codec, union_codec

__all__ = ["Codec", "GameCodec", "codec", "game_codec", "union_codec"]
