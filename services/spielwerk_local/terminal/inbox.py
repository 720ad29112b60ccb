"""What happens next at a terminal: something in the match, or a line that was typed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType

from spielwerk.client import Following, Watched
from spielwerk_local.terminal.reading import Lines


@dataclass(frozen=True, slots=True)
class Typed:
    """A line; None at the end of the input."""

    text: str | None


class Inbox:
    """Joins a watch and typed lines; the match goes first. Use it as a context manager."""

    def __init__(self, watched: Following[Watched], lines: Lines) -> None:
        self._watched = watched
        self._lines = lines
        self._item: asyncio.Future[Watched] | None = None
        self._line: asyncio.Future[str | None] | None = None

    async def next(self, *, asking: bool) -> Watched | Typed:
        """The next thing; lines are read only while something is asked."""
        if self._item is None:
            self._item = asyncio.ensure_future(anext(self._watched))
        if asking and self._line is None:
            self._line = asyncio.ensure_future(self._lines.next())
        line = self._line if asking else None
        waiting: set[asyncio.Future[Watched] | asyncio.Future[str | None]] = {self._item}
        if line is not None:
            waiting.add(line)
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if line is None or self._item.done():
            item, self._item = self._item, None
            return item.result()
        self._line = None
        return Typed(line.result())

    async def __aenter__(self) -> Inbox:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in (self._item, self._line):
            if task is not None:
                task.cancel()
        if self._item is not None:
            await asyncio.wait({self._item})
