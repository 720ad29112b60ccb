"""What the terminal says of Guandan, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GUANDAN: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Guandan, level {level}", "Guandan, Stufe {level}"),
    "subtitle": (
        "deal {deal} · {names_0}: {level_0} · {names_1}: {level_1}",
        "Runde {deal} · {names_0}: {level_0} · {names_1}: {level_1}",
    ),
    "cards_left": ("{number} cards", "{number} Karten"),
    "place": ("place {place}", "Platz {place}"),
    "on_turn": ("to play", "am Zug"),
    "top": ("To beat", "Zu schlagen"),
    "nothing": ("nothing: the leader plays anything", "nichts: es wird angespielt"),
    "trick": ("Trick", "Stich"),
    "passes": ("pass", "passt"),
    "wild": ("as {cards}", "als {cards}"),
    "hand": ("Hand", "Hand"),
    "restart": ("{names} want(s) to begin again.", "{names} will neu beginnen."),
    "ask_play": (
        "Play cards (numbers or names, e.g. 1 2 3 or 5H RJ), or pass; = 2 chooses a reading",
        "Spiele Karten (Nummern oder Namen, z. B. 1 2 3 oder 5H RJ) oder passe; = 2 wählt",
    ),
    "ask_lead": (
        "Lead cards (numbers or names, e.g. 1 2 3 or 5H RJ); = 2 chooses a reading",
        "Spiele Karten an (Nummern oder Namen, z. B. 1 2 3 oder 5H RJ); = 2 wählt",
    ),
    "ask_return": (
        "Return one of these: {cards}",
        "Gib eine davon zurück: {cards}",
    ),
    "ask_next": ("Type next for the next deal, or restart", "Tippe weiter, oder neustart"),
    "not_in_hand": ("{card} is not in your hand.", "{card} ist nicht auf deiner Hand."),
    "not_a_card": ("{text} is no card.", "{text} ist keine Karte."),
    "no_combination": ("That is no combination.", "Das ist keine Kombination."),
    "too_low": ("That does not beat the table.", "Das schlägt nicht, was liegt."),
    "no_pass": ("You lead: play something.", "Du spielst an: lege etwas."),
    "which": ("Which one? {readings}", "Welche davon? {readings}"),
    "one_card": ("Choose one of: {cards}", "Wähle eine von: {cards}"),
    "only_next": ("Type next.", "Tippe weiter."),
    "single": ("single {main}", "{main} einzeln"),
    "pair": ("pair of {main}", "Paar {main}"),
    "triple": ("three {main}", "Drilling {main}"),
    "full_house": ("full house {main}", "Full House {main}"),
    "straight": ("straight to {main}", "Straße bis {main}"),
    "pair_run": ("three pairs to {main}", "drei Paare bis {main}"),
    "triple_run": ("two triples to {main}", "zwei Drillinge bis {main}"),
    "bomb": ("bomb of {size} {main}", "Bombe {size} mal {main}"),
    "straight_flush": ("straight flush to {main}", "Straßenflush bis {main}"),
    "joker_bomb": ("four jokers", "vier Joker"),
    "tell_started": ("The match begins at 2.", "Das Match beginnt bei 2."),
    "tell_deal": ("Deal {deal} at level {level}.", "Runde {deal} auf Stufe {level}."),
    "tell_leads": ("{name} leads.", "{name} spielt an."),
    "tell_cancelled": (
        "No tribute: the red jokers are held by who must pay. {name} leads.",
        "Kein Tribut: Die roten Joker hält, wer zahlen müsste. {name} spielt an.",
    ),
    "tell_paid": ("{name} pays {card} to {other}.", "{name} zahlt {card} an {other}."),
    "tell_returned": ("{name} returns {card} to {other}.", "{name} gibt {other} {card} zurück."),
    "tell_played": ("{name}: {what} ({cards}).", "{name}: {what} ({cards})."),
    "tell_passed": ("{name} passes.", "{name} passt."),
    "tell_finished": ("{name} is out: place {place}.", "{name} ist fertig: Platz {place}."),
    "tell_ended": (
        "{names} win the deal: up {step}. Next level {level}.",
        "{names} gewinnen die Runde: {step} Stufe(n) auf. Nächste Stufe {level}.",
    ),
    "tell_won": ("{names} win the match.", "{names} gewinnen das Match."),
    "tell_drawn": ("The match is a draw.", "Das Match endet unentschieden."),
    "tell_proposed": ("{name} wants to begin again.", "{name} will neu beginnen."),
    "tell_restarted": ("All agree: back to 2.", "Alle sind einverstanden: zurück auf 2."),
    "tell_resigned": ("{name} gives up.", "{name} gibt auf."),
    "hidden": ("a card", "eine Karte"),
}
