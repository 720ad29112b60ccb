"""What follows when a seat lets its time run out or leaves the series (clause 10)."""

from __future__ import annotations

from dataclasses import replace

from spielwerk.chance import Chance
from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import By
from spielwerk.games.skat.course import (
    Steps,
    contract_of,
    deal_of,
    end_series,
    reached,
    score,
    settle_auction,
)
from spielwerk.games.skat.events import Passed, Resigned, TimedOut
from spielwerk.games.skat.forfeits import given_up
from spielwerk.games.skat.model import DealReason, Phase, SeriesReason
from spielwerk.games.skat.options import AnnounceTimeoutLoss
from spielwerk.games.skat.scoring import Reached, Verdict

LAST_TIMEOUT = 2
"""So many timeouts of a seat in a row end the series (clause 10.7)."""


def time_out(steps: Steps, chance: Chance, seat: Seat, turn_key: str) -> None:
    """The seat did not act in time."""
    in_a_row = steps.state.series.timeouts[seat] + 1
    steps.emit(TimedOut(seat, turn_key, steps.state.phase, in_a_row))
    leaves = in_a_row >= LAST_TIMEOUT
    _give_up(steps, chance, seat, DealReason.TIMEOUT, leaves=leaves)


def resign(steps: Steps, chance: Chance, seat: Seat) -> None:
    """As the second timeout in a row of the seat (clause 10.8)."""
    steps.emit(Resigned(seat))
    _give_up(steps, chance, seat, DealReason.RESIGNED, leaves=True)


def _give_up(steps: Steps, chance: Chance, seat: Seat, reason: DealReason, *, leaves: bool) -> None:
    phase, abandoner = steps.state.phase, seat if leaves else None
    if phase is Phase.PLAY:
        _lose_play(steps, chance, seat, reason, abandoner)
    elif phase is not Phase.AUCTION and seat == deal_of(steps).declarer:
        verdict = undeclared(deal_of(steps).bid)
        if steps.state.options.announce_timeout_loss is AnnounceTimeoutLoss.SINGLE_BID:
            verdict = replace(verdict, times=1)
        score(steps, chance, reason, verdict, Reached(0, 0, 0, 0), abandoner)
    elif leaves:
        end_series(steps, SeriesReason.ABANDONED, by=seat, deal_void=True)
    else:
        steps.emit(Passed(seat, By.TIMEOUT))
        settle_auction(steps, chance)


def undeclared(bid: int) -> Verdict:
    """A game that was never announced is lost at the bid (clause 10.3)."""
    return Verdict(game_value=bid, made=False, won=False, loss_value=bid)


def _lose_play(
    steps: Steps, chance: Chance, seat: Seat, reason: DealReason, abandoner: Seat | None
) -> None:
    deal, held = deal_of(steps), reached(steps.state)
    verdict = given_up(
        contract_of(steps),
        deal.bid,
        deal.twelve,
        held,
        by_declarer=seat == deal.declarer,
        respects_decided=steps.state.options.timeout_respects_decided,
    )
    score(steps, chance, reason, verdict, held, abandoner)
