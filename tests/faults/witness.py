"""Reads the log directly and says what is true: the recomputation that everything must agree
with."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from spielwerk.codec.match import read_record
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, Seat
from spielwerk.log.headers import read_headers
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import match_id_of
from spielwerk.match.fold import fold
from spielwerk.match.model import Ended, Human, Match, Record
from spielwerk.match.verify import Verifier
from spielwerk.rankings.periods import PeriodKind
from spielwerk.rankings.plain import Row, standings, totals
from spielwerk.rankings.totals import Entry

Key = tuple[str, str]
"""Match and command id."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the log has a command."""

    version: int
    seat: Seat | None


@dataclass
class Witness:
    """Everything in the log, by match."""

    stored: dict[str, list[Stored]] = field(default_factory=lambda: defaultdict(list))
    _read: dict[str, tuple[list[Stored], list[Record]]] = field(default_factory=dict)

    @classmethod
    async def of(cls, log: JetStreamLog) -> Witness:
        """Read the whole log, as it is now."""
        witness = cls()
        batches = log.follow(list(Kind), after=0, headers_only=False)
        async with aclosing(batches):  # type: ignore[type-var]
            async for batch in batches:
                for message in batch.messages:
                    if read_headers(message.headers) is not None:
                        witness.stored[match_id_of(message.subject)].append(message)
                if batch.caught_up:
                    break
        return witness

    def records(self, match_id: str) -> list[Record]:
        """The match's records in stream order, whatever their versions; read once."""
        messages = self.stored.get(match_id, [])
        if match_id not in self._read or self._read[match_id][0] != messages:
            self._read[match_id] = (list(messages), _records(messages))
        return self._read[match_id][1]

    def walk(self, match_id: str) -> Iterator[tuple[Match | None, Record]]:
        """Each record with the match before it; MatchDamaged where one does not follow."""
        match: Match | None = None
        for message, record in zip(self.stored[match_id], self.records(match_id), strict=True):
            yield match, record
            sha256 = hashlib.sha256(message.data).digest()
            match = fold(match, record, sha256, message.sequence, registry.version)

    def verified(self, match_id: str) -> Match:
        """The finished match, recomputed; raises Mismatch."""
        return self._verifier(match_id).close()

    def recomputed(self, match_id: str) -> Match | None:
        """The match as far as it has come, recomputed; raises Mismatch."""
        return self._verifier(match_id).match

    def _verifier(self, match_id: str) -> Verifier:
        verifier = Verifier(registry.version)
        for message, record in zip(self.stored[match_id], self.records(match_id), strict=True):
            verifier.feed(record, hashlib.sha256(message.data).digest())
        return verifier

    def places(self) -> dict[Key, list[Place]]:
        """Every command and where it stands."""
        found: dict[Key, list[Place]] = defaultdict(list)
        for match_id in self.stored:
            for record in self.records(match_id):
                if record.cause.command_id:
                    place = Place(record.version, record.cause.seat)
                    found[match_id, record.cause.command_id].append(place)
        return found

    def ended(self, match_id: str) -> Ended | None:
        """The end of the match, if the log has it."""
        records = self.records(match_id)
        last = records[-1].events[-1] if records and records[-1].events else None
        return last if isinstance(last, Ended) else None

    def board(self, game: str, kind: PeriodKind, zone: ZoneInfo) -> tuple[Row, ...]:
        """The present board of a game, from the ends of all rated matches."""
        ranking = registry.newest(game).ranking
        entries = (entry for entry in self._entries() if entry.game == game)
        boards = totals(entries, {game: ranking}, zone)
        of_game = [p for g, p in boards if g == game and p.kind is kind]
        if not of_game:
            return ()
        newest = max(of_game, key=lambda period: period.key)
        return standings(ranking, boards[game, newest])

    def _entries(self) -> Iterable[Entry]:
        for match_id in self.stored:
            ended = self.ended(match_id)
            if ended is not None and ended.rated and ended.result is not None:
                yield from _entries_of(ended, self.records(match_id)[-1].recorded_at_ms)


def _records(messages: Iterable[Stored]) -> list[Record]:
    found: list[Record] = []
    game: AnyGame | None = None
    for message in messages:
        record, game = read_record(message.data, game, registry.version)
        found.append(record)
    return found


def _entries_of(ended: Ended, ended_at_ms: int) -> Iterable[Entry]:
    assert ended.result is not None
    for standing, occupant in zip(ended.result.standings, ended.occupants, strict=True):
        if isinstance(occupant, Human):
            yield Entry(
                game=ended.game,
                player_id=occupant.player_id,
                n_milli=standing.rank_n_milli,
                games=standing.rank_games,
                ended_at_ms=ended_at_ms,
                extras=standing.extras,
            )


def check_acknowledged(witness: Witness, acknowledged: Mapping[Key, int]) -> list[str]:
    """What is wrong with the acknowledged commands -> versions: lost, doubled or moved."""
    places = {key: [place.version for place in at] for key, at in witness.places().items()}
    faults = [
        f"{key} was acknowledged as {version}, the log has {places.get(key)}"
        for key, version in acknowledged.items()
        if places.get(key) != [version]
    ]
    return faults + [f"{key} stands twice: {at}" for key, at in places.items() if len(at) > 1]


def check_refused(witness: Witness, refused: Iterable[Key]) -> list[str]:
    """Commands that were refused although the log has them: dishonest answers."""
    places = witness.places()
    return [f"{key} was refused, the log has {places[key]}" for key in refused if key in places]


def rows_of(entries: Iterable[Any]) -> list[tuple[int, str, int, int]]:
    """Rank, player, N and games of a board as the API gives it."""
    return [(e.rank, e.player_id, e.n_milli, e.games) for e in entries]
