"""Names of everything that scoring keeps in Redis; one hash tag keeps it together in a cluster.

    sw:{rank}:live                             the generation that is read
    sw:{rank}:generations                      all that exist; others than the live one are shadows
    sw:{rank}:numbers                          last number given to a generation
    sw:{rank}:builder                          lease of the one that builds a shadow
    sw:{rank}:forgotten                        players that are on no board, also after a rebuild
    sw:{rank}:deletions                        how far the record of deletions has been followed
    sw:{rank}:<generation>:checkpoint          hash: which end of which stream was applied last; of
                                               several streams, fields end with `:<stream>`
    sw:{rank}:<generation>:boards              names of all boards
    sw:{rank}:<generation>:order:<board>       sorted set: member names give the order
    sw:{rank}:<generation>:totals:<board>      hash: player -> exact total

A board is `<game>:<kind>:<key>`, e.g. `skat:week:2026-W48`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spielwerk.rankings.periods import Period

_ROOT: Final = "sw:{rank}"
LIVE: Final = f"{_ROOT}:live"
GENERATIONS: Final = f"{_ROOT}:generations"
NUMBERS: Final = f"{_ROOT}:numbers"
BUILDER: Final = f"{_ROOT}:builder"
FORGOTTEN: Final = f"{_ROOT}:forgotten"
DELETIONS: Final = f"{_ROOT}:deletions"


def board_name(game: str, period: Period) -> str:
    """`skat:week:2026-W48`."""
    return f"{game}:{period.kind.value}:{period.key}"


def game_of(board: str) -> str:
    """The game in a board's name."""
    return board.split(":", 1)[0]


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete or growing set of boards."""

    name: str

    @property
    def checkpoint(self) -> str:
        """Hash: the last applied end of the stream, and a revision that every write raises."""
        return f"{_ROOT}:{self.name}:checkpoint"

    @property
    def boards(self) -> str:
        """Set of the names of all boards."""
        return f"{_ROOT}:{self.name}:boards"

    def order(self, board: str) -> str:
        """Sorted set of one board."""
        return f"{_ROOT}:{self.name}:order:{board}"

    def totals(self, board: str) -> str:
        """Hash of one board: player -> total."""
        return f"{_ROOT}:{self.name}:totals:{board}"
