"""An exported match is verified as a file, and every changed byte of the file is found."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from audit.playing import Table, played
from games.playing import EVERY_GAME
from spielwerk.audit.checking import StoredVerifier
from spielwerk.audit.export import BadExport, Export, write_export
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.match.verify import Mismatch


def exported(table: Table) -> bytes:
    out = io.BytesIO()
    write_export(out, table.match_id, table.stored)
    return out.getvalue()


def verify(path: Path) -> int:
    with Export(path) as export:
        verifier = StoredVerifier(export.match_id, registry.version)
        for message in export.messages():
            verifier.feed(message)
        return verifier.close().records


@EVERY_GAME
def test_what_is_read_back_is_what_was_stored(game: AnyGame, tmp_path: Path) -> None:
    table = played(game, 1, 60)
    (tmp_path / "m").write_bytes(exported(table))
    with Export(tmp_path / "m") as export:
        assert export.match_id == table.match_id
        assert list(export.messages()) == table.stored
    assert verify(tmp_path / "m") == len(table.stored)


def test_every_line_is_json_and_the_first_names_format_and_match() -> None:
    table = played(registry.newest("cribbage"), 1, 20)
    lines = [json.loads(line) for line in exported(table).splitlines()]
    assert lines[0] == {"format": "spielwerk-match", "version": 1, "match_id": table.match_id}
    assert set(lines[1]) == {"sequence", "subject", "headers", "data"}
    assert lines[-1]["messages"] == len(lines) - 2


def test_any_changed_byte_of_the_file_is_found(tmp_path: Path) -> None:
    whole = exported(played(registry.newest("cribbage"), 1, 20))
    rng = random.Random(7)
    for _ in range(150):
        changed = bytearray(whole)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        (tmp_path / "m").write_bytes(changed)
        with pytest.raises((BadExport, Mismatch)):
            verify(tmp_path / "m")


def test_a_cut_file_is_found_wherever_it_is_cut(tmp_path: Path) -> None:
    whole = exported(played(registry.newest("cribbage"), 1, 20))
    rng = random.Random(8)
    for _ in range(40):
        (tmp_path / "m").write_bytes(whole[: rng.randrange(len(whole))])
        with pytest.raises((BadExport, Mismatch)):
            verify(tmp_path / "m")


def test_nothing_may_stand_behind_the_last_line(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(exported(played(registry.newest("cribbage"), 1, 20)) + b"\n")
    with pytest.raises(BadExport, match="something stands behind"):
        verify(tmp_path / "m")


@pytest.mark.parametrize("content", [b"", b"{}\n", b"[1]\n", b"\xff\n", b'{"format":"x"}\n'])
def test_another_file_is_no_export(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(BadExport, match="line 1"):
        verify(tmp_path / "m")
