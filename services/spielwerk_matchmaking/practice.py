"""Matches of one player against bots, at once and not rated."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from spielwerk.clock import Clock
from spielwerk.errors import AlreadyExists, Refused, ResourceExhausted
from spielwerk.log.subjects import new_match_id
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.choices import Choice, check_request_id, fingerprint
from spielwerk_matchmaking.launch import Launch, Matches
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.sittings import Sitting, bot_sitting, check_seat
from spielwerk_matchmaking.store import Store


@dataclass(frozen=True, slots=True)
class Wish:
    """A practice match: strengths of bots by seat, and of all other seats ("": the usual)."""

    choice: Choice
    seat: int
    bots: Mapping[int, str]
    strength: str


class Practice:
    """Starts practice matches."""

    def __init__(
        self, store: Store, matches: Matches, clock: Clock, settings: MatchmakingSettings
    ) -> None:
        self._store = store
        self._matches = matches
        self._clock = clock
        self._settings = settings

    async def start(self, player: str, wish: Wish, request_id: str) -> str:
        """The id of the match, which exists now; a repeat of the request gives the same one."""
        check_request_id(request_id)
        seats = _table(player, wish)
        request_key = keys.request(player, request_id)
        match_id = await self._promised(player, wish, request_key)
        launch = Launch(
            match_id=match_id,
            game=wish.choice.game.key,
            options=wish.choice.options,
            seats=seats,
            watch="participants",
            origin="practice",
            rated=False,
        )
        try:
            await self._matches.create(launch.request())
        except Refused:
            await self._store.whole(self._store.redis.delete(request_key))
            raise
        return match_id

    async def _promised(self, player: str, wish: Wish, request_key: str) -> str:
        now, rate = self._clock.now_ms(), self._settings.practice_rate
        bots = sorted(wish.bots.items())
        parts = ("practice", wish.choice.queue, wish.seat, bots, wish.strength)
        word, detail = await self._store.run(
            "practice",
            (request_key, keys.rate("practice", player), keys.RUNNING),
            (
                now,
                player,
                new_match_id(now, secrets.token_bytes(10)),
                fingerprint(parts),
                self._settings.request_ms,
                rate.interval_ms,
                rate.burst,
                self._settings.practices_per_player,
            ),
        )
        match word:
            case "request_id_reused":
                raise AlreadyExists("request_id_reused", "the id belongs to another request")
            case "too_many_matches":
                raise ResourceExhausted("too_many_matches", "end one of your matches first")
            case "too_fast":
                raise ResourceExhausted("too_fast", retry_after=float(detail) / 1000)
        return str(detail)


def _table(player: str, wish: Wish) -> tuple[Sitting, ...]:
    game, count = wish.choice.game, wish.choice.seats
    for seat in (wish.seat, *wish.bots):
        check_seat(seat, count)
    others = wish.strength or game.usual_bot
    return tuple(
        Sitting(player=player)
        if seat == wish.seat
        else bot_sitting(game, wish.bots.get(seat, others))
        for seat in range(count)
    )
