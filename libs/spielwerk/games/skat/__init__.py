"""Skat for three players by the International Skat Order."""

from spielwerk.games.game import Game, Ranking
from spielwerk.games.skat.bots import BOTS
from spielwerk.games.skat.commands import COMMANDS, Command
from spielwerk.games.skat.events import EVENTS, DealScored, Event, SeriesEnded
from spielwerk.games.skat.fold import evolve
from spielwerk.games.skat.model import State
from spielwerk.games.skat.options import Options
from spielwerk.games.skat.rules import decide, legal, setup, start, turns
from spielwerk.games.skat.series import result
from spielwerk.games.skat.views import View, redact, view

GAME: Game[Options, State, Command, Event, View] = Game(
    key="skat",
    seats=range(3, 4),
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
    deal_ends=(DealScored, SeriesEnded),
)

__all__ = ["GAME"]
