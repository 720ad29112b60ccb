"""How a match begins: players join and add entropy, or it is void."""

from __future__ import annotations

import pytest

from match.playing import A_BOT, ALICE, BOB, NOW, a_match, a_started_match
from spielwerk.chance import commitment
from spielwerk.errors import FailedPrecondition, InvalidArgument, PermissionDenied, StaleTurn
from spielwerk.match import decide
from spielwerk.match.model import CauseKind, Ended, Human, Opened, Phase


def test_a_match_waits_until_all_players_have_joined() -> None:
    log = a_match()
    assert log.now.phase is Phase.SEATING
    assert {t.seat: t.key for t in log.now.turns.values()} == {0: "join", 1: "join"}
    log.append(decide.join(log.now, 1, b"", NOW))
    assert log.now.phase is Phase.SEATING
    assert set(log.now.turns) == {0}


def test_the_last_join_holds_the_start_of_the_game() -> None:
    log = a_match()
    log.append(decide.join(log.now, 1, b"", NOW))
    record = log.append(decide.join(log.now, 0, b"e" * 32, NOW))
    assert len(record.events) > 1
    assert log.now.phase is Phase.PLAYING


def test_joining_again_changes_nothing_and_keeps_the_first_entropy() -> None:
    log = a_match()
    log.append(decide.join(log.now, 0, b"e" * 32, NOW))
    assert decide.join(log.now, 0, b"f" * 32, NOW) is None
    assert log.now.entropies[0] == b"e" * 32


def test_every_entropy_changes_the_deal() -> None:
    deals = set()
    for entropy in (b"", b"e" * 32, b"f" * 32):
        log = a_match()
        log.append(decide.join(log.now, 0, b"", NOW))
        log.append(decide.join(log.now, 1, entropy, NOW))
        deals.add(log.now.state.deal.deck)
    assert len(deals) == 3


@pytest.mark.parametrize("entropy", [b"x", b"x" * 31, b"x" * 33])
def test_entropy_of_another_length_is_refused(entropy: bytes) -> None:
    with pytest.raises(InvalidArgument, match="32 bytes") as refused:
        decide.join(a_match().now, 0, entropy, NOW)
    assert refused.value.reason == "bad_entropy"


def test_a_bots_seat_cannot_be_joined_and_waits_for_nobody() -> None:
    log = a_match(ALICE, A_BOT)
    with pytest.raises(PermissionDenied):
        decide.join(log.now, 1, b"", NOW)
    log.append(decide.join(log.now, 0, b"", NOW))
    assert log.now.phase is Phase.PLAYING


def test_a_match_of_bots_starts_with_its_first_record() -> None:
    assert a_match(A_BOT, A_BOT).now.phase is Phase.PLAYING


def test_a_seat_that_does_not_join_makes_the_match_void_and_publishes_the_seed() -> None:
    log = a_match()
    log.append(decide.join(log.now, 1, b"", NOW))
    record = log.append(decide.expire(log.now, 0, "join", NOW + 15_250))
    ended = record.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.result, ended.reason, ended.joined) == (None, "no_show", (1,))
    assert commitment(ended.seed) == log.now.opened.commitment
    assert log.now.phase is Phase.ENDED
    assert not log.now.turns


def test_a_seat_cannot_be_expired_before_its_deadline_and_grace() -> None:
    log = a_match()
    with pytest.raises(FailedPrecondition) as refused:
        decide.expire(log.now, 0, "join", NOW + 15_249)
    assert refused.value.reason == "not_overdue"
    assert refused.value.metadata["due_ms"] == str(NOW + 15_250)


def test_a_joined_seat_has_no_open_turn_to_expire() -> None:
    log = a_match()
    log.append(decide.join(log.now, 0, b"", NOW))
    with pytest.raises(StaleTurn):
        decide.expire(log.now, 0, "join", NOW + 60_000)


def test_commands_before_the_start_are_refused() -> None:
    with pytest.raises(FailedPrecondition) as refused:
        decide.resign(a_match().now, 0, "c1", NOW)
    assert refused.value.reason == "not_started"


@pytest.mark.parametrize(
    "occupants", [(ALICE,), (ALICE, BOB, A_BOT), (ALICE, ALICE), (ALICE, Human(""))]
)
def test_wrong_seats_are_refused(occupants: tuple[Human, ...]) -> None:
    with pytest.raises(InvalidArgument) as refused:
        a_match(*occupants)
    assert refused.value.reason == "bad_seats"


def test_the_first_event_fixes_all_that_the_rules_read() -> None:
    header = a_started_match(target=61).records()[0][0].events[0]
    assert isinstance(header, Opened)
    assert header.options.target == 61
    assert header.occupants == (ALICE, BOB)


def test_the_cause_of_a_join_is_its_player() -> None:
    cause = a_started_match().records()[1][0].cause
    assert (cause.kind, cause.seat) == (CauseKind.PLAYER, 0)
