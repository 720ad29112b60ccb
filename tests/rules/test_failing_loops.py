"""What rules does beside its calls does not end in silence."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import spielwerk_rules.app
from rules.conftest import Rules
from spielwerk.rpc.host import Host
from spielwerk.settings import LogSettings, NatsSettings, RpcSettings
from spielwerk_rules.settings import Settings


async def test_rules_ends_when_it_cannot_tell_any_more_how_full_the_log_is(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(spielwerk_rules.app, "watch_filling", failing)
    settings = Settings(
        nats=NatsSettings(url=rules.nats_url),
        log=LogSettings(new_installation=True),
        rpc=RpcSettings(listen="127.0.0.1:0"),
    )
    with pytest.raises(RuntimeError, match="a bug"):
        async with asyncio.timeout(30), spielwerk_rules.app.serving(settings, Host(settings)):
            await asyncio.Event().wait()
