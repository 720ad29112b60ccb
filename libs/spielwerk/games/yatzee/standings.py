"""What each seat has in the end, and who is placed before whom (clause 6)."""

from __future__ import annotations

from collections.abc import Sequence

from spielwerk.games.yatzee.model import EndReason, FinalScore, State
from spielwerk.games.yatzee.options import OnBudgetExhausted


def time_bonus_milli(budget_ms: int, used_ms: int) -> int:
    """One thousandth for each whole second that was not needed."""
    return (budget_ms - used_ms) // 1000


def finals(state: State, reason: EndReason) -> tuple[FinalScore, ...]:
    """The final figures by seat; equal to the ms is an equal place."""
    options = state.options
    totals = [place.own.sheet.sums(options).total for place in state.places]
    used = [place.used_ms for place in state.places]
    bonuses = [time_bonus_milli(options.budget_ms, spent) for spent in used]
    milli = [1000 * total + bonus for total, bonus in zip(totals, bonuses, strict=True)]
    behind = [_placed_behind(state, seat, reason) for seat in range(len(totals))]
    places = ranked(milli, used, behind)
    return tuple(
        FinalScore(seat, totals[seat], used[seat], bonuses[seat], milli[seat], places[seat])
        for seat in range(len(totals))
    )


def ranked(
    final_milli: Sequence[int], used_ms: Sequence[int], behind: Sequence[bool] | None = None
) -> tuple[int, ...]:
    """The place of each seat: most points, then least time; those `behind` come after all others.

    Shared places leave a gap: 1, 2, 2, 4.
    """
    after = behind or [False] * len(final_milli)
    keys = [
        (late, -milli, spent)
        for late, milli, spent in zip(after, final_milli, used_ms, strict=True)
    ]
    return tuple(1 + sum(other < own for other in keys) for own in keys)


def _placed_behind(state: State, seat: int, reason: EndReason) -> bool:
    place = state.places[seat]
    if reason is EndReason.RESIGNED:
        return place.left
    return place.absent and state.options.on_budget_exhausted is OnBudgetExhausted.FORFEIT
