"""What every game of the registry must keep; a new game inherits the suite."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from games.playing import EVERY_GAME, LONGEST, Playing, begin, facts, moments
from spielwerk.api.v1 import games_pb2
from spielwerk.chance import HmacChance
from spielwerk.codec import game_codec
from spielwerk.errors import FailedPrecondition, NotFound, Refused, StaleTurn, Unavailable
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, BotInformation, Resign, TimeOut
from spielwerk.match.canonical import canonical, digest

SEEDS = range(8)

EVERY_COMPLETE_LIST = pytest.mark.parametrize(
    "game",
    [game for game in EVERY_GAME.args[1] if facts(game).LISTS_ALL_COMMANDS],
    ids=lambda game: f"{game.key}-{game.rules_version}",
)
"""Guandan lists one choice of suits a play; what its list leaves out is accepted, too."""


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_match_ends_with_a_result_for_every_seat(game: AnyGame, seed: int) -> None:
    *_, match = moments(game, seed)
    result = game.result(match.state)

    assert result is not None
    assert [standing.seat for standing in result.standings] == list(range(match.seats))
    assert min(standing.place for standing in result.standings) == 1
    assert all(s.rank_games >= 0 for s in result.standings)


@EVERY_GAME
def test_after_the_end_nobody_must_or_may_act(game: AnyGame) -> None:
    *_, match = moments(game, 1)

    assert match.turns == {}
    for seat in range(match.seats):
        assert not game.legal(match.state, seat)
        for command in (Resign(), match.commands[0][1]):
            with pytest.raises(Refused):
                match.decide(seat, command)


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_a_running_match_waits_for_somebody(game: AnyGame, seed: int) -> None:
    for match in moments(game, seed):
        assert bool(match.turns) != match.over
        assert all(game.legal(match.state, seat) for seat in match.turns)


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_every_legal_command_is_accepted(game: AnyGame, seed: int) -> None:
    for match in moments(game, seed):
        for seat in range(match.seats):
            offered = game.legal(match.state, seat)
            assert len(set(offered)) == len(offered)
            assert all(match.decide(seat, command) for command in offered)


@EVERY_COMPLETE_LIST
def test_what_is_not_legal_is_refused(game: AnyGame) -> None:
    rng = random.Random(f"foreign {game.key}")
    known = {command for match in moments(game, 2) for command in offers(match)}
    pool = sorted(known, key=canonical)
    refused = 0
    for match in moments(game, 3):
        for seat in range(match.seats):
            offered = set(game.legal(match.state, seat))
            for command in rng.sample(pool, min(12, len(pool))):
                if command not in offered:
                    refused += 1
                    with pytest.raises(FailedPrecondition):
                        match.decide(seat, command)
    assert refused


def offers(match: Playing) -> list[Any]:
    seats = range(match.seats)
    return [command for seat in seats for command in match.game.legal(match.state, seat)]


@EVERY_GAME
def test_nobody_but_the_seats_acts_and_only_the_platform_times_out(game: AnyGame) -> None:
    match = begin(game, 0)
    seat, turn = next(iter(match.turns.items()))
    command = game.legal(match.state, seat)[0]

    for actor in (None, match.seats, -1):
        with pytest.raises(Refused):
            match.decide(actor, command)
    for other in range(match.seats):
        with pytest.raises(Refused):
            match.decide(other, TimeOut(seat, turn.key))


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_every_seat_may_resign_at_any_time(game: AnyGame, seed: int) -> None:
    match = begin(game, seed)
    for step in range(match.seats):
        if not match.over:
            assert match.give(step, Resign())


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_a_decision_is_the_same_every_time(game: AnyGame, seed: int) -> None:
    for match in moments(game, seed):
        for seat in match.turns:
            command = game.legal(match.state, seat)[-1]
            assert match.decide(seat, command) == match.decide(seat, command)


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_an_open_turn_can_always_time_out_and_is_closed_by_it(game: AnyGame, seed: int) -> None:
    for match in moments(game, seed):
        for seat, turn in match.turns.items():
            events = match.decide(None, TimeOut(seat, turn.key))
            after = folded(game, match.state, events)
            assert seat not in game.turns(after) or game.turns(after)[seat].key != turn.key
            with pytest.raises(StaleTurn):
                match.decide(None, TimeOut(seat, turn.key + "x"))


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_a_match_ends_when_everybody_falls_silent(game: AnyGame, seed: int) -> None:
    length = sum(1 for _ in moments(game, seed))
    for stop in (0, length // 3, 2 * length // 3):
        match = next(m for step, m in enumerate(moments(game, seed)) if step == stop)
        for _ in range(LONGEST):
            if match.over:
                break
            match.expire(min(match.turns))
        assert match.over


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_turn_keys_are_unique_and_change_with_each_own_command(game: AnyGame, seed: int) -> None:
    closed: set[tuple[int, str]] = set()
    before: dict[int, str] = {}
    for match in moments(game, seed):
        now = {seat: turn.key for seat, turn in match.turns.items()}
        closed |= set(before.items()) - set(now.items())
        assert not closed & set(now.items())
        if match.commands and (actor := match.commands[-1][0]) is not None:
            assert now.get(actor) != before.get(actor)
        before = now


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_folding_the_events_gives_the_state(game: AnyGame, seed: int) -> None:
    *_, match = moments(game, seed)
    empty = game.setup(match.options, match.seats)

    assert folded(game, empty, match.events) == match.state


def folded(game: AnyGame, state: Any, events: Any) -> Any:
    for event in events:
        state = game.evolve(state, event)
    return state


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_everything_survives_the_wire(game: AnyGame, seed: int) -> None:
    codec = game_codec(game)
    for match in moments(game, seed):
        for viewer in match.viewers:
            view = game.view(match.state, viewer)
            assert isinstance(view, game.view_type)
            message = games_pb2.GameView()
            codec.fill_view(view, message)
            assert codec.read_view(message) == view
    for _, command in match.commands:
        wire = games_pb2.GameCommand()
        codec.fill_command(command, wire)
        assert codec.read_command(wire) == command
    for event in match.events:
        for form in (event, *(match.seen([event], viewer)[0] for viewer in match.viewers)):
            if form is not None:
                stored = games_pb2.GameEvent()
                codec.fill_event(form, stored)
                assert codec.read_event(stored) == form
    options = games_pb2.GameOptions()
    codec.fill_options(match.options, options)
    assert codec.read_options(options) == match.options


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_no_card_is_lost_or_doubled(game: AnyGame, seed: int) -> None:
    known = facts(game)
    for match in moments(game, seed):
        lying = [card for cards in known.places(match.state).values() for card in cards]
        assert Counter(lying) == Counter(known.pack(match.state))


@EVERY_GAME
def test_worlds_that_look_equal_to_a_viewer_stay_equal_for_it(game: AnyGame) -> None:
    """The view, the open turns and the legal commands follow from what the viewer was told."""
    rng = random.Random(f"worlds {game.key}")
    unseen: Counter[int | None] = Counter()
    for seed in range(12):
        *_, one = moments(game, seed)
        if not one.chance.shuffled:
            continue
        label, size = rng.choice(one.chance.shuffled)
        first, second = rng.sample(range(size), 2)
        compare(one, begin(game, seed, (label, first, second)), unseen)
    if facts(game).HIDES_CARDS:
        assert all(unseen[viewer] for viewer in one.viewers)


def compare(played: Playing, other: Playing, unseen: Counter[int | None]) -> None:
    """Give both worlds the same commands for as long as the other world accepts them."""
    one = begin(played.game, played.seed)
    blind = set(one.viewers)
    seen = (0, 0)
    for actor, command in [*played.commands, (None, None)]:
        news = one.events[seen[0] :], other.events[seen[1] :]
        seen = len(one.events), len(other.events)
        blind = {v for v in blind if one.seen(news[0], v) == other.seen(news[1], v)}
        for viewer in blind:
            assert same_for(viewer, one, other)
            unseen[viewer] += one.state != other.state
        if command is None or not blind:
            return
        one.give(actor, command)
        try:
            other.give(actor, command)
        except Refused:
            return


def same_for(viewer: int | None, one: Playing, other: Playing) -> bool:
    game = one.game
    if viewer is not None:
        assert game.legal(one.state, viewer) == game.legal(other.state, viewer)
    assert one.turns == other.turns
    return bool(game.view(one.state, viewer) == game.view(other.state, viewer))


@EVERY_GAME
@pytest.mark.parametrize("seed", SEEDS)
def test_commands_of_seats_that_act_at_once_commute(game: AnyGame, seed: int) -> None:
    """Where neither command closes the other's turn, their order changes nothing."""
    rng = random.Random(f"orders {game.key} {seed}")
    for match in moments(game, seed):
        if len(match.turns) < 2:
            continue
        seats = rng.sample(sorted(match.turns), 2)
        commands = {seat: rng.choice(game.legal(match.state, seat)) for seat in seats}
        ends = [ordered(match, order, commands) for order in permutations(seats)]
        if None not in ends:
            assert ends[0] == ends[1]


