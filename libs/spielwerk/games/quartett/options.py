"""The house rules of Quartett, the deck among them (clause 1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from spielwerk.errors import BadOptions
from spielwerk.games.options import check, option
from spielwerk.games.quartett.comparing import Forbid
from spielwerk.games.quartett.deck import Deck
from spielwerk.games.quartett.installed import DECK_IDS, USUAL, installed_deck
from spielwerk.games.quartett.soundness import problems

_SHOWN_PROBLEMS: Final = 5


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 1); complete ones hold the whole deck, so that no file is needed later.

    Without a deck the installed one of `deck_id` is taken; with one, `deck_id` is its id.
    """

    deck_id: str = option(USUAL, "An installed deck; not used with an own deck.", values=DECK_IDS)
    deck: Deck = option(None, "An own deck instead of an installed one.")
    forbid: Forbid = option(
        Forbid.BEST,
        "Categories a card may not choose: where its value is the only best one, the only largest "
        "or smallest one, or none.",
        values=tuple(Forbid),
    )
    max_rounds: int = option(
        500,
        "After so many rounds the larger stack wins; 0: no limit.",
        values=(0,),
        minimum=1,
        maximum=10_000,
    )
    turn_seconds: int = option(
        30, "Seconds for a choice; 0: none.", values=(0,), minimum=5, maximum=600
    )
    away_after: int = option(
        3, "So many timeouts of a seat in a row lose the match.", minimum=1, maximum=1000
    )
    reveal_pause_ms: int = option(
        2000, "So long a bot waits before it chooses, in ms.", minimum=0, maximum=10_000
    )
    games: int = option(1, "Games of the match; the results are added.", minimum=1, maximum=100)

    def __post_init__(self) -> None:
        """Complete the deck; BadOptions for values outside the table and for unfit decks."""
        own: Deck | None = self.deck
        check(self, skipped=() if own is None else ("deck_id",))
        deck = installed_deck(self.deck_id) if own is None else own
        if own is not None:
            _check_deck(own)
        object.__setattr__(self, "deck", deck)
        object.__setattr__(self, "deck_id", deck.id)


def _check_deck(deck: Deck) -> None:
    wrong = _wrong(deck)
    if wrong:
        raise BadOptions("deck", wrong)


@lru_cache(maxsize=64)  # every view that is read brings its deck along
def _wrong(deck: Deck) -> str:
    return "; ".join([str(problem) for problem in problems(deck)][:_SHOWN_PROBLEMS])
