"""Every kind of fault once, while people play all games: nothing is lost, doubled, leaked or
unfair.

`make chaos` does the same by chance and for longer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from faults.page import page
from faults.run import run
from faults.schedule import Kind, schedule
from spielwerk.games import registry

SEED: Final = 4697
MINUTES: Final = 1.75
GUESTS: Final = 20


@pytest.mark.timeout(600)
async def test_everything_fails_once_and_nothing_is_lost(tmp_path: Path) -> None:
    faults = schedule(SEED, MINUTES)
    assert {fault.kind for fault in faults} == set(Kind)

    report = await run(tmp_path, faults, seed=SEED, seconds=60 * MINUTES, guests=GUESTS, tell=print)

    print(page(report))
    assert report.found == {}
    assert {one.fault.kind for one in report.happened if one.under_way} == set(Kind)
    games = {
        report.witness.records(match_id)[0].events[0].game for match_id in report.witness.stored
    }
    assert games == set(registry.GAMES)
