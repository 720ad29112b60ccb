"""Pairings of bots: whole matches in process, each deal from every seating, and who wins how often.

Every deal is played once from each seating with the same seed: the strengths change seats, so each
has the first deal (or lead) equally often and much of the luck of the cards cancels. The standard
error is that of the deals, since games of one deal depend on each other. A seed gives the same
shares on every machine, whatever the number of processes.
"""

from __future__ import annotations

import hashlib
import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any, Final

from spielwerk.chance import HmacChance, decision_seed, draw_key
from spielwerk.games.game import AnyGame, BotInformation, BotPolicy, Context, Result, Seat
from spielwerk.games.options import specs
from spielwerk.games.registry import newest

_BATCH: Final = 4
"""Deals of one job: long enough to be worth sending, short enough for a smooth progress bar."""

Seating = tuple[int, ...]
"""By seat: 0 for the first strength of a pairing, 1 for the second."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two strengths at one table; options are texts, as on the command line."""

    game: str
    first: str
    second: str
    seats: int = 2
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a bot chose and how long it thought: ms of processor time, whatever the load."""

    seat: Seat
    command: Any
    thinking: float


@dataclass(frozen=True, slots=True)
class Played:
    """One match from its first decision to its end."""

    result: Result
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """What one deal brought over all its seatings; ms of thinking by strength."""

    number: int
    share: float
    margin: float
    thinking: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How often the first strength of a pairing won; shares and errors from 0 to 1.

    `margin` is by how many ranking points a game and seat the first strength was better.
    """

    pairing: Pairing
    games: int
    share: float
    error: float
    margin: float
    margin_error: float
    thinking: Mapping[str, tuple[float, ...]]


def compare(
    pairing: Pairing,
    games: int,
    seed: int,
    *,
    processes: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> Comparison:
    """Play at least so many games (whole deals); `progress` hears of finished games."""
    seatings = len(seatings_of(pairing.seats))
    numbers = range(math.ceil(games / seatings))
    batches = [numbers[start : start + _BATCH] for start in numbers[::_BATCH]]
    deals: list[Deal] = []
    for batch in _run(partial(_play_batch, pairing, seed), batches, processes):
        deals += batch
        progress(len(batch) * seatings)
    return _summary(pairing, sorted(deals, key=lambda deal: deal.number), seatings)


def play_match(
    game: AnyGame, options: Any, policies: Sequence[BotPolicy[Any, Any]], seed: bytes, match_id: str
) -> Played:
    """One match between bots, one policy a seat; the 32 bytes of the seed decide it all."""
    context = Context(HmacChance(draw_key(seed, [b""] * len(policies)), match_id), lambda _: 0)
    bot_seed = hashlib.sha256(b"bots" + seed).digest()
    state = game.setup(options, len(policies))
    decisions: list[Decision] = []
    events = game.start(state, context)
    while True:
        for event in events:
            state = game.evolve(state, event)
        result = game.result(state)
        if result is not None:
            return Played(result, tuple(decisions))
        seat, turn = next(iter(game.turns(state).items()))
        chance = HmacChance(decision_seed(bot_seed, seat, turn.key), match_id)
        decision = _decide(game, state, seat, policies[seat], chance)
        decisions.append(decision)
        events = game.decide(state, seat, decision.command, context)


def seatings_of(seats: int) -> tuple[Seating, ...]:
    """The strengths sit alternately; over all seatings each has every seat equally often."""
    first = tuple(seat % 2 for seat in range(seats))
    turned = range(1 if seats % 2 == 0 else seats)
    ways = [first[turn:] + first[:turn] for turn in turned]
    return tuple(seating for way in ways for seating in (way, tuple(1 - side for side in way)))


def share_of_first(result: Result, seating: Seating) -> float:
    """1 if the first strength won, 0 if the second did; shared wins are split, none is a half."""
    winners = [seating[standing.seat] for standing in result.standings if standing.won]
    return 0.5 if not winners else winners.count(0) / len(winners)


def points_by_side(result: Result, seating: Seating) -> tuple[list[float], list[float]]:
    """Ranking points a game of each seat, of the first strength and of the second."""
    sides: tuple[list[float], list[float]] = ([], [])
    for standing in result.standings:
        games = max(1, standing.rank_games)
        sides[seating[standing.seat]].append(standing.rank_n_milli / 1000 / games)
    return sides


def percentile(ascending: Sequence[float], percent: int) -> float:
    """The value below which so many percent of the sorted values lie."""
    return ascending[len(ascending) * percent // 100]


def parse_options(game: AnyGame, texts: Mapping[str, str]) -> Any:
    """The house rules with some values given as text; raises BadOptions or KeyError."""
    table = specs(game.options)
    values = {}
    for name, text in texts.items():
        known = {str(value).lower(): value for value in table[name].values}
        values[name] = known[text.lower()] if text.lower() in known else int(text)
    return game.options(**values)


def _decide(
    game: AnyGame, state: Any, seat: Seat, policy: BotPolicy[Any, Any], chance: HmacChance
) -> Decision:
    sees_all = policy.information is BotInformation.EVERYTHING
    view = state if sees_all else game.view(state, seat)
    legal = game.legal(state, seat)
    begin = time.thread_time()
    command = policy.choose(view, legal, chance)
    return Decision(seat, command, 1000 * (time.thread_time() - begin))


def _play_batch(pairing: Pairing, seed: int, numbers: Sequence[int]) -> list[Deal]:
    return [_play_deal(pairing, seed, number) for number in numbers]


def _play_deal(pairing: Pairing, seed: int, number: int) -> Deal:
    game = newest(pairing.game)
    options = parse_options(game, pairing.options)
    names = (pairing.first, pairing.second)
    secret = hashlib.sha256(f"tournament|{seed}|{number}".encode()).digest()
    shares = []
    points: tuple[list[float], list[float]] = ([], [])
    thinking: dict[str, list[float]] = {name: [] for name in names}
    for seating in seatings_of(pairing.seats):
        policies = [game.bots[names[side]] for side in seating]
        played = play_match(game, options, policies, secret, f"tournament-{number}")
        shares.append(share_of_first(played.result, seating))
        first, second = points_by_side(played.result, seating)
        points[0].extend(first)
        points[1].extend(second)
        for decision in played.decisions:
            thinking[names[seating[decision.seat]]].append(decision.thinking)
    by_name = {name: tuple(times) for name, times in thinking.items()}
    margin = statistics.fmean(points[0]) - statistics.fmean(points[1])
    return Deal(number, statistics.fmean(shares), margin, by_name)


def _run(
    job: Callable[[Sequence[int]], list[Deal]], batches: Sequence[Sequence[int]], processes: int
) -> Iterator[list[Deal]]:
    if processes == 1:
        yield from map(job, batches)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(job, batch) for batch in batches]):
            yield done.result()


def _summary(pairing: Pairing, deals: Sequence[Deal], seatings: int) -> Comparison:
    shares, margins = [deal.share for deal in deals], [deal.margin for deal in deals]
    names = (pairing.first, pairing.second)
    thinking = {
        name: tuple(sorted(spent for deal in deals for spent in deal.thinking[name]))
        for name in names
    }
    return Comparison(
        pairing,
        len(deals) * seatings,
        statistics.fmean(shares),
        _error(shares),
        statistics.fmean(margins),
        _error(margins),
        thinking,
    )


def _error(values: Sequence[float]) -> float:
    """The standard error of the mean."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
