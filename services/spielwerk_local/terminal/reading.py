"""Reads what a person types."""

from __future__ import annotations

import asyncio
import threading
from typing import TextIO


class BadInput(Exception):
    """What was typed means nothing here; the text says what would."""


def number(text: str, highest: int) -> int | None:
    """A whole number from 1 to `highest`, else None."""
    value = int(text) if text.isascii() and text.isdecimal() else 0
    return value if 1 <= value <= highest else None


class Lines:
    """Lines of a terminal or a pipe, read beside the event loop; None at its end.

    The thread is a daemon, since nothing can end a read that waits for a person.
    """

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="terminal", daemon=True).start()

    async def next(self) -> str | None:
        """The next line without its end."""
        self._wanted.release()
        return await self._lines.get()

    def _read(self) -> None:
        while self._wanted.acquire():
            line = self._source.readline()
            text = line.rstrip("\r\n") if line else None
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, text)
            except RuntimeError:  # the loop is closed: nobody reads any more
                return
