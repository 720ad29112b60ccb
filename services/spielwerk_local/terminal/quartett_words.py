"""What the terminal says of Quartett, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

QUARTETT: Final[Mapping[str, tuple[str, str]]] = {
    "ask": (
        "Choose a category (number or name): {categories}",
        "Wähle eine Kategorie (Nummer oder Name): {categories}",
    ),
    "no_category": ("{text} is no category.", "{text} ist keine Kategorie."),
    "forbidden": (
        "{category} is forbidden: your value is the only best one.",
        "{category} ist verboten: dein Wert ist der alleinige beste.",
    ),
    "banned": ("forbidden", "verboten"),
    "on_turn": ("chooses", "wählt"),
    "cards": ("{count} cards", "{count} Karten"),
    "pot": ("Pot", "Pot"),
    "last_duel": ("Last duel", "Letzter Vergleich"),
    "tie": ("Equal: both cards are in the pot.", "Gleich: beide Karten sind im Pot."),
    "duel_won": ("{name} wins.", "{name} gewinnt."),
    "round": ("round {round}", "Runde {round}"),
    "game": (
        "game {game}, won {won}, drawn {draws}",
        "Spiel {game}, gewonnen {won}, unentschieden {draws}",
    ),
    "tell_game": ("Game {game}: {name} chooses first.", "Spiel {game}: {name} wählt zuerst."),
    "tell_duel": (
        "{name} names {category}: {own} against {other}; {winner} gets {count} cards.",
        "{name} nennt {category}: {own} gegen {other}; {winner} bekommt {count} Karten.",
    ),
    "tell_tie": (
        "{name} names {category}: {own} against {other}; equal.",
        "{name} nennt {category}: {own} gegen {other}; gleich.",
    ),
    "tell_resigned": ("{name} gives up.", "{name} gibt auf."),
    "tell_timeout": ("{name}'s time is up.", "Die Zeit von {name} ist um."),
    "tell_end": ("{name} wins the game {counts}.", "{name} gewinnt das Spiel {counts}."),
    "tell_drawn": ("The game is drawn {counts}.", "Das Spiel ist unentschieden {counts}."),
}
