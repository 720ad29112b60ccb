"""All games with the versions of their rules; a new game is one import and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.errors import NotFound, Unavailable
from spielwerk.games import cribbage, guandan, house_of_cards, maumau, quartett, skat, yatzee
from spielwerk.games.game import AnyGame

GAMES: Final[Mapping[str, Mapping[str, AnyGame]]] = {
    game.key: {game.rules_version: game}
    for game in (
        cribbage.GAME,
        guandan.GAME,
        house_of_cards.GAME,
        maumau.GAME,
        quartett.GAME,
        skat.GAME,
        yatzee.GAME,
    )
}
"""Game key -> {rules version: game}, the newest version first."""


def newest(key: str) -> AnyGame:
    """The rules for new matches; raises NotFound(`game_unknown`)."""
    versions = GAMES.get(key)
    if versions is None:
        raise NotFound("game_unknown", f"there is no game {key!r}", game=key)
    return next(iter(versions.values()))


def version(key: str, rules_version: str) -> AnyGame:
    """The rules a match was opened with.

    Raises Unavailable(`rules_version_unknown`), for a game that is not here as well: another
    replica has opened the match, so one knows it.
    """
    game = GAMES.get(key, {}).get(rules_version)
    if game is None:
        raise Unavailable("rules_version_unknown", game=key, rules_version=rules_version)
    return game
