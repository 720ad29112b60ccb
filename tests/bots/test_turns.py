"""Open turns of bots from headers."""

from __future__ import annotations

import re

from spielwerk.log.headers import OpenTurn, RecordHeaders
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import new_match_id, subject
from spielwerk_bots.turns import BotTurn, OpenTurns

MATCH = new_match_id(1_790_000_000_000, b"0123456789")
FIRST = BotTurn("cribbage", MATCH, 1, "d1")
SECOND = BotTurn("cribbage", MATCH, 1, "d2")


def stored(version: int, *turns: OpenTurn) -> Stored:
    headers = RecordHeaders("cribbage", version, 1, turns).write()
    return Stored(version, subject(MATCH, Kind.MOVE), headers, b"")


def of_bot(key: str) -> OpenTurn:
    return OpenTurn(1, key, None, True)


def of_person(key: str) -> OpenTurn:
    return OpenTurn(0, key, 5, False)


def after_the_first() -> OpenTurns:
    turns = OpenTurns()
    turns.fold(stored(1, of_bot("d1")))
    return turns


def test_a_bots_turn_opens_and_a_persons_does_not() -> None:
    turns = OpenTurns()
    assert turns.fold(stored(1, of_person("p1"), of_bot("d1"))) == {FIRST}
    assert list(turns) == [FIRST]


def test_a_turn_that_stays_open_is_not_opened_again() -> None:
    turns = OpenTurns()
    turns.fold(stored(1, of_person("p1"), of_bot("d1")))
    assert turns.fold(stored(2, of_bot("d1"))) == frozenset()
    assert FIRST in turns


def test_the_next_turn_replaces_the_one_before() -> None:
    turns = OpenTurns()
    turns.fold(stored(1, of_bot("d1")))
    assert turns.fold(stored(2, of_bot("d2"))) == {SECOND}
    assert FIRST not in turns
    assert len(turns) == 1


def test_nothing_is_kept_of_a_match_without_turns_of_bots() -> None:
    turns = after_the_first()
    turns.fold(stored(2, of_person("p1")))
    assert len(turns) == 0
    assert list(turns) == []


def test_a_foreign_message_changes_nothing_and_is_counted() -> None:
    turns = after_the_first()
    turns.fold(Stored(3, subject(MATCH, Kind.MOVE), {"Some": "header"}, b""))
    assert list(turns) == [FIRST]
    assert (turns.take_foreign(), turns.take_foreign()) == (1, 0)


def test_the_command_id_is_fixed_by_the_turn_and_valid_for_any_key() -> None:
    odd = BotTurn("cribbage", MATCH, 1, "play/3:" + "ä" * 80)
    other = BotTurn("cribbage", MATCH, 1, "play/3_" + "ä" * 80)
    assert FIRST.command_id == "bot-d1"
    assert re.fullmatch(r"[0-9A-Za-z_-]{1,64}", odd.command_id)
    assert odd.command_id != other.command_id


def test_only_the_turns_of_the_matches_that_are_read_anew_are_forgotten() -> None:
    other = new_match_id(1_790_000_000_001, b"0123456789")
    turns = after_the_first()
    headers = RecordHeaders("cribbage", 1, 1, (of_bot("d1"),)).write()
    turns.fold(Stored(2, subject(other, Kind.OPEN), headers, b""))
    turns.forget(lambda match_id: match_id == MATCH)
    assert [turn.match_id for turn in turns] == [other]
    assert len(turns) == 1
