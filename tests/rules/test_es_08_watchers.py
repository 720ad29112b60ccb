"""ES-08: a watcher whose server lost the broker for a while misses nothing of that while."""

from __future__ import annotations

import asyncio

from faults.proxy import proxy_before
from rules.conftest import ALICE, BOB, Rules, play_on, until, watching


async def test_es_08_watchers_hear_what_was_played_while_their_server_had_no_broker(
    rules: Rules,
) -> None:
    """No keep-alive helps here, and no later move."""
    match_id = await rules.started_match()
    elsewhere = {name: await rules.stub(name) for name in (ALICE, BOB)}
    async with proxy_before(rules.nats_url) as proxy:
        rules.nats_url = proxy.url
        await rules.start(keep_alive_s=3_600)
        metrics = rules.hosts[1].metrics
        async with watching(await rules.stub(BOB, instance=1), match_id, 0) as call:
            seen = [(await call.read()).update.version for _ in range(3)]
            for _ in range(3):
                proxy.refusing = True
                proxy.cut()
                await until(lambda: not metrics.value("spielwerk_ready", check="rules: broker"))
                assert await play_on(elsewhere, match_id, 1) == 1
                proxy.resume()
                async with asyncio.timeout(10):
                    seen.append((await call.read()).update.version)
        assert seen == [1, 2, 3, 4, 5, 6]
        await rules.stack.aclose()
