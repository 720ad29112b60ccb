"""Clause 14: the house rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from games.skat.scripted import dealt
from spielwerk.errors import BadOptions
from spielwerk.games.options import defaults, specs
from spielwerk.games.skat import GAME
from spielwerk.games.skat.commands import COMMANDS
from spielwerk.games.skat.events import EVENTS
from spielwerk.games.skat.options import (
    AbortRanking,
    AnnounceTimeoutLoss,
    LossFee,
    NullBelowBid,
    Options,
    Points,
    Reveal,
)


def test_14_skat_has_three_seats() -> None:
    assert list(GAME.seats) == [3]


def test_14_the_defaults_are_those_of_the_table() -> None:
    assert Options() == Options(
        series_length=36,
        first_dealer=0,
        standing=Points.SEEGER_FABIAN,
        move_seconds=60,
        announce_timeout_loss=AnnounceTimeoutLoss.DOUBLE_BID,
        timeout_respects_decided=False,
        abort_ranking=AbortRanking.ABANDONER_LAST,
        null_below_bid=NullBelowBid.REFUSE,
        early_end=True,
        claims=False,
        loss_fee=(),
        reveal=Reveal.ALL,
        rank_basis=Points.SEEGER_FABIAN,
    )


@pytest.mark.parametrize(("mode", "seconds"), [("queue", 60), ("room", 60), ("practice", 600)])
def test_14_practice_leaves_more_time(mode: str, seconds: int) -> None:
    assert defaults(Options, mode) == defaults(Options, "queue") | {"move_seconds": seconds}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("series_length", 3),
        ("series_length", 360),
        ("first_dealer", 2),
        ("standing", Points.LIST),
        ("move_seconds", 1),
        ("announce_timeout_loss", AnnounceTimeoutLoss.SINGLE_BID),
        ("timeout_respects_decided", True),
        ("abort_ranking", AbortRanking.TOTALS),
        ("null_below_bid", NullBelowBid.ISKO),
        ("early_end", False),
        ("claims", True),
        ("loss_fee", (LossFee(1, 500), LossFee(4, 1000))),
        ("reveal", Reveal.SKAT_ONLY),
        ("rank_basis", Points.LIST),
    ],
)
def test_14_values_of_the_table_are_accepted(name: str, value: Any) -> None:
    assert getattr(Options(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("series_length", 0),
        ("series_length", 4),
        ("series_length", 37),
        ("series_length", 363),
        ("first_dealer", 3),
        ("first_dealer", -1),
        ("standing", "points"),
        ("move_seconds", 0),
        ("announce_timeout_loss", "bid"),
        ("timeout_respects_decided", 1),
        ("abort_ranking", "last"),
        ("null_below_bid", "accept"),
        ("early_end", None),
        ("claims", "yes"),
        ("loss_fee", (LossFee(0, 500),)),
        ("loss_fee", (LossFee(1, -1),)),
        ("loss_fee", (LossFee(4, 500), LossFee(1, 500))),
        ("loss_fee", (LossFee(1, 500), LossFee(1, 600))),
        ("loss_fee", ((1, 500),)),
        ("loss_fee", tuple(LossFee(n, 1) for n in range(1, 38))),
        ("reveal", "nothing"),
        ("rank_basis", "won"),
    ],
)
def test_14_anything_else_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**{name: value})
    assert refused.value.metadata == {"option": name}


def test_14_every_option_is_described() -> None:
    assert all(spec.description for spec in specs(Options).values())


def test_14_every_view_carries_the_options() -> None:
    match = dealt(claims=True)
    assert {GAME.view(match.state, seat).options for seat in (0, 1, 2, None)} == {
        match.state.options
    }


def test_9_5_there_is_neither_kontra_nor_ramsch() -> None:
    words = {cls.__name__.lower() for cls in (*COMMANDS, *EVENTS)}
    words |= {item.name for cls in (*COMMANDS, *EVENTS, Options) for item in fields(cls)}
    for absent in ("kontra", "ramsch", "bock", "revolution"):
        assert not [word for word in words if absent in word]
