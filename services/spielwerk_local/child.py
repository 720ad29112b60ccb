"""A child process that never outlives us."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

# Asks the kernel (PR_SET_PDEATHSIG) for SIGTERM at our death, even by SIGKILL, and becomes the
# program. A `preexec_fn` would do the same inside a fork of a process with threads: not safe.
_LAUNCH: Final = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
_POLL_S: Final = 0.01
_WATCH_S: Final = 0.25
_TERM_S: Final = 10.0


class Child:
    """One running program; its process id stands in `pid_file` while it lives.

    The file lets the next start end what was left over if we were killed where the kernel does
    not do that itself (outside Linux).
    """

    def __init__(self, arguments: Sequence[str], *, output: Path, pid_file: Path) -> None:
        end_left_over(pid_file, arguments[0])
        with output.open("ab") as file:
            self.process = subprocess.Popen(
                [*_launcher(), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                # Not in our group: Ctrl-C is for us, and we end the broker after the services.
                start_new_session=True,
            )
        self._program = arguments[0]
        self._output = output
        self._pid_file = pid_file
        pid_file.write_text(str(self.process.pid))

    @property
    def pid(self) -> int:
        """Process id."""
        return self.process.pid

    async def until(self, ready: Callable[[], bool], timeout_s: float) -> None:
        """Wait for a condition; RuntimeError with the end of its output if it ends before."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while not ready():
            if self.process.poll() is not None or asyncio.get_running_loop().time() > deadline:
                raise RuntimeError(f"{self._program} did not start:\n{self._last_output()}")
            await asyncio.sleep(_POLL_S)

    async def ended(self) -> int:
        """Wait for its end; returns the exit code."""
        while self.process.poll() is None:
            await asyncio.sleep(_WATCH_S)
        return self.process.wait()

    async def stop(self) -> None:
        """TERM, and KILL if that does not help."""
        self.process.terminate()
        try:
            await asyncio.to_thread(self.process.wait, _TERM_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            await asyncio.to_thread(self.process.wait)
        self._pid_file.unlink(missing_ok=True)

    def kill(self) -> None:
        """KILL, as a crash would."""
        self.process.kill()
        self.process.wait()
        self._pid_file.unlink(missing_ok=True)

    def _last_output(self) -> str:
        return self._output.read_text(errors="replace")[-2000:]


def _launcher() -> tuple[str, ...]:
    if sys.platform != "linux":
        return ()
    return (sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()))


def end_left_over(pid_file: Path, program: str) -> None:
    """Kill the process named in the file if it is still that program."""
    try:
        pid = int(pid_file.read_text())
    except (FileNotFoundError, ValueError):
        return
    if program in _command_of(pid):
        os.kill(pid, signal.SIGKILL)
    pid_file.unlink(missing_ok=True)


def _command_of(pid: int) -> str:
    """The command line of a process, empty if there is none."""
    on_linux = Path(f"/proc/{pid}/cmdline")
    if sys.platform == "linux":
        return on_linux.read_text().replace("\0", " ") if on_linux.exists() else ""
    listing = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listing.stdout
