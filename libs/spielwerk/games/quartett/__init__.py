"""Quartett: two stacks of cards, one compares the best value of the top card."""

from spielwerk.games.game import Game, Ranking
from spielwerk.games.quartett.bots import BOTS, USUAL
from spielwerk.games.quartett.fold import evolve
from spielwerk.games.quartett.messages import COMMANDS, EVENTS, Command, Event, GameEnded
from spielwerk.games.quartett.model import State
from spielwerk.games.quartett.options import Options
from spielwerk.games.quartett.rules import decide, legal, result, setup, start, turns
from spielwerk.games.quartett.views import View, redact, view

GAME: Game[Options, State, Command, Event, View] = Game(
    key="quartett",
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
    usual_bot=USUAL,
    bot_pause_ms=lambda options: options.reveal_pause_ms,
    state_type=State,
    deal_ends=(GameEnded,),
)

__all__ = ["GAME"]
