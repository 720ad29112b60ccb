"""Before the end nothing hidden is in any byte that a client gets, in a log line or a metric."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import os
import random
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client import generate_latest

from audit.looking import (
    SPECTATOR,
    Eyes,
    eyes,
    items_in,
    lists_in,
    look_at_everything,
    runs_of,
    texts_of,
)
from client.house import House
from games.playing import EVERY_GAME
from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.audit.replaying import Step, steps
from spielwerk.chance import draw_key
from spielwerk.codec.events import bot_message
from spielwerk.codec.match import fill_update
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Stored
from spielwerk.log.subjects import new_match_id
from spielwerk.match.canonical import digest
from spielwerk.match.model import Bot
from spielwerk.rpc.channel import open_channel
from spielwerk.telemetry import logs
from spielwerk.telemetry.settings import TelemetrySettings

_MOVES = 12
_RUN = 4
"""So many hidden cards in a row are no coincidence."""
_FOR_NOBODY = frozenset({"deck", "stock", "order"})
"""Fields of events with cards in the order of a shuffle: even if told, they are hidden."""
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
        """Runs of cards in the records of which the seat was told neither the run nor all cards."""
        whole: set[tuple[Any, ...]] = set()
        told: set[tuple[Any, ...]] = set()
        known: set[Any] = set()
        for record, step in zip(self._records, self._walk, strict=True):
            update, match = match_pb2.MatchUpdate(), step.after
            fill_update(match.game, match.opened.options, step.record, seat, update)
            told |= runs_of(lists_in(update, _FOR_NOBODY), _RUN)
            known |= set(items_in(update, _FOR_NOBODY))
            for event in record.events:
                if event.HasField("game"):
                    whole |= runs_of(lists_in(event), _RUN)
        return {run for run in whole - told if not known.issuperset(run)}


@EVERY_GAME
async def test_nothing_hidden_is_seen_before_the_end(
    game: AnyGame, installed: House, log: JetStreamLog, printed: io.StringIO
) -> None:
    """With matchmaking, bots, scoring and accounts beside rules; the last seat is a bot."""
    rng = random.Random(f"canary {game.key}")
    players = [f"p{seat}" for seat in range(min(4, game.seats[-1]) - 1)]
    match_id = await opened(installed, game, players)
    async with eyes(installed.address, installed.keys, *players) as found:
        for player in players:
            request = match_pb2.JoinRequest(match_id=match_id, entropy=os.urandom(32))
            await found[player].call("Join", request)
        for _ in range(3):
            await play(found, match_id, rng, _MOVES // 3)
            version = await told_version(found[SPECTATOR], match_id)
            for one in found.values():
                await look_at_everything(one, match_id, len(players) + 1, version)
        assert version > len(players) + _MOVES // 2
        secrets = Secrets(match_id, list(await log.read(match_id)))
        for seat, player in enumerate([*players, SPECTATOR]):
            viewer = seat if player != SPECTATOR else None
            assert found_in(found[player], secrets, viewer) == []
        check_printed(printed.getvalue(), installed, secrets, [match_id, *players])
        await abort(installed, match_id)
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


def check_printed(lines: str, house: House, secrets: Secrets, ids: list[str]) -> None:
    assert house.host is not None
    metrics = generate_latest(house.host.metrics.registry).decode()
    assert match_lines(lines, ids[0]), "nothing was logged"
    assert "spielwerk_rpc_calls" in metrics
    assert not any(name in metrics for name in ids)
    for name, secret in secrets.bytes_against(None).items():
        for text in texts_of(secret)[1:]:
            assert text.decode() not in lines, name
            assert text.decode() not in metrics, name
    assert not _THREE_CARDS.search(lines)
    assert not _THREE_CARDS.search(metrics)


def match_lines(lines: str, match_id: str) -> list[str]:
    return [line for line in lines.splitlines() if match_id in line or "refused" in line]


async def opened(house: House, game: AnyGame, players: list[str]) -> str:
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    occupants = [match_pb2.Occupant(human=match_pb2.Human(player_id=p)) for p in players]
    policy = next(iter(game.bots.values()))
    bot = bot_message(Bot.of(policy))
    request = match_pb2.CreateMatchRequest(
        match_id=match_id,
        game=game.key,
        occupants=[*occupants, match_pb2.Occupant(bot=bot)],
        watch=match_pb2.WATCH_POLICY_ANYONE,
    )
    options = getattr(request.options, game.key)
    if "reveal_pause_ms" in options.DESCRIPTOR.fields_by_name:
        options.reveal_pause_ms = 0  # nobody looks
    async with operator(house) as stub:
        await stub.CreateMatch(request)
    return match_id


@asynccontextmanager
async def operator(house: House) -> AsyncIterator[Any]:
    token = house.token("ops", "operator")
    async with open_channel(house.address, lambda: token) as channel:
        yield MatchServiceStub(channel)


async def play(found: dict[str, Eyes], match_id: str, rng: random.Random, moves: int) -> None:
    """Random moves of the people; the bot moves by itself."""
    for _ in range(moves):
        async with asyncio.timeout(30):
            while not await one_move(found, match_id, rng):
                await asyncio.sleep(0.02)


async def one_move(found: dict[str, Eyes], match_id: str, rng: random.Random) -> bool:
    """A move of somebody who must act; others try the same and are refused, which is looked at,
    too."""
    for player in rng.sample(sorted(found), len(found)):
        legal = await found[player].call("ListLegal", match_pb2.ListLegalRequest(match_id=match_id))
        if not getattr(legal, "turn_key", ""):
            continue
        commands = [command for command in legal.commands if not gives_up(command)]
        submit = match_pb2.SubmitRequest(
            match_id=match_id, command=rng.choice(commands), turn_key=legal.turn_key
        )
        for one in sorted(found, key=player.__eq__):
            submit.command_id = f"c{rng.randrange(10**9)}"
            await found[one].call("Submit", submit)
        return True
    return False


def gives_up(command: Any) -> bool:
    """Whether a command could end the match early."""
    chosen = getattr(command, command.WhichOneof("game"))
    return chosen.WhichOneof("command") in ("resign", "finish")


async def told_version(one: Eyes, match_id: str) -> int:
    answer = await one.call("GetView", match_pb2.GetViewRequest(match_id=match_id))
    return int(answer.view.version)


async def abort(house: House, match_id: str) -> None:
    async with operator(house) as stub:
        await stub.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id, reason="test"))
