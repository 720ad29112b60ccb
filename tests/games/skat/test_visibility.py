"""Clause 12: who may know what, and every way in which it could leak."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields

import pytest

from games.skat.scripted import F, M, Match, R, cards, dealt, deck, names, rules, table
from spielwerk.api.games.skat.v1 import skat_pb2
from spielwerk.cards import Card
from spielwerk.codec.mapping import codec, union_codec
from spielwerk.games.game import Seat
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import Cards, ContractType, in_order
from spielwerk.games.skat.commands import Announce, Discard, TakeSkat
from spielwerk.games.skat.events import (
    CardsDealt,
    DealScored,
    DealStarted,
    Discarded,
    Event,
    HandExposed,
    SkatTaken,
    TimedOut,
)
from spielwerk.games.skat.model import Phase
from spielwerk.games.skat.options import Options, Reveal
from spielwerk.games.skat.views import View

VIEWERS: tuple[Seat | None, ...] = (F, M, R, None)
OTHERS: tuple[Seat | None, ...] = (F, R, None)
HANDS = {
    F: "DT SJ S9 HT HJ D7 DA C9 C8 S7",
    M: "DQ S8 H8 HA C7 D8 H7 DK CQ CT",
    R: "HQ SK ST SQ DJ SA CK HK CJ CA",
}
SKAT = "H9 D9"


def seen(match: Match, viewer: Seat | None) -> list[Event]:
    return [GAME.redact(match.state.options, event, viewer) for event in match.events]  # type: ignore[misc]


def cards_in(value: object) -> set[Card]:
    """Every card anywhere inside a view or an event."""
    if isinstance(value, Card):
        return {value}
    if isinstance(value, tuple | list):
        return {one for item in value for one in cards_in(item)}
    known = getattr(type(value), "__dataclass_fields__", ())
    return {one for name in known for one in cards_in(getattr(value, name))}


def on_the_wire(match: Match, viewer: Seat | None) -> list[bytes]:
    """The view and every event, as they are sent to the viewer."""
    views = codec(View, skat_pb2.View.DESCRIPTOR)
    events = union_codec(GAME.events, skat_pb2.Event.DESCRIPTOR)
    written = [views.write(GAME.view(match.state, viewer))]
    written += [events.write(event) for event in seen(match, viewer)]
    return [message.SerializeToString(deterministic=True) for message in written]


def skat_taken() -> Match:
    match = dealt(HANDS, SKAT).won_by(M)
    match.act(TakeSkat())
    return match


def played_some() -> Match:
    return table("D", HANDS, skat=SKAT, away="H7 D9")


# The table of clause 12.1


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_1_the_deal_shows_each_seat_its_own_ten_cards(viewer: Seat | None) -> None:
    match = dealt(HANDS, SKAT)
    own = set() if viewer is None else set(cards(HANDS[viewer]))
    assert cards_in(GAME.view(match.state, viewer)) == own
    assert cards_in(seen(match, viewer)) == own
    assert [e.counts for e in seen(match, viewer) if isinstance(e, CardsDealt)] == [(10, 10, 10, 2)]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_1_the_skat_taken_is_seen_by_the_declarer_alone(viewer: Seat | None) -> None:
    match = skat_taken()
    events = [event for event in seen(match, viewer) if isinstance(event, SkatTaken)]
    shown = cards("H9 D9") if viewer == M else ()
    assert set(events[0].cards) == set(shown)
    assert events[0].count == 2
    view = GAME.view(match.state, viewer)
    assert set(view.skat) == set(shown)
    assert (view.skat_taken, view.hand_counts) == (True, (10, 12, 10))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_1_the_discards_are_seen_by_the_declarer_alone(viewer: Seat | None) -> None:
    match = skat_taken()
    match.act(Discard(cards("H7 D9")))
    events = [event for event in seen(match, viewer) if isinstance(event, Discarded)]
    assert (len(events[0].cards), events[0].count) == (2 if viewer == M else 0, 2)
    assert set(GAME.view(match.state, viewer).discarded) == set(events[0].cards)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_1_a_view_in_the_play_holds_own_cards_and_laid_ones(viewer: Seat | None) -> None:
    match = played_some()
    match.play("DA", "DQ")
    own = set() if viewer is None else set(cards(HANDS[viewer]))
    own |= set(cards(SKAT)) if viewer == M else set()
    assert cards_in(GAME.view(match.state, viewer)) == own | set(cards("DA DQ"))


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("contract", ["G ouvert", "N hand ouvert"])
def test_12_1_an_ouvert_hand_is_seen_by_all_and_nothing_else_of_it(
    viewer: Seat | None, contract: str
) -> None:
    match = table(contract, HANDS, skat=SKAT)
    own = set() if viewer is None else set(cards(HANDS[viewer]))
    assert cards_in(GAME.view(match.state, viewer)) == own | set(cards(HANDS[M]))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_1_auction_contract_and_trick_points_are_seen_by_all(viewer: Seat | None) -> None:
    match = played_some()
    match.play("DA", "DQ", "DJ")
    view, spectators = GAME.view(match.state, viewer), GAME.view(match.state, None)
    for name in ("auction", "contract", "bid", "declarer", "tricks", "taken", "to_act"):
        assert getattr(view, name) == getattr(spectators, name)
    assert view.taken.defender_points == 16


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_4_after_the_deal_everything_is_open_to_all(viewer: Seat | None) -> None:
    match = played_some()
    match.play_out()
    scored = [event for event in seen(match, viewer) if isinstance(event, DealScored)]
    for opened in (scored[0].laid_open, GAME.view(match.state, viewer).last_open):
        assert opened is not None
        assert {hand.seat: names(hand.cards) for hand in opened.hands} == {
            seat: set(text.split()) for seat, text in HANDS.items()
        }
        assert (names(opened.skat), names(opened.discarded)) == ({"H9", "D9"}, {"H7", "D9"})


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_4_the_hands_can_stay_covered_after_the_deal(viewer: Seat | None) -> None:
    match = dealt(HANDS, SKAT, reveal=Reveal.SKAT_ONLY).won_by(M)
    match.act(TakeSkat())
    match.expire()
    scored = [event for event in seen(match, viewer) if isinstance(event, DealScored)]
    for opened in (scored[0].laid_open, GAME.view(match.state, viewer).last_open):
        assert opened is not None
        assert opened.hands == ()
        assert names(opened.skat) == {"H9", "D9"}


# The leaks of clause 12.2


def test_12_2_no_running_total_counts_the_skat() -> None:
    """The tens in the skat would show up in the declarer's points."""
    poor = table("D", HANDS, skat=SKAT, away="H7 D9")
    rich = table("D", HANDS, skat=SKAT, away="CT HA")
    for match in (poor, rich):
        match.play("DA", "DQ", "DJ")
    for viewer in OTHERS:
        assert GAME.view(poor.state, viewer).taken == GAME.view(rich.state, viewer).taken


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_2_matadors_value_and_overbid_appear_only_with_the_score(viewer: Seat | None) -> None:
    match = table("D", HANDS, skat=SKAT, away="H7 D9", bid=60)
    match.play("DA", "DQ")
    telling = {"matadors", "level", "game_value", "overbid", "made", "loss_value", "won_by"}
    for event in seen(match, viewer):
        assert not telling & {item.name for item in fields(event)}
    assert GAME.view(match.state, viewer).last is None
    assert not telling & {item.name for item in fields(View)}


