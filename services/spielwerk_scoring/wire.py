"""Messages of the ranking API: periods, entries and page tokens."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

from spielwerk.api.v1 import ranking_pb2 as pb
from spielwerk.errors import InvalidArgument
from spielwerk.rankings.order import KEY_LENGTH
from spielwerk.rankings.periods import Period, PeriodKind, bounds_ms
from spielwerk.rankings.plain import Row
from spielwerk.rankings.score import exact_text, shown_milli
from spielwerk_scoring.keys import board_name

_KINDS: Final[Mapping[int, PeriodKind]] = {
    pb.PERIOD_KIND_DAY: PeriodKind.DAY,
    pb.PERIOD_KIND_WEEK: PeriodKind.WEEK,
    pb.PERIOD_KIND_MONTH: PeriodKind.MONTH,
    pb.PERIOD_KIND_YEAR: PeriodKind.YEAR,
    pb.PERIOD_KIND_ALL_TIME: PeriodKind.ALL_TIME,
}
_NUMBERS: Final[Mapping[PeriodKind, Any]] = {kind: number for number, kind in _KINDS.items()}
_MEMBER: Final = re.compile(rf"[0-9a-f]{{{KEY_LENGTH}}}:[0-9A-Za-z_:.-]{{1,64}}", re.ASCII)
_LONGEST_TOKEN: Final = 512


@dataclass(frozen=True, slots=True)
class PageToken:
    """Where a page goes on: the board, and the last member that was shown."""

    board: str
    member: str

    @property
    def key(self) -> str:
        """The period's key."""
        return self.board.rsplit(":", 1)[-1]

    def write(self) -> str:
        """The opaque text that clients hand back."""
        text = json.dumps([self.board, self.member], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode()


def read_token(text: str) -> PageToken:
    """The token of a text; InvalidArgument (bad_page_token) for anything else."""
    try:
        board, member = json.loads(base64.b64decode(text[:_LONGEST_TOKEN], b"-_", validate=True))
        if isinstance(board, str) and _MEMBER.fullmatch(member):
            return PageToken(board, member)
    except (ValueError, TypeError, RecursionError):
        pass
    raise InvalidArgument("bad_page_token", "not a page token of ours")


def next_token(game: str, period: Period, last_member: str | None) -> str:
    """The token of the page behind a member; empty at the end."""
    return PageToken(board_name(game, period), last_member).write() if last_member else ""


def read_kind(number: int) -> PeriodKind:
    """The kind of period; InvalidArgument (bad_period) for none."""
    if number not in _KINDS:
        raise InvalidArgument("bad_period", "the kind of the period is missing")
    return _KINDS[number]


def period_message(period: Period, zone: ZoneInfo) -> pb.Period:
    """The period with its bounds in this calendar."""
    starts, ends = bounds_ms(period, zone) or (None, None)
    return pb.Period(
        kind=_NUMBERS[period.kind],
        key=period.key,
        zone=zone.key,
        starts_at_ms=starts,
        ends_at_ms=ends,
    )


def entry_message(row: Row) -> pb.RankEntry:
    """One line of a board."""
    return pb.RankEntry(
        rank=row.rank,
        player_id=row.player_id,
        n_milli=row.total.n_milli,
        games=row.total.games,
        score=exact_text(row.score),
        score_milli=shown_milli(row.score),
        extras=row.total.extras,
    )
