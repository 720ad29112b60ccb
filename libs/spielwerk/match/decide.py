"""Commands to records: each function returns the record that the command becomes, or raises.

A record is the whole outcome: the start of the game rides in the last Join's record, the end in the
last move's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from spielwerk.chance import HmacChance, draw_key
from spielwerk.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
    StaleTurn,
)
from spielwerk.games.game import AnyGame, Context, Resign, Result, Seat, TimeOut
from spielwerk.match.canonical import digest
from spielwerk.match.fold import apply, opened_match, turns_list
from spielwerk.match.model import (
    DIGEST_EVERY,
    GRACE_MS,
    JOIN,
    Aborted,
    Bot,
    Cause,
    CauseKind,
    Ended,
    Joined,
    Match,
    Opened,
    Outage,
    Phase,
    Receipt,
    Record,
    Secrets,
)
from spielwerk.match.occupants import check_occupants
from spielwerk.match.outages import is_due, shift_of

ENTROPY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Decided:
    """A record to append and the match after it, still without head and receipt (see
    fold.finish)."""

    record: Record
    after: Match


def open_match(
    match_id: str, game: AnyGame, opened: Opened, secrets: Secrets, now_ms: int
) -> Decided:
    """The first record. A match without human seats starts at once."""
    check_occupants(game, opened)
    cause = Cause(CauseKind.SYSTEM)
    blank = Record(match_id, 1, now_ms, cause, (opened,), (), b"", secrets=secrets)
    match = opened_match(opened, blank, game)
    everyone_there = all(isinstance(o, Bot) for o in opened.occupants)
    events = _start(match) if everyone_there else ()
    return _seal(match, cause, events, now_ms, first=blank)


def join(match: Match, seat: Seat, entropy: bytes, now_ms: int) -> Decided | None:
    """Take the seat; None if it was taken before (the first entropy stays)."""
    if len(entropy) not in (0, ENTROPY_BYTES):
        raise InvalidArgument("bad_entropy", "entropy is 0 or 32 bytes")
    if match.is_bot(seat):
        raise PermissionDenied("not_a_player")
    if match.entropies[seat] is not None:
        return None
    if match.phase is Phase.ENDED:
        raise FailedPrecondition("match_over")
    joined = Joined(seat, entropy)
    given = tuple(entropy if s == seat else e for s, e in enumerate(match.entropies))
    there = replace(match, entropies=given)
    waiting = [s for s, e in enumerate(given) if e is None and not match.is_bot(s)]
    events = (joined,) if waiting else (joined, *_start(there))
    return _seal(match, Cause(CauseKind.PLAYER, seat), events, now_ms)


def receipt_of(match: Match, seat: Seat, command_id: str, command: Any) -> Receipt | None:
    """What became of the command id before; AlreadyExists if it was another command."""
    for receipt in match.receipts[seat]:
        if receipt.command_id == command_id:
            if receipt.command != command:
                raise AlreadyExists("command_id_reused", version=str(receipt.version))
            return receipt
    return None


def submit(
    match: Match,
    kind: CauseKind,
    seat: Seat,
    command_id: str,
    command: Any,
    turn_key: str,
    now_ms: int,
) -> Decided:
    """One command of a seat; raises Illegal, StaleTurn, FailedPrecondition (match_over,
    not_started)."""
    if isinstance(command, TimeOut):
        raise PermissionDenied("not_for_players", "turns are ended by the timer alone")
    if match.phase is Phase.ENDED:
        raise FailedPrecondition("match_over")
    if match.phase is Phase.SEATING:
        raise FailedPrecondition("not_started")
    if turn_key and (seat not in match.turns or match.turns[seat].key != turn_key):
        raise StaleTurn(turn_key, match.turns[seat].key if seat in match.turns else None)
    now_ms = max(now_ms, match.recorded_at_ms)
    events = match.game.decide(match.state, seat, command, _context(match, now_ms))
    return _seal(match, Cause(kind, seat, command_id, command), events, now_ms)


def resign(match: Match, seat: Seat, command_id: str, now_ms: int) -> Decided:
    """The game's resign command of a player."""
    return submit(match, CauseKind.PLAYER, seat, command_id, Resign(), "", now_ms)


