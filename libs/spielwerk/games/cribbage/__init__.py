"""Cribbage for two players."""

from spielwerk.games.cribbage.bots import BOTS
from spielwerk.games.cribbage.fold import evolve
from spielwerk.games.cribbage.messages import COMMANDS, EVENTS, Command, DealEnded, Event, GameEnded
from spielwerk.games.cribbage.model import State
from spielwerk.games.cribbage.options import Options
from spielwerk.games.cribbage.rules import decide, legal, result, setup, start, turns
from spielwerk.games.cribbage.views import View, redact, view
from spielwerk.games.game import Game, Ranking

GAME: Game[Options, State, Command, Event, View] = Game(
    key="cribbage",
    seats=range(2, 3),
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
    deal_ends=(DealEnded, GameEnded),
)

__all__ = ["GAME"]
