"""The values of the auction: who speaks and who listens, and what was said (clause 4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spielwerk.games.game import Seat


class Role(StrEnum):
    """What the seat on turn may say in the auction (clause 4)."""

    SPEAKER = "speaker"
    LISTENER = "listener"
    FOREHAND_ALONE = "forehand_alone"


class Stage(StrEnum):
    """Which part of the auction runs."""

    FIRST_DUEL = "first_duel"
    SECOND_DUEL = "second_duel"
    FOREHAND_ALONE = "forehand_alone"
    OVER = "over"


class CallKind(StrEnum):
    """What was said in the auction."""

    BID = "bid"
    HOLD = "hold"
    PASS = "pass"


class By(StrEnum):
    """Who acted."""

    PLAYER = "player"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Call:
    """One word of the auction; `value` is the bid named or held, 0 for a pass."""

    seat: Seat
    kind: CallKind
    value: int
    by: By


@dataclass(frozen=True, slots=True)
class Auction:
    """How far the auction is; `bid` is 0 until somebody bids."""

    stage: Stage
    speaker: Seat
    listener: Seat
    role: Role
    bid: int = 0
    calls: tuple[Call, ...] = ()

    @property
    def to_act(self) -> Seat:
        """Who must say something."""
        return self.listener if self.role is Role.LISTENER else self.speaker
