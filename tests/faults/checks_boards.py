"""Boards as clients read them, against the recomputation from the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from faults.history import History
from faults.witness import Witness
from spielwerk.rankings.periods import PeriodKind


@dataclass(frozen=True, slots=True)
class BoardRead:
    """A whole board as the API gave it, at rest; `source` e.g. `live` or `after rebuild`.

    Rows are (rank, player id, N in thousandths, games), best first.
    """

    game: str
    kind: PeriodKind
    source: str
    rows: tuple[tuple[int, str, int, int], ...]


def check_boards(
    witness: Witness, _: History, *, boards: Sequence[BoardRead], zone: ZoneInfo
) -> list[str]:
    """Boards that are not what all rated results in the log add up to."""
    faults = []
    for board in boards:
        expected = [
            (row.rank, row.player_id, row.total.n_milli, row.total.games)
            for row in witness.board(board.game, board.kind, zone)
        ]
        name = f"{board.game} {board.kind} {board.source}"
        if len(board.rows) != len(expected):
            faults.append(f"{name}: {len(board.rows)} rows, the log makes {len(expected)}")
        faults += [
            f"{name}: {row}, the log makes {due}"
            for row, due in zip(board.rows, expected, strict=False)
            if tuple(row) != due
        ]
    return faults
