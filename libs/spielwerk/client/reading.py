"""Messages to values."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from spielwerk.api.v1 import match_pb2
from spielwerk.client.values import Legal, MatchView, Update
from spielwerk.codec import codec, game_codec
from spielwerk.codec.events import read_ended, read_event, read_opened
from spielwerk.codec.match import read_turn
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.match.model import CauseKind, Phase

T = TypeVar("T")

_CAUSES: Final = {match_pb2.CauseKind.Value(f"CAUSE_KIND_{kind.name}"): kind for kind in CauseKind}
_PHASES: Final = {match_pb2.Phase.Value(f"PHASE_{phase.name}"): phase for phase in Phase}


def read_view(message: match_pb2.MatchView) -> MatchView:
    """A match; Unavailable (rules_version_unknown) if this client is older than its rules."""
    game = registry.version(message.opened.game, message.opened.rules_version)
    return MatchView(
        match_id=message.match_id,
        version=message.version,
        recorded_at_ms=message.recorded_at_ms,
        phase=_PHASES[message.phase],
        game=game,
        opened=read_opened(game, message.opened),
        seat=message.seat if message.HasField("seat") else None,
        turns=tuple(read_turn(turn) for turn in message.turns),
        table=game_codec(game).read_view(message.table) if message.HasField("table") else None,
        ended=read_ended(message.ended) if message.HasField("ended") else None,
        joined=tuple(message.joined),
    )


def read_update(game: AnyGame, message: match_pb2.MatchUpdate) -> Update:
    """One version of a match of this game."""
    return Update(
        match_id=message.match_id,
        version=message.version,
        recorded_at_ms=message.recorded_at_ms,
        cause=_CAUSES[message.cause],
        seat=message.seat if message.HasField("seat") else None,
        events=tuple(read_event(game, event) for event in message.events),
        turns=tuple(read_turn(turn) for turn in message.turns),
    )


def read_legal(game: AnyGame, message: match_pb2.ListLegalResponse) -> Legal:
    """What a seat may do."""
    read_command = game_codec(game).read_command
    commands = tuple(read_command(command) for command in message.commands)
    return Legal(commands, message.version, message.turn_key or None)


def read_value(cls: type[T], message: Any) -> T:
    """A value whose fields are named as in its message."""
    value: T = codec(cls, message.DESCRIPTOR).read(message)
    return value
