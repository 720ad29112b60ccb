"""The use cases: what callers may ask of a match, in the terms of the match layer."""

from __future__ import annotations

import re
import secrets as random_source
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from spielwerk.api.log.v1 import record_pb2
from spielwerk.chance import SEED_BYTES, commitment, decision_seed
from spielwerk.clock import Clock
from spielwerk.errors import AlreadyExists, InvalidArgument, Refused, StaleTurn, Unclear
from spielwerk.games import registry
from spielwerk.games.game import Resign, Seat
from spielwerk.log.subjects import check_match_id
from spielwerk.match import decide
from spielwerk.match.decide import Decided
from spielwerk.match.model import (
    Bot,
    CauseKind,
    Match,
    Occupant,
    Opened,
    Origin,
    Receipt,
    Record,
    Secrets,
    WatchPolicy,
)
from spielwerk.match.occupants import seated
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.appending import Appended
from spielwerk_rules.judging import Judging
from spielwerk_rules.matches import First, Matches
from spielwerk_rules.seats import bot_at, seat_in

_COMMAND_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_LONGEST_REASON = 200
ReadCommand = Callable[[Match], Any]
"""Reads a request's command once the game is known; raises InvalidArgument (bad_command)."""


@dataclass(frozen=True, slots=True)
class NewMatch:
    """What CreateMatch asks for; `rated` and `seating_ms` None: the usual."""

    match_id: str
    game: str
    read_options: Callable[[Any], Any]
    occupants: tuple[Occupant, ...]
    watch: WatchPolicy
    rated: bool | None
    seating_ms: int
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """A command that is in the log: its record and the match it belongs to."""

    match: Match
    record: Record
    seat: Seat
    repeated: bool
    message: record_pb2.Record | None = None
    """The record as it is stored, where it is at hand."""


@dataclass(frozen=True, slots=True)
class BotTurn:
    """What a bot's policy may read for one decision."""

    match: Match
    bot: Bot
    seat: Seat
    decision_seed: bytes


