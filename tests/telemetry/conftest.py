"""What is logged, as it is printed."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from spielwerk.telemetry import logs
from spielwerk.telemetry.settings import TelemetrySettings

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lines]:
    root, written = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    monkeypatch.setattr("sys.stderr", written)
    logs.configure(TelemetrySettings(level="debug"), "rules")
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.handlers[:] = handlers
    root.setLevel(level)
