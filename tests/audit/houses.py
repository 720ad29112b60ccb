"""Two installations in which two matches are stored, and a viewer who looks at them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from audit.looking import SPECTATOR, Eyes, eyes
from rules.conftest import Rules
from spielwerk.games.game import Seat
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Stored
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import kind_of, match_id_of
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import start_nats


@pytest.fixture
async def houses(tmp_path: Path) -> AsyncIterator[list[Rules]]:
    """Two installations with the same keys."""
    keys = signing.generate()
    async with AsyncExitStack() as stack:
        found = []
        for name in ("one", "other"):
            nats, url = await start_nats(tmp_path / name, sync_always=False)
            stack.push_async_callback(nats.stop)
            rules = Rules(url, keys, stack)
            await rules.start()
            found.append(rules)
        yield found


async def store(rules: Rules, messages: Sequence[Stored], expected: int = 0) -> int:
    """Append records of one match after the sequence `expected`; returns the last one's."""
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        log = JetStreamLog(connection, LogSettings())
        for message in messages:
            match_id, kind = match_id_of(message.subject), kind_of(message.subject)
            expected = await log.append(
                match_id, kind, message.data, message.headers, expected=expected
            )
    return expected


@asynccontextmanager
async def looking(rules: Rules, seats: int, viewer: Seat | None) -> AsyncIterator[Eyes]:
    """The viewer's own channel to an installation."""
    players = [f"p{seat}" for seat in range(seats)]
    async with eyes(rules.addresses[0], rules.keys, *players) as found:
        yield found[SPECTATOR if viewer is None else f"p{viewer}"]
