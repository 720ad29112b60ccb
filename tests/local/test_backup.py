"""`spielwerk backup` and `restore` on an installation of one folder, as an operator uses them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from spielwerk.client import Spielwerk
from spielwerk_local.app import read_runtime

CLI = (sys.executable, "-m", "spielwerk_local.cli")


async def run(*arguments: object) -> tuple[int, str]:
    """One call of the command line: exit code and output."""
    environment = {key: value for key, value in os.environ.items() if "SPIELWERK" not in key}
    process = await asyncio.create_subprocess_exec(
        *CLI,
        *map(str, arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=environment,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode or 0, output.decode()


@asynccontextmanager
async def up(data: Path) -> AsyncIterator[str]:
    """A running installation's address."""
    command = ("up", "--data", str(data), "--listen", "127.0.0.1:0", "--fast")
    process = await asyncio.create_subprocess_exec(*CLI, *command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(120):
            while b"Serving" not in await process.stdout.readline():
                assert process.returncode is None
        running = read_runtime(data)
        assert running is not None
        yield running.api
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), 60)


async def practised(address: str) -> str:
    """A match that a guest has begun and given up."""
    async with Spielwerk.connect(address) as client:
        await client.create_guest("Ada")
        match = client.match((await client.matchmaking.practice("cribbage")).match_id)
        await match.join()
        await match.resign()
    return match.match_id


@pytest.mark.timeout(300)
async def test_a_folder_is_saved_while_it_serves_and_restored_after_its_loss(
    tmp_path: Path,
) -> None:
    data, saved = tmp_path / "data", tmp_path / "saved"
    async with up(data) as address, Spielwerk.connect(address) as ada:
        device = await ada.create_guest("Ada")
        before = await practised(address)
        code, output = await run("backup", saved, "--data", data)
        assert code == 0, output
        assert "MATCHES" in output
        assert "KV_PROFILES" in output
        after = await practised(address)
        code, output = await run("restore", saved, "--data", data)
        assert (code, "installation_running" in output) == (1, True), output
    code, output = await run("restore", saved, "--data", data)
    assert (code, "stream_exists" in output) == (1, True), output

    (data / "nats").rename(tmp_path / "lost")
    code, output = await run("restore", saved, "--data", data)
    assert code == 0, output
    assert "rankings rebuilt from" in output
    async with up(data) as address, Spielwerk.connect(address) as ada:
        ada.accounts.become(device)
        assert (await ada.accounts.profile()).name == "Ada"
        code, output = await run("verify", before, "--data", data)
        assert code == 0, output
        code, output = await run("verify", after, "--data", data)
        assert (code, "no_such_match" in output) == (1, True), output
        code, output = await run("verify", await practised(address), "--data", data)
        assert code == 0, output


async def test_a_stopped_folder_is_saved_too_and_nothing_is_written_over(tmp_path: Path) -> None:
    data, saved = tmp_path / "data", tmp_path / "saved"
    async with up(data) as address:
        await practised(address)
    code, output = await run("backup", saved, "--data", data)
    assert code == 0, output
    code, output = await run("backup", saved, "--data", data)
    assert (code, "folder_in_use" in output) == (1, True), output


@pytest.mark.parametrize("damage", ["one-byte", "missing-archive", "no-manifest", "other-format"])
async def test_a_damaged_backup_is_refused_before_anything_is_made(
    tmp_path: Path, damage: str
) -> None:
    saved = tmp_path / "saved"
    async with up(tmp_path / "data") as address:
        await practised(address)
    code, output = await run("backup", saved, "--data", tmp_path / "data")
    assert code == 0, output
    archive, manifest = saved / "MATCHES.archive", saved / "backup.json"
    if damage == "one-byte":
        content = bytearray(archive.read_bytes())
        content[len(content) // 2] ^= 1
        archive.write_bytes(content)
    elif damage == "missing-archive":
        archive.unlink()
    elif damage == "no-manifest":
        manifest.unlink()
    else:
        manifest.write_text(json.dumps({"format": 2, "streams": []}))

    code, output = await run("restore", saved, "--data", tmp_path / "new")
    assert (code, "bad_backup" in output) == (1, True), output
    code, output = await run("backup", tmp_path / "second", "--data", tmp_path / "new")
    assert (code, "nothing_to_save" in output) == (1, True), output
