"""Playing an ended match again when all its people say yes."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from spielwerk.background import to_the_end
from spielwerk.clock import Clock
from spielwerk.errors import FailedPrecondition, PermissionDenied
from spielwerk.log.subjects import check_match_id, new_match_id
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.followers import Followers
from spielwerk_matchmaking.launch import Launch, Launcher
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store
from spielwerk_matchmaking.watching import Watching


class OfferState(StrEnum):
    """How far the players are."""

    NONE = "none"
    OFFERED = "offered"
    AGREED = "agreed"


@dataclass(frozen=True, slots=True)
class Offer:
    """Who has said yes, until when the others may, and the new match once it exists.

    `promised`: all have, and the new match is being made.
    """

    state: OfferState
    players: tuple[str, ...] = ()
    expires_at_ms: int = 0
    match_id: str = ""
    promised: bool = False


class Rematches:
    """All rematches as the players of this process reach them."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        follower: Followers,
        watching: Watching,
        clock: Clock,
        settings: MatchmakingSettings,
    ) -> None:
        self._store = store
        self._launcher = launcher
        self._follower = follower
        self._watching = watching
        self._clock = clock
        self._settings = settings

    async def agree(self, player: str, match_id: str) -> Offer:
        """Say yes; the last yes makes the new match, and is answered when it exists or after
        `create_ms`. Errors as of `get`."""
        await self._wait_for_end(player, check_match_id(match_id))
        offer = await to_the_end(self._ask(player, match_id, yes=True))
        if offer.promised:
            with suppress(TimeoutError):
                async with (
                    asyncio.timeout(self._settings.create_ms / 1000),
                    aclosing(self.watch(player, match_id)) as changes,
                ):
                    async for offer in changes:
                        if not offer.promised:
                            break
        return offer

    async def get(self, player: str, match_id: str) -> Offer:
        """How the offer stands.

        Raises PermissionDenied (no_such_match), FailedPrecondition (match_running).
        """
        await self._wait_for_end(player, check_match_id(match_id))
        return await self._ask(player, match_id, yes=False)

    async def watch(self, player: str, match_id: str) -> AsyncGenerator[Offer, None]:
        """The offer and its changes until it is agreed."""
        await self.get(player, match_id)

        async def look() -> Offer:
            return await self._ask(player, match_id, yes=False)

        def over(offer: Offer) -> bool:
            return offer.state is OfferState.AGREED

        thing = ("rematch", match_id)
        async for offer in self._watching.follow(thing, look, over):
            yield offer

    async def _ask(self, player: str, match_id: str, *, yes: bool) -> Offer:
        now = self._clock.now_ms()
        word, offer, launch = await self._store.run(
            "rematch",
            (keys.ended(match_id), keys.offer(match_id), keys.LAUNCHES, keys.LEASES),
            (
                now,
                match_id,
                player,
                new_match_id(now, secrets.token_bytes(10)),
                self._settings.offer_ms,
                self._launcher.lease_end(),
                self._settings.rematch_ms,
                "1" if yes else "",
            ),
        )
        if word == "none":
            raise PermissionDenied("no_such_match")
        if launch:
            self._launcher.start(Launch.from_json(launch))
        return _offer(word, json.loads(offer), now)

    async def _wait_for_end(self, player: str, match_id: str) -> None:
        """The player may have seen the end before this service has read it from the log."""

        async def ended() -> bool:
            raw = await self._store.whole(self._store.redis.hget(keys.RUNNING, player))
            return raw is None or match_id not in json.loads(raw)

        if not await self._follower.wait_until(ended, self._settings.fold_patience_ms):
            raise FailedPrecondition("match_running", "the match has not ended", match_id=match_id)


def _offer(word: str, stored: dict[str, Any], now_ms: int) -> Offer:
    players = tuple(sorted(stored.get("yes") or ()))
    until = int(stored.get("until", 0))
    if word == "promised":
        return Offer(OfferState.OFFERED, players, until, promised=True)
    if word == "agreed":
        return Offer(OfferState.AGREED, players, until, stored["match"])
    if until <= now_ms:
        return Offer(OfferState.NONE)
    return Offer(OfferState.OFFERED, players, until)
