"""Deck files of Quartett on the command line."""

from __future__ import annotations

from pathlib import Path

from spielwerk.games.quartett.deck import Deck, fingerprint
from spielwerk.games.quartett.deckfile import BadDeck, Checked, check_text


def check_file(path: Path) -> Checked:
    """What the file is; `.toml` is read as TOML, anything else as JSON. OSError, UnicodeError."""
    return check_text(path.read_text("utf-8"), toml=path.suffix == ".toml")


def deck_in(path: Path) -> Deck:
    """The deck in the file; BadDeck says what is wrong with it."""
    checked = check_file(path)
    if checked.deck is None:
        raise BadDeck(checked.problems)
    return checked.deck


def report(checked: Checked) -> list[str]:
    """What to tell the author of a deck file, a line each."""
    lines = [str(problem) for problem in checked.problems]
    lines += [f"warning: {warning}" for warning in checked.warnings]
    if checked.deck is not None:
        deck = checked.deck
        size = f"{len(deck.cards)} cards, {len(deck.categories)} categories"
        lines.append(f"{deck.id}: {size}, sha256 {fingerprint(deck)}")
    return lines
