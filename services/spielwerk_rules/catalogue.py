"""What the installation offers: games, bots, the player's rules by clause, and the options with
their values."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Final

from spielwerk.api.v1 import match_pb2
from spielwerk.codec.events import bot_message
from spielwerk.errors import NotFound
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.games.options import MODES, defaults, specs
from spielwerk.match.model import Bot

LANGUAGES: Final = ("en", "de")
_HEADING: Final = re.compile(r"^#{2,3} (\d+(?:\.\d+)*)\.? +(.+)$", re.MULTILINE)
_TITLE: Final = re.compile(r"^# (.+)$", re.MULTILINE)


def games() -> list[match_pb2.GameInfo]:
    """All games, in the registry's order."""
    return [_info(key) for key in registry.GAMES]


@cache
def rules(key: str, language: str) -> match_pb2.GetRulesResponse:
    """Rules and options; NotFound (game_unknown, language_unknown)."""
    game = registry.newest(key)
    if language not in LANGUAGES:
        raise NotFound("language_unknown", f"rules are in {' and '.join(LANGUAGES)}")
    text = files(f"spielwerk.games.{key}").joinpath(f"rules.{language}.md").read_text("utf-8")
    title = _TITLE.search(text)
    return match_pb2.GetRulesResponse(
        title=title.group(1) if title else key, clauses=_clauses(text), options=_options(game)
    )


def _info(key: str) -> match_pb2.GameInfo:
    game = registry.newest(key)
    return match_pb2.GameInfo(
        game=key,
        rules_versions=list(registry.GAMES[key]),
        seats_min=game.seats[0],
        seats_max=game.seats[-1],
        bots=[bot_message(Bot.of(policy)) for policy in game.bots.values()],
        bot_names={policy.strength: policy.name for policy in game.bots.values() if policy.name},
    )


def _clauses(text: str) -> list[match_pb2.RuleClause]:
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return [
        match_pb2.RuleClause(
            number=heading.group(1),
            heading=heading.group(2).strip(),
            text=text[heading.end() : end].strip(),
        )
        for heading, end in zip(headings, ends, strict=True)
    ]


def _options(game: AnyGame) -> list[match_pb2.OptionInfo]:
    by_mode = {mode: defaults(game.options, mode) for mode in MODES}
    return [
        match_pb2.OptionInfo(
            name=name,
            values=[json.dumps(value) for value in spec.values],
            minimum=spec.minimum,
            maximum=spec.maximum,
            defaults={mode: json.dumps(by_mode[mode][name], default=asdict) for mode in MODES},
            description=spec.description,
        )
        for name, spec in specs(game.options).items()
    ]
