"""The house rules of Yatzee (clause 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spielwerk.games.options import check, option


class Sync(StrEnum):
    """How often the seats wait for each other."""

    THROW = "throw"
    ROUND = "round"


class Reveal(StrEnum):
    """When a seat's dice and rows are seen by the others."""

    BARRIER = "barrier"
    LIVE = "live"


class OnBudgetExhausted(StrEnum):
    """What becomes of a seat whose time is used up."""

    AUTO_ENTER = "auto_enter"
    STRIKE = "strike"
    FORFEIT = "forfeit"


class YatzeeBonus(StrEnum):
    """What further yatzees bring."""

    NONE = "none"
    HASBRO = "hasbro"


class LastSeat(StrEnum):
    """What follows when all seats but one have left."""

    ENDS = "ends"
    PLAYS_ON = "plays_on"


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 1)."""

    time_budget_s: int = option(
        900,
        "Seconds of each seat for all its moves of the match.",
        values=(900, 600, 300, 180),
        minimum=1,
        maximum=900,
    )
    sync: Sync = option(
        Sync.THROW, "The seats wait for each other after each throw or round.", values=tuple(Sync)
    )
    reveal: Reveal = option(
        Reveal.BARRIER,
        "Dice and rows are seen when all have finished the step, or at once.",
        values=tuple(Reveal),
    )
    on_budget_exhausted: OnBudgetExhausted = option(
        OnBudgetExhausted.AUTO_ENTER,
        "What follows when a seat's time is used up.",
        values=tuple(OnBudgetExhausted),
    )
    yatzee_bonus: YatzeeBonus = option(
        YatzeeBonus.NONE,
        "Hasbro: 100 for each further yatzee, and yatzees as jokers.",
        values=tuple(YatzeeBonus),
    )
    full_house_five: bool = option(
        False, "Five equal dice count as a full house.", values=(False, True)
    )
    upper_bonus: int = option(35, "Points for the upper block.", values=(35,))
    upper_threshold: int = option(63, "Upper points that bring the bonus.", values=(63,))
    last_seat: LastSeat = option(
        LastSeat.ENDS,
        "When all others have left, the match ends or the last seat plays on.",
        values=tuple(LastSeat),
    )

    def __post_init__(self) -> None:
        """Refuse values outside the table with BadOptions."""
        check(self)

    @property
    def budget_ms(self) -> int:
        """The time budget of a seat in ms."""
        return 1000 * self.time_budget_s
