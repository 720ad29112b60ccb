"""Takes what a process writes, so that it is not held up."""

from __future__ import annotations

import asyncio


async def drain(lines: asyncio.StreamReader) -> None:
    """Read to the end: a process whose lines nobody takes stands still once the pipe is full."""
    while await lines.read(65_536):
        pass
