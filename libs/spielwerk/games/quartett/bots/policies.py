"""How a strength chooses: whom it suspects, and among how many of the best it draws (clause 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from spielwerk.chance import Chance
from spielwerk.games.quartett.bots.memory import suspects
from spielwerk.games.quartett.bots.ranking import ranking
from spielwerk.games.quartett.deck import DeckCard
from spielwerk.games.quartett.messages import Choose, Command
from spielwerk.games.quartett.model import State
from spielwerk.games.quartett.views import View, view

Suspects: TypeAlias = Callable[[View], Sequence[DeckCard]]
ChoiceSet: TypeAlias = Callable[[View], tuple[str, ...]]


def anything(seen: View) -> tuple[str, ...]:
    """All that is allowed, in the deck's order."""
    return seen.allowed


def best_of(count: int, suspected: Suspects) -> ChoiceSet:
    """The first so many categories of the ranking against the suspected cards."""

    def choice_set(seen: View) -> tuple[str, ...]:
        deck = seen.options.deck
        assert seen.top is not None, "who chooses has a top card"
        return ranking(deck, deck.card(seen.top), seen.allowed, suspected(seen))[:count]

    return choice_set


def everybody(seen: View) -> Sequence[DeckCard]:
    """All other cards of the game."""
    return [card for card in seen.options.deck.cards if card.id != seen.top]


def remembered(seen: View) -> Sequence[DeckCard]:
    """What is left after every duel that was seen."""
    return suspects(seen)


def all_knowing(state: State) -> tuple[str, ...]:
    """The best category against the opponent's top card, which it is shown."""
    assert state.turn is not None, "somebody is on turn"
    deck, rival = state.options.deck, state.stacks[1 - state.turn].cards[0]
    return best_of(1, lambda _: [deck.card(rival)])(view(state, state.turn))


def drawing(choice_set: ChoiceSet) -> Callable[[View, Sequence[Command], Chance], Command]:
    """Draw one of the set, each equally likely."""

    def choose(seen: View, legal: Sequence[Command], chance: Chance) -> Command:
        wanted = [Choose(category) for category in choice_set(seen)]
        assert set(wanted) <= set(legal), "the set holds allowed categories only"
        return wanted[0] if len(wanted) == 1 else chance.choose(f"bot/{seen.round}", wanted)

    return choose
