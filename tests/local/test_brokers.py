"""The embedded broker and store: data stay, processes do not."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from redis.asyncio import Redis

from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.known_stream import open_stream
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk_local.brokers import local_brokers
from spielwerk_local.child import Child

MATCH = new_match_id(1_790_000_000_000, b"0123456789")

KILLED = """
import asyncio, pathlib, sys
from spielwerk_local.brokers import local_brokers

async def main():
    async with local_brokers(pathlib.Path(sys.argv[1])) as brokers:
        print(brokers.nats_process.pid, brokers.redis_process.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_data_survive_a_restart(tmp_path: Path) -> None:
    settings = LogSettings(marker_file=tmp_path / "stream.json")
    async with local_brokers(tmp_path) as running:
        async with connect(NatsSettings(url=running.nats_url)) as connection:
            await open_stream(connection, settings)
            log = JetStreamLog(connection, settings)
            await log.append(MATCH, Kind.OPEN, b"kept", {}, expected=0)
        async with Redis.from_url(running.redis_url) as store:
            await store.set("kept", "too")

    async with local_brokers(tmp_path) as running:
        async with connect(NatsSettings(url=running.nats_url)) as connection:
            await open_stream(connection, settings)
            (stored,) = await JetStreamLog(connection, settings).read(MATCH)
        async with Redis.from_url(running.redis_url) as store:
            assert await store.get("kept") == b"too"
    assert stored.data == b"kept"


async def test_a_folder_is_used_by_one_installation_at_a_time(tmp_path: Path) -> None:
    async with local_brokers(tmp_path):
        with pytest.raises(RuntimeError, match="in use"):
            async with local_brokers(tmp_path):
                pass


async def test_two_installations_run_side_by_side(tmp_path: Path) -> None:
    async with local_brokers(tmp_path / "a") as one, local_brokers(tmp_path / "b") as other:
        assert one.nats_url != other.nats_url
        assert one.redis_url != other.redis_url


async def test_both_end_with_the_block(tmp_path: Path) -> None:
    async with local_brokers(tmp_path) as running:
        processes = [running.nats_process.process, running.redis_process.process]
        assert [process.poll() for process in processes] == [None, None]

    assert [process.poll() for process in processes] != [None, None]
    assert not list(tmp_path.rglob("*.pid"))


async def test_a_broker_that_dies_is_reported(tmp_path: Path) -> None:
    async with local_brokers(tmp_path) as running:
        crashed = asyncio.create_task(running.crashed())
        os.kill(running.nats_process.pid, signal.SIGKILL)
        assert await crashed == "nats-server ended with code -9"


async def test_a_log_in_a_deep_folder_works_too(tmp_path: Path) -> None:
    async with (
        local_brokers(tmp_path / ("deep" * 30)) as running,
        Redis.from_url(running.redis_url) as store,
    ):
        assert await store.ping()


async def test_strangers_on_the_machine_get_neither_password_nor_socket(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with local_brokers(data) as running:
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert stat.S_IMODE((data / "nats" / "nats.conf").stat().st_mode) == 0o600
        assert stat.S_IMODE((data / "nats" / "password").stat().st_mode) == 0o600
        socket = running.redis_url.removeprefix("unix://").partition("?")[0]
        assert stat.S_IMODE(Path(socket).stat().st_mode) == 0o700


async def test_the_shipped_configuration_syncs_each_record(tmp_path: Path) -> None:
    async with local_brokers(tmp_path / "shipped"):
        text = (tmp_path / "shipped" / "nats" / "nats.conf").read_text()
    async with local_brokers(tmp_path / "quick", sync_always=False):
        quick = (tmp_path / "quick" / "nats" / "nats.conf").read_text()

    assert "sync_interval: always" in text
    assert "sync_interval: always" not in quick


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does this on Linux only")
async def test_a_killed_installation_leaves_no_process_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as installation:
        assert installation.stdout is not None
        pids = [int(pid) for pid in installation.stdout.readline().split()]
        installation.kill()

    async with asyncio.timeout(15):
        while any(_runs(pid) for pid in pids):
            await asyncio.sleep(0.01)
    async with local_brokers(tmp_path) as running:
        assert running.nats_process.pid not in pids


async def test_what_an_earlier_start_left_behind_is_ended_first(tmp_path: Path) -> None:
    script = "import time; print('runs', flush=True); time.sleep(600)"
    program = [sys.executable, "-c", script]
    pid_file = tmp_path / "child.pid"
    left_over = Child(program, output=tmp_path / "log", pid_file=pid_file)
    await left_over.until(lambda: (tmp_path / "log").read_text() == "runs\n", 30)

    following = Child(program, output=tmp_path / "log", pid_file=pid_file)

    assert await left_over.ended() == -signal.SIGKILL
    assert following.process.poll() is None
    await following.stop()


async def test_a_process_id_that_belongs_to_another_program_by_now_is_left_alone(
    tmp_path: Path,
) -> None:
    pid_file = tmp_path / "child.pid"
    pid_file.write_text(str(os.getpid()))

    child = Child(["/bin/sleep", "600"], output=tmp_path / "log", pid_file=pid_file)

    assert pid_file.read_text() == str(child.pid)
    await child.stop()


async def test_a_program_that_does_not_start_is_reported_with_its_last_words(
    tmp_path: Path,
) -> None:
    script = "import sys; sys.exit('port taken')"
    child = Child(
        [sys.executable, "-c", script], output=tmp_path / "log", pid_file=tmp_path / "child.pid"
    )
    with pytest.raises(RuntimeError, match="port taken"):
        await child.until(lambda: False, 10)


def _runs(pid: int) -> bool:
    """Whether the process exists and is no zombie of a dead parent."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
