"""The house rules of Cribbage (clause 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from spielwerk.games.options import check, option


class FirstDealer(StrEnum):
    """How the first dealer of a match is found."""

    CUT = "cut"
    RANDOM = "random"
    SEAT_0 = "seat_0"
    SEAT_1 = "seat_1"


class OnTimeout(StrEnum):
    """What happens when a turn ends without a move."""

    AUTO_PLAY = "auto_play"
    FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 1)."""

    target: int = option(121, "Points that win a game.", values=(121, 61))
    heels: int = option(2, "Points of the dealer for a jack as starter.", values=(2, 0))
    first_dealer: FirstDealer = option(
        FirstDealer.CUT, "How the first dealer is found.", values=tuple(FirstDealer)
    )
    auto_go: bool = option(
        True,
        "Go is said for a seat that cannot play; otherwise it must say it.",
        values=(True, False),
    )
    games_to_win: int = option(1, "Games that win the match.", minimum=1, maximum=100)
    skunk: bool = option(False, "A clear defeat counts two or three games.", values=(False, True))
    action_timeout_s: int = option(
        60,
        "Seconds for a discard or a card; 0: none.",
        values=(0,),
        minimum=10,
        maximum=600,
        practice=0,
    )
    on_timeout: OnTimeout = option(
        OnTimeout.AUTO_PLAY, "What follows when the time is up.", values=tuple(OnTimeout)
    )
    max_timeouts_in_row: int = option(
        3, "So many timeouts of a seat in a row lose the match.", minimum=1, maximum=1000
    )

    def __post_init__(self) -> None:
        """Refuse values outside the table with BadOptions."""
        check(self)


@dataclass(frozen=True, slots=True)
class Variant:
    """How other programs count; only for comparisons with them, never chosen by players."""

    crib_flush_four: bool = False
    cap_at_target: bool = True
    stop_at_target: bool = True


STANDARD: Final = Variant()
