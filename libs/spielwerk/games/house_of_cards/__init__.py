"""House of Cards for one player, and as a duel on equal stocks for several."""

from spielwerk.games.game import Aggregate, Game, Ranking
from spielwerk.games.house_of_cards.bots import BOTS
from spielwerk.games.house_of_cards.fold import evolve
from spielwerk.games.house_of_cards.messages import (
    COMMANDS,
    EVENTS,
    Command,
    Event,
    GameEnded,
    MatchEnded,
)
from spielwerk.games.house_of_cards.model import State
from spielwerk.games.house_of_cards.options import Options
from spielwerk.games.house_of_cards.rules import decide, legal, result, setup, start, turns
from spielwerk.games.house_of_cards.views import View, redact, view

GAME: Game[Options, State, Command, Event, View] = Game(
    key="house_of_cards",
    seats=range(1, 7),
    rules_version="1",
    ranking=Ranking(offset=0, sign=1, k_milli=0, divisor=1, aggregate=Aggregate.MAXIMUM),
    options=Options,
    commands=COMMANDS,
    events=EVENTS,
    view_type=View,
    setup=setup,
    start=start,
    decide=decide,
    evolve=evolve,
    turns=turns,
    legal=legal,
    result=result,
    view=view,
    redact=redact,
    bots=BOTS,
    usual_bot="planner",
    deal_ends=(GameEnded, MatchEnded),
)

__all__ = ["GAME"]
