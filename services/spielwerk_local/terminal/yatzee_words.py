"""What the terminal says of Yatzee, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

YATZEE: Final[Mapping[str, tuple[str, str]]] = {
    "ones": ("ones", "Einser"),
    "twos": ("twos", "Zweier"),
    "threes": ("threes", "Dreier"),
    "fours": ("fours", "Vierer"),
    "fives": ("fives", "Fünfer"),
    "sixes": ("sixes", "Sechser"),
    "three_of_a_kind": ("three of a kind", "Dreierpasch"),
    "four_of_a_kind": ("four of a kind", "Viererpasch"),
    "full_house": ("full house", "Full House"),
    "small_straight": ("small straight", "kleine Straße"),
    "large_straight": ("large straight", "große Straße"),
    "yatzee": ("yatzee", "Yatzee"),
    "chance": ("chance", "Chance"),
    "bonus": ("bonus ({upper} of {threshold})", "Bonus ({upper} von {threshold})"),
    "extra": ("further yatzees", "weitere Yatzees"),
    "total": ("total", "Summe"),
    "cup": ("may throw", "darf würfeln"),
    "table": ("chooses", "wählt"),
    "wait": ("waits", "wartet"),
    "done": ("has entered", "hat eingetragen"),
    "gone": ("has left", "ist gegangen"),
    "late": ("out of time", "Zeit aufgebraucht"),
    "round": ("round {round} of 13", "Runde {round} von 13"),
    "throw": ("throw {throw} of 3", "Wurf {throw} von 3"),
    "time_left": ("{seconds} s left", "noch {seconds} s"),
    "ask_roll": ("Throw the dice: r", "Würfle: w"),
    "ask_choose": (
        "Lock dice and throw again (e.g. 1 3; 0: none), or enter a row (e.g. e 7)",
        "Halte Würfel fest und würfle weiter (z. B. 1 3; 0: keine), oder trage ein (z. B. e 7)",
    ),
    "ask_enter": ("Enter a row (e.g. e 7)", "Trage in eine Zeile ein (z. B. e 7)"),
    "no_move": ("{text} is no move here.", "{text} ist hier kein Zug."),
    "no_dice": ("Name up to four dice, 1 to 5.", "Nenne bis zu vier Würfel, 1 bis 5."),
    "no_row": ("{text} is no row.", "{text} ist keine Zeile."),
    "row_closed": ("The row {row} is not open to you.", "Die Zeile {row} steht dir nicht offen."),
    "tell_round": ("Round {round}.", "Runde {round}."),
    "tell_opened": ("All have thrown: throw {throw}.", "Alle haben geworfen: Wurf {throw}."),
    "tell_rolled": ("{name} throws {dice}.", "{name} würfelt {dice}."),
    "tell_rolled_unseen": ("{name} throws.", "{name} würfelt."),
    "tell_held": ("{name} asks for the next throw.", "{name} möchte weiterwürfeln."),
    "tell_entered": ("{name} enters {points} in {row}.", "{name} trägt {points} ein: {row}."),
    "tell_struck": ("{name} strikes {row}.", "{name} streicht {row}."),
    "tell_entered_unseen": ("{name} enters a row.", "{name} trägt ein."),
    "tell_shown": (
        "{name} has entered {points} in {row} with {dice}.",
        "{name} hat mit {dice} {points} eingetragen: {row}.",
    ),
    "tell_exhausted": ("{name} is out of time.", "Die Zeit von {name} ist aufgebraucht."),
    "tell_left": ("{name} gives up.", "{name} gibt auf."),
    "tell_end": ("The match is over: {totals}.", "Das Match ist zu Ende: {totals}."),
}
