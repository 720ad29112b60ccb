"""The course of a series that needs no command: deal, end of auction, tricks, scores, next deal."""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.cards import Card
from spielwerk.chance import Chance
from spielwerk.games.game import Script, Seat
from spielwerk.games.skat.bidding import PassedIn, Winner, ending
from spielwerk.games.skat.cards import PACK, ContractType, points_of, winning_place
from spielwerk.games.skat.dealing import COUNTS, hands_of
from spielwerk.games.skat.events import (
    Announced,
    AuctionWon,
    CardPlayed,
    CardsDealt,
    DealPassedIn,
    DealScored,
    DealStarted,
    Event,
    HandExposed,
    SeriesEnded,
    TrickTaken,
)
from spielwerk.games.skat.model import (
    SEATS,
    TRICKS,
    Contract,
    Deal,
    DealReason,
    Holding,
    LaidOpen,
    Outcome,
    SeriesReason,
    State,
    declarer_points,
)
from spielwerk.games.skat.scoring import Reached, Verdict, judge, null_below_bid, null_value
from spielwerk.games.skat.series import places, scored, seeger_fabian

Steps: TypeAlias = Script[State, Event]


def start_deal(steps: Steps, chance: Chance) -> None:
    """Shuffle and deal; the dealer moves on after every deal (clause 2.5)."""
    before, options = steps.state.deal, steps.state.options
    number = before.number + 1 if before else 1
    dealer = (options.first_dealer + number - 1) % 3
    forehand, middlehand = (dealer + 1) % 3, (dealer + 2) % 3
    deck = chance.shuffle(f"deal/{number}", PACK)
    steps.emit(DealStarted(number, dealer, forehand, middlehand, dealer, deck))
    steps.emit(CardsDealt(hands_of(deck, forehand), COUNTS))


def settle_auction(steps: Steps, chance: Chance) -> None:
    """If the auction is over, say who plays, or score the deal that is passed in."""
    deal = deal_of(steps)
    match ending(deal.auction):
        case Winner(declarer, bid):
            steps.emit(AuctionWon(declarer, bid))
        case PassedIn():
            steps.emit(DealPassedIn(deal.number))
            close_deal(steps, chance, Outcome(deal_no=deal.number, reason=DealReason.PASSED_IN))


def announce(steps: Steps, chance: Chance, seat: Seat, contract: Contract) -> None:
    """Announce and, in an ouvert game, lay the ten cards open before the first one is led."""
    steps.emit(Announced(seat, contract))
    if contract.ouvert:
        steps.emit(HandExposed(seat, steps.state.table.hands[seat]))
    deal = deal_of(steps)
    if contract.type is ContractType.NULL and null_value(contract) < deal.bid:
        verdict = null_below_bid(contract, deal.bid, deal.twelve)
        score(steps, chance, DealReason.EARLY, verdict, reached(steps.state))


def lay_card(steps: Steps, chance: Chance, seat: Seat, card: Card) -> None:
    """Lay the card; a third one ends the trick, and perhaps the deal."""
    steps.emit(CardPlayed(seat, card))
    table, contract = steps.state.table, contract_of(steps)
    if len(table.trick) < 3:
        return
    winner = (table.leader + winning_place(contract.type, table.trick)) % 3
    number = len(table.tricks) + 1
    steps.emit(TrickTaken(number, winner, points_of(table.trick)))
    if number == TRICKS:
        score_as_played(steps, chance, DealReason.PLAYED)
    elif steps.state.options.early_end and _is_lost(contract, winner == deal_of(steps).declarer):
        score_as_played(steps, chance, DealReason.EARLY)


def concede(steps: Steps, chance: Chance, seat: Seat) -> None:
    """The declarer alone, or both defenders, give the rest away (clause 11)."""
    deal, contract, conceded = deal_of(steps), contract_of(steps), steps.state.table.conceded
    if seat != deal.declarer and sum(conceded) < 2:
        return
    held = reached(steps.state)
    # In Null it is the tricks that lose: whoever gives up takes them.
    to_declarer = (seat != deal.declarer) is not (contract.type is ContractType.NULL)
    if to_declarer:
        whole = Reached(
            120 - held.defender_points,
            held.defender_points,
            TRICKS - held.defender_tricks,
            held.defender_tricks,
        )
    else:
        whole = Reached(
            held.points, 120 - held.points, held.declarer_tricks, TRICKS - held.declarer_tricks
        )
    verdict = judge(contract, deal.bid, deal.twelve, whole)
    score(steps, chance, DealReason.CONCEDED, verdict, whole)


def score_as_played(steps: Steps, chance: Chance, reason: DealReason) -> None:
    """Score what both sides have taken."""
    deal, held = deal_of(steps), reached(steps.state)
    verdict = judge(contract_of(steps), deal.bid, deal.twelve, held)
    score(steps, chance, reason, verdict, held)


def score(
    steps: Steps,
    chance: Chance,
    reason: DealReason,
    verdict: Verdict,
    held: Reached,
    abandoner: Seat | None = None,
) -> None:
    """Score a deal that has a declarer."""
    outcome = scored(steps.state, deal_of(steps), reason, verdict, held)
    close_deal(steps, chance, outcome, abandoner)


def close_deal(
    steps: Steps, chance: Chance, outcome: Outcome, abandoner: Seat | None = None
) -> None:
    """Lay the cards open; then comes the next deal or the end of the series."""
    deal = deal_of(steps)
    hands = tuple(Holding(seat, deal.dealt[seat]) for seat in SEATS)
    steps.emit(DealScored(outcome, LaidOpen(hands, deal.skat, deal.discarded)))
    if abandoner is not None:
        end_series(steps, SeriesReason.ABANDONED, by=abandoner)
    elif steps.state.series.scored == steps.state.options.series_length:
        end_series(steps, SeriesReason.COMPLETED)
    else:
        start_deal(steps, chance)


def end_series(
    steps: Steps, reason: SeriesReason, *, by: Seat | None = None, deal_void: bool = False
) -> None:
    """The totals stand as they are."""
    series, options = steps.state.series, steps.state.options
    steps.emit(
        SeriesEnded(
            reason=reason,
            by=by,
            deal_void=deal_void,
            list_points=series.list_points,
            seeger_fabian=seeger_fabian(series),
            won=series.won,
            lost=series.lost,
            fees_milli=series.fees_milli,
            places=places(options, series, by),
        )
    )


def reached(state: State) -> Reached:
    """What both sides have so far, the skat with the declarer."""
    assert state.deal is not None, "a deal has started"
    taken = state.table.taken
    return Reached(
        declarer_points(state.deal, taken),
        taken.defender_points,
        taken.declarer_tricks,
        taken.defender_tricks,
    )


def deal_of(steps: Steps) -> Deal:
    """The running deal."""
    assert steps.state.deal is not None, "a deal has started"
    return steps.state.deal


def contract_of(steps: Steps) -> Contract:
    """What is played."""
    contract = deal_of(steps).contract
    assert contract is not None, "the play follows the announcement"
    return contract


def _is_lost(contract: Contract, taken_by_declarer: bool) -> bool:
    """Whether the trick just taken loses the game for good, whatever follows (clause 6.5)."""
    if contract.type is ContractType.NULL:
        return taken_by_declarer
    return contract.schwarz and not taken_by_declarer
