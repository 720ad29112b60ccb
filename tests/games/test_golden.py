"""Whole matches recorded as text: decided again they give the same events, folded the same states.

`pytest tests/games/test_golden.py --golden-record` writes the texts anew; review the difference and
commit it only if you can say why every line of it changed. A changed line means that matches in the
log of an installation would be read differently: it needs a new rules version.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.notation import from_plain, plain, read, write
from games.playing import LONGEST, Playing, facts
from spielwerk.games.game import AnyGame, Resign
from spielwerk.games.registry import GAMES, version
from spielwerk.match.canonical import digest

GOLDEN = Path(__file__).parent / "golden"
ELAPSED_MS = 1500
DIGEST_EVERY = 16
RESIGNED_AT = 12
"""In the files named `resigned` seat 0 gives up with this command."""


def names() -> list[str]:
    """One file for each set of golden options of each registered version of each game."""
    every = [game for versions in GAMES.values() for game in versions.values()]
    return [
        f"{game.key}-{game.rules_version}-{name}" for game in every for name in facts(game).GOLDEN
    ]


def match_of(name: str) -> Playing:
    """The match of a file before its first command; its name decides everything."""
    key, rules_version, variant = name.split("-")
    game = version(key, rules_version)
    options = game.options(**facts(game).GOLDEN[variant])
    seed = random.Random(name).getrandbits(32)
    return Playing(game, options, max(game.seats), seed, elapsed=lambda _: ELAPSED_MS)


def record(name: str) -> Iterator[str]:
    """The lines of a new file."""
    match, rng = match_of(name), random.Random(f"moves {name}")
    scripted = getattr(facts(match.game), "golden_move", None)
    yield f"# {match.game.key}, rules version {match.game.rules_version}"
    yield f"# {match.seats} seats, draws from seed {match.seed}"
    yield f"options {plain(match.options)}"
    yield from told(match, match.events)
    for step in range(1, LONGEST):
        if match.over:
            break
        if name.endswith("-resigned") and step == RESIGNED_AT:
            events = match.give(0, Resign())
        elif scripted and (move := scripted(name.rsplit("-", 1)[1], match, rng)):
            events = match.give(*move)
        else:
            events = match.random_move(rng, timeouts=0.02)
        actor, command = match.commands[-1]
        yield f"> {'timer' if actor is None else actor} {write(command)}"
        yield from told(match, events)
        if step % DIGEST_EVERY == 0 or match.over:
            yield f"= {digest(match.state).hex()}"
    yield f"result {match.game.result(match.state)}"


def told(match: Playing, events: Any) -> Iterator[str]:
    """Each event, what a viewer sees instead where that differs, and who must act then."""
    for event in events:
        yield f"  {write(event)}"
        for viewer in match.viewers:
            (seen,) = match.seen([event], viewer)
            if seen != event:
                who = "spectator" if viewer is None else f"seat {viewer}"
                yield f"    {who}: {'hidden' if seen is None else write(seen)}"
    open_turns = [f"{seat} ({turn.key})" for seat, turn in sorted(match.turns.items())]
    yield f"  to act: {', '.join(open_turns) or 'nobody'}"


@pytest.fixture
def lines(request: pytest.FixtureRequest) -> list[str]:
    """The recorded lines of the test's file; written anew with --golden-record."""
    name = request.param
    path = GOLDEN / f"{name}.txt"
    if request.config.getoption("--golden-record"):
        path.write_text("\n".join(record(name)) + "\n", "utf-8")
    assert path.exists(), f"{path.name} is missing: run with --golden-record"
    return path.read_text("utf-8").splitlines()


EVERY_FILE = pytest.mark.parametrize(
    ("name", "lines"), [(name, name) for name in names()], indirect=["lines"], ids=names()
)


@EVERY_FILE
def test_deciding_the_recorded_commands_again_gives_the_recorded_text(
    name: str, lines: list[str]
) -> None:
    match = match_of(name)
    assert lines[2] == f"options {plain(match.options)}"
    text = [*lines[:3], *told(match, match.events)]
    for line in lines[len(text) :]:
        if line.startswith("> "):
            actor, command = spoken(match.game, line)
            events = match.give(actor, command)
            text += [line, *told(match, events)]
        elif line.startswith("= "):
            text.append(f"= {digest(match.state).hex()}")
    text.append(f"result {match.game.result(match.state)}")

    assert text == lines


def spoken(game: AnyGame, line: str) -> tuple[int | None, Any]:
    _, actor, command = line.split(" ", 2)
    return (None if actor == "timer" else int(actor)), read(command, game.commands)


@EVERY_FILE
def test_folding_the_recorded_events_gives_the_recorded_states(name: str, lines: list[str]) -> None:
    game = version(*name.split("-")[:2])
    state = game.setup(from_plain(game.options, lines[2].removeprefix("options ")), max(game.seats))
    for line in lines[3:]:
        if line.startswith("  ") and not line.startswith(("    ", "  to act")):
            state = game.evolve(state, read(line.strip(), game.events))
        elif line.startswith("= "):
            assert line == f"= {digest(state).hex()}"

    assert lines[-1] == f"result {game.result(state)}"


def test_every_registered_game_has_a_golden_match_and_every_file_a_game() -> None:
    recorded = {path.stem for path in GOLDEN.glob("*.txt")}

    assert recorded == set(names())
    assert {tuple(name.split("-")[:2]) for name in names()} == {
        (key, rules_version) for key, versions in GAMES.items() for rules_version in versions
    }


def test_the_golden_matches_of_a_game_show_all_its_commands_and_events() -> None:
    for versions in GAMES.values():
        for game in versions.values():
            files = GOLDEN.glob(f"{game.key}-{game.rules_version}-*.txt")
            text = "\n".join(path.read_text("utf-8") for path in files)
            words = {cls.__name__ for cls in (*game.commands, *game.events)}
            assert {word for word in words if f" {word} {{" not in text} == set()
