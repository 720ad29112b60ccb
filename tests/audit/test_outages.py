"""TM-02: an outage in a match of any game is verified, exported and shown by the replay."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import pytest

from audit.playing import Table, move, opened_table, seated
from audit.test_replay_command import shown
from audit.test_verify_command import a_file, run
from games.playing import EVERY_GAME, begin
from spielwerk.games.game import AnyGame
from spielwerk.match import decide
from spielwerk.match.model import Human, Outage, Phase
from spielwerk.match.outages import is_due


def with_an_outage(game: AnyGame, seed: int) -> tuple[Table, int]:
    """A match that was interrupted as soon as somebody's time ran, and the version of that."""
    sample = begin(game, seed)
    players = [Human(f"player-{seat}") for seat in range(sample.seats)]
    table = opened_table(game, players, sample.options, seed)
    begun = table.now.recorded_at_ms
    outage = Outage(begun + 1_000, begun + 21_000)
    assert is_due(table.now, outage)
    table.append(decide.shift_clock(table.now, outage, begun + 21_500))
    version = table.now.version
    seated(table, seed)
    rng, clock = random.Random(seed), begun + 40_000
    while table.now.phase is not Phase.ENDED:
        clock = move(table, rng, clock, giving_up=len(table.stored) >= 30)
    return table, version


@EVERY_GAME
async def test_tm_02_the_replay_shows_the_outage(
    game: AnyGame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, version = with_an_outage(game, 5)
    path = a_file(tmp_path / "m", table.match_id, table.stored)
    assert await run("verify", path) == 0
    typed = io.StringIO()
    monkeypatch.setattr(sys, "stdin", typed)
    for viewer in ("all", "0", "spectator"):
        arguments = ("--version", str(version), "--as", viewer)
        out = " ".join((await shown(path, typed, "", capsys, *arguments)).split())
        assert "system as" in out
        assert "The services were away from 2026-" in out
        assert "open turns have 25 s more" in out
