"""Which turns of bots are open, by the headers of the log."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored
from spielwerk.log.subjects import match_id_of

_PLAIN: Final = re.compile(r"[0-9A-Za-z_-]{1,56}")


@dataclass(frozen=True, slots=True)
class BotTurn:
    """A bot's seat must act in a match; the key is unique for the seat in its match."""

    game: str
    match_id: str
    seat: int
    key: str
    trace: str = field(default="", compare=False)
    """Of the call that opened the turn."""

    @property
    def command_id(self) -> str:
        """The id of the only command that answers the turn, whichever instance gives it."""
        key = self.key
        if not _PLAIN.fullmatch(key):
            key = hashlib.sha256(key.encode()).hexdigest()[:40]
        return f"bot-{key}"


class OpenTurns:
    """Folds headers in stream order; keeps only matches where a bot must act."""

    def __init__(self) -> None:
        self._by_match: dict[str, frozenset[BotTurn]] = {}
        self._count = 0
        self._foreign = 0

    def fold(self, message: Stored) -> frozenset[BotTurn]:
        """Take one message; returns the turns that it opens."""
        headers = read_headers(message.headers)
        if headers is None:
            self._foreign += 1
            return frozenset()
        match_id = match_id_of(message.subject)
        before = self._by_match.pop(match_id, frozenset())
        after = frozenset(
            BotTurn(headers.game, match_id, turn.seat, turn.key, headers.trace)
            for turn in headers.turns
            if turn.bot
        )
        if after:
            self._by_match[match_id] = after
        self._count += len(after) - len(before)
        return after - before

    def forget(self, match: Callable[[str], bool]) -> None:
        """Begin anew with these matches."""
        self._by_match = {name: t for name, t in self._by_match.items() if not match(name)}
        self._count = sum(map(len, self._by_match.values()))

    def take_foreign(self) -> int:
        """How many messages were skipped since the last call: no records of ours."""
        skipped, self._foreign = self._foreign, 0
        return skipped

    def __contains__(self, turn: BotTurn) -> bool:
        return turn in self._by_match.get(turn.match_id, ())

    def __iter__(self) -> Iterator[BotTurn]:
        for turns in self._by_match.values():
            yield from turns

    def __len__(self) -> int:
        return self._count
