"""Before the end nothing hidden is in any byte that a client gets, in a log line or a metric, with
matchmaking, bots, scoring and accounts beside rules."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator

import pytest
from prometheus_client import generate_latest

from audit.hidden import cards_in, secrets_in
from audit.looking import SPECTATOR, texts_of
from audit.sitting import Sitting, abort, sitting
from client.house import House
from games.playing import EVERY_GAME
from spielwerk.api.v1 import match_pb2
from spielwerk.games.game import AnyGame
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.telemetry import logs
from spielwerk.telemetry.settings import TelemetrySettings

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


@EVERY_GAME
async def test_hi_01_no_hidden_cards_are_in_what_anybody_receives_or_a_process_prints(
    game: AnyGame, installed: House, log: JetStreamLog, printed: io.StringIO
) -> None:
    async with sitting(installed, game, log) as seen:
        for eye, seat in seen.viewers():
            assert cards_in(eye, seen.secrets, seat) == []
        assert not _THREE_CARDS.search(printed.getvalue())
        assert not _THREE_CARDS.search(metrics_of(installed))


@EVERY_GAME
async def test_hi_03_neither_seed_nor_what_follows_from_it_is_seen_before_the_end(
    game: AnyGame, installed: House, log: JetStreamLog, printed: io.StringIO
) -> None:
    """Seeds, draw key, random words of every draw, decision seeds, hashes and digests."""
    async with sitting(installed, game, log) as seen:
        for eye, seat in seen.viewers():
            assert secrets_in(eye, seen.secrets, seat) == []
        check_printed(printed.getvalue(), metrics_of(installed), seen)
        await abort(installed, seen.match_id)
        spectator = seen.eyes[SPECTATOR]
        await spectator.call("GetView", match_pb2.GetViewRequest(match_id=seen.match_id))
        assert "the seed" in secrets_in(spectator, seen.secrets, None), "the search finds nothing"


def check_printed(lines: str, metrics: str, seen: Sitting) -> None:
    """Neither logs nor metrics hold a secret, metrics no id of a match or a player."""
    assert "refused" in lines, "nothing was logged"
    assert "spielwerk_rpc_calls" in metrics
    assert not any(name in metrics for name in [seen.match_id, *seen.players])
    for name, secret in seen.secrets.bytes_against(None).items():
        for text in texts_of(secret)[1:]:
            assert text.decode() not in lines, name
            assert text.decode() not in metrics, name


def metrics_of(house: House) -> str:
    assert house.host is not None
    return generate_latest(house.host.metrics.registry).decode()