def expire(match: Match, seat: Seat, turn_key: str, now_ms: int) -> Decided:
    """End an overdue turn; StaleTurn if it is not open, FailedPrecondition (not_overdue) with the
    time left.

    A move recorded before the timeout is in time: the order of the log decides.
    """
    turn = match.turns.get(seat)
    if turn is None or turn.key != turn_key:
        raise StaleTurn(turn_key, turn.key if turn else None)
    now_ms = max(now_ms, match.recorded_at_ms)
    if turn.deadline_ms is None:
        raise FailedPrecondition("not_overdue", "the turn has no deadline")
    if now_ms < turn.deadline_ms + GRACE_MS:
        due = str(turn.deadline_ms + GRACE_MS)
        raise FailedPrecondition("not_overdue", due_ms=due, now_ms=str(now_ms))
    if turn_key == JOIN and match.phase is Phase.SEATING:
        ended = _ended(match, None, "no_show")
        return _seal(match, Cause(CauseKind.TIMER, seat), (ended,), now_ms)
    command = TimeOut(seat, turn_key)
    events = match.game.decide(match.state, None, command, _context(match, now_ms))
    return _seal(match, Cause(CauseKind.TIMER, seat, "", command), events, now_ms)


def shift_clock(match: Match, outage: Outage, now_ms: int) -> Decided:
    """Account for an outage: it punishes nobody. FailedPrecondition (not_touched) unless it took
    time from an open turn and was not accounted for."""
    if match.phase is Phase.ENDED:
        raise FailedPrecondition("match_over")
    if outage.from_ms >= outage.until_ms:
        raise InvalidArgument("bad_outage", "an outage ends after it began")
    if not is_due(match, outage):
        raise FailedPrecondition("not_touched", "the outage took no time from an open turn")
    # It is over, even if our reading of the log's clock is a little behind.
    now_ms = max(now_ms, outage.until_ms)
    return _seal(match, Cause(CauseKind.SYSTEM), (shift_of(outage),), now_ms)


def abort(match: Match, reason: str, now_ms: int) -> Decided:
    """End the match without a result; the seeds are published all the same."""
    if match.phase is Phase.ENDED:
        raise FailedPrecondition("match_over")
    events = (Aborted(reason), _ended(match, None, "aborted"))
    return _seal(match, Cause(CauseKind.OPERATOR), events, now_ms)


def _seal(
    match: Match, cause: Cause, events: Sequence[Any], now_ms: int, first: Record | None = None
) -> Decided:
    """Number the events' record, add the end if the game is over, and fold it."""
    now_ms = max(now_ms, match.recorded_at_ms)
    version = match.version if first else match.version + 1
    after = apply(match, events, version, now_ms)
    over = after.ended is None and after.state is not None
    result = match.game.result(after.state) if over else None
    if result is not None:
        ended = _ended(after, result, result.reason)
        events = (*events, ended)
        after = replace(after, ended=ended, phase=Phase.ENDED, turns={})
    record = Record(
        match_id=match.match_id,
        version=version,
        recorded_at_ms=now_ms,
        cause=cause,
        events=(*first.events, *events) if first else tuple(events),
        turns=turns_list(after),
        previous_sha256=match.head_sha256,
        state_sha256=_digest_if_due(after, events),
        secrets=first.secrets if first else None,
    )
    return Decided(record, after)


def _digest_if_due(after: Match, events: Sequence[Any]) -> bytes:
    due = (
        after.version % DIGEST_EVERY == 0
        or after.phase is Phase.ENDED
        or not _deal_ends(after.game).isdisjoint(map(type, events))
    )
    return digest(after.state) if due and after.state is not None else b""


@cache
def _deal_ends(game: AnyGame) -> frozenset[type]:
    """Events of the game after which the state is digested."""
    return frozenset(game.deal_ends)


def _start(match: Match) -> tuple[Any, ...]:
    state = match.game.setup(match.opened.options, len(match.opened.occupants))
    return match.game.start(state, _context(match, match.recorded_at_ms))


def _context(match: Match, now_ms: int) -> Context:
    def elapsed(seat: Seat) -> int:
        turn = match.turns.get(seat)
        return max(0, now_ms - turn.since_ms) if turn else 0

    bots = frozenset([s for s, who in enumerate(match.opened.occupants) if isinstance(who, Bot)])
    return Context(_chance(match.match_id, match.secrets.seed, match.entropies), elapsed, bots)


@lru_cache(maxsize=4096)
def _chance(match_id: str, seed: bytes, entropies: tuple[bytes | None, ...]) -> HmacChance:
    return HmacChance(draw_key(seed, [entropy or b"" for entropy in entropies]), match_id)


def _ended(match: Match, result: Result | None, reason: str) -> Ended:
    opened = match.opened
    return Ended(
        result=result,
        reason=reason,
        seed=match.secrets.seed,
        bot_seed=match.secrets.bot_seed,
        game=opened.game,
        rules_version=opened.rules_version,
        occupants=opened.occupants,
        rated=opened.rated,
        origin=opened.origin,
        joined=match.joined,
    )
