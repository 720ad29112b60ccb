"""The state that a decision has reached is taken over only where folding would lead to it."""

from __future__ import annotations

from match.playing import NOW, a_started_match
from spielwerk.games.game import Emitted
from spielwerk.match.decide import submit
from spielwerk.match.fold import apply
from spielwerk.match.model import CauseKind, Match


def the_decision(match: Match) -> Emitted:
    """What the game emits for the first seat's first legal command."""
    seat = min(match.turns)
    command = match.game.legal(match.state, seat)[0]
    decided = submit(match, CauseKind.PLAYER, seat, "c", command, "", NOW)
    events = Emitted(decided.record.events)
    events.before, events.after = match.state, decided.after.state
    events.evolve = match.game.evolve
    return events


def test_a_decisions_own_state_is_the_one_that_folding_leads_to() -> None:
    match = a_started_match().now
    emitted = the_decision(match)
    reused = apply(match, emitted, match.version + 1, NOW)
    assert reused.state is emitted.after
    assert reused == apply(match, tuple(emitted), match.version + 1, NOW)


def test_events_that_were_emitted_from_another_state_are_folded() -> None:
    match = a_started_match().now
    emitted = the_decision(match)
    emitted.before, emitted.after = object(), None
    folded = apply(match, emitted, match.version + 1, NOW)
    assert folded == apply(match, tuple(emitted), match.version + 1, NOW)


def test_events_that_another_version_of_the_rules_has_folded_are_folded_again() -> None:
    match = a_started_match().now
    emitted = the_decision(match)
    emitted.after, emitted.evolve = None, lambda state, _: state
    folded = apply(match, emitted, match.version + 1, NOW)
    assert folded == apply(match, tuple(emitted), match.version + 1, NOW)
