"""Expert: imagines the cards of the others and plays every choice out against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spielwerk.cards import Card
from spielwerk.chance import Chance
from spielwerk.games.skat.bots.choosing import bid_up_to, by_the_book, discard_of, kinds_of
from spielwerk.games.skat.bots.declaring import Plan, announcements, hand_game, limit, plans
from spielwerk.games.skat.bots.guessing import Guess, guesses
from spielwerk.games.skat.bots.judging import run_of
from spielwerk.games.skat.bots.playout import World, legal_of, play_out
from spielwerk.games.skat.bots.sight import sight_of
from spielwerk.games.skat.bots.solving import Solver
from spielwerk.games.skat.bots.spaces import bits_of, points_in, space_of
from spielwerk.games.skat.bots.stakes import Stakes
from spielwerk.games.skat.cards import PACK, Cards, ContractType
from spielwerk.games.skat.commands import Announce, Command, Play, TakeSkat
from spielwerk.games.skat.model import Contract, Phase
from spielwerk.games.skat.views import View

LEAST: Final = -40_000
"""Thousandths of a point that a game must promise: less than for who plays by the book."""

WORLDS: Final = 40
"""Deals imagined for a choice whose rest is played out by maxims."""

SOLVED: Final = (40, 40, 40, 32, 24, 14)
"""Deals imagined with so many cards in hand; the rest of these is solved exactly."""

PLANS: Final = 8
"""Games and discards that are played out before one is chosen."""


def expert(view: View, legal: Sequence[Command], chance: Chance) -> Command:
    """The command that promises most over the imagined deals."""
    forehand = view.seat == view.forehand
    match view.phase:
        case Phase.AUCTION:
            return bid_up_to(view, legal, limit(view.dealt, forehand=forehand, least=LEAST))
        case Phase.SKAT:
            in_hand = hand_game(view.hand, view.bid, forehand=forehand)
            return Announce(in_hand.kind) if in_hand else TakeSkat()
        case Phase.DISCARD:
            ranked = plans(view.hand, view.bid, forehand=forehand)[:PLANS]
            return discard_of(_best_plan(view, ranked, chance).away)
        case Phase.ANNOUNCE:
            said = kinds_of(legal, Announce)
            away = view.discarded
            return announcements(said, view.hand, away, view.bid, forehand=forehand)[0][1]
        case _:
            plays = kinds_of(legal, Play)
            return plays[0] if len(plays) == 1 else Play(_best_card(view, chance))


def _best_card(view: View, chance: Chance) -> Card:
    """The card with the best mean over the imagined deals; of equals the one of the maxims."""
    sight = sight_of(view)
    choices = bits_of(legal_of(sight.space, sight.hand, sight.trick))
    stakes = Stakes(sight.space, sight.contract, view.bid)
    solved = sight.hand.bit_count() < len(SOLVED) and not sight.contract.schwarz
    count = SOLVED[sight.hand.bit_count()] if solved else WORLDS
    weigh = _solved if solved else _played_out
    totals = [0] * len(choices)
    for guess in guesses(view, sight, chance, count):
        for place, worth in enumerate(weigh(stakes, guess, choices)):
            totals[place] += worth
    sign = 1 if sight.me == sight.declarer else -1
    book = sight.space.bit[by_the_book(sight)]
    best = max(
        range(len(choices)), key=lambda place: (sign * totals[place], choices[place] == book)
    )
    return sight.space.card(choices[best])


def _played_out(stakes: Stakes, guess: Guess, choices: list[int]) -> list[int]:
    """What each card is worth if all go on by the maxims."""
    space, world = stakes.space, guess.world
    aside = points_in(space, world.aside)
    worths = []
    for card in choices:
        points, tricks, defender_tricks = play_out(space, world, card)
        worths.append(stakes.worth(guess.run, points + aside, tricks, defender_tricks))
    return worths


def _solved(stakes: Stakes, guess: Guess, choices: list[int]) -> list[int]:
    """What each card is worth if all go on as well as possible."""
    space, world = stakes.space, guess.world
    solver = Solver(space, world.declarer)
    if space.kind is ContractType.NULL:
        return [stakes.worth(0, 0, solver.after(world, card), 0) for card in choices]
    had = world.points + points_in(space, world.aside)
    worths = []
    for card in choices:
        points = had + solver.after(world, card)
        tricks = world.tricks + (points > had)
        defender_tricks = world.defender_tricks + (points < 120)
        worths.append(stakes.worth(guess.run, points, tricks, defender_tricks))
    return worths


def _best_plan(view: View, ranked: Sequence[Plan], chance: Chance) -> Plan:
    """The game and discard with the best mean over the imagined deals."""
    unseen = tuple(card for card in PACK if card not in view.hand)
    totals = [0] * len(ranked)
    for number in range(WORLDS):
        others = chance.shuffle(f"guess/{number}", unseen)
        for place, plan in enumerate(ranked):
            totals[place] += _worth_of(view, plan, others)
    return ranked[max(range(len(ranked)), key=totals.__getitem__)]


def _worth_of(view: View, plan: Plan, others: Cards) -> int:
    """What the plan brings if the others hold these cards, ten each."""
    assert view.seat is not None, "a spectator declares nothing"
    assert view.forehand is not None, "there is a deal"
    space = space_of(plan.kind)
    twelve, aside = space.mask(view.hand), space.mask(plan.away)
    hands = [0, 0, 0]
    hands[view.seat] = twelve ^ aside
    hands[(view.seat + 1) % 3] = space.mask(others[:10])
    hands[(view.seat + 2) % 3] = space.mask(others[10:])
    world = World((hands[0], hands[1], hands[2]), aside, view.seat, view.forehand)
    points, tricks, defender_tricks = play_out(space, world)
    stakes = Stakes(space, Contract(plan.kind, ouvert=plan.ouvert), view.bid)
    run = 0 if plan.kind is ContractType.NULL else run_of(space, twelve)
    return stakes.worth(run, points + points_in(space, aside), tricks, defender_tricks)
