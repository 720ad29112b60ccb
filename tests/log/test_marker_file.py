"""A marker file that cannot be written ends nothing that runs, and never hides a loss."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from log.whole import until
from spielwerk.background import running
from spielwerk.log import known_stream
from spielwerk.log.connect import Connection
from spielwerk.log.guard import guard_stream
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.known_stream import MarkerUnusable, open_stream, read_known, write_known
from spielwerk.log.port import Kind, StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import new_match_id
from spielwerk_local.brokers import Brokers

MATCH = new_match_id(1_790_000_000_000, b"0123456789")
LONGEST_NAME = "m" * 250
"""The file itself can be read and written, but not a new one beside it with a longer name."""
IDENTITY = StreamIdentity("MATCHES", "2026-11-29T22:59:22.299935665Z", 1, 42)


def marked(settings: LogSettings, marker: Path) -> LogSettings:
    return settings.model_copy(update={"marker_file": marker})


def put(marker: Path, identity: StreamIdentity) -> None:
    marker.write_text(json.dumps(asdict(identity)))


async def appended(log: JetStreamLog, expected: int) -> int:
    return await log.append(MATCH, Kind.MOVE, b"x", {}, expected=expected)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    marker = tmp_path / "stream.json"
    marker.mkdir()  # nothing can take its place
    with pytest.raises(OSError, match="directory"):
        write_known(marker, IDENTITY)
    assert [path.name for path in tmp_path.iterdir()] == ["stream.json"]


def no_json(marker: Path) -> None:
    marker.write_text('{"name": "MATC')


def other_content(marker: Path) -> None:
    marker.write_text('{"stream": "MATCHES"}')


def no_file(marker: Path) -> None:
    marker.mkdir()


@pytest.mark.parametrize("damage", [no_json, other_content, no_file])
def test_a_marker_that_cannot_be_read_is_named(tmp_path: Path, damage: object) -> None:
    marker = tmp_path / "stream.json"
    damage(marker)  # type: ignore[operator]
    with pytest.raises(MarkerUnusable, match=f"{marker} cannot be read"):
        read_known(marker)


async def test_a_first_start_that_cannot_leave_a_marker_is_refused(
    nats: Connection, stream_settings: LogSettings, tmp_path: Path
) -> None:
    marker = tmp_path / "not-there" / "stream.json"
    with pytest.raises(MarkerUnusable, match=f"{marker} cannot be written"):
        await open_stream(nats, marked(stream_settings, marker))


async def test_a_start_goes_on_with_an_older_marker_of_the_same_stream(
    nats: Connection, log: JetStreamLog, stream_settings: LogSettings, tmp_path: Path
) -> None:
    marker = tmp_path / LONGEST_NAME
    before = await log.identity()
    put(marker, before)
    await appended(log, 0)
    found = await open_stream(nats, marked(stream_settings, marker))
    assert found.last_sequence == 1
    assert read_known(marker) == before


async def test_a_start_with_a_marker_of_another_stream_is_refused_if_it_stays(
    nats: Connection, stream_settings: LogSettings, tmp_path: Path
) -> None:
    marker = tmp_path / LONGEST_NAME
    put(marker, IDENTITY)
    allowed = stream_settings.model_copy(update={"new_installation": True})
    with pytest.raises(MarkerUnusable, match="cannot be written"):
        await open_stream(nats, marked(allowed, marker))


async def test_a_guard_goes_on_without_the_marker_and_writes_it_when_it_can(
    nats: Connection,
    log: JetStreamLog,
    stream_settings: LogSettings,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries = 0

    def counted(path: Path, identity: StreamIdentity) -> None:
        nonlocal tries
        tries += 1
        write_known(path, identity)

    async def failed_again() -> None:
        seen = tries
        await until(lambda: tries > seen + 1)

    monkeypatch.setattr(known_stream, "write_known", counted)
    folder = tmp_path / "volume"
    marker = folder / "stream.json"
    known = await log.identity()

    def told(event: str) -> int:
        return sum(event in record.getMessage() for record in caplog.records)

    caplog.set_level("INFO")
    guard = guard_stream(nats, marked(stream_settings, marker), known, period_s=0.01)
    async with running(guard):
        await until(lambda: told("marker file not written") == 1)
        sequence = 0
        for _ in range(5):
            sequence = await appended(log, sequence)
            await failed_again()
        folder.mkdir()
        await until(marker.exists)
        await until(lambda: told("marker file written again") == 1)
        await appended(log, sequence)
        await until(lambda: (read_known(marker) or known).last_sequence == 6)
    assert told("marker file not written") == 1
    assert [path.name for path in folder.iterdir()] == ["stream.json"]


async def test_calls_do_not_wait_for_the_markers_disk(
    nats: Connection,
    log: JetStreamLog,
    stream_settings: LogSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[int] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        threads.append(threading.get_ident())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    settings = marked(stream_settings, tmp_path / "stream.json")
    known = await open_stream(nats, settings)
    async with running(guard_stream(nats, settings, known, period_s=0.01)):
        await appended(log, 0)
        await until(lambda: (read_known(tmp_path / "stream.json") or known).last_sequence == 1)
    assert len(threads) >= 2
    assert threading.get_ident() not in threads


@pytest.mark.usefixtures("nats")
async def test_the_process_ends_with_1_and_names_the_file(brokers: Brokers, tmp_path: Path) -> None:
    marker = tmp_path / "not-there" / "stream.json"
    settings = {
        "SPIELWERK_NATS__URL": brokers.nats_url,
        "SPIELWERK_LOG__MARKER_FILE": str(marker),
        "SPIELWERK_RPC__LISTEN": "127.0.0.1:0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "spielwerk_rules",
        env={**os.environ, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 1, said.decode()
    assert f"the marker file {marker} cannot be written".encode() in said
    assert b"Traceback" not in said
