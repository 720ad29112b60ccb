"""The decks that are installed with the game; each is read when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from spielwerk.games.quartett.deck import Deck
from spielwerk.games.quartett.deckfile import read_deck

_FOLDER: Final = resources.files(__package__).joinpath("decks")
_FILES: Final = {
    path.name.rpartition(".")[0]: path
    for path in sorted(_FOLDER.iterdir(), key=lambda path: path.name)
    if path.name.endswith((".json", ".toml"))
}

USUAL: Final = "channel-nil"
"""The deck of a match that names none."""
DECK_IDS: Final = (USUAL, *(deck_id for deck_id in _FILES if deck_id != USUAL))
"""Each file is named after the deck's id."""


@cache
def installed_deck(deck_id: str) -> Deck:
    """The installed deck; KeyError if there is none, BadDeck if its file is none."""
    path = _FILES[deck_id]
    deck = read_deck(path.read_text("utf-8"), toml=path.name.endswith(".toml"))
    assert deck.id == deck_id, f"{path.name} holds the deck {deck.id}"
    return deck
