"""The house rules of House of Cards (clause 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from spielwerk.errors import BadOptions
from spielwerk.games.options import check, option


class JokerRemoves(StrEnum):
    """What a joker takes away."""

    STOREY = "storey"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class CreditStep:
    """So many credits from this score on."""

    minimum: int
    credits: int


USUAL_CREDITS: Final = tuple(
    CreditStep(minimum, credits)
    for minimum, credits in (
        (0, 0),
        (100, 1),
        (150, 2),
        (200, 4),
        (250, 7),
        (300, 12),
        (350, 20),
        (400, 35),
        (450, 60),
        (500, 100),
    )
)
"""The sources speak of a table and do not show it; this one is ours (clause 6.6)."""

MOST_STEPS: Final = 64
MOST_CREDITS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 1)."""

    open: int = option(5, "Cards that lie open.", minimum=3, maximum=7)
    joker_removes: JokerRemoves = option(
        JokerRemoves.STOREY,
        "A joker takes the top storey with its floors, or its highest row alone.",
        values=tuple(JokerRemoves),
    )
    bonus_per_card: int = option(
        2, "Points for each card left when the house is complete.", minimum=0, maximum=10
    )
    bonus_counts_open: bool = option(
        True, "The open cards are counted as left, too.", values=(True, False)
    )
    credits: tuple[CreditStep, ...] = option(
        USUAL_CREDITS, "Credits by the least score for them, ascending from 0."
    )
    time_limit_s: int = option(
        0, "Seconds for the whole house; 0: none.", values=(0,), minimum=60, maximum=86_400
    )
    idle_limit_s: int = option(
        600,
        "So many seconds without a command finish the game; 0: none.",
        values=(0,),
        minimum=10,
        maximum=86_400,
    )

    def __post_init__(self) -> None:
        """Refuse values outside the table with BadOptions."""
        check(self)
        _check_credits(self.credits)

    @property
    def time_limit_ms(self) -> int:
        """The time for the whole house in ms; 0: no limit."""
        return 1000 * self.time_limit_s

    @property
    def idle_limit_ms(self) -> int:
        """The time for one command in ms; 0: no limit."""
        return 1000 * self.idle_limit_s


def credits_of(score: int, table: tuple[CreditStep, ...]) -> int:
    """The credits of the last step that the score reaches (clause 6.6)."""
    return max((step for step in table if step.minimum <= score), key=lambda s: s.minimum).credits


def _check_credits(table: tuple[CreditStep, ...]) -> None:
    minimums = [step.minimum for step in table]
    if not 1 <= len(table) <= MOST_STEPS:
        raise BadOptions("credits", f"a table has 1 to {MOST_STEPS} steps")
    if minimums[0] != 0 or any(low >= high for low, high in pairwise(minimums)):
        raise BadOptions("credits", "the least scores ascend from 0")
    if any(not 0 <= step.credits <= MOST_CREDITS for step in table):
        raise BadOptions("credits", f"credits are 0 to {MOST_CREDITS}")
