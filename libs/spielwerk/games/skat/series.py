"""What a series adds up: list and Seeger-Fabian points, fees, places and the result (clause 9)."""

from __future__ import annotations

from spielwerk.games.game import Result, Seat, Standing
from spielwerk.games.skat.model import SEATS, BySeat, Deal, DealReason, Outcome, Series, State
from spielwerk.games.skat.options import AbortRanking, LossFee, Options, Points
from spielwerk.games.skat.scoring import Reached, Verdict

OWN_GAME = 50
OTHERS_LOSS = 40
"""Seeger-Fabian points at a table of three (clause 9.2)."""


def scored(
    state: State, deal: Deal, reason: DealReason, verdict: Verdict, reached: Reached
) -> Outcome:
    """The outcome of a deal with a declarer."""
    declarer = deal.who
    lost_before = state.series.lost[declarer]
    fee = 0 if verdict.won else fee_milli(state.options.loss_fee, lost_before + 1)
    return Outcome(
        deal_no=deal.number,
        reason=reason,
        declarer=declarer,
        bid=deal.bid,
        contract=deal.contract,
        matadors=verdict.matadors,
        level=verdict.level,
        game_value=verdict.game_value,
        points=reached.points,
        declarer_tricks=reached.declarer_tricks,
        defender_tricks=reached.defender_tricks,
        schneider=verdict.schneider,
        schwarz=verdict.schwarz,
        made=verdict.made,
        overbid=verdict.overbid,
        won=verdict.won,
        loss_value=verdict.loss_value,
        list_score=verdict.list_score,
        seeger_fabian=seeger_fabian_of(declarer, verdict.list_score, won=verdict.won),
        fee_milli=fee,
    )


def seeger_fabian_of(declarer: Seat, list_score: int, *, won: bool) -> tuple[int, ...]:
    """What a deal brings each seat (clause 9.2)."""
    own = list_score + (OWN_GAME if won else -OWN_GAME)
    other = 0 if won else OTHERS_LOSS
    return tuple([own if seat == declarer else other for seat in SEATS])


def fee_milli(tariffs: tuple[LossFee, ...], lost_games: int) -> int:
    """What the seat's lost game of this number costs (clause 9.6)."""
    fees = [fee.amount_milli for fee in tariffs if fee.from_count <= lost_games]
    return fees[-1] if fees else 0


def with_outcome(series: Series, outcome: Outcome) -> Series:
    """The totals after one more scored deal."""
    declarer = outcome.declarer
    won, lost = outcome.won, declarer is not None and not outcome.won
    return Series(
        scored=series.scored + 1,
        list_points=_plus(series.list_points, declarer, outcome.list_score),
        won=_plus(series.won, declarer, won),
        lost=_plus(series.lost, declarer, lost),
        fees_milli=_plus(series.fees_milli, declarer, outcome.fee_milli),
        timeouts=series.timeouts,
        last=outcome,
        laid_open=series.laid_open,
        ended=series.ended,
        abandoned_by=series.abandoned_by,
    )


def seeger_fabian(series: Series) -> BySeat:
    """List points, 50 for each own game won or lost, 40 for each game lost by another seat."""
    all_lost = sum(series.lost)

    def total(seat: Seat) -> int:
        own = OWN_GAME * (series.won[seat] - series.lost[seat])
        return series.list_points[seat] + own + OTHERS_LOSS * (all_lost - series.lost[seat])

    return total(0), total(1), total(2)


def totals(series: Series, points: Points) -> BySeat:
    """The series by one of the two ways to count."""
    return seeger_fabian(series) if points is Points.SEEGER_FABIAN else series.list_points


def places(options: Options, series: Series, abandoner: Seat | None) -> BySeat:
    """By total, then more games won, then fewer lost, then shared (clause 9.4)."""
    total = totals(series, options.standing)
    last = abandoner if options.abort_ranking is AbortRanking.ABANDONER_LAST else None
    keys = [(seat != last, total[seat], series.won[seat], -series.lost[seat]) for seat in SEATS]

    def place(seat: Seat) -> int:
        return 1 + sum(key > keys[seat] for key in keys)

    return place(0), place(1), place(2)


def result(state: State) -> Result | None:
    """Places, totals and what enters the ranking; None while the series runs."""
    series, options = state.series, state.options
    if series.ended is None:
        return None
    place = places(options, series, series.abandoned_by)
    shown, ranked = totals(series, options.standing), totals(series, options.rank_basis)
    fabian = seeger_fabian(series)
    standings = tuple(
        Standing(
            seat=seat,
            place=place[seat],
            won=place[seat] == 1,
            score_milli=1000 * shown[seat],
            rank_n_milli=1000 * ranked[seat],
            rank_games=series.scored,
            extras={
                "list_points": series.list_points[seat],
                "seeger_fabian": fabian[seat],
                "games_won": series.won[seat],
                "games_lost": series.lost[seat],
                "fees_milli": series.fees_milli[seat],
            },
        )
        for seat in SEATS
    )
    return Result(series.ended.value, standings)


def _plus(by_seat: BySeat, seat: Seat | None, more: int) -> BySeat:
    if seat is None or not more:
        return by_seat
    a, b, c = [old + more * (other == seat) for other, old in enumerate(by_seat)]
    return a, b, c
