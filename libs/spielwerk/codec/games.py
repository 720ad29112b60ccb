"""One game's options, commands, events and views inside the platform's oneofs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor

from spielwerk.api.v1 import games_pb2
from spielwerk.codec.mapping import Codec, codec, read_defaults, union_codec
from spielwerk.errors import InvalidArgument
from spielwerk.games.game import AnyGame


class GameCodec:
    """Reads and writes the messages of one version of a game."""

    def __init__(self, game: AnyGame) -> None:
        self._key = game.key
        self._options_type = game.options
        self._options = codec(game.options, _inner(games_pb2.GameOptions, game.key))
        self._command = union_codec(game.commands, _inner(games_pb2.GameCommand, game.key))
        self._event = union_codec(game.events, _inner(games_pb2.GameEvent, game.key))
        self._fill_command = self._command.within(game.key)
        self._fill_event = self._event.within(game.key)
        self._view = codec(game.view_type, _inner(games_pb2.GameView, game.key))
        state = game.state_type
        self._state = codec(state, _inner(games_pb2.GameState, game.key)) if state else None

    def fill_event(self, event: Any, message: games_pb2.GameEvent) -> None:
        """Write an event into the oneof."""
        self._fill_event(event, message)

    def fill_command(self, command: Any, message: games_pb2.GameCommand) -> None:
        """Write a command into the oneof."""
        self._fill_command(command, message)

    def fill_options(self, options: Any, message: games_pb2.GameOptions) -> None:
        """Write complete options into the oneof."""
        self._options.fill(options, getattr(message, self._key))

    def fill_view(self, view: Any, message: games_pb2.GameView) -> None:
        """Write a view into the oneof."""
        self._view.fill(view, getattr(message, self._key))

    def fill_state(self, state: Any, message: games_pb2.GameState) -> None:
        """Write everything into the oneof; only of a game with a bot that reads it."""
        assert self._state is not None, f"{self._key} has no bot that reads its state"
        self._state.fill(state, getattr(message, self._key))

    def read_state(self, message: games_pb2.GameState) -> Any:
        """Everything, as a bot that is declared to know it may read it."""
        assert self._state is not None, f"{self._key} has no bot that reads its state"
        return self._read(self._state, message)

    def read_event(self, message: games_pb2.GameEvent) -> Any:
        """The event; InvalidArgument if it belongs to another game."""
        return self._read(self._event, message)

    def read_command(self, message: games_pb2.GameCommand) -> Any:
        """The command; InvalidArgument (bad_command) if it is none of this game's."""
        if message.WhichOneof("game") != self._key:
            raise InvalidArgument("bad_command", f"not a command of {self._key}")
        try:
            return self._read(self._command, message)
        except InvalidArgument as error:
            raise InvalidArgument("bad_command", error.message, **error.metadata) from error

    def read_view(self, message: games_pb2.GameView) -> Any:
        """The view."""
        return self._read(self._view, message)

    def read_options(
        self, message: games_pb2.GameOptions, defaults: Mapping[str, Any] | None = None
    ) -> Any:
        """The options, unset fields from `defaults` (else the class's own); BadOptions outside the
        table."""
        which = message.WhichOneof("game")
        if which not in (None, self._key):
            raise InvalidArgument("bad_options", f"options of {which} for {self._key}")
        return read_defaults(self._options_type, getattr(message, self._key), defaults or {})

    def _read(self, inner: Codec, message: Any) -> Any:
        if message.WhichOneof("game") != self._key:
            raise InvalidArgument("bad_request", f"not of {self._key}", field="game")
        return inner.read(getattr(message, self._key))


@cache
def game_codec(game: AnyGame) -> GameCodec:
    """The codec of a game, built once."""
    return GameCodec(game)


def _inner(wrapper: Any, key: str) -> Descriptor:
    target = wrapper.DESCRIPTOR.fields_by_name.get(key)
    if target is None:
        raise TypeError(f"games.proto has no {key}")
    descriptor: Descriptor = target.message_type
    return descriptor
