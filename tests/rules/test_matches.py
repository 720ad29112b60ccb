"""Matches over real gRPC and NATS: views, streams, several instances, broken logs."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import aclosing
from typing import Any

import grpc
import pytest

from rules.conftest import ALICE, BOB, CAROL, Rules, play_on, refused, watching
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.clock import ManualClock
from spielwerk.errors import ResourceExhausted
from spielwerk.games import registry
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.subjects import subject
from spielwerk.rpc.auth import Caller
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.feeds import Feeds
from spielwerk_rules.matches import Matches
from spielwerk_rules.watching import Watching


async def both(rules: Rules, instance: int = 0) -> dict[str, Any]:
    return {name: await rules.stub(name, instance=instance) for name in (ALICE, BOB)}


async def collect(call: Any, *, until_version: int = 0) -> list[Any]:
    """Updates of a watch until the match ends or a version is reached."""
    updates = []
    async for response in call:
        if response.HasField("update"):
            updates.append(response.update)
            if until_version and response.update.version >= until_version:
                break
    return updates


async def test_a_whole_match_is_played_and_each_watcher_sees_every_version(rules: Rules) -> None:
    match_id = await rules.started_match(watch=pb.WATCH_POLICY_ANYONE)
    players = await both(rules)
    carol = await rules.stub(CAROL)
    async with (
        watching(players[ALICE], match_id, 0) as own,
        watching(carol, match_id, 0) as spectated,
    ):
        seen = asyncio.gather(collect(own), collect(spectated))
        await play_on(players, match_id, 1_000)
        for updates in await asyncio.wait_for(seen, 20):
            assert [u.version for u in updates] == list(range(1, updates[-1].version + 1))
            assert updates[-1].events[-1].ended.result.standings[0].place in (1, 2)


async def test_live_resumed_and_historic_streams_are_equal_to_the_byte(rules: Rules) -> None:
    match_id = await rules.started_match()
    players = await both(rules)
    async with watching(players[ALICE], match_id, 0) as live:
        seen = asyncio.ensure_future(collect(live, until_version=15))
        await play_on(players, match_id, 12)
        lived = await asyncio.wait_for(seen, 20)
    async with watching(players[ALICE], match_id, 7) as resumed:
        later = await asyncio.wait_for(collect(resumed, until_version=15), 20)
    request = pb.GetHistoryRequest(match_id=match_id, page_size=500)
    history = (await players[ALICE].GetHistory(request)).updates
    assert [u.SerializeToString() for u in lived] == [u.SerializeToString() for u in history][:15]
    assert [u.SerializeToString() for u in later] == [u.SerializeToString() for u in lived[7:]]


async def test_history_comes_in_pages(rules: Rules) -> None:
    match_id = await rules.started_match()
    players = await both(rules)
    await play_on(players, match_id, 10)
    versions: list[int] = []
    while not versions or versions[-1] < 13:
        after = versions[-1] if versions else 0
        request = pb.GetHistoryRequest(match_id=match_id, after_version=after, page_size=4)
        page = await players[BOB].GetHistory(request)
        assert len(page.updates) <= 4
        versions += [u.version for u in page.updates]
    assert versions == list(range(1, 14))


async def test_a_watch_begins_with_a_snapshot_of_the_viewers_table(rules: Rules) -> None:
    match_id = await rules.started_match()
    async with watching(await rules.stub(BOB), match_id) as call:
        snapshot = (await call.read()).snapshot
    assert (snapshot.seat, snapshot.version) == (1, 3)
    assert len(snapshot.table.cribbage.hand) == 6
    assert sorted(t.seat for t in snapshot.turns) == [0, 1]


async def test_a_silent_match_sends_keep_alives(rules: Rules) -> None:
    await rules.start(keep_alive_s=0.2)
    match_id = await rules.started_match()
    async with watching(await rules.stub(ALICE, instance=1), match_id) as call:
        await call.read()
        alive = (await asyncio.wait_for(call.read(), 10)).keep_alive
    assert (alive.match_id, alive.version, len(alive.turns)) == (match_id, 3, 2)
    assert alive.server_time_ms > 1_700_000_000_000


async def test_no_hidden_card_reaches_a_spectator_or_the_other_seat(rules: Rules) -> None:
    match_id = await rules.started_match(watch=pb.WATCH_POLICY_ANYONE)
    for name, seat in ((ALICE, 0), (BOB, 1), (CAROL, None)):
        stub = await rules.stub(name)
        history = await stub.GetHistory(pb.GetHistoryRequest(match_id=match_id))
        events = [e.game.cribbage for u in history.updates for e in u.events]
        dealt = {e.cards_dealt.seat: e.cards_dealt for e in events if e.HasField("cards_dealt")}
        assert [len(dealt[s].cards) for s in (0, 1)] == [6 * (s == seat) for s in (0, 1)]
        started = next(e.deal_started for e in events if e.HasField("deal_started"))
        assert not started.deck
        view = (await stub.GetView(pb.GetViewRequest(match_id=match_id))).view
        assert len(view.table.cribbage.hand) == (6 if seat is not None else 0)


async def test_resign_ends_the_match_and_publishes_the_seed(rules: Rules) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    update = (await alice.Resign(pb.ResignRequest(match_id=match_id, command_id="r"))).update
    ended = update.events[-1].ended
    assert len(ended.seed) == 32
    assert ended.result.reason == "resigned"
    assert not update.turns


async def test_an_operator_aborts_a_match(rules: Rules) -> None:
    match_id = await rules.started_match()
    operator = await rules.stub("op", "operator")
    await operator.AbortMatch(pb.AbortMatchRequest(match_id=match_id, reason="maintenance"))
    view = (await operator.GetView(pb.GetViewRequest(match_id=match_id))).view
    assert (view.phase, view.ended.reason) == (pb.PHASE_ENDED, "aborted")
    assert not view.ended.HasField("result")


async def test_play_streams_answer_commands_of_many_matches(rules: Rules) -> None:
    matches = [await rules.started_match() for _ in range(5)]
    alice = await rules.stub(ALICE)
    call = alice.Play()
    commands = []
    for match_id in matches:
        legal = await alice.ListLegal(pb.ListLegalRequest(match_id=match_id))
        commands.append(
            pb.SubmitRequest(match_id=match_id, command_id="c", command=legal.commands[0])
        )
    wrong = pb.SubmitRequest(match_id="nowhere", command_id="w", command=commands[0].command)
    watches = [pb.WatchRequest(match_id=matches[0], after_version=0)]
    await call.write(pb.PlayRequest(commands=[*commands, wrong], watches=watches))
    outcomes: dict[str, Any] = {}
    updates: list[int] = []
    while len(outcomes) < 6 or len(updates) < 4:
        response = await asyncio.wait_for(call.read(), 10)
        outcomes |= {o.match_id: o for o in response.outcomes}
        updates += [u.update.version for u in response.updates]
    assert updates == [1, 2, 3, 4]
    assert all(outcomes[m].accepted.update.version == 4 for m in matches)
    assert outcomes["nowhere"].refused.reason == "no_such_match"
    await call.done_writing()


async def test_a_play_stream_keeps_the_order_of_a_matchs_commands(rules: Rules) -> None:
    match_id = await rules.started_match()
    players = await both(rules)
    legal = await players[ALICE].ListLegal(pb.ListLegalRequest(match_id=match_id))
    call = players[ALICE].Play()
    commands = [
        pb.SubmitRequest(match_id=match_id, command_id=f"c{n}", command=c)
        for n, c in enumerate(legal.commands)
    ]
    await call.write(pb.PlayRequest(commands=commands))
    await call.done_writing()
    outcomes = [o async for response in call for o in response.outcomes]
    accepted = [o.command_id for o in outcomes if o.HasField("accepted")]
    assert accepted == ["c0"]
    assert {o.refused.reason for o in outcomes if o.HasField("refused")} == {"already_discarded"}


@pytest.mark.parametrize("rounds", [40, pytest.param(1_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(900)
async def test_es_14_of_many_commands_for_one_turn_exactly_one_is_accepted(
    rules: Rules, rounds: int
) -> None:
    """Two instances, the same turn, at the same moment; the race is counted."""
    await rules.start()
    outcomes: Counter[str] = Counter()
    stubs = [await rules.stub(ALICE, instance=i) for i in (0, 1)]
    for number in range(rounds):
        match_id = await rules.started_match()
        for stub in stubs:  # both know the match, so that both decide on the same version
            legal = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))

        async def submit(n: int, stub: Any, legal: Any = legal, match_id: str = match_id) -> str:
            request = pb.SubmitRequest(
                match_id=match_id,
                command_id=f"c{n}",
                command=legal.commands[n],
                turn_key=legal.turn_key,
            )
            try:
                await stub.Submit(request)
            except grpc.aio.AioRpcError as failed:
                return failed.code().name
            return "OK"

        answers = await asyncio.gather(*(submit(n, stubs[n % 2]) for n in range(10)))
        assert answers.count("OK") == 1
        outcomes.update(answers)
        if number % 20 == 0:  # the match is none the worse for it
            await play_on(await both(rules), match_id, 2_000)
            view = (await stubs[1].GetView(pb.GetViewRequest(match_id=match_id))).view
            assert view.HasField("ended")
    conflicts = sum(
        h.metrics.value("spielwerk_appends_total", outcome="conflict") for h in rules.hosts
    )
    print(dict(outcomes), "conflicts", conflicts)
    assert set(outcomes) == {"OK", "FAILED_PRECONDITION"}
    assert conflicts > 0


async def test_es_12_the_next_move_is_legal_at_once_on_any_instance(rules: Rules) -> None:
    await rules.start()
    match_id = await rules.started_match()
    by_instance = [await both(rules, instance) for instance in (0, 1)]
    for move in range(40):
        assert await play_on(by_instance[move % 2], match_id, 1) == 1


async def test_simultaneous_discards_never_conflict_for_the_players(rules: Rules) -> None:
    await rules.start()
    stubs = {ALICE: await rules.stub(ALICE), BOB: await rules.stub(BOB, instance=1)}
    for _ in range(25):
        match_id = await rules.started_match()
        await asyncio.gather(*(play_on({name: stub}, match_id, 1) for name, stub in stubs.items()))
        view = await stubs[ALICE].GetView(pb.GetViewRequest(match_id=match_id))
        assert view.view.version == 5


async def test_an_evicted_match_is_folded_again_from_the_log(rules: Rules) -> None:
    await rules.start(cached_matches=2)
    matches = [await rules.started_match() for _ in range(5)]
    players = await both(rules, instance=1)
    for _ in range(3):
        for match_id in matches:
            assert await play_on(players, match_id, 1) == 1


@pytest.mark.parametrize("data", [b"", b"hello", b"\x0a\x03abc"])
async def test_a_foreign_message_is_skipped_and_the_match_plays_on(
    rules: Rules, data: bytes
) -> None:
    match_id = await rules.started_match()
    players = await both(rules)
    async with connect(NatsSettings(url=rules.nats_url)) as broker:
        await broker.nc.publish(subject(match_id, Kind.MOVE), data, headers={"Sw-Record": "1"})
        await broker.nc.publish(subject(match_id, Kind.OPEN), data)
        await broker.nc.flush()
    assert await play_on(players, match_id, 20) == 20
    history = await players[ALICE].GetHistory(pb.GetHistoryRequest(match_id=match_id))
    assert [u.version for u in history.updates] == list(range(1, 24))


async def test_the_catalogue_lists_games_bots_rules_and_options(rules: Rules) -> None:
    anyone = await rules.stub("x")
    info = await anyone.GetServerInfo(pb.GetServerInfoRequest())
    assert [g.game for g in info.games] == list(registry.GAMES)
    assert info.durability == pb.DURABILITY_PROCESS
    for language in ("en", "de"):
        request = pb.GetRulesRequest(game="cribbage", language=language)
        described = await anyone.GetRules(request)
        assert len(described.clauses) > 10
        options = {o.name: o for o in described.options}
        assert list(options["target"].values) == ["121", "61"]
        assert options["action_timeout_s"].defaults["practice"] == "0"
    code, _ = await refused(anyone.GetRules(pb.GetRulesRequest(game="cribbage", language="fr")))
    assert code is grpc.StatusCode.NOT_FOUND


async def test_es_11_a_slow_reader_is_ended_with_the_version_to_resume_from(
    rules: Rules,
) -> None:
    match_id = await rules.started_match()
    players = await both(rules)
    async with connect(NatsSettings(url=rules.nats_url)) as broker:
        log = JetStreamLog(broker, LogSettings())
        metrics = Metrics()
        matches = Matches(log, registry.version, metrics, capacity=10, command_s=2)
        feeds = Feeds(matches, log, keep_alive_s=15, queue=4)
        watching_here = Watching(
            matches,
            feeds,
            ManualClock(),
            keep_alive_s=15,
            draining=asyncio.Event(),
            metrics=metrics,
        )
        slow = watching_here.watch(match_id, Caller(ALICE, "player"), 0)
        fast = watching_here.watch(match_id, Caller(BOB, "player"), 0)
        async with aclosing(slow), aclosing(fast):
            read = [(await anext(slow)).update.version for _ in range(3)]
            following = asyncio.ensure_future(anext(slow))
            seen = asyncio.ensure_future(collect(fast))
            await play_on(players, match_id, 1_000)
            whole = [update.version for update in await asyncio.wait_for(seen, 20)]
            read.append((await following).update.version)
            with pytest.raises(ResourceExhausted) as ended:
                read.extend([response.update.version async for response in slow])
        assert whole == list(range(1, whole[-1] + 1))
        assert ended.value.reason == "slow_reader"
        resume = int(ended.value.metadata["resume_after_version"])
        again = watching_here.watch(match_id, Caller(ALICE, "player"), resume)
        rest = [update.version for update in await collect(again)]
        assert rest == list(range(resume + 1, whole[-1] + 1))
        assert metrics.value("spielwerk_slow_readers_total") == 1
        await feeds.close()
