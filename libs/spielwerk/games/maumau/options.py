"""The house rules of Mau-Mau (clause 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from spielwerk.games.options import check, option


class FirstUpcard(StrEnum):
    """What an action card does that is turned up before the first turn."""

    PLAIN = "plain"
    EFFECT = "effect"
    REDRAW = "redraw"


def _value(default: int, what: str) -> Any:
    return option(default, f"Penalty points of {what}.", minimum=0, maximum=100)


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 1)."""

    games: int = option(1, "Games of the match; the points are added.", minimum=1, maximum=1000)
    jokers: int = option(2, "Jokers in the pack of 52 cards.", minimum=0, maximum=4)
    # Twelve each for four seats leave an open card of the smallest pack.
    hand_size: int = option(6, "Cards dealt to each seat.", values=(6,), minimum=1, maximum=12)
    voluntary_draw: bool = option(
        True, "A card may be drawn although one fits.", values=(True, False)
    )
    announce: bool = option(True, "The last card must be announced.", values=(True, False))
    missed_announcement_cards: int = option(
        1, "Cards for a forgotten announcement.", minimum=1, maximum=10
    )
    timeout_cards: int = option(2, "Cards when the time is up.", minimum=1, maximum=10)
    turn_seconds: int = option(
        15, "Seconds for a turn; 0: none.", values=(15, 0), minimum=5, maximum=600
    )
    seven_red: int = option(2, "Cards for a seven of hearts or diamonds.", minimum=1, maximum=10)
    seven_black: int = option(4, "Cards for a seven of clubs or spades.", minimum=1, maximum=10)
    first_upcard: FirstUpcard = option(
        FirstUpcard.PLAIN,
        "An action card turned up first: without effect, with it, or another is turned.",
        values=tuple(FirstUpcard),
    )
    first_starter: int = option(
        0, "Seat that begins the first game, counted round.", minimum=0, maximum=3
    )
    max_turns: int = option(
        500, "Turns after which a game ends.", values=(500, 200, 100, 50), minimum=1, maximum=10_000
    )
    away_after: int = option(
        0,
        "So many timeouts of a seat in a row take it out of the match; 0: never.",
        minimum=0,
        maximum=100,
    )
    value_two: int = _value(2, "a two")
    value_three: int = _value(3, "a three")
    value_four: int = _value(4, "a four")
    value_five: int = _value(5, "a five")
    value_six: int = _value(6, "a six")
    value_seven: int = _value(7, "a seven")
    value_eight: int = _value(8, "an eight")
    value_nine: int = _value(9, "a nine")
    value_ten: int = _value(10, "a ten")
    value_jack: int = _value(20, "a jack")
    value_queen: int = _value(10, "a queen")
    value_king: int = _value(10, "a king")
    value_ace: int = _value(11, "an ace")
    value_joker: int = _value(40, "a joker")

    def __post_init__(self) -> None:
        """Refuse values outside the table with BadOptions."""
        check(self)
