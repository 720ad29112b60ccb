"""A start that finds its log gone tells the operator what is lost, and does not serve."""

from __future__ import annotations

from pathlib import Path

import pytest

from spielwerk.log.connect import Connection
from spielwerk.log.known_stream import open_stream, write_known
from spielwerk.log.port import StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import LogMissing


async def test_the_loss_stands_in_the_logs(
    nats: Connection, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = LogSettings(stream="GONE", marker_file=tmp_path / "stream.json")
    write_known(tmp_path / "stream.json", StreamIdentity("GONE", "2026-11-30T00:00:00Z", 1, 4711))
    with pytest.raises(LogMissing):
        await open_stream(nats, settings)
    assert "held records up to 4711" in caplog.text


async def test_nothing_is_left_beside_the_marker(nats: Connection, tmp_path: Path) -> None:
    settings = LogSettings(stream="NEW", marker_file=tmp_path / "stream.json")
    await open_stream(nats, settings)
    await open_stream(nats, settings)
    assert [file.name for file in tmp_path.iterdir()] == ["stream.json"]
