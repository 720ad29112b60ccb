"""Decisions in processes of their own."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.running import until_gone
from spielwerk.api.v1 import games_pb2, match_pb2
from spielwerk.chance import HmacChance
from spielwerk.codec import game_codec
from spielwerk.errors import Unavailable
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.options import Options
from spielwerk.games.game import Context
from spielwerk_bots.deciding import decide, deciders

SEED = bytes(range(32))


def question(policy: str = "expert@1") -> match_pb2.GetBotTurnResponse:
    """The first discard of a match."""
    state = GAME.setup(Options(), 2)
    for event in GAME.start(state, Context(HmacChance(SEED, "deal"), lambda _seat: 0)):
        state = GAME.evolve(state, event)
    bot = match_pb2.Bot(strength=policy.split("@", maxsplit=1)[0], policy=policy)
    turn = match_pb2.GetBotTurnResponse(
        game="cribbage", rules_version=GAME.rules_version, bot=bot, decision_seed=SEED
    )
    codec = game_codec(GAME)
    codec.fill_view(GAME.view(state, 1), turn.view)
    for command in GAME.legal(state, 1):
        codec.fill_command(command, turn.legal.add())
    return turn


def test_the_policy_decides_from_view_and_seed() -> None:
    turn = question()
    view = game_codec(GAME).read_view(turn.view)
    legal = [game_codec(GAME).read_command(command) for command in turn.legal]
    expected = GAME.bots["expert"].choose(view, legal, HmacChance(SEED, "m1"))
    choice = decide("m1", turn.SerializeToString())
    command = games_pb2.GameCommand.FromString(choice.command)
    assert choice.problem is None
    assert game_codec(GAME).read_command(command) == expected


def test_a_policy_that_fails_plays_the_first_legal_command() -> None:
    turn = question("expert@999")
    choice = decide("m1", turn.SerializeToString())
    assert "expert@999" in (choice.problem or "")
    assert choice.command == turn.legal[0].SerializeToString()


async def test_a_pool_decides_as_this_process_does() -> None:
    turn = question()
    async with deciders(1, nice=0, limit_s=60) as pool:
        command = await pool.choose("m1", turn)
    assert command.SerializeToString() == decide("m1", turn.SerializeToString()).command


async def test_rules_that_are_not_known_are_tried_again_later() -> None:
    turn = question()
    turn.rules_version = "from the future"
    async with deciders(1, nice=0, limit_s=60) as pool:
        with pytest.raises(Unavailable) as unknown:
            await pool.choose("m1", turn)
    assert unknown.value.reason == "rules_version_unknown"


async def test_a_pool_whose_processes_died_decides_again() -> None:
    async with deciders(1, nice=0, limit_s=60) as pool:
        await pool.choose("m1", question())
        for process in multiprocessing.active_children():
            process.kill()
        with pytest.raises(Unavailable) as lost:
            await pool.choose("m1", question())
        assert lost.value.reason == "decider_lost"
        await pool.choose("m1", question())


async def test_a_decision_that_takes_too_long_is_given_up_with_its_process() -> None:
    async with deciders(1, nice=0, limit_s=60) as pool:
        await pool.choose("m1", question())
        (process,) = multiprocessing.active_children()
        assert process.pid is not None
        os.kill(process.pid, signal.SIGSTOP)
        pool.limit_s = 0.2
        with pytest.raises(Unavailable):
            await pool.choose("m1", question())
        pool.limit_s = 60
        await pool.choose("m1", question())
        process.join(10)
        assert process.exitcode == -signal.SIGKILL


async def test_a_decision_given_up_in_the_queue_does_not_keep_the_others_waiting() -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, about: complaints.append(about))
    async with deciders(3, nice=0, limit_s=60) as pool:
        await pool.choose("m1", question())
        processes = multiprocessing.active_children()
        for process in processes:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGSTOP)
        # three processes take four decisions at most; the last two are still in the queue
        asked = [asyncio.create_task(pool.choose("m1", question())) for _ in range(6)]
        await asyncio.sleep(0)
        given_up = asked.pop(4)
        given_up.cancel()
        await asyncio.wait([given_up])
        for process in processes:
            process.kill()
        async with asyncio.timeout(30):
            answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(answer) for answer in answers] == [Unavailable] * 5
        await pool.choose("m1", question())
    gc.collect()
    assert not complaints


PARENT = """
import asyncio, multiprocessing, sys
from spielwerk_bots.deciding import deciders
async def main():
    async with deciders(1, nice=0, limit_s=60):
        print(multiprocessing.active_children()[0].pid, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(f"if __name__ == '__main__':\n{_indented(PARENT)}")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    await until_gone(child)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
