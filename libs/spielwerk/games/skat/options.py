"""The house rules of Skat (clause 14)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from spielwerk.errors import BadOptions
from spielwerk.games.options import check, option

MAX_TARIFFS: Final = 36


class Points(StrEnum):
    """Which totals of a series count."""

    SEEGER_FABIAN = "seeger_fabian"
    LIST = "list"


class AnnounceTimeoutLoss(StrEnum):
    """What a declarer loses who announces nothing in time."""

    DOUBLE_BID = "double_bid"
    SINGLE_BID = "single_bid"


class AbortRanking(StrEnum):
    """How a series is ranked that a player ended early."""

    ABANDONER_LAST = "abandoner_last"
    TOTALS = "totals"


class NullBelowBid(StrEnum):
    """What follows a Null game that is worth less than the bid."""

    REFUSE = "refuse"
    ISKO = "isko"


class Reveal(StrEnum):
    """What is laid open when a deal is scored."""

    ALL = "all"
    SKAT_ONLY = "skat_only"


@dataclass(frozen=True, slots=True)
class LossFee:
    """From so many lost games of a series on, each costs the amount (thousandths of a unit)."""

    from_count: int
    amount_milli: int


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 14)."""

    series_length: int = option(36, "Deals of a series, a multiple of 3.", minimum=3, maximum=360)
    first_dealer: int = option(0, "The seat that deals first.", minimum=0, maximum=2)
    standing: Points = option(
        Points.SEEGER_FABIAN, "The totals that decide the places.", values=tuple(Points)
    )
    move_seconds: int = option(
        60, "Seconds for every single action.", minimum=1, maximum=3600, practice=600
    )
    announce_timeout_loss: AnnounceTimeoutLoss = option(
        AnnounceTimeoutLoss.DOUBLE_BID,
        "What a declarer loses who announces nothing in time.",
        values=tuple(AnnounceTimeoutLoss),
    )
    timeout_respects_decided: bool = option(
        False, "A game that is decided keeps its winner after a timeout.", values=(False, True)
    )
    abort_ranking: AbortRanking = option(
        AbortRanking.ABANDONER_LAST,
        "How a series is ranked that a player ended early.",
        values=tuple(AbortRanking),
    )
    null_below_bid: NullBelowBid = option(
        NullBelowBid.REFUSE,
        "A Null game worth less than the bid is refused, or accepted and lost.",
        values=tuple(NullBelowBid),
    )
    early_end: bool = option(
        True, "A deal ends as soon as nothing can change its score.", values=(True, False)
    )
    claims: bool = option(False, "Players may concede.", values=(False, True))
    loss_fee: tuple[LossFee, ...] = option((), "Fees for lost games, kept beside the points.")
    reveal: Reveal = option(
        Reveal.ALL, "What is laid open when a deal is scored.", values=tuple(Reveal)
    )
    rank_basis: Points = option(
        Points.SEEGER_FABIAN, "The totals that enter the ranking.", values=tuple(Points)
    )

    def __post_init__(self) -> None:
        """Refuse values outside the table with BadOptions."""
        check(self)
        if self.series_length % 3:
            raise BadOptions("series_length", f"{self.series_length} is not a multiple of 3")
        _check_tariffs(self.loss_fee)


def _check_tariffs(tariffs: tuple[LossFee, ...]) -> None:
    if not isinstance(tariffs, tuple) or not all(isinstance(fee, LossFee) for fee in tariffs):
        raise BadOptions("loss_fee", "not a list of tariffs")
    counts = [fee.from_count for fee in tariffs]
    if len(tariffs) > MAX_TARIFFS or any(fee.amount_milli < 0 for fee in tariffs):
        raise BadOptions("loss_fee", f"at most {MAX_TARIFFS} tariffs, none below 0")
    if any(count < 1 for count in counts) or sorted(set(counts)) != counts:
        raise BadOptions("loss_fee", "counts begin at 1 and ascend")
