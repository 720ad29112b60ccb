"""`spielwerk verify` and `spielwerk export`: what they say, and their exit status."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from audit.damaging import rechained, record_of
from audit.playing import Table, opened_table, played, seated, with_bots
from spielwerk.audit.checking import verify_stored
from spielwerk.audit.export import write_export
from spielwerk.games import registry
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import kind_of
from spielwerk.match.model import Human
from spielwerk.match.verify import Mismatch
from spielwerk_local import cli
from spielwerk_local.brokers import Brokers

CRIBBAGE = registry.newest("cribbage")


def a_file(path: Path, match_id: str, messages: Sequence[Stored]) -> str:
    with path.open("wb") as out:
        write_export(out, match_id, messages)
    return str(path)


async def run(*arguments: object) -> int:
    """The exit status of a call in this process; it has a loop of its own."""

    def call() -> int:
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        return int(ended.value.code or 0)

    return await asyncio.to_thread(call)


@pytest.fixture
def data(
    brokers: Brokers,
    stream_settings: LogSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The data folder of an installation whose log is the test's."""
    monkeypatch.setenv("SPIELWERK_LOG__STREAM", stream_settings.stream)
    known = {"api": "", "nats_url": brokers.nats_url, "redis_url": brokers.redis_url}
    (tmp_path / "runtime.json").write_text(json.dumps(known))
    return tmp_path


async def store(log: JetStreamLog, match_id: str, messages: Sequence[Stored]) -> None:
    sequence = 0
    for message in messages:
        kind = kind_of(message.subject)
        sequence = await log.append(
            match_id, kind, message.data, message.headers, expected=sequence
        )


def unfinished_table(seed: int) -> Table:
    table = opened_table(CRIBBAGE, [Human("a"), Human("b")], CRIBBAGE.options(), seed)
    return seated(table, seed)


async def test_a_file_needs_neither_server_nor_settings(tmp_path: Path) -> None:
    table = played(CRIBBAGE, 1, 40)
    path = a_file(tmp_path / "m.jsonl", table.match_id, table.stored)
    environment = {key: value for key, value in os.environ.items() if "SPIELWERK" not in key}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "spielwerk_local.cli", "verify", path),
        cwd=tmp_path,
        env={**environment, "SPIELWERK_NATS__URL": "nats://127.0.0.1:1"},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    assert f"match {table.match_id} verified: {len(table.stored)} records" in output.decode()


async def test_the_first_wrong_record_of_a_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(CRIBBAGE, 1, 40)
    records = [record_of(message) for message in table.stored]
    records[7].recorded_at_ms -= 1
    path = a_file(tmp_path / "m", table.match_id, rechained(table.stored, records))
    assert await run("verify", path) == 1
    assert f"match {table.match_id} does NOT verify: record 8: " in capsys.readouterr().out


async def test_a_line_that_is_damaged_names_its_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(CRIBBAGE, 1, 40)
    path = Path(a_file(tmp_path / "m", table.match_id, table.stored))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[9] = lines[9].replace(b"sequence", b"sequenze")
    path.write_bytes(b"".join(lines))
    assert await run("verify", path) == 1
    assert "record 9: line 10: no stored message" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify",),
        ("verify", "no-such-file"),
        ("verify", "."),
        ("verify", "m", "--all"),
        ("verify", "m", "--since", "2026-01-01"),
        ("verify", "--all", "--since", "yesterday"),
        ("export",),
    ],
)
async def test_misuse_has_a_status_of_its_own(arguments: tuple[str, ...]) -> None:
    assert await run(*arguments) == 2


