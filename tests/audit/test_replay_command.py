"""`spielwerk replay`: forward, back, jump, with any eyes, from a pipe."""

from __future__ import annotations

import asyncio
import io
import sys
import time
from pathlib import Path

import pytest

from audit.playing import Table, long_match, played
from audit.test_verify_command import a_file, run
from games.playing import EVERY_GAME
from spielwerk.audit.replaying import match_at, steps
from spielwerk.games import registry
from spielwerk.games.game import AnyGame

CRIBBAGE = registry.newest("cribbage")


@pytest.fixture(scope="module")
def table() -> Table:
    return played(CRIBBAGE, 1, 40)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    source = io.StringIO()
    monkeypatch.setattr(sys, "stdin", source)
    return source


async def shown(
    path: str, typed: io.StringIO, lines: str, capsys: pytest.CaptureFixture[str], *more: str
) -> str:
    typed.write(lines)
    typed.seek(0)
    assert await run("replay", path, *more) == 0
    return capsys.readouterr().out


async def test_a_match_is_stepped_through_in_any_order(
    table: Table, tmp_path: Path, typed: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    count = len(table.stored)
    out = await shown(path, typed, "\n\nb\n7\nlast\nn\n999\nfirst\n", capsys)
    headings = [line.split("/")[0].strip("─ ") for line in out.splitlines() if f"/{count} " in line]
    assert headings == ["1", "2", "3", "2", "7", str(count), str(count), str(count), "1"]


async def test_a_seat_sees_only_what_it_saw(
    table: Table, tmp_path: Path, typed: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    arguments = ("--version", "3", "--as", "0")
    one = await shown(path, typed, "", capsys, *arguments)
    every = await shown(path, typed, "", capsys, "--version", "3")
    assert "as seat 0" in one
    assert "as all" in every
    assert every.count("Cribbage to") == 2 * one.count("Cribbage to") == 2


async def test_nonsense_is_explained_and_changes_nothing(
    table: Table, tmp_path: Path, typed: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    out = await shown(path, typed, "dance\nas 5\nquit\nlast\n", capsys)
    assert out.count("Enter or n: forward") == 2
    assert "as 0 to 1, as spectator, or as all" in out
    assert out.count(f"/{len(table.stored)} ") == 1


async def test_misuse_and_damage_have_statuses_of_their_own(table: Table, tmp_path: Path) -> None:
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    assert await run("replay", path, "--as", "9") == 2
    assert await run("replay", "no-such-file") == 2
    hole = a_file(tmp_path / "n", table.match_id, [*table.stored[:4], *table.stored[5:]])
    assert await run("replay", hole) == 1


async def test_it_works_with_a_pipe(table: Table, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "spielwerk_local.cli", "replay"),
        a_file(tmp_path / "m", table.match_id, table.stored),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate(b"last\nas 1\n")
    assert process.returncode == 0
    assert b"as seat 1" in output


@EVERY_GAME
async def test_every_game_can_be_looked_at(
    game: AnyGame, tmp_path: Path, typed: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(game, 2, 30)
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    out = await shown(path, typed, "last\nas 0\nas spectator\nb\n", capsys)
    assert out.count(f"/{len(table.stored)} ") == 5


@EVERY_GAME
def test_a_replay_ends_where_the_match_ended(game: AnyGame) -> None:
    table = played(game, 3, 60)
    match = match_at(table.match_id, table.stored, registry.version, len(table.stored))
    assert match is not None
    assert match == table.now
    middle = match_at(table.match_id, table.stored, registry.version, 4)
    assert middle is not None
    assert middle.version == min(4, len(table.stored))


def test_the_time_of_a_replay_grows_with_the_length_of_the_match() -> None:
    """Four times as many records: four times as long, not sixteen times; of processor time."""
    short, long = (min(_replayed_s(records) for _ in range(3)) for records in (1_250, 5_000))
    assert long < 8 * short


def _replayed_s(records: int) -> float:
    table = long_match(records)
    begin = time.process_time()
    last = len(list(steps(table.match_id, table.stored, registry.version)))
    assert last == len(table.stored) >= records
    return time.process_time() - begin
