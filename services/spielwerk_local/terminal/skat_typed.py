"""What a person at the Skat table typed, as a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from spielwerk.cards import Card
from spielwerk.games.skat.cards import ContractType, in_order
from spielwerk.games.skat.commands import (
    Announce,
    Bid,
    Command,
    Concede,
    Discard,
    Hold,
    Pass,
    Play,
    TakeSkat,
)
from spielwerk.games.skat.model import Phase
from spielwerk.games.skat.views import View
from spielwerk_local.terminal.cards import named, read_card
from spielwerk_local.terminal.reading import BadInput, number
from spielwerk_local.terminal.skat_hand import sorted_hand
from spielwerk_local.terminal.skat_words import SKAT
from spielwerk_local.terminal.words import Say, words

_PASS: Final = ("pass", "p", "passe", "weg", "no", "nein")
_HOLD: Final = ("hold", "h", "halten", "ja", "yes", "y")
_TAKE: Final = ("take", "take skat", "skat", "take the skat", "aufnehmen")
_CONCEDE: Final = ("concede", "abgeben")
_GAMES: Final[Mapping[str, ContractType]] = {
    word: kind
    for kind, texts in {
        ContractType.CLUBS: ("c", "clubs", "kreuz", "treff"),
        ContractType.SPADES: ("s", "spades", "pik"),
        ContractType.HEARTS: ("h", "hearts", "herz"),
        ContractType.DIAMONDS: ("d", "diamonds", "karo"),
        ContractType.GRAND: ("g", "grand"),
        ContractType.NULL: ("n", "null"),
    }.items()
    for word in texts
}
_MODIFIERS: Final = ("schneider", "schwarz", "ouvert")


def read(text: str, view: View, legal: Sequence[Command], language: str) -> Command:
    """The command in what was typed; BadInput says what is wrong with it."""
    say = words(SKAT, language)
    word = text.strip().lower()
    match view.phase:
        case Phase.AUCTION:
            return _spoken(word, legal, say)
        case Phase.SKAT if word in _TAKE:
            return TakeSkat()
        case Phase.SKAT | Phase.ANNOUNCE:
            return _announced(word, legal, say)
        case Phase.DISCARD:
            cards = [_card(part, view, say) for part in text.replace(",", " ").split()]
            if len(cards) != 2 or cards[0] == cards[1]:
                raise BadInput(say("two_cards"))
            return Discard(in_order(cards))
        case _:
            return _played(word, view, legal, say)


def _spoken(word: str, legal: Sequence[Command], say: Say) -> Command:
    if word in _PASS:
        return Pass()
    if word in _HOLD and Hold() in legal:
        return Hold()
    value = number(word.removeprefix("bid").strip(), 264)
    if value is None:
        raise BadInput(say("no_word", text=word))
    if Bid(value) not in legal:
        raise BadInput(say("no_bid", text=value))
    return Bid(value)


def _announced(word: str, legal: Sequence[Command], say: Say) -> Command:
    first, *rest = word.replace(",", " ").split() or [""]
    modifiers = [part for part in rest if part != "hand"]
    if first not in _GAMES or not set(modifiers) <= set(_MODIFIERS):
        raise BadInput(say("no_word", text=word))
    said = _completed(_GAMES[first], modifiers)
    if said not in legal:
        raise BadInput(say("no_game"))
    return said


def _completed(kind: ContractType, modifiers: Sequence[str]) -> Announce:
    """With what the words imply, as the game lists it."""
    ouvert = "ouvert" in modifiers
    if kind is ContractType.NULL:
        return Announce(kind, "schneider" in modifiers, "schwarz" in modifiers, ouvert)
    schwarz = ouvert or "schwarz" in modifiers
    return Announce(kind, schwarz or "schneider" in modifiers, schwarz, ouvert)


def _played(word: str, view: View, legal: Sequence[Command], say: Say) -> Command:
    if word in _CONCEDE and view.options.claims:
        return Concede()
    parts = word.split()
    if len(parts) != 1:
        raise BadInput(say("one_card"))
    card = _card(parts[0], view, say)
    if Play(card) not in legal:
        raise BadInput(say("must_follow", card=named(card)))
    return Play(card)


def _card(text: str, view: View, say: Say) -> Card:
    """A card by its number in the drawn hand or by its name."""
    hand = sorted_hand(view)
    index = number(text, len(hand))
    if index is not None:
        return hand[index - 1]
    try:
        card = read_card(text)
    except ValueError:
        raise BadInput(say("not_a_card", text=text)) from None
    if card not in hand:
        raise BadInput(say("not_in_hand", card=named(card)))
    return card