async def test_a_match_of_the_log_is_exported_and_verified(
    log: JetStreamLog, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(CRIBBAGE, 1, 40)
    await store(log, table.match_id, table.stored)
    out = data / "out.jsonl"
    assert await run("export", table.match_id, "-o", out, "--data", data) == 0
    assert await run("verify", out) == 0
    assert await run("verify", table.match_id, "--data", data) == 0
    assert capsys.readouterr().out.count(f"match {table.match_id} verified") == 2


async def test_foreign_messages_are_reported_and_not_fatal(
    log: JetStreamLog, nats: Connection, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(CRIBBAGE, 1, 20)
    await nats.nc.publish(table.stored[1].subject, b"foreign", headers={"Sw-Record": "1"})
    await nats.nc.flush()
    sequence = (await log.read(table.match_id))[-1].sequence
    for message in table.stored:
        sequence = await log.append(
            table.match_id,
            kind_of(message.subject),
            message.data,
            message.headers,
            expected=sequence,
        )
    assert await run("verify", table.match_id, "--data", data) == 0
    assert "1 foreign messages were skipped: 1" in capsys.readouterr().out


async def test_all_matches_are_verified_and_each_wrong_one_is_named(
    log: JetStreamLog, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, wrong, running = played(CRIBBAGE, 1, 20), played(CRIBBAGE, 2, 20), unfinished_table(3)
    await store(log, good.match_id, good.stored)
    await store(log, running.match_id, running.stored)
    assert await run("verify", "--all", "--data", data) == 0
    assert "2 matches verified (1 of them still running), 0 not" in capsys.readouterr().out
    await store(log, wrong.match_id, [*wrong.stored[:4], *wrong.stored[5:]])
    assert await run("verify", "--all", "--data", data) == 1
    printed = capsys.readouterr().out
    assert f"match {wrong.match_id} does NOT verify: record 5: missing" in printed
    assert "2 matches verified (1 of them still running), 1 not" in printed


async def test_since_leaves_older_matches_out(
    log: JetStreamLog, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(CRIBBAGE, 1, 20)  # of 2026-09-21
    await store(log, table.match_id, table.stored)
    for since, count in (("2026-09-21", 1), ("2026-09-22", 0)):
        assert await run("verify", "--all", "--since", since, "--data", data) == 0
        assert f"{count} matches verified" in capsys.readouterr().out


async def test_a_match_that_is_not_there_does_not_verify(data: Path) -> None:
    assert await run("verify", "01m00000000000000000000000", "--data", data) == 1


async def test_the_choices_of_bots_are_recomputed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = with_bots(CRIBBAGE, "beginner", 1, 40)
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    assert await run("verify", path, "--bots") == 0
    assert f"{len(table.stored) - 2} choices of bots recomputed" in capsys.readouterr().out


async def test_a_bots_other_choice_is_found_only_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Moves of beginners passed off as an expert's: legal, but not what an expert chooses."""
    table = with_bots(CRIBBAGE, "beginner", 1, 40)
    records = [record_of(message) for message in table.stored]
    for occupants in (
        records[0].events[0].opened.occupants,
        records[-1].events[-1].ended.occupants,
    ):
        for occupant in occupants:
            occupant.bot.strength, occupant.bot.policy = "expert", "expert@1"
    path = a_file(tmp_path / "m", table.match_id, rechained(table.stored, records))
    assert await run("verify", path) == 0
    assert await run("verify", path, "--bots") == 1
    assert "expert@1 chooses another command" in capsys.readouterr().out


async def test_a_policy_that_is_not_here_is_reported_and_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = with_bots(CRIBBAGE, "beginner", 1, 40)
    records = [record_of(message) for message in table.stored]
    for occupants in (
        records[0].events[0].opened.occupants,
        records[-1].events[-1].ended.occupants,
    ):
        for occupant in occupants:
            occupant.bot.policy = "beginner@77"
    path = a_file(tmp_path / "m", table.match_id, rechained(table.stored, records))
    assert await run("verify", path, "--bots") == 0
    printed = capsys.readouterr().out
    assert "0 choices of bots recomputed" in printed
    assert "choices of cribbage beginner@77 not recomputed" in printed


def test_a_record_under_another_kind_is_found() -> None:
    table = played(CRIBBAGE, 1, 20)
    moved = replace(table.stored[3], subject=table.stored[0].subject)
    with pytest.raises(Mismatch, match=r"record 4: it is stored as match\."):
        verify_stored(
            table.match_id, [*table.stored[:3], moved, *table.stored[4:]], registry.version
        )