def ordered(match: Playing, order: Any, commands: dict[int, Any]) -> Any:
    """The state after both commands; None if the first one closes the other's turn."""
    game, state = match.game, match.state
    for place, seat in enumerate(order):
        if place and game.turns(state).get(seat) != match.turns[seat]:
            return None
        state = folded(game, state, game.decide(state, seat, commands[seat], match.context))
    return state


@EVERY_GAME
def test_bots_choose_legal_commands_and_always_the_same(game: AnyGame) -> None:
    rng = random.Random(f"bots {game.key}")
    some = [m for step, m in enumerate(moments(game, 4)) if step % 13 == 0 and decided(m, rng)]

    assert some


def decided(match: Playing, rng: random.Random) -> bool:
    for seat in match.turns:
        for bot in match.game.bots.values():
            offered = match.game.legal(match.state, seat)
            everything = bot.information is BotInformation.EVERYTHING
            seen = match.state if everything else match.game.view(match.state, seat)
            key = rng.randbytes(32)
            choices = [bot.choose(seen, offered, HmacChance(key, "bot")) for _ in range(2)]
            assert choices[0] in offered
            assert choices[0] == choices[1]
    return bool(match.turns)


@EVERY_GAME
def test_states_are_equal_under_every_hash_seed(game: AnyGame) -> None:
    program = (
        "from games.test_contract import trail\n"
        "from spielwerk.games.registry import version\n"
        f"print(trail(version({game.key!r}, {game.rules_version!r})))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1", "4242")
    }

    assert outputs == {trail(game)}


