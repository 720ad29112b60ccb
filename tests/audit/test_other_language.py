"""A program in another language, written from VERIFYING.md, agrees about chain and draws."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.damaging import another_seed, flip, rechained, record_of
from audit.playing import Table, played
from audit.test_verify_command import a_file
from games.playing import EVERY_GAME
from spielwerk.games import registry
from spielwerk.games.game import AnyGame

_PROGRAM = Path(__file__).with_name("verify.mjs")
_NODE = shutil.which("node") or shutil.which("nodejs")

pytestmark = pytest.mark.skipif(_NODE is None, reason="node is not installed")


def checked(*paths: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit status, and what the program says of each file."""
    command = [_NODE or "", str(_PROGRAM), *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def files(folder: Path, tables: Sequence[Table]) -> list[str]:
    return [a_file(folder / f"{n}.jsonl", t.match_id, t.stored) for n, t in enumerate(tables)]


@EVERY_GAME
def test_it_recomputes_all_draws_of_every_game(game: AnyGame, tmp_path: Path) -> None:
    tables = [played(game, seed, 250) for seed in range(6)]
    status, said = checked(*files(tmp_path, tables))
    assert status == 0, said
    assert [s["records"] for s in said] == [len(t.stored) for t in tables]
    assert all(s["draws"] for s in said)


@EVERY_GAME
@pytest.mark.parametrize("damage", [flip, another_seed])
def test_it_finds_damages_to_chain_and_draws(game: AnyGame, damage: Any, tmp_path: Path) -> None:
    table = played(game, 0, 60)
    messages, _ = damage(list(table.stored), random.Random(4))
    status, said = checked(a_file(tmp_path / "m", table.match_id, messages))
    assert (status, "wrong" in said[0]) == (1, True)


def test_it_finds_a_swapped_card_in_a_chain_made_anew(tmp_path: Path) -> None:
    table = played(registry.newest("cribbage"), 0, 60)
    records = [record_of(message) for message in table.stored]
    deck = next(
        event.game.cribbage.deal_started.deck
        for event in records[2].events
        if event.game.cribbage.HasField("deal_started")
    )
    deck[0].rank, deck[20].rank = deck[20].rank, deck[0].rank
    deck[0].suit, deck[20].suit = deck[20].suit, deck[0].suit
    messages = rechained(table.stored, records)
    status, said = checked(a_file(tmp_path / "m", table.match_id, messages))
    assert status == 1
    assert said[0]["wrong"] == "record 3: deal/1/1 is drawn otherwise"


def test_it_tells_a_broken_record_from_a_foreign_message(tmp_path: Path) -> None:
    table = played(registry.newest("cribbage"), 0, 20)
    second = replace(table.stored[1], data=b"\xff\xff\xff")
    strange = replace(second, sequence=second.sequence - 2, headers={"Sw-Record": "1"})
    empty = replace(second, sequence=second.sequence - 1, data=b"")
    broken = [table.stored[0], second, *table.stored[2:]]
    foreign = [table.stored[0], strange, empty, *table.stored[1:]]
    status, said = checked(*files(tmp_path, [replace(table, stored=broken)]))
    assert (status, said[0]["wrong"]) == (1, "record 2: unreadable")
    status, said = checked(*files(tmp_path, [replace(table, stored=foreign)]))
    assert (status, said[0]["records"]) == (0, len(table.stored))
