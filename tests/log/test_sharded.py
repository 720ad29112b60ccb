"""One log in several streams: which match is where, for ever, and never in another number of
streams than before."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from spielwerk.log.api import ask
from spielwerk.log.connect import Connection
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings
from spielwerk.log.sharded import ShardedLog
from spielwerk.log.stream import LogForeign, LogMissing, watch_filling
from spielwerk.log.streams import open_streams, until_streams
from spielwerk.log.subjects import SHARDS, new_match_id, shard_of, subject

# Recorded once. A match that moved would be lost to its players: these lines never change.
PLACES = [
    ("01m3250v00drt0q77zpdx9h755", 3, "MATCHES", "MATCHES_1", "MATCHES_3"),
    ("01m5hzb4009fth4bsm8nacaeyy", 38, "MATCHES", "MATCHES_0", "MATCHES_2"),
    ("01m81snd00vf0v9j80zzj8tntv", 57, "MATCHES", "MATCHES_1", "MATCHES_1"),
    ("01mahkzp00117yt25sf2qmtz8s", 19, "MATCHES", "MATCHES_1", "MATCHES_3"),
    ("01md1e9z00wmpsrm4ca0hmed2d", 54, "MATCHES", "MATCHES_0", "MATCHES_2"),
    ("01mfh8m800wxxsn6q9wc5gvfdp", 57, "MATCHES", "MATCHES_1", "MATCHES_1"),
    ("01mj12yh00cxc6x67tt9yt1ecp", 17, "MATCHES", "MATCHES_1", "MATCHES_1"),
    ("01mmgx8t00s8trep7pt9z6sx2j", 3, "MATCHES", "MATCHES_1", "MATCHES_3"),
    ("01mq0qk300qvndeycmsxbk6gfc", 42, "MATCHES", "MATCHES_0", "MATCHES_2"),
    ("01msghxc005d638btm6fnyb4d1", 20, "MATCHES", "MATCHES_0", "MATCHES_0"),
    ("01mw0c7n0006x4e6e81dqyj4dg", 59, "MATCHES", "MATCHES_1", "MATCHES_3"),
    ("01myg6hy00wz7md83rzvafnz8b", 35, "MATCHES", "MATCHES_1", "MATCHES_3"),
]


@pytest.mark.parametrize(("match_id", "shard", "one", "two", "four"), PLACES, ids=str)
def test_no_match_ever_moves(match_id: str, shard: int, one: str, two: str, four: str) -> None:
    assert shard_of(match_id) == shard
    assert subject(match_id, Kind.OPEN).split(".")[2] == str(shard)
    for streams, name in ((1, one), (2, two), (4, four)):
        holding = [p.stream for p in LogSettings(streams=streams).parts if p.holds(match_id)]
        assert holding == [name]


@pytest.mark.parametrize("streams", [1, 2, 4, 8, 16, 32, 64])
def test_every_shard_is_in_one_stream_and_all_have_as_many(streams: int) -> None:
    parts = LogSettings(streams=streams).parts
    assert sorted(shard for part in parts for shard in part.shards) == list(range(SHARDS))
    assert {len(part.shards) for part in parts} == {SHARDS // streams}


@pytest.mark.parametrize("streams", [0, 3, 65, 128])
def test_a_number_that_does_not_divide_the_shards_is_refused(streams: int) -> None:
    with pytest.raises(ValidationError):
        LogSettings(streams=streams)


def test_one_stream_keeps_its_name_its_marker_and_the_names_of_its_checkpoints() -> None:
    settings = LogSettings(marker_file=Path("stream.json"))
    assert settings.parts == (settings,)
    assert (settings.stream, settings.tag) == ("MATCHES", "")


def test_several_streams_have_names_markers_and_checkpoints_of_their_own() -> None:
    parts = LogSettings(streams=2, marker_file=Path("stream.json")).parts
    assert [(p.stream, p.tag, str(p.marker_file)) for p in parts] == [
        ("MATCHES_0", ":MATCHES_0", "stream-0.json"),
        ("MATCHES_1", ":MATCHES_1", "stream-1.json"),
    ]


def log_of(tmp_path: Path, streams: int, *, marked: bool = True, new: bool = False) -> LogSettings:
    marker = tmp_path / "stream.json" if marked else None
    return LogSettings(streams=streams, marker_file=marker, new_installation=new)


@pytest.mark.parametrize(("before", "after"), [(1, 4), (4, 1), (2, 4), (4, 2)])
@pytest.mark.parametrize("place", ["marker", "broker"])
async def test_another_number_of_streams_is_refused_and_both_are_named(
    nats: Connection, tmp_path: Path, before: int, after: int, place: str
) -> None:
    made = log_of(tmp_path, before, new=True)
    await open_streams(nats, made)
    other = log_of(tmp_path, after, marked=place == "marker", new=True)
    with pytest.raises(LogForeign) as refused:
        await open_streams(nats, other)
    assert made.part.stream in refused.value.message
    assert other.part.stream in refused.value.message
    assert f"log.streams = {after}" in refused.value.message
    await open_streams(nats, log_of(tmp_path, before))


async def test_a_reader_of_another_number_of_streams_fails_and_does_not_wait(
    nats: Connection, tmp_path: Path
) -> None:
    await open_streams(nats, log_of(tmp_path, 4, new=True))
    async with asyncio.timeout(20):
        with pytest.raises(LogForeign, match="fixed for an installation"):
            await until_streams(nats, log_of(tmp_path, 1))


async def test_a_reader_waits_until_all_streams_are_made(nats: Connection, tmp_path: Path) -> None:
    settings = log_of(tmp_path, 4, new=True)
    waiting = asyncio.create_task(until_streams(nats, settings))
    await open_streams(nats, settings)
    async with asyncio.timeout(20):
        await waiting


async def test_a_first_start_that_broke_off_is_completed(nats: Connection, tmp_path: Path) -> None:
    settings = log_of(tmp_path, 4)
    await open_streams(nats, settings)
    last = settings.parts[3]
    assert last.marker_file is not None
    last.marker_file.unlink()
    assert [s.name for s in await open_streams(nats, settings)] == [
        part.stream for part in settings.parts
    ]


async def test_a_lost_stream_of_several_is_named(nats: Connection, tmp_path: Path) -> None:
    settings = log_of(tmp_path, 4)
    await open_streams(nats, settings)
    await ask(nats, "STREAM.DELETE.MATCHES_2", None, timeout=5)
    with pytest.raises(LogMissing, match="MATCHES_2"):
        await open_streams(nats, settings)


async def test_the_fullest_stream_counts(nats: Connection) -> None:
    settings = LogSettings(streams=2, max_bytes=100_000, new_installation=True)
    await open_streams(nats, settings)
    log = ShardedLog(nats, settings)
    matches = [new_match_id(1_790_000_000_000 + n, b"0123456789") for n in range(20)]
    match_id = next(m for m in matches if settings.parts[1].holds(m))
    await log.append(match_id, Kind.OPEN, bytes(60_000), {}, expected=0)
    told = asyncio.get_running_loop().create_future()
    watching = asyncio.create_task(
        watch_filling(nats, settings, lambda used, filling: told.set_result((used, filling)))
    )
    used, filling = await told
    watching.cancel()
    assert 60_000 < used < 62_000
    assert 0.6 < filling < 0.62
