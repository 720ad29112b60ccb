"""Every line of every vector file: games, hand values, auctions, timeouts, series, views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from games.skat.scripted import (
    F,
    M,
    Match,
    R,
    card,
    cards,
    contract_of,
    deck,
    filled,
    names,
    recorded_game,
    rows,
    rules,
)
from spielwerk.errors import Illegal
from spielwerk.games.game import Resign
from spielwerk.games.skat import GAME
from spielwerk.games.skat.auction import Role
from spielwerk.games.skat.bidding import higher_values
from spielwerk.games.skat.cards import PACK, ContractType
from spielwerk.games.skat.commands import Bid, Command, Concede, Discard, Hold, Pass, Play, TakeSkat
from spielwerk.games.skat.events import DealScored, SeriesEnded, TrickTaken
from spielwerk.games.skat.model import Contract, DealReason, LaidOpen, Outcome, Phase, State
from spielwerk.games.skat.options import AnnounceTimeoutLoss, Options, Points
from spielwerk.games.skat.scoring import Reached, judge
from spielwerk.games.skat.series import places, seeger_fabian, seeger_fabian_of
from spielwerk.games.skat.views import View

GAMES = rows("vectors.jsonl")
BY_ID = {row["id"]: row for row in GAMES}
HANDS = rows("hand_value_vectors.jsonl")
AUCTIONS = rows("bidding_vectors.jsonl")
TIMEOUTS = rows("timeout_vectors.jsonl")
SERIES = rows("series_vectors.jsonl")
VIEWS = rows("view_vectors.jsonl")


def by_kind(*kinds: str, status: str = "ok") -> list[Any]:
    chosen = [row for row in GAMES if row["kind"] in kinds and row["status"] == status]
    return [pytest.param(row, id=row["id"]) for row in chosen]


def ids(cases: list[dict[str, Any]]) -> list[str]:
    return [case["id"] for case in cases]


# vectors.jsonl: whole games


def played_as_recorded(row: dict[str, Any], **options: Any) -> Match:
    match = recorded_game(row, **options)
    for seat, name in row["plays"]:
        match.give(seat, Play(card(name)))
    winners = [event.winner for event in match.all_of(TrickTaken)]
    assert winners == [winner for _, _, winner in row["tricks"]]
    return match


@pytest.mark.parametrize("row", by_kind("iss"))
def test_a_real_game_is_scored_as_recorded(row: dict[str, Any]) -> None:
    outcome = played_as_recorded(row).last
    expected = row["scored"]
    assert outcome.list_score == expected["score"]
    assert (outcome.points, outcome.declarer_tricks) == (expected["points"], expected["tricks"])
    for name in ("matadors", "level", "game_value", "overbid", "made", "won"):
        assert getattr(outcome, name) == expected[name]
    for name in ("schneider", "schwarz"):
        assert getattr(outcome, name) == expected[name]


@pytest.mark.parametrize("row", by_kind("iss", status="shortened"))
def test_a_real_game_that_was_cut_short_has_the_same_winner_and_score(row: dict[str, Any]) -> None:
    match = played_as_recorded(row, claims=True)
    for seat, what, _ in (event for event in row["events"] if event[1] == "resign"):
        assert what == "resign"
        match.give(seat, Concede())
    outcome, expected = match.last, row["scored"]
    assert outcome.list_score == expected["score"]
    assert (outcome.won, outcome.game_value) == (expected["won"], expected["game_value"])


@pytest.mark.parametrize("row", by_kind("iss", status="aborted"))
def test_a_real_game_that_was_left_in_the_auction_has_no_score(row: dict[str, Any]) -> None:
    match = recorded_game(row)
    seat = row["end"]["seat"]
    assert match.on_turn == seat
    match.give(seat, Resign())
    assert match.ended.deal_void
    assert not match.all_of(DealScored)


@pytest.mark.parametrize("row", by_kind("engine"))
def test_tricks_and_points_are_those_of_another_engine(row: dict[str, Any]) -> None:
    """That engine plays Null to the tenth trick."""
    outcome = played_as_recorded(row, early_end=False).last
    expected = row["scored"]
    assert (outcome.points, outcome.declarer_tricks, outcome.defender_tricks) == (
        expected["points"],
        expected["tricks"],
        expected["opp_tricks"],
    )


@pytest.mark.parametrize("row", by_kind("openspiel"))
def test_recorded_random_games_are_scored_as_expected(row: dict[str, Any]) -> None:
    outcome = played_as_recorded(row).last
    expected = row["scored_at_bid_18"]
    assert outcome.list_score == expected["score"]
    for name in ("matadors", "game_value", "won", "schneider", "schwarz"):
        assert getattr(outcome, name) == (expected.get(name) or 0)
    if outcome.contract is not None and outcome.contract.type is not ContractType.NULL:
        assert outcome.points == row["recorded"]["points"]


def test_all_games_are_replayed() -> None:
    known = [
        *by_kind("iss", "engine", "openspiel"),
        *by_kind("iss", status="shortened"),
        *by_kind("iss", status="aborted"),
    ]
    assert len(known) == len(GAMES)


# hand_value_vectors.jsonl


@pytest.mark.parametrize("row", HANDS, ids=ids(HANDS))
def test_a_game_is_worth_what_the_vector_says(row: dict[str, Any]) -> None:
    said = contract_of(row)
    contract = Contract(
        said.type, row["contract"]["hand"], said.schneider, said.schwarz, said.ouvert
    )
    outcome, expected = row["outcome"], row["expect"]
    points = outcome["points"] or 0
    tricks = (outcome["declarer_tricks"], outcome["defender_tricks"])
    reached = Reached(points, 120 - points, *tricks)
    verdict = judge(contract, row["bid"], cards(row["hand_dealt"] + row["skat"]), reached)

    assert verdict.list_score == expected["list_score"]
    for name in ("level", "game_value", "made", "overbid", "won", "schneider", "schwarz"):
        assert getattr(verdict, name) == expected[name]
    assert verdict.matadors == (expected["matadors"] or 0)
    if not verdict.won:
        assert verdict.loss_value == expected["loss_base"]
    brought = seeger_fabian_of(1, verdict.list_score, won=verdict.won)
    assert brought == by_role(expected["seeger_fabian"], declarer=1)


def by_role(points: Mapping[str, int], declarer: int) -> tuple[int, ...]:
    other = points["each_opponent"]
    return tuple(points["declarer"] if seat == declarer else other for seat in (0, 1, 2))


# bidding_vectors.jsonl


def prompt(match: Match) -> dict[str, Any] | None:
    """What is asked of whom, as the vectors write it."""
    if match.state.phase is not Phase.AUCTION or match.deal.number != 1:
        return None
    auction = match.deal.auction
    asked: dict[str, Any] = {"seat": match.on_turn, "role": auction.role.value, "can_pass": True}
    values = higher_values(auction)
    if auction.role is Role.FOREHAND_ALONE:
        return asked | {"bids": list(values)}
    if auction.role is Role.LISTENER:
        return asked | {"hold": auction.bid}
    return asked | {"min_bid": values[0] if values else None}


def said(step: Mapping[str, Any]) -> Command:
    if step["cmd"] == "bid":
        return Bid(step["value"])
    return Hold() if step["cmd"] == "hold" else Pass()


@pytest.mark.parametrize("row", AUCTIONS, ids=ids(AUCTIONS))
def test_an_auction_goes_as_the_vector_says(row: dict[str, Any]) -> None:
    match = Match(rules())
    assert prompt(match) == row["first"]
    for step in row["steps"]:
        before = match.state
        if step["ok"]:
            match.give(step["seat"], said(step))
        elif match.deal.number == 1:
            with pytest.raises(Illegal):
                match.give(step["seat"], said(step))
            assert match.state is before
        assert prompt(match) == step["then"]
    assert auction_result(match) == row["result"]


def auction_result(match: Match) -> dict[str, Any] | None:
    if match.deal.number != 1:
        assert match.last.reason is DealReason.PASSED_IN
        return {"passed_in": True}
    if match.deal.declarer is None:
        return None
    return {"declarer": match.deal.declarer, "bid": match.deal.bid}


@pytest.mark.parametrize("row", AUCTIONS, ids=ids(AUCTIONS))
def test_the_listed_words_are_the_ones_that_are_accepted(row: dict[str, Any]) -> None:
    match = Match(rules())
    for step in row["steps"]:
        if match.state.phase is not Phase.AUCTION or match.deal.number != 1:
            return
        listed = GAME.legal(match.state, match.on_turn)
        if step["seat"] == match.on_turn:
            assert (said(step) in listed) is step["ok"]
        if step["ok"]:
            match.give(step["seat"], said(step))


# timeout_vectors.jsonl


@pytest.mark.parametrize(
    "row", [r for r in TIMEOUTS if r["phase"] == "declare"], ids=lambda r: r["id"]
)
@pytest.mark.parametrize("step", ["skat", "discard", "announce"])
@pytest.mark.parametrize("loss", AnnounceTimeoutLoss)
def test_a_declarer_who_announces_nothing_has_lost_at_the_bid(
    row: dict[str, Any], step: str, loss: AnnounceTimeoutLoss
) -> None:
    match = Match(rules(announce_timeout_loss=loss)).won_by(M, row["bid"])
    if step != "skat":
        match.act(TakeSkat())
    if step == "announce":
        match.act(Discard(match.state.table.hands[M][:2]))
    match.expire()

    outcome, expected = match.last, row["expect"]
    single = loss is AnnounceTimeoutLoss.SINGLE_BID
    assert outcome.won is expected["won"]
    assert outcome.list_score == expected["list_score_if_single" if single else "list_score"]
    if not single:
        assert outcome.seeger_fabian == by_role(expected["seeger_fabian"], declarer=M)


@pytest.mark.parametrize(
    "row", [r for r in TIMEOUTS if r["phase"] == "play"], ids=lambda r: r["id"]
)
def test_a_timeout_in_the_play_ends_the_game_at_once(row: dict[str, Any]) -> None:
    twelve = cards(row["cards12"]) if row["cards12"] else PACK[:12]
    hands, skat = filled({M: twelve[:10]}, twelve[10:])
    match = Match(rules(), {"deal/1": deck(hands, skat)}).won_by(M, row["bid"])
    if not row["contract"]["hand"]:
        match.act(TakeSkat())
        match.act(Discard(skat))
    match.act(contract_of(row))
    if row["who"] == "declarer":
        match.act(GAME.legal(match.state, F)[0])
    if row["defender_points"] is not None:
        match.taken(points=(0, row["defender_points"]), tricks=(0, row["defender_tricks"]))
    match.expire()

    outcome, expected = match.last, row["expect"]
    assert outcome.reason is DealReason.TIMEOUT
    assert (outcome.won, outcome.overbid) == (expected["won"], expected["overbid"])
    assert outcome.list_score == expected["list_score"]
    assert outcome.seeger_fabian == by_role(expected["seeger_fabian"], declarer=M)


# series_vectors.jsonl


def scored_deal(deal: Mapping[str, Any]) -> DealScored:
    """The score of a deal of which only the declarer and the list points are known."""
    outcome = Outcome(deal_no=deal["deal"], reason=DealReason.PASSED_IN)
    if not deal.get("passed_in"):
        declarer, score, won = deal["declarer"], deal["list_score"], deal["won"]
        outcome = Outcome(
            deal_no=deal["deal"],
            reason=DealReason.PLAYED,
            declarer=declarer,
            won=won,
            list_score=score,
            seeger_fabian=seeger_fabian_of(declarer, score, won=won),
        )
    return DealScored(outcome, LaidOpen((), (), ()))


@pytest.mark.parametrize("row", SERIES, ids=ids(SERIES))
def test_a_series_adds_up_as_the_vector_says(row: dict[str, Any]) -> None:
    state = State(Options())
    by_deals = [0, 0, 0]
    for deal in row["deals"]:
        event = scored_deal(deal)
        state = GAME.evolve(state, event)
        by_deals = [a + b for a, b in zip(by_deals, event.outcome.seeger_fabian, strict=True)]
    series = state.series
    assert list(series.list_points) == row["list_points"]
    assert (list(series.won), list(series.lost)) == (row["won"], row["lost"])
    assert list(seeger_fabian(series)) == row["seeger_fabian"] == by_deals
    assert list(places(Options(), series, None)) == row["rank_sf"]
    assert list(places(Options(standing=Points.LIST), series, None)) == row["rank_list"]
    assert series.scored == len(row["deals"])


@pytest.mark.parametrize("row", SERIES, ids=ids(SERIES))
def test_the_deal_goes_round_as_the_vector_says(row: dict[str, Any]) -> None:
    match = Match(Options(series_length=len(row["deals"]), first_dealer=row["first_dealer"]))
    for deal in row["deals"]:
        assert match.deal.number == deal["deal"]
        assert match.deal.dealer == deal["dealer"] == deal["rearhand"]
        assert match.deal.forehand == deal["forehand"]
        assert match.on_turn == deal["middlehand"]
        match.pass_in()
    assert isinstance(match.events[-1], SeriesEnded)


# view_vectors.jsonl


def known_cards(view: View) -> set[str]:
    """All cards of the running deal whose place the viewer knows or once knew."""
    seen = {*view.dealt, *view.hand, *view.skat, *view.discarded, *view.exposed, *view.trick}
    seen |= {one for trick in view.tricks for one in trick.cards}
    return names(seen)


@pytest.mark.parametrize("row", VIEWS, ids=ids(VIEWS))
def test_a_viewer_knows_exactly_the_cards_of_the_vector(row: dict[str, Any]) -> None:
    viewer = None if row["viewer"] == "spectator" else row["viewer"]
    game = BY_ID[row["ref"]]
    match = recorded_game(game, stop=row["phase"])
    if row["phase"] in ("play", "ended"):
        for seat, name in game["plays"][: row["plays_done"]]:
            match.give(seat, Play(card(name)))
    view = GAME.view(match.state, viewer)
    if row["phase"] != "ended":
        assert known_cards(view) == set(row["known"])
        assert view.last_open is None
        return
    assert view.last_open is not None
    shown = [one for hand in view.last_open.hands for one in hand.cards]
    assert names(shown) | names(view.last_open.skat) == set(row["known"])


def test_forehand_is_seat_0_in_all_vectors() -> None:
    match = Match(rules())
    assert (match.deal.forehand, match.on_turn, match.deal.dealer) == (F, M, R)
