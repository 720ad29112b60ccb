"""What the terminal says of Mau-Mau, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MAUMAU: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Mau-Mau", "Mau-Mau"),
    "subtitle": (
        "game {game} of {games} · turn {turn} · points {points}",
        "Spiel {game} von {games} · Zug {turn} · Punkte {points}",
    ),
    "cards_left": ("{number} cards", "{number} Karten"),
    "one_left": ("1 card", "1 Karte"),
    "on_turn": ("to play", "am Zug"),
    "again": ("once more", "noch einmal"),
    "announced": ("last card!", "Letzte Karte!"),
    "left": ("out", "ausgeschieden"),
    "place": ("place {place}, {points} points", "Platz {place}, {points} Punkte"),
    "open": ("Open card", "Offene Karte"),
    "talon": ("Talon", "Talon"),
    "pile": ("Pile", "Stapel"),
    "direction": ("Direction", "Richtung"),
    "clockwise": ("down the list", "nach unten"),
    "counter": ("up the list", "nach oben"),
    "wish": ("Wish", "Wunsch"),
    "pending": ("Sevens", "Siebenen"),
    "pending_cards": ("+{number}", "+{number}"),
    "hand": ("Hand (what fits is bold)", "Hand (was passt, ist fett)"),
    "joker": ("Joker", "Joker"),
    "clubs": ("clubs", "Kreuz"),
    "diamonds": ("diamonds", "Karo"),
    "hearts": ("hearts", "Herz"),
    "spades": ("spades", "Pik"),
    "ask_play": (
        "Lay a card (number or name; a jack with its suit: JC hearts), or draw",
        "Lege eine Karte (Nummer oder Name; Bube mit Farbe: JC herz) oder ziehe (z)",
    ),
    "ask_draw": ("Nothing fits: draw", "Nichts passt: ziehe (z)"),
    "ask_sevens": (
        "Answer with a seven, or draw {number} cards",
        "Antworte mit einer Sieben oder ziehe (z) {number} Karten",
    ),
    "ask_announce": (
        "Say last before you lay your last card but one.",
        "Sage letzte an, bevor du deine vorletzte Karte legst.",
    ),
    "ask_forgotten": (
        "You have not announced your last card: laying it costs cards, drawing repairs it.",
        "Du hast deine letzte Karte nicht angesagt: Legen kostet Karten, Ziehen behebt es.",
    ),
    "not_in_hand": ("{card} is not in your hand.", "{card} ist nicht auf deiner Hand."),
    "not_a_card": ("{text} is no card.", "{text} ist keine Karte."),
    "no_fit": ("{card} does not fit.", "{card} passt nicht."),
    "wish_needed": (
        "Say a suit with the jack: clubs, spades, hearts or diamonds.",
        "Sage zum Buben eine Farbe: Kreuz, Pik, Herz oder Karo.",
    ),
    "no_wish": ("Only a jack takes a suit.", "Nur ein Bube bekommt eine Farbe."),
    "no_draw": ("A card fits: lay it.", "Eine Karte passt: lege sie."),
    "no_announce": (
        "You may announce with two cards of which one fits, once.",
        "Ansagen geht mit zwei Karten, von denen eine passt, einmal.",
    ),
    "tell_game": ("Game {game}: {name} begins.", "Spiel {game}: {name} beginnt."),
    "tell_upcard": ("{card} is turned up.", "{card} wird aufgedeckt."),
    "tell_again": ("{name} is on turn once more.", "{name} ist noch einmal dran."),
    "tell_played": ("{name} lays {card}.", "{name} legt {card}."),
    "tell_wished": (
        "{name} lays {card} and wishes {suit}.",
        "{name} legt {card} und wünscht {suit}.",
    ),
    "tell_pending": ("The sevens ask for {total}.", "Die Siebenen verlangen {total}."),
    "tell_direction": ("The direction changes.", "Die Richtung wechselt."),
    "tell_skipped": ("{name} sits out.", "{name} setzt aus."),
    "tell_drawn": ("{name} takes {count} ({why}).", "{name} nimmt {count} ({why})."),
    "why_draw": ("draws", "zieht"),
    "why_sevens": ("sevens", "Siebenen"),
    "why_timeout": ("time is up", "Zeit abgelaufen"),
    "why_not_announced": ("not announced", "nicht angesagt"),
    "tell_reshuffled": ("{count} cards are shuffled.", "{count} Karten werden gemischt."),
    "tell_announced": ("{name}: last card!", "{name}: Letzte Karte!"),
    "tell_missed": (
        "{name} forgot to announce the last card.",
        "{name} hat die letzte Karte nicht angesagt.",
    ),
    "tell_mau_mau": ("{name}: Mau-Mau!", "{name}: Mau-Mau!"),
    "tell_left": ("{name} is out.", "{name} scheidet aus."),
    "tell_ended": ("The game ends, points {points}.", "Das Spiel endet, Punkte {points}."),
}