def test_12_2_no_view_lists_the_legal_cards_of_a_seat() -> None:
    match = played_some()
    match.play("DA")
    assert [len(GAME.legal(match.state, seat)) > 0 for seat in (F, M, R)] == [False, True, False]
    assert not [item.name for item in fields(View) if "legal" in item.name or "play" in item.name]


@pytest.mark.parametrize("seed", range(5))
def test_12_2_the_order_of_cards_tells_nothing(seed: int) -> None:
    rng = random.Random(seed)
    hands = [tuple(rng.sample(cards(HANDS[seat]), 10)) for seat in (F, M, R)]
    match = Match(rules(), {"deal/1": deck(hands, cards("D9 H9"))}).won_by(M)
    match.act(TakeSkat())
    match.act(Discard(cards("D9 H7")))
    match.act(Announce(ContractType.NULL, ouvert=True))
    straight = table("N ouvert", HANDS, skat=SKAT, away="H7 D9")
    for viewer in VIEWERS:
        assert on_the_wire(match, viewer) == on_the_wire(straight, viewer)
        assert is_sorted(GAME.view(match.state, viewer).hand)
    assert is_sorted(match.all_of(HandExposed)[0].cards)


def is_sorted(held: Cards) -> bool:
    return held == in_order(held)


def test_12_2_sizes_do_not_depend_on_what_is_hidden() -> None:
    poor = table("D", HANDS, skat=SKAT, away="H7 D9")
    rich = table("D", HANDS, skat=SKAT, away="CT HA")
    for viewer in OTHERS:
        sizes = [list(map(len, on_the_wire(match, viewer))) for match in (poor, rich)]
        assert sizes[0] == sizes[1]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_2_nobody_sees_the_skat_of_a_hand_game_before_it_is_scored(viewer: Seat | None) -> None:
    match = table("D hand", HANDS, skat=SKAT)
    skat = set(cards(SKAT))
    while match.deal.number == 1:
        assert not skat & cards_in(GAME.view(match.state, viewer))
        assert not skat & cards_in(seen(match, viewer))
        match.act(GAME.legal(match.state, match.on_turn)[0])
    scored = [event for event in seen(match, viewer) if isinstance(event, DealScored)]
    assert set(scored[0].laid_open.skat) == skat


@pytest.mark.parametrize("viewer", OTHERS)
def test_12_2_a_timeout_tells_no_cards(viewer: Seat | None) -> None:
    match = played_some()
    match.play("DA")
    match.expire()
    told = [event for event in seen(match, viewer) if isinstance(event, TimedOut)]
    assert [(event.seat, event.phase) for event in told] == [(M, Phase.PLAY)]
    assert cards_in(told) == set()


