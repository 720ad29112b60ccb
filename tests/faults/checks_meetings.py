"""One match at a time from the queue for every player, and none after an acknowledged cancel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from faults.history import History, Invocation, Outcome, Pairing
from faults.witness import Witness
from spielwerk.match.model import Human, Opened, Origin


def check_double_booking(witness: Witness, history: History) -> list[str]:
    """Players in two queue matches at a time, matches from cancelled tickets or from none, and
    pairings that the log does not know."""
    stays = stays_of(witness)
    return [
        *_overlaps(stays),
        *_invented(witness, history),
        *_after_cancel(stays, history),
        *_without_ticket(stays, history),
    ]


@dataclass(frozen=True, slots=True)
class _Stay:
    """A player's time in a queue match, in stream sequences; a running match has no end. A void
    one (nobody came) puts those who came back into the queue with their tickets."""

    opened: int
    ended: float
    match_id: str
    void: bool


def stays_of(witness: Witness) -> dict[str, list[_Stay]]:
    """Everybody's queue matches in the order in which they were opened."""
    stays: dict[str, list[_Stay]] = defaultdict(list)
    for match_id, messages in witness.stored.items():
        opened = _opened(witness, match_id)
        if opened is None or opened.origin is not Origin.QUEUE:
            continue
        ended = witness.ended(match_id)
        until = inf if ended is None else messages[-1].sequence
        void = ended is not None and ended.result is None
        stay = _Stay(messages[0].sequence, until, match_id, void)
        for occupant in opened.occupants:
            if isinstance(occupant, Human):
                stays[occupant.player_id].append(stay)
    return {player: sorted(known, key=lambda stay: stay.opened) for player, known in stays.items()}


def _overlaps(stays: dict[str, list[_Stay]]) -> Iterator[str]:
    for player, known in stays.items():
        last: _Stay | None = None
        for stay in known:
            if last is not None and stay.opened < last.ended:
                yield f"{player} was in {last.match_id} and in {stay.match_id} at a time"
            if last is None or stay.ended > last.ended:
                last = stay


def _invented(witness: Witness, history: History) -> Iterator[str]:
    for told in history.pairings:
        opened = _opened(witness, told.match_id)
        if opened is None or Human(told.player_id) not in opened.occupants:
            yield f"{told.player_id} was told of {told.match_id}, which the log does not know"


def _after_cancel(stays: dict[str, list[_Stay]], history: History) -> Iterator[str]:
    """Matches of a ticket told after its cancel was acknowledged, or before and not void."""
    cancelled = {one.ticket_id: one for one in _acknowledged(history, "cancel") if one.ticket_id}
    void = {s.match_id for known in stays.values() for s in known if s.void}
    for told in history.pairings:
        one = cancelled.get(told.ticket_id)
        if one is not None and (told.match_id not in void or _later(told, one)):
            yield f"{told.player_id}: ticket {told.ticket_id} was cancelled, got {told.match_id}"


def _without_ticket(stays: dict[str, list[_Stay]], history: History) -> Iterator[str]:
    """More matches of a player than tickets that may have led to one; only of players whose
    tickets the history has."""
    asked: dict[str, list[Invocation]] = defaultdict(list)
    for one in history.invocations:
        if one.operation == "enqueue" and one.outcome is not Outcome.REFUSED:
            asked[one.player_id].append(one)
    cancelled = {one.ticket_id for one in _acknowledged(history, "cancel")}
    for player, enqueued in asked.items():
        tickets = {one.ticket_id or f"unknown {one.number}" for one in enqueued} - cancelled
        matches = [stay.match_id for stay in stays.get(player, ()) if not stay.void]
        if len(matches) > len(tickets):
            yield f"{player}: {len(tickets)} tickets that were not cancelled led to {matches}"


def _acknowledged(history: History, operation: str) -> Iterator[Invocation]:
    for one in history.invocations:
        if one.operation == operation and one.outcome is Outcome.OK:
            yield one


def _later(told: Pairing, one: Invocation) -> bool:
    return one.answered_at is not None and told.at > one.answered_at


def _opened(witness: Witness, match_id: str) -> Opened | None:
    records = witness.records(match_id)
    first = records[0].events[0] if records and records[0].events else None
    return first if isinstance(first, Opened) else None
