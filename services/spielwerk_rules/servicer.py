"""MatchService: translates between messages and use cases, nothing else."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc

from spielwerk.api.v1 import match_pb2, match_pb2_grpc
from spielwerk.clock import Clock
from spielwerk.codec import game_codec
from spielwerk.codec.events import bot_message, read_occupants, read_origin, read_watch
from spielwerk.codec.match import fill_update, fill_view
from spielwerk.errors import InvalidArgument
from spielwerk.games.game import AnyGame
from spielwerk.log.subjects import check_match_id
from spielwerk.match.model import GRACE_MS, Match
from spielwerk.rpc.auth import Caller, current_caller
from spielwerk.rpc.limits import Limits
from spielwerk_rules import catalogue
from spielwerk_rules.answers import fill_accepted, fill_own_update
from spielwerk_rules.commands import Accepted, Commands, NewMatch
from spielwerk_rules.matches import Matches
from spielwerk_rules.playing import PlayStream
from spielwerk_rules.seats import in_play, knows_everything, seat_in
from spielwerk_rules.settings import RulesSettings
from spielwerk_rules.watching import Watching, viewer_of

Context = grpc.aio.ServicerContext[Any, Any]

_PAGE, _MAX_PAGE = 100, 500
_COMMAND_BYTES = 1_024
"""Ten times what any game's command takes; a card list of a whole request takes milliseconds."""


@dataclass(frozen=True, slots=True)
class About:
    """What GetServerInfo tells besides the games."""

    version: str
    durability: match_pb2.Durability.ValueType
    max_request_bytes: int


