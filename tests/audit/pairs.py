"""Pairs of matches that differ only in what a viewer may not know.

What the rules tell a viewer is written down beside the tests of each game (`told` of its contract):
views and redaction are put to the test with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import count

import pytest

from audit.playing import Table
from audit.worlds import Change, Plan, World, world
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


def some_change(one: World, rng: random.Random) -> Change:
    """Another outcome of a draw, or another of the choices that are not told to all."""
    choices, seed = one.hidden_choices(), rng.randrange(1_000)
    if choices and rng.random() < 0.5:
        return Change(seed, choice=rng.choice(choices))
    return Change(seed, label=rng.choice(one.drawn)[1])


def ends_deal(record: Record, game: AnyGame) -> bool:
    """Whether a deal ended with the record."""
    return any(isinstance(event, tuple(game.deal_ends)) for event in record.events)


def short_pair(
    viewer: Seat | None, game: AnyGame, number: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[World, World]:
    """The beginnings of two matches, whose states differ at their ends."""
    seats = max(2, game.seats[0])
    plan = Plan(game, number, game.options(), lambda t: len(t.stored) > seats + _MOVES)
    one, rng = world(plan, monkeypatch), random.Random(f"{game.key} {viewer}")
    changes = (some_change(one, rng) for _ in range(_TRIES))
    for mine, theirs in _pairs(viewer, plan, one, changes, monkeypatch):
        if len(mine.table.stored) > seats + _ENOUGH and mine.now.state != theirs.now.state:
            return mine, theirs
    raise AssertionError(f"no two worlds look alike to {viewer}")


def long_pair(
    viewer: Seat | None,
    game: AnyGame,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    *,
    in_next: bool,
) -> tuple[World, World, int]:
    """Matches that look alike until after the end of a deal, and the version of that end; they
    differ in that deal, or in the next one."""
    options = game.options(**facts(game).GOLDEN.get("series", {}))
    plans = (
        Plan(game, further, options, _three_after_a_deal, wits=0.7, finishing=True)
        for further in count(number, 100)
    )
    worlds = ((plan, world(plan, monkeypatch)) for plan in plans)
    plan, one = next(pair for pair in worlds if pair[1].now.phase is not Phase.ENDED)
    end = len(one.table.stored) - 3
    later = dict.fromkeys(label for version, label in one.drawn if version >= end)
    labels = later if in_next else [one.drawn[0][1]]
    changes = [Change(seed, label) for label in labels for seed in range(_TRIES_A_LABEL)]
    for mine, theirs in _pairs(viewer, plan, one, changes, monkeypatch):
        if len(mine.table.stored) > end:
            return mine, theirs, end
    raise AssertionError(f"no two worlds look alike to {viewer}")


def _three_after_a_deal(table: Table) -> bool:
    """Whether three records follow the end of a deal."""
    if len(table.stored) < 4:
        return False
    before = read_record(table.stored[-4].data, table.now.game, registry.version)[0]
    return ends_deal(before, table.now.game)


def _pairs(
    viewer: Seat | None,
    plan: Plan,
    one: World,
    changes: Iterable[Change],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[World, World]]:
    """A world and different ones, as far as they must look alike."""
    for change in changes:
        other = world(plan, monkeypatch, commands=one.commands, change=change)
        records = records_alike(one, other, viewer)
        mine, theirs = one.cut_to(records), other.cut_to(records)
        if mine.table.stored != theirs.table.stored:
            yield mine, theirs
