"""What holds in every deal, whatever is played; and how fast a deal is."""

from __future__ import annotations

import hashlib
import random
import time

import pytest

from games.skat.contract import pack, places
from games.skat.scripted import Match, rules
from spielwerk.chance import HmacChance
from spielwerk.errors import Illegal
from spielwerk.games.game import Context
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import PACK
from spielwerk.games.skat.commands import Bid, Discard, Hold, Pass, Play, TakeSkat
from spielwerk.games.skat.events import DealScored, Event, TrickTaken
from spielwerk.games.skat.model import DealReason, Outcome, State

COMMANDS = (Bid(18), Bid(19), Hold(), Pass(), TakeSkat(), Discard(PACK[:2]), Play(PACK[0]))


def random_series(seed: int, **options: object) -> Match:
    """A series of random legal commands, with a refused one now and then."""
    rng = random.Random(seed)
    match = Match(rules(**options), {f"deal/{n}": tuple(rng.sample(PACK, 32)) for n in (1, 2, 3)})
    while match.on_turn_or_none is not None:
        check_cards(match.state)
        legal = GAME.legal(match.state, match.on_turn)
        refused_stays(match, rng.choice(COMMANDS), rng.randrange(3))
        low = [c for c in legal if not isinstance(c, Bid) or c.value < 30]
        match.act(rng.choice(low))
    return match


def check_cards(state: State) -> None:
    lying = [card for cards in places(state).values() for card in cards]
    assert sorted(map(str, lying)) == sorted(map(str, pack(state)))
    sizes = [len(hand) for hand in state.table.hands]
    assert max(sizes) - min(sizes) <= (2 if state.deal and not state.deal.contract else 1)


def refused_stays(match: Match, command: object, seat: int) -> None:
    before = match.state
    try:
        GAME.decide(match.state, seat, command, match.context)  # type: ignore[arg-type]
    except Illegal:
        assert match.state is before


@pytest.mark.parametrize("seed", range(60))
def test_points_and_scores_are_consistent(seed: int) -> None:
    match = random_series(seed, early_end=bool(seed % 2), claims=bool(seed % 3))
    tricks = [event for event in match.events if isinstance(event, DealScored | TrickTaken)]
    seen = 0
    for event in tricks:
        if isinstance(event, TrickTaken):
            seen += 1
            continue
        check_outcome(event.outcome, seen)
        seen = 0


def check_outcome(outcome: Outcome, tricks: int) -> None:
    if outcome.reason is DealReason.PLAYED:
        assert tricks == 10
        assert outcome.declarer_tricks + outcome.defender_tricks == 10
    if outcome.won:
        assert outcome.game_value >= outcome.bid
        assert outcome.list_score == outcome.game_value
    elif outcome.declarer is not None:
        assert outcome.list_score % 2 == 0
        assert outcome.list_score <= -2 * outcome.bid
    assert 0 <= outcome.points <= 120


@pytest.mark.parametrize("seed", range(20))
def test_the_defenders_points_are_those_of_their_cards(seed: int) -> None:
    match = random_series(seed, early_end=False)
    declarers = {e.outcome.deal_no: e.outcome for e in match.all_of(DealScored)}
    deal, points = 1, 0
    for event in match.events:
        if isinstance(event, TrickTaken) and event.winner != declarers[deal].declarer:
            points += event.points
        if isinstance(event, DealScored):
            if event.outcome.reason is DealReason.PLAYED:
                assert points + event.outcome.points == 120
            deal, points = deal + 1, 0


def whole_deal(chance: HmacChance, rng: random.Random) -> int:
    """One deal with random cards: decide, fold, and the views of three seats; its commands."""
    context = Context(chance, lambda _: 0)
    state = GAME.setup(rules(), 3)
    events: tuple[Event, ...] = GAME.start(state, context)
    commands = 0
    while True:
        for event in events:
            state = GAME.evolve(state, event)
        if state.series.scored:
            return commands
        for viewer in range(3):
            GAME.view(state, viewer)
        (seat,) = GAME.turns(state)
        legal = GAME.legal(state, seat)
        command = legal[0] if len(state.deal.auction.calls) < 1 else rng.choice(legal)  # type: ignore[union-attr]
        events = GAME.decide(state, seat, command, context)
        commands += 1


def test_a_whole_deal_takes_less_than_ten_milliseconds() -> None:
    """Of processor time, whatever the load; the median of many deals."""
    rng, spent, played = random.Random(1), [], 0
    for number in range(60):
        chance = HmacChance(hashlib.sha256(b"speed").digest(), f"m{number}")
        begin = time.thread_time()
        commands = whole_deal(chance, rng)
        took = time.thread_time() - begin
        if commands >= 30:
            spent.append(took)
            played += 1
    assert played > 20
    assert sorted(spent)[len(spent) // 2] < 0.010
