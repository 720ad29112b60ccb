"""The server may fail to make a stream while it removes the folder of the one before.

That comes once in some hundred times, so here the failure is put in the place of real answers.
"""

from __future__ import annotations

from typing import Any

import pytest

from spielwerk.log import api
from spielwerk.log.api import ApiError, ask, create_stream
from spielwerk.log.connect import Connection
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import configuration


class Failing:
    """`ask` whose first answers are that error."""

    def __init__(self, code: int, times: float) -> None:
        self._code = code
        self._left = times
        self.asked = 0

    async def __call__(self, *question: Any, **how: Any) -> dict[str, Any]:
        self.asked += 1
        self._left -= 1
        if self._left >= 0:
            raise ApiError(self._code, "error creating store for stream")
        return await ask(*question, **how)


async def test_a_stream_is_made_although_the_server_fails_at_first(
    nats: Connection, stream_settings: LogSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(10049, times=2)
    monkeypatch.setattr(api, "ask", failing)
    info = await create_stream(nats, configuration(stream_settings), timeout=30)
    assert info["config"]["name"] == stream_settings.stream
    assert failing.asked == 3


@pytest.mark.parametrize(("code", "timeout"), [(10049, 0.2), (10058, 30)])
async def test_what_does_not_pass_is_told(
    nats: Connection,
    stream_settings: LogSettings,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    timeout: float,
) -> None:
    failing = Failing(code, times=float("inf"))
    monkeypatch.setattr(api, "ask", failing)
    with pytest.raises(ApiError) as told:
        await create_stream(nats, configuration(stream_settings), timeout=timeout)
    assert told.value.code == code
    assert (failing.asked > 1) is (code == 10049)
