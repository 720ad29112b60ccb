"""ES-07: a full disk takes no move, loses none, and is forgotten when there is room again."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from typing import Final

import pytest

from faults.witness import Witness
from log.small_volume import small_volume
from log.test_es_01_kill_the_broker import Acknowledged, places, play
from log.whole import opened_log, until, whole
from spielwerk.background import running

SEED: Final = 7
WORKING_S: Final = 60.0


@pytest.mark.skipif(sys.platform != "linux", reason="volumes in name spaces exist on Linux only")
@pytest.mark.parametrize("restarted", [False, True], ids=["goes-on", "restarted-while-full"])
@pytest.mark.timeout(280)
async def test_es_07_a_full_disk_loses_nothing_and_needs_no_repair(
    tmp_path: Path, redis_url: str, restarted: bool
) -> None:
    told: Acknowledged = {}
    enough = asyncio.Event()
    async with small_volume(tmp_path / "volume", 64) as volume:
        async with whole(volume, redis_url, tmp_path) as installed, running(volume.supervise()):
            players = [
                asyncio.create_task(play(installed, random.Random(SEED + n), told, enough))
                for n in range(3)
            ]
            await until(lambda: len(told) > 60)
            volume.fill()
            unready = await until(lambda: not installed.ready("rules: log"), within_s=WORKING_S)
            while_full = len(told)
            match_id = next(iter(told))[0]
            async with installed.client() as anybody:
                await anybody.create_guest("Eva")
                if not restarted:  # what is stored can be read
                    assert (await anybody.match(match_id).view()).version > 0
            if restarted:
                await volume.kill()
                await volume.start()
            await until(lambda: volume.failures, within_s=WORKING_S)
            assert "no space left" in volume.failures[0]
            # Restarts find room for a record or two; what was acknowledged is looked for below.
            assert len(told) < while_full + 20
            volume.free()
            back = await until(lambda: len(told) > while_full + 60, within_s=WORKING_S)
            print(f"unready after {unready:.1f} s, playing {back:.1f} s after the space was freed")
            enough.set()
            await asyncio.gather(*players)
            await until(lambda: installed.ready("rules: log"), within_s=WORKING_S)
        async with opened_log(volume.url) as log:
            stored = places(await Witness.of(log))
    assert {key: stored.get(key) for key in told} == {key: [at] for key, at in told.items()}
    assert all(len(versions) == 1 for versions in stored.values())
