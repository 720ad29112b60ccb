"""What the terminal says of House of Cards, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HOUSE_OF_CARDS: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("House of Cards", "Kartenhaus"),
    "score": ("Score {score}", "Punkte {score}"),
    "stock": ("stock {stock}", "Stapel {stock}"),
    "jokers": ("jokers in it {jokers}", "darin Joker {jokers}"),
    "discarded": ("discarded {count}", "abgelegt {count}"),
    "other": ("{name}: {score} points, {moves} moves", "{name}: {score} Punkte, {moves} Züge"),
    "ended": ("finished", "fertig"),
    "ask": (
        "roof 1.2 1 4 (place, two cards) | floor 1.2 3 (left roof below, card) | {more}",
        "dach 1.2 1 4 (Platz, zwei Karten) | boden 1.2 3 (linkes Dach darunter, Karte) | {more}",
    ),
    "ask_replace": ("replace | finish", "tauschen | fertig"),
    "ask_finish": ("finish", "fertig"),
    "bad_word": (
        "Say roof, floor, replace or finish.",
        "Sage dach, boden, tauschen oder fertig.",
    ),
    "bad_place": (
        "A place is a storey and a number in it, e.g. 1.2; the first is 1.1.",
        "Ein Platz ist ein Stockwerk und eine Nummer darin, z. B. 1.2; der erste ist 1.1.",
    ),
    "two_cards": ("A roof needs two open cards.", "Ein Dach braucht zwei offene Karten."),
    "one_card": ("A floor needs one open card.", "Ein Boden braucht eine offene Karte."),
    "no_card": ("{text} does not lie open.", "{text} liegt nicht offen."),
    "tell_roof": ("{name} builds a roof of {value}.", "{name} baut ein Dach mit {value}."),
    "tell_floor": (
        "{name} lays the floor {card}, limit {limit}.",
        "{name} legt den Boden {card}, Grenze {limit}.",
    ),
    "tell_replaced": ("{name} replaces {count} cards.", "{name} tauscht {count} Karten."),
    "tell_joker": (
        "A joker takes {points} points from {name}.",
        "Ein Joker nimmt {name} {points} Punkte.",
    ),
    "tell_timeout": ("{name}'s time is up.", "Die Zeit von {name} ist um."),
    "tell_end": (
        "{name} ends with {score} points and {credits} credits ({reason}).",
        "{name} endet mit {score} Punkten und {credits} Credits ({reason}).",
    ),
    "no_limit": ("none", "keine"),
    "complete": ("house complete", "Haus fertig"),
    "stuck": ("nothing can be placed", "nichts passt mehr"),
    "player": ("stopped", "aufgehört"),
    "time": ("time is up", "Zeit um"),
}