def trail(game: AnyGame) -> str:
    """One digest of every state, view and list of legal commands of a match."""
    whole = tuple(
        canonical((match.state, offers_in_order(match), views(match))) for match in moments(game, 5)
    )
    return digest(whole).hex()


def offers_in_order(match: Playing) -> tuple[Any, ...]:
    return tuple(offers(match))


def views(match: Playing) -> tuple[Any, ...]:
    return tuple(match.game.view(match.state, viewer) for viewer in match.viewers)


@EVERY_GAME
def test_the_players_rules_are_there_in_both_languages_with_the_same_clauses(
    game: AnyGame,
) -> None:
    folder = Path(sys.modules[game.decide.__module__].__file__ or "").parent
    clauses = []
    for language in ("en", "de"):
        lines = (folder / f"rules.{language}.md").read_text("utf-8").splitlines()
        clauses.append([line.split()[1] for line in lines if line.startswith(("## ", "### "))])

    assert clauses[0] == clauses[1]
    assert len(clauses[0]) == len(set(clauses[0])) > 10
    assert (folder / "README.md").exists()


def test_the_registry_gives_the_newest_version_first() -> None:
    for key, versions in registry.GAMES.items():
        newest = next(iter(versions.values()))
        assert registry.newest(key) is newest
        assert {game.key for game in versions.values()} == {key}
        for name, game in versions.items():
            assert registry.version(key, name) is game
            assert game.rules_version == name


def test_a_new_match_of_an_unknown_game_is_refused() -> None:
    with pytest.raises(NotFound) as unknown:
        registry.newest("poker")
    assert unknown.value.reason == "game_unknown"


@pytest.mark.parametrize(("game", "version"), [("poker", "1"), ("cribbage", "999")])
def test_the_unknown_rules_of_a_stored_match_may_be_known_elsewhere(
    game: str, version: str
) -> None:
    with pytest.raises(Unavailable) as later:
        registry.version(game, version)
    assert later.value.reason == "rules_version_unknown"
