"""The course of a match that needs no command: cut, deal, starter, resets, show, next deal."""

from __future__ import annotations

from itertools import count
from typing import TypeAlias

from spielwerk.cards import Card, Rank, french_pack
from spielwerk.chance import Chance
from spielwerk.games.cribbage.counting import show
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CardsDealt,
    CountReset,
    CutForDeal,
    DealEnded,
    DealerChosen,
    DealStarted,
    Event,
    GameEnded,
    GoDeclared,
    HandCounted,
    PlayStarted,
    Scored,
    StarterCut,
)
from spielwerk.games.cribbage.model import (
    COUNT_VALUE,
    LIMIT,
    PIPS,
    SEATS,
    Counted,
    Deal,
    EndReason,
    Phase,
    PlayPoints,
    ScoredFor,
    Skunk,
    State,
)
from spielwerk.games.cribbage.options import FirstDealer
from spielwerk.games.cribbage.pegging import play_points
from spielwerk.games.cribbage.views import holdings
from spielwerk.games.game import Script, Seat

Steps: TypeAlias = Script[State, Event]

STARTER_INDEX = 12
CARDS_IN_PLAY = 8


def begin_match(steps: Steps, chance: Chance) -> None:
    """Find the first dealer (clause 3) and deal."""
    dealer = _first_dealer(steps, chance)
    steps.emit(DealerChosen(dealer))
    _start_deal(steps, chance, game_no=1, deal_no=1, dealer=dealer)


def turn_starter(steps: Steps, chance: Chance) -> None:
    """Turn the starter up, score heels, begin the play (clause 4.3)."""
    deal, options = _deal(steps), steps.state.options
    card = deal.deck[STARTER_INDEX]
    steps.emit(StarterCut(card))
    if card.rank is Rank.JACK and options.heels:
        score(steps, chance, deal.dealer, ScoredFor.HEELS, options.heels)
        if _game_over(steps, deal):
            return
    steps.emit(PlayStarted(deal.pone))


def lay_card(steps: Steps, chance: Chance, seat: Seat, card: Card, *, auto: bool = False) -> None:
    """Lay the card, score it, then go on as far as no seat has a choice (clause 5)."""
    deal, count_now = _deal(steps), steps.state.table.count + COUNT_VALUE[card.rank]
    steps.emit(CardPlayed(seat, card, count_now, auto))
    table = steps.state.table
    all_laid = len(table.played) == CARDS_IN_PLAY
    items = play_points([PIPS[laid.card.rank] for laid in table.seq], count_now, last=all_laid)
    if items.total:
        score(steps, chance, seat, ScoredFor.PLAY, items.total, items)
        if _game_over(steps, deal):
            return
    if all_laid or count_now == LIMIT:
        _reset_count(steps, chance)
    else:
        settle_count(steps, chance)


def settle_count(steps: Steps, chance: Chance) -> None:
    """Say the goes that are not the seat's own to say; when no seat is left, score and reset."""
    auto_go = steps.state.options.auto_go
    while (seat := steps.state.table.turn) is not None:
        if not auto_go or steps.state.table.playable(seat):
            return
        steps.emit(GoDeclared(seat, auto=True))
    deal, last_player = _deal(steps), steps.state.table.last_player
    assert last_player is not None, "a go follows a card"
    score(steps, chance, last_player, ScoredFor.GO, 1)
    if not _game_over(steps, deal):
        _reset_count(steps, chance)


def score(
    steps: Steps,
    chance: Chance,
    seat: Seat,
    why: ScoredFor,
    points: int,
    items: PlayPoints | None = None,
) -> None:
    """Give points; whoever reaches the target has won at that moment (clause 7)."""
    state = steps.state
    target, pegged = state.options.target, points
    if state.variant.cap_at_target:
        pegged = min(points, target - state.front[seat])
    steps.emit(Scored(seat, why, points, pegged, items))
    if state.variant.stop_at_target and state.front[seat] + pegged >= target:
        end_game(steps, chance, winner=seat, reason=EndReason.TARGET_REACHED)


def end_game(steps: Steps, chance: Chance, *, winner: Seat, reason: EndReason) -> None:
    """Close the game; start the next one if the match goes on."""
    state, deal = steps.state, _deal(steps)
    steps.emit(
        GameEnded(
            game_no=deal.game_no,
            winner=winner,
            scores=state.front,
            reason=reason,
            skunk=_skunk(state, loser=1 - winner, reason=reason),
            unplayed=holdings(state.table.hand),
            crib=holdings(deal.discards),
        )
    )
    if steps.state.phase is Phase.MATCH_OVER:
        return
    first_dealer = state.series.first_dealer
    assert first_dealer is not None, "a game has a first dealer"
    dealer = 1 - first_dealer
    _start_deal(steps, chance, game_no=deal.game_no + 1, deal_no=1, dealer=dealer)


