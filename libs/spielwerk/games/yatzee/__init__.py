"""Yatzee for two to five players."""

from spielwerk.games.game import Game, Ranking
from spielwerk.games.yatzee.bots import BOTS
from spielwerk.games.yatzee.fold import evolve
from spielwerk.games.yatzee.messages import COMMANDS, EVENTS, Command, Event, MatchEnded, RoundEnded
from spielwerk.games.yatzee.model import State
from spielwerk.games.yatzee.options import Options
from spielwerk.games.yatzee.rules import decide, legal, result, setup, start, turns
from spielwerk.games.yatzee.views import View, redact, view

GAME: Game[Options, State, Command, Event, View] = Game(
    key="yatzee",
    seats=range(2, 6),
    rules_version="1",
    ranking=Ranking(offset=0, sign=1, k_milli=850, divisor=2),
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
    deal_ends=(RoundEnded, MatchEnded),
)

__all__ = ["GAME"]
