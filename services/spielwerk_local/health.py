"""Asks the embedded broker whether it can still write.

After one failed write (a full disk) nats-server refuses that stream until it is started again, and
answers appends with silence; only its health page says so.
"""

from __future__ import annotations

import asyncio
import json
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

_PERIOD_S: Final = 5.0
_FAILURES: Final = 3
_TIMEOUT_S: Final = 2.0


async def until_unhealthy(monitor_url: str, *, period_s: float = _PERIOD_S) -> str:
    """Wait until the broker has called itself unhealthy three times in a row; says why.

    A broker that does not answer at all is not judged here: it is busy, or its process has ended.
    """
    failures = 0
    while True:
        why = await asyncio.to_thread(_failure, f"{monitor_url}/healthz")
        failures = failures + 1 if why else 0
        if failures == _FAILURES:
            return why
        await asyncio.sleep(period_s)


def _failure(url: str) -> str:
    try:
        with urlopen(url, timeout=_TIMEOUT_S):
            return ""
    except HTTPError as error:
        with error:
            return _reason(error.read())
    except (URLError, OSError):
        return ""


def _reason(body: bytes) -> str:
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError):
        return body.decode(errors="replace")
