"""`spielwerk backup` and `restore` on an installation of one folder, as an operator uses them."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from spielwerk.client import Spielwerk
from spielwerk.errors import FailedPrecondition, InvalidArgument, NotFound
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.subjects import new_match_id
from spielwerk_accounts.buckets import open_bucket
from spielwerk_local.app import installation
from spielwerk_local.backup import back_up, put_back
from spielwerk_local.cli import main
from spielwerk_local.restoring import backup, restore
from spielwerk_local.sources import from_log, open_log
from spielwerk_local.verifying import verify_match

MATCH_ID = new_match_id(1_790_000_000_000, b"0123456789")


async def practised(client: Spielwerk) -> str:
    """A match that was begun and given up."""
    match = client.match((await client.matchmaking.practice("cribbage")).match_id)
    await match.join()
    await match.resign()
    return match.match_id


@pytest.mark.timeout(300)
async def test_a_folder_is_saved_while_it_serves_and_restored_after_its_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SPIELWERK_NATS__URL", raising=False)
    data = tmp_path / "data"
    order = Namespace(data=data, folder=tmp_path / "saved")
    async with installation(data, listen="127.0.0.1:0", sync_always=False) as running:
        async with Spielwerk.connect(running.api) as ada:
            device = await ada.create_guest("Ada")
            before = await practised(ada)
            assert await backup(order) == 0
            told = capsys.readouterr().out
            assert "MATCHES" in told
            assert "KV_PROFILES" in told
            after = await practised(ada)
        with pytest.raises(FailedPrecondition, match="in use"):
            await restore(order)
    with pytest.raises(FailedPrecondition, match="already has"):
        await restore(order)

    (data / "nats").rename(tmp_path / "lost")
    assert await restore(order) == 0
    assert "rankings rebuilt from 1 matches" in capsys.readouterr().out
    async with installation(data, listen="127.0.0.1:0", sync_always=False) as running:
        async with Spielwerk.connect(running.api) as ada:
            ada.accounts.become(device)
            assert (await ada.accounts.profile()).name == "Ada"
            later = await practised(ada)
        async with open_log(data) as found:
            for match_id in (before, later):
                await verify_match(found.log, match_id)
            with pytest.raises(NotFound):
                await from_log(found.log, after)


async def test_a_stopped_folder_is_saved_too_and_a_backup_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPIELWERK_NATS__URL", raising=False)
    async with installation(tmp_path / "data", listen="127.0.0.1:0", sync_always=False):
        pass
    order = Namespace(data=tmp_path / "data", folder=tmp_path / "saved")
    assert await backup(order) == 0
    with pytest.raises(FailedPrecondition, match="not empty"):
        await backup(order)


async def remove_all(nats: Connection) -> None:
    names = (await ask(nats, "STREAM.NAMES", None, timeout=5))["streams"] or ()
    for name in names:
        await ask(nats, f"STREAM.DELETE.{name}", None, timeout=5)


async def test_records_and_values_come_back_with_their_sequences(
    nats: Connection, log: JetStreamLog, tmp_path: Path
) -> None:
    """More than one chunk of an archive, of content that cannot be packed."""
    expected = 0
    for number in range(50):
        data = number.to_bytes(2, "big") * 7_000
        expected = await log.append(MATCH_ID, Kind.MOVE, data, {"A": "b"}, expected=expected)
    bucket = await open_bucket(nats, "THINGS", 1)
    await bucket.create("one", {"x": 1})
    messages, entry = await log.read(MATCH_ID), await bucket.get("one")

    await back_up(nats, tmp_path / "saved")
    await log.append(MATCH_ID, Kind.MOVE, b"later", {}, expected=expected)
    await remove_all(nats)
    await put_back(nats, tmp_path / "saved")

    assert await log.read(MATCH_ID) == messages
    assert await (await open_bucket(nats, "THINGS", 1)).get("one") == entry
    assert await log.append(MATCH_ID, Kind.MOVE, b"on", {}, expected=expected) == expected + 1


@pytest.mark.parametrize("damage", ["one-byte", "missing-archive", "no-manifest", "other-format"])
async def test_a_damaged_backup_is_refused_before_anything_is_made(
    nats: Connection, log: JetStreamLog, tmp_path: Path, damage: str
) -> None:
    await log.append(MATCH_ID, Kind.MOVE, b"x" * 500, {}, expected=0)
    (saved,) = await back_up(nats, tmp_path / "saved")
    await remove_all(nats)
    archive, manifest = tmp_path / "saved" / saved.file, tmp_path / "saved" / "backup.json"
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

    with pytest.raises(InvalidArgument) as refusal:
        await put_back(nats, tmp_path / "saved")

    assert refusal.value.reason == "bad_backup"
    with pytest.raises(FailedPrecondition, match="no streams"):
        await back_up(nats, tmp_path / "second")


@pytest.mark.parametrize("command", ["backup", "restore", "repair"])
def test_the_command_line_explains(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert "--data" in capsys.readouterr().out
