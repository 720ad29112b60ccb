"""The course of a match that needs no command: deals, tribute, tricks, places, the end."""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.cards import AnyCard
from spielwerk.games.game import Context, Script, Seat
from spielwerk.games.guandan.cards import KIND_OF_LEVEL, PACK, Cards, in_order, is_wild
from spielwerk.games.guandan.combos import Reading
from spielwerk.games.guandan.messages import (
    CardReturned,
    CombinationPlayed,
    DealEnded,
    DealStarted,
    Event,
    LeadAssigned,
    LeaderDrawn,
    MatchRestarted,
    MatchStarted,
    MatchWon,
    Passed,
    PlayerFinished,
    RestartProposed,
    TributeCancelled,
    TributePaid,
    TrickEnded,
)
from spielwerk.games.guandan.model import (
    FIRST_LEVELS,
    SEATS,
    EndReason,
    Holding,
    LeadReason,
    State,
    Table,
    partner_of,
)
from spielwerk.games.guandan.promotion import promote
from spielwerk.games.guandan.showing import wild_as
from spielwerk.games.guandan.tribute import plan

Steps: TypeAlias = Script[State, Event]


def begin_match(steps: Steps, context: Context) -> None:
    """Both teams at 2, the first deal, a leader by lot (clause 2.3)."""
    steps.emit(MatchStarted(FIRST_LEVELS, tuple(sorted(context.bots))))
    start_deal(steps, context)


def start_deal(steps: Steps, context: Context, *, auto: bool = False) -> None:
    """Shuffle and deal one by one; then tribute, or the leader of a first deal."""
    progress = steps.state.progress
    game_no, deal_no, last = progress.game_no, progress.deal_no + 1, progress.last_deal
    level = progress.level
    if last is not None:
        assert last.next_level is not None, "after a match win nothing is dealt"
        level = last.next_level
    deck = context.chance.shuffle(f"deal/{game_no}/{deal_no}", PACK)
    hands = tuple(Holding(seat, deck[seat :: len(SEATS)]) for seat in SEATS)
    steps.emit(DealStarted(game_no, deal_no, level, hands, auto))
    if last is None:
        steps.emit(LeaderDrawn(context.chance.choose(f"leader/{game_no}", SEATS)))
    else:
        _pay_tribute(steps, last.order)


def give_back(steps: Steps, seat: Seat, card: AnyCard, *, auto: bool = False) -> None:
    """Return a card to who paid the seat; the last return gives the lead (clause 9.6)."""
    payer = next(t.from_seat for t in steps.state.tribute.due if t.to_seat == seat)
    steps.emit(CardReturned(seat, payer, card, auto))
    state = steps.state
    if state.tribute.due:
        return
    last = state.progress.last_deal
    assert last is not None, "tribute follows a deal"
    leader = next(t.to_seat for t in state.tribute.returned if t.from_seat == last.order[0])
    steps.emit(LeadAssigned(leader))


def lay(
    steps: Steps,
    context: Context,
    seat: Seat,
    cards: Cards,
    reading: Reading,
    *,
    auto: bool = False,
) -> None:
    """Lay a combination; a seat without cards takes the next place (clause 7.5).

    The cards are told in one order, natural ones first: a chosen order could tell the partner more.
    """
    level = steps.state.progress.level
    cards = tuple(sorted(in_order(cards), key=lambda card: is_wild(card, level)))
    left = len(steps.state.table.hands[seat]) - len(cards)
    shown = wild_as(cards, reading, level)
    steps.emit(
        CombinationPlayed(seat, cards, reading.shape, reading.size, reading.main, shown, left, auto)
    )
    if left:
        return
    steps.emit(PlayerFinished(seat, len(steps.state.table.order) + 1))
    if _places_known(steps.state):
        _end_deal(steps, context)


def pass_on(steps: Steps, seat: Seat, *, auto: bool = False) -> None:
    """Pass; the trick ends when every other active seat has passed (clause 7.3)."""
    steps.emit(Passed(seat, auto))
    table = steps.state.table
    assert table.top is not None, "only a follower passes"
    owner = table.top.seat
    others = [seat for seat in table.active if seat != owner]
    if len(table.passes) == len(others):
        leader, reason = _next_leader(table, owner)
        steps.emit(TrickEnded(owner, leader, reason))


def agree_to_restart(steps: Steps, context: Context, seat: Seat) -> None:
    """Propose or agree; when every person's seat has, the match begins again (clause 10.5)."""
    steps.emit(RestartProposed(seat))
    if set(steps.state.people) <= set(steps.state.agreed):
        steps.emit(MatchRestarted())
        begin_match(steps, context)


def _pay_tribute(steps: Steps, previous: tuple[Seat, ...]) -> None:
    state = steps.state
    due = plan(previous, state.table.hands, state.progress.level)
    if due.cancelled:
        steps.emit(TributeCancelled(due.payers, due.red_jokers, due.leader))
        return
    for transfer in due.transfers:
        assert transfer.card is not None, "a plan names its cards"
        steps.emit(TributePaid(transfer.from_seat, transfer.to_seat, transfer.card))


def _next_leader(table: Table, owner: Seat) -> tuple[Seat, LeadReason]:
    """The owner; if it has finished its partner (wind); if that one has too, the next seat."""
    if owner not in table.order:
        return owner, LeadReason.OWNER
    if partner_of(owner) not in table.order:
        return partner_of(owner), LeadReason.PARTNER
    return table.next_active(owner), LeadReason.NEXT_ACTIVE


def _places_known(state: State) -> bool:
    order = state.table.order
    if len(order) == 2 and state.options.end_on_double:
        return partner_of(order[0]) == order[1]
    return len(order) == 3


def _end_deal(steps: Steps, context: Context) -> None:
    state = steps.state
    order = state.table.order
    # Two are missing only with `end_on_double`: they follow by seat (clause 7.7).
    rest = sorted(state.table.active, key=lambda seat: (seat - order[-1]) % len(SEATS))
    order = (*order, *rest)
    outcome = promote(order, state.progress, state.options)
    steps.emit(
        DealEnded(
            order=order,
            team=outcome.team,
            step=outcome.step,
            levels=outcome.levels,
            next_level=outcome.next_level,
            last_hand=state.table.hands[order[-1]],
            ace_failures=outcome.ace_failures,
        )
    )
    _after_deal(steps, context, outcome.match_winner)


def _after_deal(steps: Steps, context: Context, winner: int | None) -> None:
    progress, options = steps.state.progress, steps.state.options
    if winner is not None:
        steps.emit(MatchWon(winner, EndReason.MATCH_WON))
    elif progress.deal_no == options.max_deals:
        steps.emit(MatchWon(_higher_team(steps.state), EndReason.DEAL_LIMIT))
    elif not steps.state.people:
        start_deal(steps, context)


def _higher_team(state: State) -> int | None:
    first, second = (KIND_OF_LEVEL[level] for level in state.progress.levels)
    return None if first == second else int(second > first)
