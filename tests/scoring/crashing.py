"""A store client whose process dies at a chosen step."""

from __future__ import annotations

from typing import Any, cast

from redis.asyncio import Redis

from spielwerk.store import open_redis


class Crash(BaseException):
    """The process is gone: nobody handles this."""


def crashing_redis(url: str, steps: int) -> Redis:
    """A client that lives for so many steps."""
    client: Any = open_redis(url, CrashingRedis)
    client.steps = steps
    return cast(Redis, client)


class CrashingRedis(Redis):
    """Dies when `steps` are used up; sending a command and seeing its answer are one step each."""

    steps = 0

    def _step(self) -> None:
        if self.steps <= 0:
            raise Crash
        self.steps -= 1

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        self._step()
        answer = await super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        self._step()
        return answer

    def pipeline(self, *args: Any, **options: Any) -> Any:
        pipe: Any = super().pipeline(*args, **options)
        execute = pipe.execute

        async def crashing(*args: Any, **options: Any) -> Any:
            self._step()
            answer = await execute(*args, **options)
            self._step()
            return answer

        pipe.execute = crashing
        return pipe
