"""Pairs of matches that differ only in what a viewer may not know.

What the rules tell a viewer is written down beside the tests of each game (`told` of its contract):
views and redaction are put to the test with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import count

import pytest

from audit.playing import Table
from audit.worlds import Plan, World, world
from games.playing import facts
from spielwerk.codec.match import read_record
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, Seat
from spielwerk.match.model import Phase, Record

_MOVES = 14
_ENOUGH = 4
"""So many records after the deal must look alike."""
_TRIES = 60
_TRIES_A_LABEL = 12


def records_alike(one: World, other: World, viewer: Seat | None) -> int:
    """So many records in a row must look alike to the viewer: the same things happen, and the
    rules tell it the same of them."""
    alike, known, options = 0, facts(one.table.now.game), one.table.now.opened.options
    for mine, theirs in zip(one.records(), other.records(), strict=False):
        course = [([type(e) for e in r.events], r.turns) for r in (mine, theirs)]
        told = [[known.told(options, e, viewer) for e in r.events] for r in (mine, theirs)]
        if course[0] != course[1] or told[0] != told[1]:
            break
        alike += 1
    return alike


def ends_deal(record: Record, game: AnyGame) -> bool:
    """Whether a deal ended with the record."""
    return any(isinstance(event, tuple(game.deal_ends)) for event in record.events)


def short_pair(
    viewer: Seat | None, game: AnyGame, number: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[World, World]:
    """The beginnings of two matches."""
    one, rng = world(_short(game, number), monkeypatch), random.Random(f"{game.key} {viewer}")
    labels = (rng.choice(one.drawn)[1] for _ in range(_TRIES))
    return _pair(viewer, _short(game, number), one, labels, one.seats + 1 + _ENOUGH, monkeypatch)


def long_pair(
    viewer: Seat | None, game: AnyGame, number: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[World, World, int]:
    """Two matches that look alike until after the end of a deal, and the version of that end."""
    options = game.options(**facts(game).GOLDEN.get("series", {}))
    plans = (
        Plan(game, further, options, _three_after_a_deal, wits=0.7, finishing=True)
        for further in count(number, 100)
    )
    worlds = ((plan, world(plan, monkeypatch)) for plan in plans)
    plan, one = next(pair for pair in worlds if pair[1].now.phase is not Phase.ENDED)
    end = len(one.table.stored) - 3
    since = [label for version, label in one.drawn if version >= end]
    labels = dict.fromkeys([one.drawn[0][1], *since])
    tries = [label for label in labels for _ in range(_TRIES_A_LABEL)]
    return *_pair(viewer, plan, one, tries, end + 1, monkeypatch), end


def _three_after_a_deal(table: Table) -> bool:
    """Whether three records follow the end of a deal."""
    if len(table.stored) < 4:
        return False
    before = read_record(table.stored[-4].data, table.now.game, registry.version)[0]
    return ends_deal(before, table.now.game)


def _pair(
    viewer: Seat | None,
    plan: Plan,
    one: World,
    labels: Iterable[str],
    shortest: int,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[World, World]:
    """A world and a different one that must look alike for so many records at least."""
    for attempt, label in enumerate(labels):
        other = world(plan, monkeypatch, commands=one.commands, label=label, seed=attempt)
        records = records_alike(one, other, viewer)
        mine, theirs = one.cut_to(records), other.cut_to(records)
        if records >= shortest and mine.table.stored != theirs.table.stored:
            return mine, theirs
    raise AssertionError(f"no two worlds look alike to {viewer}")


def _short(game: AnyGame, number: int) -> Plan:
    """The first moves of a match with the default rules."""
    seats = max(2, game.seats[0])
    return Plan(game, number, game.options(), lambda t: len(t.stored) > seats + _MOVES)
