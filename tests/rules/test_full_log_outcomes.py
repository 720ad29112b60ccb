"""A full log refuses a record definitely only if no earlier try can have stored it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rules.stored import join, opened_match, replica, versions
from spielwerk.errors import ResourceExhausted
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Kind, OutcomeUnknown
from spielwerk_rules.appending import Appended


class FillingLog(MemoryLog):
    """A broker without room, which refuses before it looks at an append's condition."""

    def __init__(self) -> None:
        super().__init__()
        self.loses: bool | None = None
        """The next append fills the log; its answer is lost, whether it was stored or not."""

    async def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> int:
        if self.full:
            raise ResourceExhausted("log_full", "the event log is full")
        if self.loses is not None:
            self.lose_answer = self.loses
        try:
            return await super().append(match_id, kind, data, headers, expected=expected)
        finally:
            self.full = self.loses is not None


async def test_a_first_try_that_is_not_stored_yet_leaves_the_outcome_open() -> None:
    log = FillingLog()
    matches = replica(log)
    match_id = await opened_match(matches)
    log.loses = False
    with pytest.raises(OutcomeUnknown) as unclear:
        await join(matches, match_id, 0)
    assert isinstance(unclear.value.__cause__, ResourceExhausted)
    assert await versions(log, match_id) == [1]


async def test_a_first_try_that_was_stored_is_found_and_acknowledged() -> None:
    log = FillingLog()
    matches = replica(log)
    match_id = await opened_match(matches)
    log.loses = True
    done = await join(matches, match_id, 0)
    assert isinstance(done, Appended)
    assert done.record.version == 2
    assert await versions(log, match_id) == [1, 2]


async def test_a_repeat_on_another_process_finds_what_was_stored_before_the_log_was_full() -> None:
    log = FillingLog()
    one, other = replica(log), replica(log)
    match_id = await opened_match(one)
    await other.fresh(match_id)
    await join(one, match_id, 0)
    log.full = True
    await join(other, match_id, 0)  # it is not refused
    assert (await other.fresh(match_id)).version == 2


async def test_a_log_that_was_full_from_the_beginning_refuses() -> None:
    log = FillingLog()
    matches = replica(log)
    match_id = await opened_match(matches)
    log.full = True
    with pytest.raises(ResourceExhausted) as refused:
        await join(matches, match_id, 0)
    assert refused.value.reason == "log_full"
