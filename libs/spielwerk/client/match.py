"""One match as its player, or a spectator, sees it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

from spielwerk.api.v1 import match_pb2
from spielwerk.client.connection import AnyCall, Connection
from spielwerk.client.fairness import Pledge, Witness
from spielwerk.client.progress import Progress, Verdict
from spielwerk.client.reading import read_legal, read_update, read_value, read_view
from spielwerk.client.retrying import Patience
from spielwerk.client.streams import Following, Resumed
from spielwerk.client.values import Legal, MatchView, Place, Update, Watched
from spielwerk.codec import game_codec
from spielwerk.games.game import AnyGame
from spielwerk.match.model import Phase

_PAGE: Final = 200


class MatchClient:
    """Plays, reads and follows one match. All methods raise the exceptions of `spielwerk.errors`.

    An answer that does not come is asked for again under the same command id, so a command counts
    once. A refusal is final: nothing happened. Whatever the house tells is compared with what it
    told before: CommitmentBroken if it does not keep to its seed or to the caller's entropy.
    """

    def __init__(self, connection: Connection, match_id: str, pledge: Pledge | None = None) -> None:
        self.match_id = match_id
        self._connection = connection
        self._known: AnyGame | None = None
        self._witness = Witness(match_id, pledge)

    async def game(self) -> AnyGame:
        """The rules of the match; asks for them once."""
        if self._known is None:
            await self.view()
        assert self._known is not None
        return self._known

    async def pledge(self, entropy: bytes | None = None) -> Pledge:
        """The house's commitment and the entropy that `join` sends; made once, before it is sent.

        Store it before joining, and give it to `Spielwerk.match` after a restart: a repeat of Join
        then sends the same, and the house is held to both until the end.
        """
        return self._witness.pledge or self._witness.make_pledge(await self.view(), entropy)

    async def join(self, entropy: bytes | None = None) -> Place:
        """Take the caller's seat and add entropy to the deal, once the house has committed.

        32 random bytes unless given; b"" adds nothing; of a pledge that exists its own. Looks
        whether the house recorded just these.
        """
        pledge = self._witness.make_pledge(await self.view(), entropy)
        request = match_pb2.JoinRequest(match_id=self.match_id, entropy=pledge.entropy or b"")
        answer = await self._connection.call(self._connection.matches.Join, request)
        if pledge.entropy is not None:
            await self._look_for_joined()
        return read_value(Place, answer)

    async def view(self) -> MatchView:
        """The match now, at least as new as everything acknowledged before."""
        request = match_pb2.GetViewRequest(match_id=self.match_id)
        answer = await self._connection.call(self._connection.matches.GetView, request)
        return self._learnt(read_view(answer.view))

    async def legal(self) -> Legal:
        """The commands that are accepted while the caller's turn stays open."""
        game = await self.game()
        request = match_pb2.ListLegalRequest(match_id=self.match_id)
        answer = await self._connection.call(self._connection.matches.ListLegal, request)
        return read_legal(game, answer)

    async def submit(
        self,
        command: Any,
        turn_key: str | None = None,
        *,
        command_id: str | None = None,
        patience: Patience | None = None,
    ) -> Update:
        """Play one of the game's commands; returns the version it became.

        With a `turn_key` it is refused (StaleTurn) unless that turn is still open. A command id is
        needed only to go on with a command after a restart.
        """
        request = await self.request(command, turn_key, command_id)
        answer = await self._connection.call(
            self._connection.matches.Submit, request, patience=patience
        )
        return self.read_update(answer.update)

    async def resign(self) -> Update:
        """Give up the caller's seat."""
        await self.game()
        request = match_pb2.ResignRequest(match_id=self.match_id, command_id=new_id())
        answer = await self._connection.call(self._connection.matches.Resign, request)
        return self.read_update(answer.update)

    def watch(self, after_version: int | None = None) -> Following[Watched]:
        """Follow the match to its end, over interruptions: each version once, none left out.

        None begins with a snapshot (MatchView); 0 with the first version, n with version n + 1.
        """
        return Following(self._watched(Progress(after_version)))

    def history(self, after_version: int = 0) -> Following[Update]:
        """The versions above one up to now."""
        return Following(self._pages(after_version))

    async def request(
        self, command: Any, turn_key: str | None, command_id: str | None
    ) -> match_pb2.SubmitRequest:
        """The command as a message, with an id of its own unless one is given."""
        request = match_pb2.SubmitRequest(
            match_id=self.match_id, command_id=command_id or new_id(), turn_key=turn_key or ""
        )
        game_codec(await self.game()).fill_command(command, request.command)
        return request

    def read(self, message: match_pb2.WatchResponse) -> Watched:
        """The value of a snapshot or an update."""
        if message.HasField("snapshot"):
            return self._learnt(read_view(message.snapshot))
        return self.read_update(message.update)

    def read_update(self, message: match_pb2.MatchUpdate) -> Update:
        """The value of an update; a snapshot or `game` must have told which game it is."""
        assert self._known is not None
        update = read_update(self._known, message)
        self._witness.see(update)
        return update

    async def _watched(self, progress: Progress) -> AsyncGenerator[Watched, None]:
        def start() -> AnyCall:
            return self._connection.matches.Watch(progress.request(self.match_id))

        if progress.after is not None:
            await self.game()
        over = False
        while not over:
            resumed: Resumed[match_pb2.WatchResponse] = Resumed(self._connection, start)
            async with aclosing(resumed.responses()) as responses:
                async for message in responses:
                    verdict = progress.judge(message)
                    if verdict is Verdict.GAP:
                        resumed.reopen()
                    if verdict is not Verdict.NEXT:
                        continue
                    item = self.read(message)
                    progress.take(message)
                    over = item.ended is not None
                    yield item
            over = over or await self._is_over(progress)

    async def _is_over(self, progress: Progress) -> bool:
        """Whether a stream that ended without the last version has nothing more to tell."""
        view = await self.view()
        return view.phase is Phase.ENDED and progress.after == view.version

    async def _pages(self, after: int) -> AsyncGenerator[Update, None]:
        await self.game()
        while True:
            request = match_pb2.GetHistoryRequest(
                match_id=self.match_id, after_version=after, page_size=_PAGE
            )
            page = await self._connection.call(self._connection.matches.GetHistory, request)
            for message in page.updates:
                yield self.read_update(message)
                after = message.version
            if not page.updates or after >= page.version:
                return

    async def _look_for_joined(self) -> None:
        async with self.history() as updates:
            async for _ in updates:
                if self._witness.seen_joined:
                    return
        self._witness.expect_joined()

    def _learnt(self, view: MatchView) -> MatchView:
        self._witness.see(view)
        self._known = view.game
        return view


def new_id() -> str:
    """An id for a command or a request that nobody else has."""
    return secrets.token_urlsafe(16)
