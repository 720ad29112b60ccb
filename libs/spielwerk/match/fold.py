"""Records to match: folding never refuses for the rules' sake, never draws and never reads a clock.

What cannot be folded (a gap, a foreign hash, turns that do not follow) is MatchDamaged: the log is
not what we wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from spielwerk.errors import MatchDamaged
from spielwerk.games.game import AnyGame, Emitted, Seat
from spielwerk.match.model import (
    JOIN,
    RECEIPTS,
    Aborted,
    ClockShifted,
    Ended,
    Joined,
    Match,
    Opened,
    OpenTurn,
    Phase,
    Receipt,
    Record,
)
from spielwerk.match.outages import shifted

Entropies: TypeAlias = tuple[bytes | None, ...]
Registry = Callable[[str, str], AnyGame]
"""(game, rules version) -> Game; raises Unavailable for a version this process does not know."""


def fold(
    match: Match | None, record: Record, sha256: bytes, sequence: int, find: Registry
) -> Match:
    """The match after one more record, stored at `sequence` with the given hash of its bytes."""
    if match is None:
        after = _first(record, find)
    else:
        _check_place(match, record)
        after = apply(match, record.events, record.version, record.recorded_at_ms)
    if turns_list(after) != record.turns:
        raise MatchDamaged(record.match_id, record.version, "its turns do not follow")
    return finish(after, record, sha256, sequence)


def fold_all(
    records: Iterable[tuple[Record, bytes, int]], find: Registry, match: Match | None = None
) -> Match | None:
    """Fold (record, hash of its bytes, stream sequence) one after another."""
    for record, sha256, sequence in records:
        match = fold(match, record, sha256, sequence, find)
    return match


def apply(match: Match, events: Sequence[Any], version: int, now_ms: int) -> Match:
    """State, phase and turns after a record's events; head and receipts are not yet its own."""
    if isinstance(events, Emitted) and events.follows(match.state, match.game.evolve):
        folded = _Folded(
            match.entropies, events.after, match.turns, match.ended, match.accounted_ms
        )
    else:
        folded = _folded(match, events)
    phase = _phase(folded.state, folded.ended)
    return Match(
        match_id=match.match_id,
        game=match.game,
        opened=match.opened,
        secrets=match.secrets,
        version=version,
        recorded_at_ms=now_ms,
        phase=phase,
        entropies=folded.entropies,
        state=folded.state,
        turns=_TURNS[phase](match, folded.entropies, folded.state, now_ms, folded.turns),
        receipts=match.receipts,
        head_sha256=match.head_sha256,
        accounted_ms=folded.accounted_ms,
        ended=folded.ended,
    )


class _Folded(NamedTuple):
    """What events change."""

    entropies: Entropies
    state: Any
    turns: Mapping[Seat, OpenTurn]
    ended: Ended | None
    accounted_ms: int


def _folded(match: Match, events: Sequence[Any]) -> _Folded:
    evolve = match.game.evolve
    entropies, state, ended, turns = match.entropies, match.state, match.ended, match.turns
    accounted_ms = match.accounted_ms
    for event in events:
        match event:
            case Joined(seat, entropy):
                entropies = tuple(entropy if s == seat else e for s, e in enumerate(entropies))
            case ClockShifted():
                turns = {seat: shifted(turn, event) for seat, turn in turns.items()}
                accounted_ms = event.until_ms
            case Aborted():
                pass  # the Ended after it says what follows
            case Ended():
                ended = event
            case _:
                state = evolve(_empty_table(match) if state is None else state, event)
    return _Folded(entropies, state, turns, ended, accounted_ms)


def finish(match: Match, record: Record, sha256: bytes, sequence: int) -> Match:
    """The applied match with its head, and a receipt if the record answers a client's command."""
    cause = record.cause
    receipts = match.receipts
    if cause.command_id and cause.seat is not None:
        receipt = Receipt(cause.command_id, _shared(cause.command), record.version, sequence)
        kept = (*receipts[cause.seat], receipt)[-RECEIPTS:]
        receipts = tuple([kept if s == cause.seat else r for s, r in enumerate(receipts)])
    return Match(  # with all fields, which takes a third of `replace`
        match_id=match.match_id,
        game=match.game,
        opened=match.opened,
        secrets=match.secrets,
        version=match.version,
        recorded_at_ms=match.recorded_at_ms,
        phase=match.phase,
        entropies=match.entropies,
        state=match.state,
        turns=match.turns,
        receipts=receipts,
        head_sha256=sha256,
        accounted_ms=match.accounted_ms,
        ended=match.ended,
    )


