"""A person at a terminal, with typed lines from a pipe, against a bot of a real installation."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
from pathlib import Path

from rich.console import Console

from client.house import House
from spielwerk.client import Device, Spielwerk
from spielwerk_local.terminal.play import play


async def typed(house: House, data: Path, *lines: str, language: str = "en") -> str:
    """What is printed when these lines come, and then the end of the input."""
    out = io.StringIO()
    console = Console(file=out, width=100)
    code = await play(
        house.address,
        bot="beginner",
        points=61,
        language=language,
        data=data,
        console=console,
        source=io.StringIO("".join(f"{line}\n" for line in lines)),
    )
    assert code == 0
    return out.getvalue()


def known(house: House, data: Path) -> Device:
    guest = json.loads((data / "guests.json").read_text())[house.address]
    return Device(guest["player_id"], guest["secret"])


async def test_a_match_is_started_and_left_open_at_the_end_of_the_input(
    installed: House, tmp_path: Path
) -> None:
    printed = await typed(installed, tmp_path / "me")
    assert "New match" in printed
    assert "Lay two cards away" in printed
    assert "The match stays open" in printed


async def test_a_second_start_goes_on_with_the_open_match(installed: House, tmp_path: Path) -> None:
    first = await typed(installed, tmp_path / "me", "quit")
    second = await typed(installed, tmp_path / "me", "1 2")
    assert "New match" in first
    assert "Going on with your match" in second


async def test_the_guest_is_kept_where_only_its_owner_can_read_it(
    installed: House, tmp_path: Path
) -> None:
    await typed(installed, tmp_path / "me")
    file = tmp_path / "me" / "guests.json"
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    async with Spielwerk.connect(installed.address, device=known(installed, file.parent)) as client:
        assert (await client.accounts.profile()).player_id


async def test_a_guest_that_the_installation_does_not_know_is_made_anew(
    installed: House, tmp_path: Path
) -> None:
    data = tmp_path / "me"
    await typed(installed, data)
    forgotten = known(installed, data)
    async with Spielwerk.connect(installed.address, device=forgotten) as client:
        await client.accounts.delete()
    await typed(installed, data)
    assert known(installed, data).player_id != forgotten.player_id


async def test_wrong_input_is_explained_and_asked_again(installed: House, tmp_path: Path) -> None:
    printed = await typed(installed, tmp_path / "me", "9 9", "1", "1 1", "nonsense now", "1 2")
    assert "9 is no card." in printed
    assert "Choose two cards of your hand." in printed
    assert "Choose two different cards." in printed
    assert "NONSENSE is no card." in printed.upper().replace("IS NO CARD", "is no card")
    assert "lays two cards away" in printed or "Play a card" in printed


async def test_help_shows_the_rules_by_clause(installed: House, tmp_path: Path) -> None:
    printed = await typed(installed, tmp_path / "me", "help 5.1", "help 99")
    assert "5.1 Counting to 31" in printed
    assert "There is no clause 99." in printed


async def test_resigning_ends_the_match_with_its_result(installed: House, tmp_path: Path) -> None:
    printed = await typed(installed, tmp_path / "me", "resign")
    assert "Result (resigned)" in printed
    assert "You lose." in printed


async def test_a_whole_match_can_be_played_by_numbers(installed: House, tmp_path: Path) -> None:
    printed = ""
    async with asyncio.timeout(120):
        while "Result (target reached)" not in printed:
            printed = await typed(installed, tmp_path / "me", *["1 2", "1", "2", "3", "4"] * 40)
    assert "You win." in printed or "You lose." in printed


async def test_the_terminal_speaks_german(installed: House, tmp_path: Path) -> None:
    printed = await typed(installed, tmp_path / "me", "hilfe 5.1", "ende", language="de")
    assert "Neue Partie" in printed
    assert "Lege zwei Karten ab" in printed
    assert "Die Partie bleibt offen" in printed
