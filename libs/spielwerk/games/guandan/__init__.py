"""Guandan for four players in two teams."""

from spielwerk.games.game import Game, Ranking
from spielwerk.games.guandan.bots import BOTS
from spielwerk.games.guandan.fold import evolve
from spielwerk.games.guandan.messages import COMMANDS, EVENTS, Command, DealEnded, Event, MatchWon
from spielwerk.games.guandan.model import State
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.rules import decide, legal, result, setup, start, turns
from spielwerk.games.guandan.views import View, redact, view

GAME: Game[Options, State, Command, Event, View] = Game(
    key="guandan",
    seats=range(4, 5),
    rules_version="1",
    ranking=Ranking(offset=0, sign=1, k_milli=950, divisor=1),
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
    deal_ends=(DealEnded, MatchWon),
)

__all__ = ["GAME"]