class Commands:
    """All changes of matches; one object a process."""

    def __init__(self, matches: Matches, judging: Judging, clock: Clock, metrics: Metrics) -> None:
        self._matches = matches
        self._judging = judging
        self._clock = clock
        # Looking a child up costs as much as counting.
        outcomes = ("accepted", "repeated", "refused", "unclear")
        self._accepted, self._repeated, self._refused, self._unclear = map(
            metrics.commands.labels, outcomes
        )

    async def create(self, new: NewMatch) -> int:
        """Open a match under the caller's id; a repeat with the same content is the same match."""
        check_match_id(new.match_id)
        game = registry.newest(new.game)
        seed, bot_seed = (random_source.token_bytes(SEED_BYTES) for _ in range(2))
        has_bot = any(isinstance(o, Bot) for o in new.occupants)
        opened = Opened(
            game=game.key,
            rules_version=game.rules_version,
            options=new.read_options(game),
            occupants=seated(game, new.occupants),
            watch=new.watch,
            rated=not has_bot if new.rated is None else new.rated,
            commitment=commitment(seed),
            bot_commitment=commitment(bot_seed),
            seating_ms=new.seating_ms,
            origin=new.origin,
        )
        decided = decide.open_match(
            new.match_id, game, opened, Secrets(seed, bot_seed), self._clock.now_ms()
        )
        made = await self._matches.open(new.match_id, decided)
        if isinstance(made, Match) and _asked(made.opened) != _asked(opened):
            raise AlreadyExists("match_exists", "the id belongs to another match")
        return made.version if isinstance(made, Match) else made.record.version

    async def join(self, match_id: str, player_id: str, entropy: bytes) -> tuple[Seat, int]:
        """Take the player's seat; idempotent. Returns seat and the match's version."""

        def step(match: Match) -> Decided | First | Match:
            now = self._clock.now_ms()
            decided = decide.join(match, seat_in(match, player_id), entropy, now)
            if decided is None:
                return match
            return self._judging.before_command(match, now) or decided

        done = await self._judging.change(check_match_id(match_id), step)
        match = done.match if isinstance(done, Appended) else done
        return seat_in(match, player_id), match.version

    def submit(
        self, match_id: str, player_id: str, command_id: str, read: ReadCommand, turn_key: str
    ) -> Coroutine[Any, Any, Accepted]:
        """A player's command for its own seat."""

        def seat_of(match: Match) -> Seat:
            return seat_in(match, player_id)

        return self._submit(match_id, seat_of, CauseKind.PLAYER, command_id, read, turn_key)

    async def submit_for_bot(
        self, match_id: str, seat: Seat, command_id: str, read: ReadCommand, turn_key: str
    ) -> Accepted:
        """A command for a seat that the installation plays; always for one turn."""
        if not turn_key:
            raise InvalidArgument("bad_request", "turn_key is missing", field="turn_key")

        def seat_of(match: Match) -> Seat:
            bot_at(match, seat)
            return seat

        return await self._submit(match_id, seat_of, CauseKind.BOT, command_id, read, turn_key)

    async def resign(self, match_id: str, player_id: str, command_id: str) -> Accepted:
        """Give up the player's seat."""
        return await self.submit(match_id, player_id, command_id, lambda _: Resign(), "")

    async def expire(self, match_id: str, seat: Seat, turn_key: str) -> int:
        """End an overdue turn."""

        def step(match: Match) -> Decided | First:
            now = self._clock.now_ms()
            first = self._judging.before_expiry(match, seat, now)
            return first or decide.expire(match, seat, turn_key, now)

        return _version(await self._judging.change(check_match_id(match_id), step))

    async def abort(self, match_id: str, reason: str) -> int:
        """End a match without a result."""

        if len(reason) > _LONGEST_REASON:
            raise InvalidArgument("bad_request", "the reason is too long", field="reason")

        def step(match: Match) -> Decided | Match:
            return decide.abort(match, reason, self._clock.now_ms())

        return _version(await self._matches.change(check_match_id(match_id), step))

    async def bot_turn(self, match_id: str, seat: Seat, turn_key: str) -> BotTurn:
        """What the bot at the seat may know for its open turn."""

        def step(match: Match) -> BotTurn:
            bot = bot_at(match, seat)
            turn = match.turns.get(seat)
            if turn is None or turn.key != turn_key:
                raise StaleTurn(turn_key, turn.key if turn else None)
            seed = decision_seed(match.secrets.bot_seed, seat, turn_key)
            return BotTurn(match, bot, seat, seed)

        return await self._matches.ask(check_match_id(match_id), step)

    async def _submit(
        self,
        match_id: str,
        seat_of: Callable[[Match], Seat],
        kind: CauseKind,
        command_id: str,
        read: ReadCommand,
        turn_key: str,
    ) -> Accepted:
        if not _COMMAND_ID.fullmatch(command_id):
            raise InvalidArgument("bad_command_id", "1 to 64 of [0-9A-Za-z_-]", field="command_id")

        def step(match: Match) -> Decided | First | tuple[Match, Seat, Receipt]:
            seat = seat_of(match)
            command = read(match)
            receipt = decide.receipt_of(match, seat, command_id, command)
            if receipt is not None:
                return match, seat, receipt
            now = self._clock.now_ms()
            return self._judging.before_command(match, now) or decide.submit(
                match, kind, seat, command_id, command, turn_key, now
            )

        try:
            done = await self._judging.change(check_match_id(match_id), step)
        except Refused:
            self._refused.inc()
            raise
        except Unclear:
            self._unclear.inc()
            raise
        if isinstance(done, Appended):
            self._accepted.inc()
            record, seat = done.record, done.record.cause.seat
            assert seat is not None, "a command has a seat"
            return Accepted(done.match, record, seat, repeated=False, message=done.message)
        self._repeated.inc()
        match, seat, receipt = done
        record = await self._matches.record_at(match, receipt.sequence)
        return Accepted(match, record, seat, repeated=True)


def _asked(opened: Opened) -> tuple[Any, ...]:
    """What a caller of CreateMatch decides; the seeds differ from call to call."""
    return (
        opened.game,
        opened.options,
        opened.occupants,
        opened.watch,
        opened.rated,
        opened.origin,
    )


def _version(done: Appended | Match) -> int:
    return done.record.version if isinstance(done, Appended) else done.version
