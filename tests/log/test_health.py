"""Signs of life in a real stream, and the outages that they show to all who read them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable

import pytest

from spielwerk.errors import Unavailable
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection
from spielwerk.log.health import Outages
from spielwerk.log.health_stream import BEAT, OUTAGE, STREAM, HealthStream, Sign
from spielwerk.match.model import Outage

THRESHOLD_MS = 6_000


def folded(signs: Iterable[Sign], threshold_ms: int = THRESHOLD_MS) -> Outages:
    outages = Outages(threshold_ms)
    for sign in signs:
        outages.take(sign)
    return outages


def beats(*at_ms: int) -> list[Sign]:
    return [Sign(sequence, beat_ms=ms) for sequence, ms in enumerate(at_ms, start=1)]


async def everything(stream: HealthStream) -> list[Sign]:
    found: list[Sign] = []
    while part := await stream.read(found[-1].sequence if found else 0):
        found += part
    return found


@pytest.fixture
async def stream(nats: Connection) -> HealthStream:
    made = HealthStream(nats, 1)
    await made.open()
    return made


def test_a_gap_longer_than_the_threshold_is_an_outage() -> None:
    assert not folded(beats(1_000, 7_000, 13_000)).since(0)
    assert folded(beats(1_000, 7_000, 13_001)).since(0) == [Outage(7_000, 13_001)]


def test_the_first_sign_has_no_gap_before_it() -> None:
    assert not folded(beats(1_000_000)).since(0)


def test_a_clock_that_goes_back_makes_no_outage_and_no_future() -> None:
    outages = folded(beats(100_000, 50_000, 52_000))
    assert not outages.since(0)
    assert outages.newest_ms == 52_000


def test_an_outage_counts_once_however_often_it_is_told() -> None:
    outage = Outage(2_000, 20_000)
    written = [Sign(3, outage=outage), Sign(4, outage=outage)]
    outages = folded([*beats(2_000, 20_000), *written])
    assert outages.since(0) == [outage]
    assert not outages.unwritten


def test_an_outage_is_known_after_its_beats_are_gone() -> None:
    outages = folded([Sign(900, outage=Outage(2_000, 20_000)), Sign(901, beat_ms=30_000)])
    assert outages.since(0) == [Outage(2_000, 20_000)]
    assert outages.last_until_ms == 20_000


def test_outages_are_told_from_a_time_on_in_the_order_of_their_ends() -> None:
    outages = folded([Sign(1, outage=Outage(50_000, 60_000)), *beats(2_000, 20_000, 40_000)])
    assert [o.until_ms for o in outages.since(0)] == [20_000, 40_000, 60_000]
    assert [o.until_ms for o in outages.since(20_000)] == [40_000, 60_000]
    assert [o.until_ms for o in outages.unwritten] == [20_000, 40_000]


async def test_beats_come_back_in_order_with_the_brokers_time(stream: HealthStream) -> None:
    sequences = [await stream.beat() for _ in range(3)]
    signs = await everything(stream)
    assert [sign.sequence for sign in signs] == sequences == [1, 2, 3]
    times = [sign.beat_ms or 0 for sign in signs]
    assert times == sorted(times)
    assert times[0] > 1_700_000_000_000


async def test_more_than_one_batch_is_read(nats: Connection, stream: HealthStream) -> None:
    for _ in range(2_500):
        await nats.nc.publish(BEAT, b"")
    await nats.nc.flush()
    last = await stream.beat()
    assert [sign.sequence for sign in await everything(stream)] == list(range(1, last + 1))


async def test_a_pause_of_all_writers_is_the_same_outage_for_all_readers(
    nats: Connection, stream: HealthStream
) -> None:
    one, other = stream, HealthStream(nats, 1)
    await one.beat()
    await asyncio.sleep(0.3)  # the pause itself
    await other.beat()
    await one.beat()
    seen = [folded(await everything(reader), threshold_ms=200) for reader in (one, other)]
    (outage,) = seen[0].since(0)
    assert seen[1].since(0) == [outage]
    assert outage.until_ms - outage.from_ms >= 300
    await one.write_down(outage)
    await other.write_down(outage)
    again = folded(await everything(one), threshold_ms=200)
    assert again.since(0) == [outage]
    assert not again.unwritten


async def test_what_is_not_ours_is_passed_over(nats: Connection, stream: HealthStream) -> None:
    for subject, data in (
        (OUTAGE, b"{"),
        (OUTAGE, json.dumps({"from_ms": 1}).encode()),
        ("health.other", b"x"),
    ):
        await nats.nc.publish(subject, data)
    await nats.nc.flush()
    await stream.beat()
    signs = await everything(stream)
    assert [sign.outage for sign in signs] == [None] * 4
    assert [sign.beat_ms is None for sign in signs] == [True, True, True, False]


async def test_what_the_broker_itself_sends_there_is_no_sign(
    nats: Connection, stream: HealthStream
) -> None:
    outage = json.dumps({"from_ms": 2_000, "until_ms": 20_000}).encode()
    await nats.nc.publish("$JS.API.INFO", b"", reply=BEAT)
    await nats.nc.publish(BEAT, b"")
    await nats.nc.publish(OUTAGE, outage)
    await nats.nc.flush()
    await stream.beat()
    while len(signs := await everything(stream)) < 4:  # the answer may be later than the beat
        await asyncio.sleep(0.01)
    assert len([sign for sign in signs if sign.beat_ms is not None]) == 1
    assert not [sign for sign in signs if sign.outage is not None]


async def test_the_stream_keeps_a_bounded_number_of_beats_and_cannot_be_emptied(
    nats: Connection, stream: HealthStream
) -> None:
    await stream.beat()
    config = (await ask(nats, f"STREAM.INFO.{STREAM}", None, timeout=5))["config"]
    assert config["max_msgs_per_subject"] == 10_000
    assert (config["discard"], config["storage"]) == ("old", "file")
    assert config["deny_purge"]
    assert config["deny_delete"]


async def test_a_lost_stream_is_made_again_for_the_next_beat(
    nats: Connection, stream: HealthStream
) -> None:
    await stream.beat()
    await ask(nats, f"STREAM.DELETE.{STREAM}", None, timeout=5)
    with pytest.raises(Unavailable):
        await stream.beat()
    sequence = await stream.beat()
    assert (await everything(stream))[-1].sequence == sequence
