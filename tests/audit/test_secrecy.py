"""Before the end nothing hidden is in any byte that a client gets, in a log line or a metric."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import random
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client import generate_latest

from audit.looking import SPECTATOR, Eyes, eyes, lists_in, look_at_everything, runs_of, texts_of
from games.playing import EVERY_GAME
from rules.conftest import Rules
from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.audit.replaying import Step, steps
from spielwerk.chance import draw_key
from spielwerk.codec.match import fill_update
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Stored
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.match.canonical import digest
from spielwerk.telemetry import logs
from spielwerk.telemetry.settings import TelemetrySettings

_MOVES = 12
_RUN = 4
"""So many hidden cards in a row are no coincidence."""
_THREE_CARDS = re.compile(r"\b(?:[2-9TJQKA][CDHS]\W+){3}")


@pytest.fixture
def printed() -> Iterator[io.StringIO]:
    """All log lines of this process, down to debug."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    logs.configure(TelemetrySettings(level="debug"))
    lines = io.StringIO()
    handler = root.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(lines)
    yield lines
    root.handlers[:] = before
    root.setLevel(level)


class Secrets:
    """What nobody, or one seat alone, may know of a running match."""

    def __init__(self, match_id: str, stored: list[Stored]) -> None:
        self._walk: list[Step] = list(steps(match_id, stored, registry.version))
        match = self._walk[-1].after
        given = [entropy or b"" for entropy in match.entropies]
        self.for_nobody = {
            "the seed": match.secrets.seed,
            "the bot seed": match.secrets.bot_seed,
            "the draw key": draw_key(match.secrets.seed, given),
            "a digest": digest(match.state),
        }
        for number, message in enumerate(stored):
            self.for_nobody[f"the hash of record {number + 1}"] = hashlib.sha256(
                message.data
            ).digest()
        self.of_seats = {
            seat: {"an entropy": entropy} for seat, entropy in enumerate(given) if entropy
        }
        self._records = [record_pb2.Record.FromString(m.data) for m in stored]
        for record in self._records:
            if record.state_sha256:
                self.for_nobody[f"the digest of {record.version}"] = record.state_sha256

    def bytes_against(self, seat: int | None) -> dict[str, bytes]:
        """What must not be in the seat's bytes."""
        others = [found for other, found in self.of_seats.items() if other != seat]
        return self.for_nobody | {f"{k} {n}": v for n, f in enumerate(others) for k, v in f.items()}

    def runs_against(self, seat: int | None) -> set[tuple[Any, ...]]:
        """Runs of cards that are in the records and in nothing that the seat was told."""
        whole: set[tuple[Any, ...]] = set()
        told: set[tuple[Any, ...]] = set()
        for record, step in zip(self._records, self._walk, strict=True):
            update, match = match_pb2.MatchUpdate(), step.after
            fill_update(match.game, match.opened.options, step.record, seat, update)
            told |= runs_of(lists_in(update), _RUN)
            for event in record.events:
                if event.HasField("game"):
                    whole |= runs_of(lists_in(event), _RUN)
        return whole - told


@EVERY_GAME
async def test_nothing_hidden_is_seen_before_the_end(
    game: AnyGame, rules: Rules, printed: io.StringIO
) -> None:
    rng = random.Random(f"canary {game.key}")
    players = [f"p{seat}" for seat in range(max(2, game.seats[0]))]
    match_id = await opened(rules, game, players)
    async with eyes(rules, *players) as found:
        for player in players:
            request = match_pb2.JoinRequest(match_id=match_id, entropy=os.urandom(32))
            await found[player].call("Join", request)
        for _ in range(3):
            await play(found, match_id, rng, _MOVES // 3)
            version = await told_version(found[SPECTATOR], match_id)
            for one in found.values():
                await look_at_everything(one, match_id, len(players), version)
        assert version > len(players) + _MOVES // 2
        secrets = Secrets(match_id, await stored_of(rules, match_id))
        for seat, player in enumerate([*players, SPECTATOR]):
            viewer = seat if player != SPECTATOR else None
            assert found_in(found[player], secrets, viewer) == []
        check_printed(printed.getvalue(), rules, secrets, [match_id, *players])
        await abort(rules, match_id)
        await found[SPECTATOR].call("GetView", match_pb2.GetViewRequest(match_id=match_id))
        assert "the seed" in found_in(found[SPECTATOR], secrets, None), "the search finds nothing"


def found_in(one: Eyes, secrets: Secrets, seat: int | None) -> list[str]:
    """The names of secrets in what was received."""
    received = b"\n".join(one.raw)
    names = [
        name
        for name, secret in secrets.bytes_against(seat).items()
        if any(text in received for text in texts_of(secret))
    ]
    hidden = secrets.runs_against(seat)
    for answer in one.seen:
        leaked = runs_of(lists_in(answer), _RUN) & hidden
        if leaked:
            names.append(f"cards in a {type(answer).__name__}: {leaked}")
    return names


def check_printed(lines: str, rules: Rules, secrets: Secrets, ids: list[str]) -> None:
    metrics = "".join(generate_latest(host.metrics.registry).decode() for host in rules.hosts)
    assert "spielwerk_rpc_calls" in metrics
    assert not any(name in metrics for name in ids)
    for name, secret in secrets.bytes_against(None).items():
        for text in texts_of(secret)[1:]:
            assert text.decode() not in lines, name
            assert text.decode() not in metrics, name
    assert not _THREE_CARDS.search(lines)
    assert not _THREE_CARDS.search(metrics)


async def opened(rules: Rules, game: AnyGame, players: list[str]) -> str:
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    maker = await rules.stub("matchmaking", "service:matchmaking")
    await maker.CreateMatch(
        match_pb2.CreateMatchRequest(
            match_id=match_id,
            game=game.key,
            occupants=[match_pb2.Occupant(human=match_pb2.Human(player_id=p)) for p in players],
            watch=match_pb2.WATCH_POLICY_ANYONE,
        )
    )
    return match_id


async def play(found: dict[str, Eyes], match_id: str, rng: random.Random, moves: int) -> None:
    """Random moves of whoever must act; others try the same and are refused, which is looked at,
    too."""
    for _ in range(moves):
        for player in rng.sample(sorted(found), len(found)):
            request = match_pb2.ListLegalRequest(match_id=match_id)
            legal = await found[player].call("ListLegal", request)
            if not getattr(legal, "turn_key", ""):
                continue
            commands = [command for command in legal.commands if not gives_up(command)]
            submit = match_pb2.SubmitRequest(
                match_id=match_id, command=rng.choice(commands), turn_key=legal.turn_key
            )
            for one in sorted(found, key=player.__eq__):
                submit.command_id = f"c{rng.randrange(10**9)}"
                await found[one].call("Submit", submit)
            break


def gives_up(command: Any) -> bool:
    """Whether a command could end the match early."""
    chosen = getattr(command, command.WhichOneof("game"))
    return chosen.WhichOneof("command") in ("resign", "finish")


async def told_version(one: Eyes, match_id: str) -> int:
    answer = await one.call("GetView", match_pb2.GetViewRequest(match_id=match_id))
    return int(answer.view.version)


async def stored_of(rules: Rules, match_id: str) -> list[Stored]:
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        return list(await JetStreamLog(connection, LogSettings()).read(match_id))


async def abort(rules: Rules, match_id: str) -> None:
    operator = await rules.stub("ops", "operator")
    await operator.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id, reason="test"))