@lru_cache(maxsize=4096)
def _shared(command: Any) -> Any:
    """One object for equal commands: thousands of matches remember few different ones."""
    return command


def opened_match(opened: Opened, record: Record, game: AnyGame) -> Match:
    """The match before the first record's game events."""
    if record.secrets is None:
        raise MatchDamaged(record.match_id, record.version, "it opens no match")
    seats = len(opened.occupants)
    return Match(
        match_id=record.match_id,
        game=game,
        opened=opened,
        secrets=record.secrets,
        version=record.version,
        recorded_at_ms=record.recorded_at_ms,
        phase=Phase.SEATING,
        entropies=(None,) * seats,
        state=None,
        turns={},
        receipts=((),) * seats,
        head_sha256=b"",
        accounted_ms=record.recorded_at_ms,
    )


def turns_list(match: Match) -> tuple[OpenTurn, ...]:
    """The open turns in seat order, as records carry them."""
    turns = match.turns
    return tuple([turns[seat] for seat in sorted(turns)])


def _first(record: Record, find: Registry) -> Match:
    opened = record.events[0] if record.events else None
    if record.version != 1 or not isinstance(opened, Opened):
        raise MatchDamaged(record.match_id, record.version, "it opens no match")
    match = opened_match(opened, record, find(opened.game, opened.rules_version))
    return apply(match, record.events[1:], record.version, record.recorded_at_ms)


def _check_place(match: Match, record: Record) -> None:
    if record.match_id != match.match_id:
        raise MatchDamaged(match.match_id, record.version, f"it belongs to {record.match_id}")
    if record.version != match.version + 1:
        raise MatchDamaged(match.match_id, record.version, f"version {match.version + 1} is due")
    if record.previous_sha256 != match.head_sha256:
        raise MatchDamaged(match.match_id, record.version, "its previous hash does not follow")
    if match.phase is Phase.ENDED:
        raise MatchDamaged(match.match_id, record.version, "the match had ended")
    if record.recorded_at_ms < match.recorded_at_ms:
        raise MatchDamaged(match.match_id, record.version, "its time goes back")


def _empty_table(match: Match) -> object:
    return match.game.setup(match.opened.options, len(match.opened.occupants))


def _phase(state: object, ended: Ended | None) -> Phase:
    if ended is not None:
        return Phase.ENDED
    return Phase.SEATING if state is None else Phase.PLAYING


def _game_turns(
    match: Match, _: Entropies, state: Any, now: int, before: Mapping[Seat, OpenTurn]
) -> dict[Seat, OpenTurn]:
    """A turn keeps its deadline while its key stays: another seat's move never shifts it."""
    turns: dict[Seat, OpenTurn] = {}
    for seat, turn in match.game.turns(state).items():
        old = before.get(seat)
        if old is not None and old.key == turn.key:
            turns[seat] = old
            continue
        timed = turn.allowance_ms is not None and not match.is_bot(seat)
        deadline = now + (turn.allowance_ms or 0) if timed else None
        turns[seat] = OpenTurn(seat, turn.key, now, deadline)
    return turns


def _seating_turns(
    match: Match, entropies: Entropies, _: Any, now: int, before: Mapping[Seat, OpenTurn]
) -> dict[Seat, OpenTurn]:
    deadline = now + match.opened.seating_ms
    return {
        seat: before.get(seat) or OpenTurn(seat, JOIN, now, deadline)
        for seat, given in enumerate(entropies)
        if given is None and not match.is_bot(seat)
    }


def _no_turns(*_: Any) -> dict[Seat, OpenTurn]:
    return {}


_TURNS: Mapping[Phase, Callable[..., dict[Seat, OpenTurn]]] = {
    Phase.SEATING: _seating_turns,
    Phase.PLAYING: _game_turns,
    Phase.ENDED: _no_turns,
}


def is_end(record: Record) -> bool:
    """Whether the match ends with this record."""
    return bool(record.events) and isinstance(record.events[-1], Ended)
