"""Mau-Mau for two to four players."""

from spielwerk.games.game import Game, Ranking
from spielwerk.games.maumau.bots import BOTS
from spielwerk.games.maumau.fold import evolve
from spielwerk.games.maumau.messages import COMMANDS, EVENTS, Command, Event, GameEnded
from spielwerk.games.maumau.model import State
from spielwerk.games.maumau.options import Options
from spielwerk.games.maumau.rules import decide, legal, result, setup, start, turns
from spielwerk.games.maumau.views import View, redact, view

GAME: Game[Options, State, Command, Event, View] = Game(
    key="maumau",
    seats=range(2, 5),
    rules_version="1",
    ranking=Ranking(offset=500, sign=-1, k_milli=1050, divisor=5),
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
    deal_ends=(GameEnded,),
)

__all__ = ["GAME"]
