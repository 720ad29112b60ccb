"""A list of matches reads thousands of records; players' moves do not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from rules.stored import opened_match, replica
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Tail
from spielwerk.rpc.auth import Caller
from spielwerk_rules.audit import YIELD_EVERY
from spielwerk_rules.audit_listing import Listing, Page, Wanted

MATCHES = 40 * YIELD_EVERY


class ListedLog(MemoryLog):
    @property
    def parts(self) -> Sequence[Tail]:
        return (self,)


@pytest.fixture
async def log() -> ListedLog:
    log = ListedLog()
    await opened_match(replica(log))
    (first,) = log._stored
    for _ in range(1, MATCHES):
        log.put(first.subject, first.data, first.headers)
    return log


async def listed(listing: Listing) -> Page:
    nobodys = Wanted("", "nobody", None, None)
    return await listing.page(nobodys, [], 50, Caller("alice", "player"))


async def test_others_run_while_a_page_is_read(log: ListedLog) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    running = asyncio.create_task(others())
    page = await listed(Listing(log, asyncio.Semaphore(1)))
    running.cancel()
    assert not page.matches
    assert turns >= MATCHES / YIELD_EVERY


async def test_a_page_waits_for_other_heavy_work(log: ListedLog) -> None:
    heavy = asyncio.Semaphore(1)
    listing = Listing(log, heavy)
    async with heavy:
        waiting = asyncio.create_task(listed(listing))
        await listed(Listing(log, asyncio.Semaphore(1)))  # so long, one takes that need not wait
        await asyncio.sleep(0)
        assert not waiting.done()
    assert not (await waiting).matches
