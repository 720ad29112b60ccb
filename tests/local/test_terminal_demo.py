"""Guests of the demo play a match of a real installation."""

from __future__ import annotations

import io

from rich.console import Console

from client.house import House
from spielwerk_local.terminal.demo import demo, demo_matches


async def test_two_guests_play_a_rated_match_to_its_end(installed: House) -> None:
    out = io.StringIO()
    (played,) = await demo_matches(
        installed.address, game="cribbage", games=1, console=Console(file=out, width=100)
    )
    assert played.ended.result is not None
    assert played.ended.result.reason == "target_reached"
    assert played.ended.rated
    assert max(s.score_milli for s in played.ended.result.standings) == 121_000
    assert f"Match {played.match_id} begins." in out.getvalue()
    assert "Result (target reached)" in out.getvalue()


async def test_the_demo_draws_live_at_a_terminal(installed: House) -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True)
    match_id = await demo(installed.address, console=console)
    assert match_id in out.getvalue()
    assert "Cribbage to 121" in out.getvalue()
