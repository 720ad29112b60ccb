"""The recorded matches show what their names say; the golden suite replays them."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.notation import read
from spielwerk.games.skat import GAME
from spielwerk.games.skat.events import DealScored, SeriesEnded, TimedOut
from spielwerk.games.skat.model import DealReason, Outcome, Phase, SeriesReason

GOLDEN = Path(__file__).parents[1] / "golden"


def events(variant: str) -> list[object]:
    lines = (GOLDEN / f"skat-1-{variant}.txt").read_text("utf-8").splitlines()
    told = [line for line in lines[3:] if line.startswith("  ") and line[2] not in " t"]
    return [read(line.strip(), GAME.events) for line in told]


def outcomes(variant: str) -> list[Outcome]:
    return [event.outcome for event in events(variant) if isinstance(event, DealScored)]


def test_a_won_game_is_recorded() -> None:
    assert any(outcome.won for outcome in outcomes("won"))


def test_a_lost_game_is_recorded() -> None:
    assert any(o.declarer is not None and not o.made for o in outcomes("lost"))
    assert any(outcome.fee_milli for outcome in outcomes("lost"))


def test_an_overbid_game_is_recorded() -> None:
    assert any(outcome.overbid for outcome in outcomes("overbid"))


def test_passed_in_deals_are_recorded() -> None:
    assert {outcome.reason for outcome in outcomes("passed_in")} == {DealReason.PASSED_IN}


@pytest.mark.parametrize(("variant", "kind"), [("null_ouvert", "N"), ("hand_ouvert", "G")])
def test_ouvert_games_are_recorded(variant: str, kind: str) -> None:
    contracts = [outcome.contract for outcome in outcomes(variant) if outcome.contract]
    assert all(contract.ouvert and contract.type.value == kind for contract in contracts)
    assert len(contracts) == 3


def test_timeouts_in_three_phases_are_recorded() -> None:
    phases = [event.phase for event in events("timeout") if isinstance(event, TimedOut)]
    assert phases == [Phase.AUCTION, Phase.ANNOUNCE, Phase.PLAY]


@pytest.mark.parametrize("variant", ["abandoned", "resigned"])
def test_abandoned_series_are_recorded(variant: str) -> None:
    ended = [event for event in events(variant) if isinstance(event, SeriesEnded)]
    assert [event.reason for event in ended] == [SeriesReason.ABANDONED]


def test_concessions_of_both_sides_are_recorded() -> None:
    conceded = outcomes("conceded")
    assert {outcome.reason for outcome in conceded} == {DealReason.CONCEDED}
    assert {outcome.won for outcome in conceded} == {True, False}
