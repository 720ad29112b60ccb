"""One client whose calls are written down before they are sent and after they are answered."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from faults.history import Invocation, Outcome, Recorder
from spielwerk.api.v1 import match_pb2
from spielwerk.client import (
    Legal,
    MatchClient,
    MatchView,
    Place,
    PlayStream,
    Room,
    Spielwerk,
    Ticket,
    Update,
)
from spielwerk.client.match import new_id
from spielwerk.client.rankings import Board
from spielwerk.client.retrying import Patience
from spielwerk.errors import FailedPrecondition, Refused, SpielwerkError
from spielwerk.rpc.errors import CODES

T = TypeVar("T")

PATIENT: Final = Patience(attempt_s=3.0, total_s=180.0, longest_pause_s=0.5)
_CUT_OFF: Final = 0.3


class Hasty(Patience):
    """Cuts every third attempt off after 1 to 50 ms, and asks again under the same id."""

    def __init__(self, rng: random.Random) -> None:
        for name in ("total_s", "first_pause_s", "longest_pause_s"):
            object.__setattr__(self, name, getattr(PATIENT, name))
        object.__setattr__(self, "_rng", rng)

    @property
    def attempt_s(self) -> float:
        """Drawn for each attempt."""
        rng: random.Random = self._rng  # type: ignore[attr-defined]
        return rng.uniform(0.001, 0.05) if rng.random() < _CUT_OFF else PATIENT.attempt_s


class Asking:
    """What a client asks; every method raises what the SDK raises."""

    def __init__(self, name: str, client: Spielwerk, recorder: Recorder) -> None:
        self.name = name
        self.client = client
        self.recorder = recorder
        self.player_id = ""
        self.secrets: dict[str, str] = {}
        """What no log line may hold: by what it is."""
        self._stream: PlayStream | None = None

    @asynccontextmanager
    async def streaming(self) -> AsyncIterator[None]:
        """Send commands on a Play stream."""
        async with self.client.play() as stream:
            self._stream = stream
            try:
                yield
            finally:
                self._stream = None

    async def guest(self) -> None:
        """Become somebody."""
        asked = self._begin("create_guest")
        device = await self._told(
            asked, self.client.create_guest(self.name), lambda d: {"player_id": d.player_id}
        )
        self.player_id = device.player_id
        self._keep_secret("device secret", device.secret)
        self._keep_secret("token", self.client.connection.session.token() or "")

    async def enqueue(self, game: str, options: Mapping[str, Any], players: int) -> Ticket:
        """Stand in line."""
        call = self.client.matchmaking.enqueue(game, options, players=players)
        return await self._told(self._begin("enqueue"), call, lambda t: {"ticket_id": t.ticket_id})

    async def cancel(self, ticket_id: str) -> None:
        """Leave the line."""
        asked = self._begin("cancel", ticket_id=ticket_id)
        await self._told(asked, self.client.matchmaking.cancel(ticket_id))

    async def create_room(self, game: str, options: Mapping[str, Any], **more: Any) -> Room:
        """Open a room that starts by itself when it is full."""
        call = self.client.matchmaking.create_room(game, options, auto_start=True, **more)
        room = await self._told(self._begin("room_create"), call)
        self._keep_secret("room code", room.code)
        return room

    async def join_room(self, code: str) -> Room:
        """Take a seat in a room."""
        call = self.client.matchmaking.join_room(code)
        room, _ = await self._told(self._begin("room_join"), call)
        return room

    async def join(self, match: MatchClient) -> Place:
        """Take the seat in a match."""
        asked = self._begin("join", match_id=match.match_id)
        return await self._told(
            asked, match.join(), lambda p: {"version": p.version, "seat": p.seat}
        )

    async def submit(
        self, match: MatchClient, seat: int, command: Any, turn_key: str, command_id: str
    ) -> Update:
        """Play a command."""
        asked = self._begin(
            "submit",
            match_id=match.match_id,
            seat=seat,
            command_id=command_id,
            turn_key=turn_key,
        )
        return await self._told(asked, self._sent(match, command, turn_key, command_id), _version)

    async def resign(self, match: MatchClient, seat: int) -> None:
        """Give the seat up."""
        request = match_pb2.ResignRequest(match_id=match.match_id, command_id=new_id())
        asked = self._begin(
            "resign", match_id=match.match_id, seat=seat, command_id=request.command_id
        )
        connection = self.client.connection
        call = connection.call(connection.matches.Resign, request)
        await self._told(asked, call, lambda answer: {"version": answer.update.version})

    async def legal(self, match: MatchClient) -> Legal:
        """What may be played."""
        asked = self._begin("view", match_id=match.match_id)
        return await self._told(asked, match.legal(), _version)

    async def view(self, match: MatchClient) -> MatchView:
        """What is to be seen."""
        return await self._told(
            self._begin("view", match_id=match.match_id), match.view(), _version
        )

    async def history(self, match: MatchClient) -> None:
        """What has been, up to now."""
        asked = self._begin("history", match_id=match.match_id)
        await self._told(asked, _last(match), lambda version: {"version": version})

    async def board(self, game: str) -> Board:
        """The best of a game."""
        return await self._told(self._begin("rankings"), self.client.rankings.board(game))

    async def _sent(
        self, match: MatchClient, command: Any, turn_key: str, command_id: str
    ) -> Update:
        if self._stream is None:
            return await match.submit(command, turn_key, command_id=command_id)
        return await (await self._stream.submit(match, command, turn_key, command_id=command_id))

    def _keep_secret(self, what: str, secret: str) -> None:
        self.secrets[f"{what} of {self.name} ({len(self.secrets)})"] = secret

    def _begin(self, operation: str, **known: Any) -> Invocation:
        return self.recorder.begin(self.name, operation, player_id=self.player_id, **known)

    async def _told(
        self,
        asked: Invocation,
        call: Awaitable[T],
        told: Callable[[T], dict[str, Any]] = lambda _answer: {},
    ) -> T:
        try:
            answer = await call
        except Refused as refused:
            self._end(asked, Outcome.REFUSED, refused)
            raise
        except SpielwerkError as unclear:
            self._end(asked, Outcome.UNKNOWN, unclear)
            raise
        except asyncio.CancelledError:
            self.recorder.end(asked, Outcome.UNKNOWN, status="CANCELLED", reason="given_up")
            raise
        self.recorder.end(asked, Outcome.OK, **told(answer))
        return answer

    def _end(self, asked: Invocation, outcome: Outcome, error: SpielwerkError) -> None:
        codes = (CODES[kind].name for kind in type(error).__mro__ if kind in CODES)
        self.recorder.end(asked, outcome, status=next(codes, "UNKNOWN"), reason=error.reason)


def already(refused: FailedPrecondition) -> str | None:
    """The match that stands in the way of what was asked."""
    return refused.metadata.get("match_id")


def _version(answer: Any) -> dict[str, Any]:
    return {"version": answer.version}


async def _last(match: MatchClient) -> int:
    """The version that the history goes up to."""
    version = 0
    async with match.history() as updates:
        async for update in updates:
            version = update.version
    return version
