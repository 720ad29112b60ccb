"""What the terminal says, in English and German."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

LANGUAGES: Final = ("en", "de")

Say = Callable[..., str]
"""(key, **values) -> the text in one language."""


def words(table: Mapping[str, tuple[str, str]], language: str) -> Say:
    """The texts of one language; a key that is missing is shown as it is."""
    column = LANGUAGES.index(language)

    def say(key: str, **values: object) -> str:
        texts = table.get(key)
        return texts[column].format(**values) if texts else key.replace("_", " ")

    return say


GENERAL: Final[Mapping[str, tuple[str, str]]] = {
    "bot": ("Bot ({strength})", "Bot ({strength})"),
    "resumed": ("Going on with your match {match_id}.", "Deine Partie {match_id} geht weiter."),
    "started": ("New match {match_id}.", "Neue Partie {match_id}."),
    "help_hint": (
        "Commands: help, help <clause>, resign, quit.",
        "Befehle: hilfe, hilfe <Klausel>, aufgeben, ende.",
    ),
    "left": (
        "The match stays open; start again to go on.",
        "Die Partie bleibt offen; starte neu, um weiterzuspielen.",
    ),
    "outage": (
        "The services were away from {begin} to {end} UTC: open turns have {more:g} s more.",
        "Die Dienste waren von {begin} bis {end} UTC fort: Offene Züge haben {more:g} s mehr.",
    ),
    "stale": (
        "That turn is over; look at the table again.",
        "Dieser Zug ist vorbei; sieh noch einmal auf den Tisch.",
    ),
    "refused": ("Not possible: {why}.", "Nicht möglich: {why}."),
    "no_clause": ("There is no clause {number}.", "Es gibt keine Klausel {number}."),
    "won": ("You win.", "Du gewinnst."),
    "lost": ("You lose.", "Du verlierst."),
    "drawn": ("A draw.", "Unentschieden."),
    "void": ("The match ended without a result.", "Die Partie endete ohne Ergebnis."),
    "result": ("Result ({reason}):", "Ergebnis ({reason}):"),
    "place": (
        "  {place}. {name}: {score}",
        "  {place}. {name}: {score}",
    ),
    "choose": ("Your move (number)", "Dein Zug (Nummer)"),
    "bad_number": (
        "Give a number from 1 to {count}.",
        "Gib eine Nummer von 1 bis {count} ein.",
    ),
    "target_reached": ("target reached", "Ziel erreicht"),
    "match_won": ("match won", "Match gewonnen"),
    "deal_limit": ("all deals played", "alle Runden gespielt"),
    "resigned": ("resigned", "aufgegeben"),
    "forfeited": ("time forfeited", "Zeit überschritten"),
    "no_cards": ("no cards left", "keine Karten mehr"),
    "all_in_pot": ("all cards in the pot", "alle Karten im Pot"),
    "round_limit": ("limit of rounds", "Rundengrenze"),
    "all_rounds_played": ("all rounds played", "alle Runden gespielt"),
    "maumau": ("Mau-Mau", "Mau-Mau"),
    "blocked": ("nobody could move", "niemand konnte mehr"),
    "turn_limit": ("limit of turns", "Zuggrenze"),
    "away": ("too long away", "zu lange abwesend"),
    "completed": ("all deals played", "alle Spiele gespielt"),
    "abandoned": ("abandoned", "abgebrochen"),
    "no_show": ("somebody did not come", "jemand kam nicht"),
    "aborted": ("ended by the operator", "vom Betreiber beendet"),
}

CRIBBAGE: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Cribbage to {target}", "Cribbage bis {target}"),
    "deal": ("game {game}, deal {deal}", "Spiel {game}, Runde {deal}"),
    "games_won": ("games won {won}", "gewonnene Spiele {won}"),
    "deals": ("deals", "gibt"),
    "starter": ("Starter", "Startkarte"),
    "crib": ("Crib of {name}", "Crib von {name}"),
    "count": ("Count", "Zähler"),
    "played": ("Played", "Gespielt"),
    "hand": ("Hand", "Hand"),
    "show": ("Last show", "Letzte Wertung"),
    "course": ("What happened", "Verlauf"),
    "shown_hand": ("hand", "Hand"),
    "shown_crib": ("crib", "Crib"),
    "fifteens": ("fifteens", "Fünfzehner"),
    "fifteen": ("fifteen", "Fünfzehn"),
    "thirtyone": ("thirty-one", "Einunddreißig"),
    "pairs": ("pairs", "Paare"),
    "runs": ("runs", "Folgen"),
    "run": ("run", "Folge"),
    "flush": ("flush", "Flush"),
    "nobs": ("his nobs", "Bube nach Farbe"),
    "last": ("last card", "letzte Karte"),
    "nothing": ("nothing", "nichts"),
    "ask_discard": (
        "Lay two cards away (e.g. 1 4 or 5H JC)",
        "Lege zwei Karten ab (z. B. 1 4 oder 5H JC)",
    ),
    "ask_play": ("Play a card (e.g. 2 or 5H)", "Spiele eine Karte (z. B. 2 oder 5H)"),
    "ask_go": ("No card fits: say go", "Keine Karte passt: sage go"),
    "two_cards": ("Choose two cards of your hand.", "Wähle zwei Karten aus deiner Hand."),
    "one_card": ("Choose one card of your hand.", "Wähle eine Karte aus deiner Hand."),
    "not_in_hand": ("{card} is not in your hand.", "{card} ist nicht auf deiner Hand."),
    "not_a_card": ("{text} is no card.", "{text} ist keine Karte."),
    "too_high": ("{card} would pass 31.", "Mit {card} wären es mehr als 31."),
    "twice": ("Choose two different cards.", "Wähle zwei verschiedene Karten."),
    "no_go": ("You can play a card.", "Du kannst eine Karte spielen."),
    "tell_cut": ("{name} cuts {card}.", "{name} hebt {card} ab."),
    "tell_dealer": ("{name} deals first.", "{name} gibt zuerst."),
    "tell_deal": ("Deal {deal}: {name} deals.", "Runde {deal}: {name} gibt."),
    "tell_discard": ("{name} lays two cards away.", "{name} legt zwei Karten ab."),
    "tell_starter": ("Starter {card}.", "Startkarte {card}."),
    "tell_play": ("{name} plays {card}: {count}.", "{name} spielt {card}: {count}."),
    "tell_go": ("{name} says go.", "{name} sagt go."),
    "tell_scored": ("{name} scores {points} ({why}).", "{name} bekommt {points} ({why})."),
    "tell_show": ("{name}'s {what}: {total}.", "{name}, {what}: {total}."),
    "tell_resigned": ("{name} gives up.", "{name} gibt auf."),
    "tell_timeout": ("{name}'s time is up.", "Die Zeit von {name} ist um."),
    "tell_end": ("{name} wins the game {scores}.", "{name} gewinnt das Spiel {scores}."),
    "why_heels": ("his heels", "Bube als Startkarte"),
    "why_play": ("play", "Spiel"),
    "why_go": ("go", "go"),
    "why_hand": ("hand", "Hand"),
    "why_crib": ("crib", "Crib"),
}
