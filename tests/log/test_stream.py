"""A log is made once, compared at every start, and its loss is named."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spielwerk.errors import ResourceExhausted
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.known_stream import open_stream, read_known, write_known
from spielwerk.log.port import Kind, StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import (
    LogForeign,
    LogMissing,
    configuration,
    ensure_stream,
    watch_filling,
)
from spielwerk.log.subjects import new_match_id

A = new_match_id(1_790_000_000_000, b"0123456789")
ELSEWHERE = "2020-02-02T02:02:02.000000002Z"


@pytest.fixture
def settings(tmp_path: Path) -> LogSettings:
    """A stream of its own: one made again under an old name may find leftovers on the disk."""
    return LogSettings(stream=f"S-{uuid.uuid4().hex}", marker_file=tmp_path / "stream.json")


def changed(settings: LogSettings, **values: Any) -> LogSettings:
    return settings.model_copy(update=values)


async def test_no_stream_is_made_without_the_word_that_none_is_missed(
    nats: Connection, settings: LogSettings
) -> None:
    with pytest.raises(LogMissing, match=f"no stream {settings.stream}"):
        await ensure_stream(nats, settings, known=None, allow_new=False)
    with pytest.raises(LogMissing):
        await JetStreamLog(nats, settings).identity()


async def test_a_new_installation_gets_an_empty_stream(
    nats: Connection, settings: LogSettings
) -> None:
    made = await ensure_stream(nats, settings, known=None, allow_new=True)

    assert (made.name, made.last_sequence) == (settings.stream, 0)
    assert await ensure_stream(nats, settings, known=made, allow_new=False) == made


async def test_several_processes_may_start_a_new_installation_at_once(
    nats: Connection, settings: LogSettings
) -> None:
    made = await asyncio.gather(
        *(ensure_stream(nats, settings, known=None, allow_new=True) for _ in range(5))
    )
    assert len(set(made)) == 1


async def test_a_lost_stream_is_named_with_what_it_held(
    nats: Connection, settings: LogSettings
) -> None:
    await ensure_stream(nats, settings, known=None, allow_new=True)
    await JetStreamLog(nats, settings).append(A, Kind.OPEN, b"1", {}, expected=0)
    known = await JetStreamLog(nats, settings).identity()
    await ask(nats, f"STREAM.DELETE.{settings.stream}", None, timeout=5)

    with pytest.raises(LogMissing, match=f"{known.created} and held records up to 1"):
        await ensure_stream(nats, settings, known=known, allow_new=False)


async def test_another_stream_in_place_of_the_known_one_is_refused(
    nats: Connection, settings: LogSettings
) -> None:
    found = await ensure_stream(nats, settings, known=None, allow_new=True)
    known = replace(found, created=ELSEWHERE, last_sequence=42)

    with pytest.raises(LogForeign, match=f"{ELSEWHERE} with 42 records: those are lost"):
        await ensure_stream(nats, settings, known=known, allow_new=False)


async def test_a_stream_that_ends_before_what_was_seen_is_refused(
    nats: Connection, settings: LogSettings
) -> None:
    found = await ensure_stream(nats, settings, known=None, allow_new=True)

    with pytest.raises(LogForeign, match="record 7 was seen"):
        await ensure_stream(nats, settings, known=replace(found, last_sequence=7), allow_new=False)


@pytest.mark.parametrize(
    "other",
    [
        {"discard": "old"},
        {"max_age": 10**15},
        {"max_msgs": 1000},
        {"max_msgs_per_subject": 5},
        {"deny_delete": False},
        {"deny_purge": False},
        {"allow_direct": False},
        {"storage": "memory"},
        {"republish": None},
        {"retention": "interest"},
        {"subjects": ["match.>", "other.>"]},
        {"deny_purge": False, "allow_rollup_hdrs": True},
    ],
    ids="-".join,
)
async def test_a_stream_that_could_lose_what_it_acknowledged_is_refused(
    nats: Connection, settings: LogSettings, other: dict[str, Any]
) -> None:
    body = configuration(settings) | other
    await ask(nats, f"STREAM.CREATE.{settings.stream}", body, timeout=5)

    with pytest.raises(LogForeign, match=next(iter(other))):
        await ensure_stream(nats, settings, known=None, allow_new=True)


async def test_the_operators_size_is_brought_to_the_stream(
    nats: Connection, settings: LogSettings
) -> None:
    await ensure_stream(nats, settings, known=None, allow_new=True)
    larger = changed(settings, max_bytes=10_000_000)

    await ensure_stream(nats, larger, known=None, allow_new=False)

    info = await ask(nats, f"STREAM.INFO.{settings.stream}", None, timeout=5)
    assert info["config"]["max_bytes"] == 10_000_000
    assert info["config"]["republish"] == configuration(larger)["republish"]


async def test_records_can_be_neither_deleted_nor_purged(
    nats: Connection, settings: LogSettings
) -> None:
    await ensure_stream(nats, settings, known=None, allow_new=True)
    log = JetStreamLog(nats, settings)
    await log.append(A, Kind.OPEN, b"1", {}, expected=0)

    for verb, body in (("PURGE", {}), ("MSG.DELETE", {"seq": 1})):
        with pytest.raises(ApiError):
            await ask(nats, f"STREAM.{verb}.{settings.stream}", body, timeout=5)

    assert len(await log.read(A)) == 1


async def test_a_full_log_refuses_moves_and_drops_none(
    nats: Connection, settings: LogSettings
) -> None:
    small = changed(settings, max_bytes=20_000)
    await ensure_stream(nats, small, known=None, allow_new=True)
    log = JetStreamLog(nats, small)
    stored: list[int] = [0]

    async def fill() -> None:
        while True:
            stored.append(await log.append(A, Kind.MOVE, b"x" * 500, {}, expected=stored[-1]))

    with pytest.raises(ResourceExhausted) as refusal:
        await fill()

    assert refusal.value.reason == "log_full"
    assert [message.sequence for message in await log.read(A)] == stored[1:]
    assert stored[1] == 1


async def test_the_filling_is_reported(nats: Connection, settings: LogSettings) -> None:
    small = changed(settings, max_bytes=20_000)
    await ensure_stream(nats, small, known=None, allow_new=True)
    log = JetStreamLog(nats, small)
    await log.append(A, Kind.MOVE, b"x" * 10_000, {}, expected=0)
    reported: asyncio.Queue[tuple[int, float]] = asyncio.Queue()

    watching = asyncio.create_task(
        watch_filling(nats, small, lambda *filling: reported.put_nowait(filling))
    )
    used, filling = await reported.get()
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching

    assert 0.5 < filling < 0.6
    assert used == filling * 20_000


async def test_the_first_start_makes_a_stream_and_remembers_it(
    nats: Connection, settings: LogSettings, tmp_path: Path
) -> None:
    made = await open_stream(nats, settings)

    assert read_known(tmp_path / "stream.json") == made
    assert await open_stream(nats, settings) == made


async def test_a_later_start_with_an_empty_broker_fails_until_the_operator_allows_it(
    nats: Connection, settings: LogSettings, tmp_path: Path
) -> None:
    write_known(tmp_path / "stream.json", StreamIdentity(settings.stream, ELSEWHERE, 1, 42))

    with pytest.raises(LogMissing, match=f"{ELSEWHERE} and held records up to 42"):
        await open_stream(nats, settings)

    made = await open_stream(nats, changed(settings, new_installation=True))
    assert made.created != ELSEWHERE
    assert await open_stream(nats, settings) == made


async def test_without_a_marker_file_only_the_operator_can_allow_a_new_log(
    nats: Connection, settings: LogSettings
) -> None:
    unmarked = changed(settings, marker_file=None)
    with pytest.raises(LogMissing):
        await open_stream(nats, unmarked)

    made = await open_stream(nats, changed(unmarked, new_installation=True))
    assert await open_stream(nats, unmarked) == made


def test_a_marker_is_read_as_it_was_written(tmp_path: Path) -> None:
    identity = StreamIdentity("MATCHES", "2026-11-29T22:59:22.299935665Z", 1, 42)
    assert read_known(tmp_path / "stream.json") is None

    write_known(tmp_path / "stream.json", identity)

    assert read_known(tmp_path / "stream.json") == identity
    assert [path.name for path in tmp_path.iterdir()] == ["stream.json"]