def _first_dealer(steps: Steps, chance: Chance) -> Seat:
    match steps.state.options.first_dealer:
        case FirstDealer.SEAT_0:
            return 0
        case FirstDealer.SEAT_1:
            return 1
        case FirstDealer.RANDOM:
            return chance.choose("dealer/1", SEATS)
        case FirstDealer.CUT:
            return _cut_for_deal(steps, chance)


def _cut_for_deal(steps: Steps, chance: Chance) -> Seat:
    """The lower rank deals; equal ranks cut again from a fresh shuffle (clause 3.2)."""
    for attempt in count(1):
        cards = chance.shuffle(f"cut/1/{attempt}", french_pack())[:2]
        for seat in SEATS:
            steps.emit(CutForDeal(seat, cards[seat]))
        first, second = (PIPS[card.rank] for card in cards)
        if first != second:
            return 0 if first < second else 1
    raise AssertionError("unreachable: the cuts go on until they differ")


def _start_deal(steps: Steps, chance: Chance, *, game_no: int, deal_no: int, dealer: Seat) -> None:
    """Shuffle; cards go one by one, the non-dealer's first (clause 4.1)."""
    deck = chance.shuffle(f"deal/{game_no}/{deal_no}", french_pack())
    steps.emit(DealStarted(game_no, deal_no, dealer, deck))
    for place, seat in enumerate((1 - dealer, dealer)):
        steps.emit(CardsDealt(seat, deck[place:STARTER_INDEX:2], 6))


def _reset_count(steps: Steps, chance: Chance) -> None:
    """The opponent of the last player leads, or the same seat if that one is out (clause 5.8)."""
    table = steps.state.table
    assert table.last_player is not None, "a reset follows a card"
    order = (1 - table.last_player, table.last_player)
    leader = next((seat for seat in order if table.hand[seat]), None)
    steps.emit(CountReset(leader))
    if leader is None:
        _show(steps, chance)


def _show(steps: Steps, chance: Chance) -> None:
    """Non-dealer's hand, dealer's hand, crib; then the deal passes to the other seat (clause 6)."""
    deal, four = _deal(steps), steps.state.variant.crib_flush_four
    assert deal.starter is not None, "the starter was turned before the play"
    for seat, what, why, cards in (
        (deal.pone, Counted.HAND, ScoredFor.HAND, deal.kept(deal.pone)),
        (deal.dealer, Counted.HAND, ScoredFor.HAND, deal.kept(deal.dealer)),
        (deal.dealer, Counted.CRIB, ScoredFor.CRIB, deal.crib),
    ):
        items = show(cards, deal.starter, crib=what is Counted.CRIB, crib_four=four)
        steps.emit(HandCounted(seat, what, cards, deal.starter, items, items.total))
        score(steps, chance, seat, why, items.total)
        if _game_over(steps, deal):
            return
    steps.emit(DealEnded(deal.game_no, deal.number))
    _after_deal(steps, chance, deal)


def _after_deal(steps: Steps, chance: Chance, deal: Deal) -> None:
    front, target = steps.state.front, steps.state.options.target
    if max(front) >= target:  # only without stop_at_target; then the lower seat is said to have won
        winner = 0 if front[0] >= target else 1
        end_game(steps, chance, winner=winner, reason=EndReason.TARGET_REACHED)
        return
    _start_deal(steps, chance, game_no=deal.game_no, deal_no=deal.number + 1, dealer=deal.pone)


def _skunk(state: State, *, loser: Seat, reason: EndReason) -> Skunk:
    """The double is tested first: it is a single one as well (clause 7.6)."""
    if not state.options.skunk or reason is not EndReason.TARGET_REACHED:
        return Skunk.NONE
    score, long_game = state.front[loser], state.options.target == 121
    if long_game and score < 61:
        return Skunk.DOUBLE
    return Skunk.SINGLE if score < (91 if long_game else 31) else Skunk.NONE


def _game_over(steps: Steps, deal: Deal) -> bool:
    """Whether the game of this deal has ended; the next game may have begun already."""
    now = _deal(steps)
    return steps.state.phase is Phase.MATCH_OVER or now.game_no != deal.game_no


def _deal(steps: Steps) -> Deal:
    assert steps.state.deal is not None, "a deal has started"
    return steps.state.deal