@pytest.mark.parametrize("viewer", VIEWERS)
def test_12_2_nobody_sees_the_deck(viewer: Seat | None) -> None:
    match = dealt(HANDS, SKAT).pass_in()
    assert [e.deck for e in seen(match, viewer) if isinstance(e, DealStarted)] == [(), ()]


def test_12_2_no_event_of_the_game_knows_a_seed() -> None:
    words = {item.name for cls in (*GAME.events, View) for item in fields(cls)}
    assert not [word for word in words if "seed" in word or "commit" in word]


@pytest.mark.parametrize("viewer", OTHERS)
def test_12_2_whether_the_skat_was_kept_stays_hidden(viewer: Seat | None) -> None:
    kept = table("D", HANDS, skat=SKAT, away="H7 D8")
    back = table("D", HANDS, skat=SKAT, away="H9 D9")
    assert on_the_wire(kept, viewer) == on_the_wire(back, viewer)


@pytest.mark.parametrize("viewer", OTHERS)
def test_12_2_ouvert_shows_the_ten_cards_but_not_the_discards(viewer: Seat | None) -> None:
    match = table("N ouvert", HANDS, skat=SKAT, away="H7 D9")
    own = set() if viewer is None else set(cards(HANDS[viewer]))
    open_cards = set(cards(HANDS[M])) - set(cards("H7")) | set(cards("H9"))
    assert cards_in(GAME.view(match.state, viewer)) - own == open_cards


# Two worlds that differ only in what the viewer may not see


def swapped(
    hands: dict[Seat, list[str]], skat: list[str], seats: list[Seat], seed: int, *, with_skat: bool
) -> None:
    """Exchange two cards of these seats, and of the skat, that lie in different places."""
    rng = random.Random(seed)
    holders = [hands[seat] for seat in seats] + ([skat] if with_skat else [])
    one, other = rng.sample(holders, 2)
    i, j = rng.randrange(len(one)), rng.randrange(len(other))
    one[i], other[j] = other[j], one[i]


def to_the_auction(match: Match) -> None:
    match.auction([(M, 18), (F, "hold")])


def to_the_skat(match: Match) -> None:
    match.won_by(R)


def to_the_discard(match: Match) -> None:
    match.won_by(R)
    match.act(TakeSkat())


def to_the_announcement(match: Match) -> None:
    match.won_by(R)
    match.act(TakeSkat())
    match.act(Discard(match.state.table.hands[R][:2]))


def to_the_play(match: Match) -> None:
    match.won_by(R)
    match.act(TakeSkat())
    match.act(Discard(match.state.table.hands[R][:2]))
    match.act(Announce(ContractType.GRAND))


def to_a_hand_game(match: Match) -> None:
    match.won_by(R)
    match.act(Announce(ContractType.HEARTS, schneider=True))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(
    "go_on",
    [
        to_the_auction,
        to_the_skat,
        to_the_discard,
        to_the_announcement,
        to_the_play,
        to_a_hand_game,
    ],
)
def test_12_swapping_hidden_cards_changes_nothing_for_the_viewer(
    viewer: Seat | None, seed: int, go_on: Callable[[Match], None]
) -> None:
    hands = {seat: text.split() for seat, text in HANDS.items()}
    skat = SKAT.split()
    others = [seat for seat in (F, M, R) if seat != viewer]
    knows_skat = viewer == R and go_on in (to_the_discard, to_the_announcement, to_the_play)
    worlds = []
    for _ in range(2):
        match = dealt({seat: " ".join(held) for seat, held in hands.items()}, " ".join(skat))
        go_on(match)
        worlds.append(match)
        swapped(hands, skat, others, seed, with_skat=not knows_skat)
    assert worlds[0].state != worlds[1].state
    assert on_the_wire(worlds[0], viewer) == on_the_wire(worlds[1], viewer)


# Folding


def test_12_5_a_view_is_a_fold_of_what_the_viewer_was_told() -> None:
    """Cards in the view of a seat are those of its events: nothing comes from elsewhere."""
    match = played_some()
    match.play("DA", "DQ", "DJ")
    for viewer in VIEWERS:
        assert cards_in(GAME.view(match.state, viewer)) <= cards_in(seen(match, viewer))


def test_12_a_spectator_sees_no_more_than_every_seat() -> None:
    match = table("N ouvert", HANDS, skat=SKAT, away="H7 D9")
    match.play("DT")
    spectator = cards_in(GAME.view(match.state, None))
    for seat in (F, M, R):
        assert spectator <= cards_in(GAME.view(match.state, seat))


def test_before_the_first_deal_a_view_is_empty() -> None:
    state = GAME.setup(Options(), 3)
    assert GAME.view(state, 0) == View(seat=0, options=Options(), phase=Phase.DEAL)
    assert GAME.turns(state) == {}