class MatchServicer(match_pb2_grpc.MatchServiceServicer):
    """The public API of matches; see match.proto for callers and errors."""

    def __init__(
        self,
        commands: Commands,
        matches: Matches,
        watching: Watching,
        clock: Clock,
        settings: RulesSettings,
        limits: Limits,
        about: About,
    ) -> None:
        self._commands = commands
        self._matches = matches
        self._watching = watching
        self._clock = clock
        self._settings = settings
        self._limits = limits
        self._about = about

    async def GetServerInfo(
        self, request: match_pb2.GetServerInfoRequest, context: Context
    ) -> match_pb2.GetServerInfoResponse:
        """Version, limits, durability."""
        return match_pb2.GetServerInfoResponse(
            version=self._about.version,
            games=catalogue.games(),
            durability=self._about.durability,
            max_request_bytes=self._about.max_request_bytes,
            server_time_ms=self._clock.now_ms(),
            grace_ms=GRACE_MS,
        )

    async def ListGames(
        self, request: match_pb2.ListGamesRequest, context: Context
    ) -> match_pb2.ListGamesResponse:
        """The games of this installation."""
        return match_pb2.ListGamesResponse(games=catalogue.games())

    async def GetRules(
        self, request: match_pb2.GetRulesRequest, context: Context
    ) -> match_pb2.GetRulesResponse:
        """The player's rules and the options."""
        return catalogue.rules(request.game, request.language or "en")

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, context: Context
    ) -> match_pb2.CreateMatchResponse:
        """Opens a match under the caller's id."""

        def read_options(game: AnyGame) -> Any:
            return game_codec(game).read_options(request.options)

        new = NewMatch(
            match_id=request.match_id,
            game=request.game,
            read_options=read_options,
            occupants=read_occupants(request.occupants),
            watch=read_watch(request.watch),
            rated=request.rated if request.HasField("rated") else None,
            seating_ms=request.seating_ms or self._settings.seating_ms,
            origin=read_origin(request.origin),
        )
        return match_pb2.CreateMatchResponse(version=await self._commands.create(new))

    async def Join(
        self, request: match_pb2.JoinRequest, context: Context
    ) -> match_pb2.JoinResponse:
        """Takes the caller's seat."""
        player = current_caller().subject
        seat, version = await self._commands.join(request.match_id, player, request.entropy)
        return match_pb2.JoinResponse(seat=seat, version=version)

    async def Submit(
        self, request: match_pb2.SubmitRequest, context: Context
    ) -> match_pb2.SubmitResponse:
        """One command of the caller's seat."""
        accepted = await self._submit(request, current_caller())
        response = match_pb2.SubmitResponse()
        fill_accepted(accepted, response)
        return response

    async def Play(
        self, request_iterator: AsyncIterator[match_pb2.PlayRequest], context: Context
    ) -> AsyncGenerator[match_pb2.PlayResponse, None]:
        """Commands and watches of many matches on one stream."""
        stream = PlayStream(
            current_caller(),
            self._submit,
            self._watching,
            self._limits.hold_back,
            in_flight=self._settings.play_in_flight,
            watches=self._settings.watches_per_stream,
        )
        async with aclosing(stream.run(request_iterator)) as responses:
            async for response in responses:
                yield response

    async def Resign(
        self, request: match_pb2.ResignRequest, context: Context
    ) -> match_pb2.ResignResponse:
        """Gives up the caller's seat."""
        player = current_caller().subject
        accepted = await self._commands.resign(request.match_id, player, request.command_id)
        response = match_pb2.ResignResponse()
        fill_own_update(accepted, response.update)
        return response

    async def GetView(
        self, request: match_pb2.GetViewRequest, context: Context
    ) -> match_pb2.GetViewResponse:
        """The match as the caller may see it."""
        match = await self._matches.fresh(check_match_id(request.match_id))
        response = match_pb2.GetViewResponse()
        fill_view(match, viewer_of(match, current_caller()), response.view)
        return response

    async def ListLegal(
        self, request: match_pb2.ListLegalRequest, context: Context
    ) -> match_pb2.ListLegalResponse:
        """What the caller's seat may do now."""
        match = await self._matches.fresh(check_match_id(request.match_id))
        seat = seat_in(match, current_caller().subject)
        turn = match.turns.get(seat)
        response = match_pb2.ListLegalResponse(version=match.version)
        response.turn_key = turn.key if turn else ""
        _fill_legal(match, seat, response.commands)
        return response

    async def Watch(
        self, request: match_pb2.WatchRequest, context: Context
    ) -> AsyncGenerator[match_pb2.WatchResponse, None]:
        """Follows a match."""
        after = request.after_version if request.HasField("after_version") else None
        responses = self._watching.watch(request.match_id, current_caller(), after)
        async with aclosing(responses):
            async for response in responses:
                yield response

    async def GetHistory(
        self, request: match_pb2.GetHistoryRequest, context: Context
    ) -> match_pb2.GetHistoryResponse:
        """Past versions in pages."""
        match_id = check_match_id(request.match_id)
        match = await self._matches.fresh(match_id)
        viewer = viewer_of(match, current_caller())
        size = min(request.page_size or _PAGE, _MAX_PAGE)
        match, records = await self._matches.records(match_id, request.after_version)
        response = match_pb2.GetHistoryResponse(version=match.version)
        for record in records[:size]:
            fill_update(match.game, match.opened.options, record, viewer, response.updates.add())
        return response

    async def GetBotTurn(
        self, request: match_pb2.GetBotTurnRequest, context: Context
    ) -> match_pb2.GetBotTurnResponse:
        """What a bot needs for one decision."""
        turn = await self._commands.bot_turn(request.match_id, request.seat, request.turn_key)
        match = turn.match
        response = match_pb2.GetBotTurnResponse(
            game=match.opened.game,
            rules_version=match.opened.rules_version,
            bot=bot_message(turn.bot),
            decision_seed=turn.decision_seed,
            pause_ms=match.game.bot_pause_ms(match.opened.options),
        )
        codec = game_codec(match.game)
        if knows_everything(match.game, turn.bot):
            codec.fill_state(match.state, response.state)
        else:
            codec.fill_view(match.game.view(match.state, turn.seat), response.view)
        codec.fill_options(match.opened.options, response.options)
        _fill_legal(match, turn.seat, response.legal)
        return response

    async def SubmitForBot(
        self, request: match_pb2.SubmitForBotRequest, context: Context
    ) -> match_pb2.SubmitForBotResponse:
        """A command of a bot's seat."""
        accepted = await self._commands.submit_for_bot(
            request.match_id,
            request.seat,
            request.command_id,
            lambda match: game_codec(match.game).read_command(request.command),
            request.turn_key,
        )
        return match_pb2.SubmitForBotResponse(version=accepted.record.version)

    async def ExpireDeadline(
        self, request: match_pb2.ExpireDeadlineRequest, context: Context
    ) -> match_pb2.ExpireDeadlineResponse:
        """Ends an overdue turn."""
        version = await self._commands.expire(request.match_id, request.seat, request.turn_key)
        return match_pb2.ExpireDeadlineResponse(version=version)

    async def AbortMatch(
        self, request: match_pb2.AbortMatchRequest, context: Context
    ) -> match_pb2.AbortMatchResponse:
        """Ends a match without a result."""
        version = await self._commands.abort(request.match_id, request.reason)
        return match_pb2.AbortMatchResponse(version=version)

    def _submit(
        self, request: match_pb2.SubmitRequest, caller: Caller
    ) -> Coroutine[Any, Any, Accepted]:
        def read(match: Match) -> Any:
            if request.command.ByteSize() > _COMMAND_BYTES:
                raise InvalidArgument("bad_command", "longer than any command of a game")
            return game_codec(match.game).read_command(request.command)

        return self._commands.submit(
            request.match_id, caller.subject, request.command_id, read, request.turn_key
        )


def _fill_legal(match: Match, seat: int, target: Any) -> None:
    if in_play(match):
        codec = game_codec(match.game)
        for command in match.game.legal(match.state, seat):
            codec.fill_command(command, target.add())
