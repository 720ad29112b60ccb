"""Every line of the vector files: cards, plays, tribute, promotion, whole deals and matches."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from games.guandan.scripted import (
    DEFAULTS,
    Match,
    after_deal,
    card,
    cards,
    dealt_in_turn,
    every_row,
    facts,
    play,
    reading,
    return_of,
    table,
)
from spielwerk.cards import Rank
from spielwerk.errors import Illegal
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.cards import FACES, MAINS, SUITS, in_order, wild_face
from spielwerk.games.guandan.combos import readings
from spielwerk.games.guandan.held import Held, RankPlay, hold, spread
from spielwerk.games.guandan.ladder import beats
from spielwerk.games.guandan.messages import (
    CardReturned,
    CombinationPlayed,
    DealEnded,
    LeadAssigned,
    LeaderDrawn,
    MatchWon,
    NextDeal,
    Pass,
    Passed,
    TributeCancelled,
    TributePaid,
)
from spielwerk.games.guandan.model import Progress
from spielwerk.games.guandan.plays import rank_plays
from spielwerk.games.guandan.promotion import promote
from spielwerk.games.guandan.tribute import plan, returnable, strongest

REFUSALS = {
    "leader must play": {"leader_must_play"},
    "not your turn": {"not_your_turn"},
    "cards not in hand": {"cards_not_in_hand"},
    "no legal interpretation": {"not_a_combination", "bad_declaration", "does_not_beat"},
    "ambiguous": {"ambiguous"},
}


@every_row("classify")
def test_a_set_of_cards_has_exactly_these_readings(row: dict[str, Any]) -> None:
    assert (
        facts(readings(cards(row["cards"]), Rank(row["level"]), DEFAULTS))
        == (row["interpretations"])
    )


@every_row("compare")
def test_one_combination_beats_the_other_or_not(row: dict[str, Any]) -> None:
    level, sides = Rank(row["level"]), (row["a"], row["b"])
    for side in sides:
        assert reading(side) in readings(cards(side["cards"]), level, DEFAULTS)
    assert beats(reading(row["a"]), reading(row["b"]), level) == row["a_beats_b"]


@every_row("declare")
def test_a_declaration_is_needed_where_more_than_one_reading_is_allowed(
    row: dict[str, Any],
) -> None:
    level = Rank(row["level"])
    found = readings(cards(row["cards"]), level, DEFAULTS)
    top = row["to_beat"] and reading(row["to_beat"])
    allowed = [r for r in found if top is None or beats(r, top, level)]

    assert facts(allowed) == row["legal"]
    assert (len(allowed) > 1) == row["needs_declaration"]


@every_row("legal_moves")
def test_the_plays_of_a_hand_are_complete_by_rank_and_by_face(row: dict[str, Any]) -> None:
    held = hold(cards(row["hand"]), Rank(row["level"]))
    plays = rank_plays(held, DEFAULTS, row["to_beat"] and reading(row["to_beat"]))
    by_rank = [rank_key(found) for found in plays]
    by_face = [key for found in plays for key in face_keys(found, held)]

    assert len(by_rank) == len(set(by_rank)) == row["n_rank"]
    assert len(by_face) == len(set(by_face)) == row["n_face"]
    assert (digest(by_rank), digest(by_face)) == (row["rank_digest"], row["face_digest"])
    assert Counter(key.split(":")[0] for key in by_face) == row["by_shape"]
    assert sorted(by_rank) == row.get("rank_plays", sorted(by_rank))
    assert sorted(by_face) == row.get("face_plays", sorted(by_face))


@every_row("legal_moves")
def test_the_legal_commands_are_one_for_each_play_by_rank_and_all_accepted(
    row: dict[str, Any],
) -> None:
    match = table(row["hand"], "3C", "3C", "3C", level=row["level"])
    if row["to_beat"]:
        match = facing(match, row)
    seat = match.state.table.turn
    assert seat is not None
    legal = GAME.legal(match.state, seat)

    assert (Pass() in legal) == row["may_pass"]
    assert len(set(legal)) == row["n_rank"] + row["may_pass"]
    assert all(GAME.decide(match.state, seat, command, match.context) for command in legal)


def facing(match: Match, row: dict[str, Any]) -> Match:
    """The hand's seat must beat the combination of the row, whatever cards it was made of."""
    top = reading(row["to_beat"])
    laid = CombinationPlayed(3, (), top.shape, top.size, top.main, (), 1)
    match.tell(LeaderDrawn(3), laid)
    return match


def rank_key(found: RankPlay) -> str:
    suit = "-" if found.suit is None else SUITS[found.suit].value
    kinds = ",".join(sorted(MAINS[kind].value for kind in found.kinds))
    return f"{named(found)}:{suit}:{kinds}:w{found.wilds}"


def face_keys(found: RankPlay, held: Held) -> Iterator[str]:
    wild = (wild_face(held.level),) * found.wilds
    for faces in spread(found, held, DEFAULTS):
        yield f"{named(found)}:{','.join(sorted(str(FACES[face]) for face in faces + wild))}"


def named(found: RankPlay) -> str:
    return f"{found.reading.shape.value}:{found.reading.size}:{found.reading.main.value}"


def digest(keys: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()


@every_row("tribute")
def test_tribute_return_and_lead_follow_from_places_and_hands(row: dict[str, Any]) -> None:
    level, hands = Rank(row["level"]), [cards(hand) for hand in row["hands"]]
    due, expected = plan(row["prev_order"], hands, level), row["expect"]

    assert expected["kind"] == ("double" if len(due.payers) == 2 else "single")
    assert (due.cancelled, list(due.payers)) == (expected["cancelled"], expected["payers"])
    assert due.leader == expected["leader"]
    paid = [
        {
            "from": transfer.from_seat,
            "to": transfer.to_seat,
            "card": str(transfer.card),
            "equally_strong": sorted(map(str, strongest(hands[transfer.from_seat], level))),
        }
        for transfer in due.transfers
    ]
    assert paid == expected.get("transfers", [])
    assert given_back(row, hands, level) == expected.get("returns", [])


def given_back(row: dict[str, Any], hands: list[Any], level: Rank) -> list[dict[str, Any]]:
    """What each receiver may return once all tributes have moved."""
    transfers = plan(row["prev_order"], hands, level).transfers
    back = []
    for transfer in sorted(transfers, key=lambda done: done.to_seat):
        hand = (*hands[transfer.to_seat], transfer.card)
        faces = returnable(hand, level, DEFAULTS, transfer.card)
        back.append(
            {
                "from": transfer.to_seat,
                "to": transfer.from_seat,
                "legal": sorted(map(str, faces)),
                "timeout": str(faces[0]),
            }
        )
    return back


@every_row("promotion")
def test_places_bring_levels_and_the_match(row: dict[str, Any]) -> None:
    levels = tuple(map(Rank, row["levels"]))
    before = Progress(level=Rank(row["deal_level"]), levels=levels)

    assert outcome(row["order"], before) == row["expect"]


def outcome(order: list[int], before: Progress) -> dict[str, Any]:
    found = promote(order, before, DEFAULTS)
    return {
        "winner_team": found.team,
        "partner_place": found.partner_place,
        "step": found.step,
        "levels": list(found.levels),
        "next_level": found.next_level,
        "match_winner": found.match_winner,
    }


@every_row("match")
def test_a_chain_of_deals_leads_to_this_winner(row: dict[str, Any]) -> None:
    progress = Progress(levels=tuple(map(Rank, row["start"])))
    winner = None
    for deal in row["deals"]:
        found = promote(deal["order"], progress, DEFAULTS)
        winner = found.match_winner
        reached = {
            "order": deal["order"],
            "deal_level": progress.level,
            "step": found.step,
            "levels_after": list(found.levels),
            "next_level": found.next_level,
            "match_winner": winner,
        }
        assert reached == deal
        if found.next_level:
            progress = replace(progress, level=found.next_level, levels=found.levels)

    assert winner == row["match_winner"]


@every_row("timeout")
def test_when_time_is_up_the_default_is_played(row: dict[str, Any]) -> None:
    match = table(row["hand"], "3C", "3C", "3C", level=row["level"])
    if not row["leading"]:
        match.tell(LeaderDrawn(3))
        match.play("3C")
    event, *_ = match.expire(0)

    expected = row["expect"]
    if expected["action"] == "pass":
        assert event == Passed(0, auto=True)
        return
    assert isinstance(event, CombinationPlayed)
    assert event.auto
    assert event.cards == cards(expected["cards"])
    assert (event.shape.value, event.main.value) == (expected["shape"], expected["main"])


@every_row("deals")
def test_a_deal_of_given_hands_goes_like_this(row: dict[str, Any]) -> None:
    match = table(*row["hands"], level=row["level"], leader=row["leader"])
    error = None
    for move in row["moves"]:
        assert error is None
        passes = move["action"] == "pass"
        command = Pass() if passes else play(move["cards"], move["shape"], move["main"])
        try:
            match.give(move["seat"], command)
        except Illegal as refused:
            error = refused.reason

    expected, at_table = row["expect"], match.state.table
    wanted = REFUSALS.get(expected["last_move_error"], {None})
    assert error in wanted
    assert bool(match.told(DealEnded)) == expected["finished"]
    assert list(at_table.order) == expected["order"]
    assert match.trick_leaders == expected["trick_leaders"]
    assert at_table.turn == expected["turn"]
    counts = [len(hand) for hand in at_table.hands]
    if expected["finished"]:
        assert counts[at_table.order[-1]] == len(match.told(DealEnded)[0].last_hand)
    assert counts == expected["counts"]


@every_row("flow")
def test_deals_of_one_match_follow_on_each_other(row: dict[str, Any]) -> None:
    match = beginning(row)
    for number, deal in enumerate(row["deals"]):
        if number or row["prev_order"]:
            match.give(0, NextDeal())
        assert match.state.progress.level == deal["deal_level"]
        check_tribute(match, deal)
        assert match.state.table.turn == deal["leader"]
        leaders = played(match, deal)
        assert leaders == deal["trick_leaders"]
        ended = match.told(DealEnded)[-1]
        result = deal["result"]
        assert list(ended.order) == deal["order"]
        assert (ended.team, ended.step) == (result["winner_team"], result["step"])
        assert [list(ended.levels), ended.next_level] == [result["levels"], result["next_level"]]

    won = [event.team for event in match.told(MatchWon)]
    assert won == ([] if row["match_winner"] is None else [row["match_winner"]])


def beginning(row: dict[str, Any]) -> Match:
    """The match before its first deal of the row, with all packs in order."""
    hands = [[cards(hand) for hand in deal["hands"]] for deal in row["deals"]]
    if row["prev_order"] is None:
        decks = {f"deal/1/{n}": dealt_in_turn(four) for n, four in enumerate(hands, start=1)}
        return Match(decks=decks, leader=row["deals"][0]["first_leader_drawn"]).begin()
    match = after_deal(
        row["prev_order"], level=row["start_deal_level"], levels=tuple(row["start_levels"])
    )
    decks = {f"deal/1/{n}": dealt_in_turn(four) for n, four in enumerate(hands, start=3)}
    fresh = Match(decks=decks)
    fresh.state = match.state
    return fresh


def check_tribute(match: Match, deal: dict[str, Any]) -> None:
    expected = deal.get("tribute")
    assert in_order_of_hands(match, deal) or expected
    if expected is None:
        return
    if expected["cancelled"]:
        cancelled = match.told(TributeCancelled)[-1]
        assert list(cancelled.payers) == expected["payers"]
        assert cancelled.leader == expected["leader"]
        return
    paid = match.told(TributePaid)[-len(expected["transfers"]) :]
    moved = [{"from": e.from_seat, "to": e.to_seat, "card": str(e.card)} for e in paid]
    assert moved == expected["transfers"]
    for back in deal["returns"]:
        events = match.give(back["from"], return_of(back["card"]))
        assert events[0] == CardReturned(back["from"], back["to"], card(back["card"]))
    assert match.told(LeadAssigned)[-1].seat == expected["leader"]


def in_order_of_hands(match: Match, deal: dict[str, Any]) -> bool:
    return list(match.hands) == [in_order(cards(hand)) for hand in deal["hands"]]


def played(match: Match, deal: dict[str, Any]) -> list[int]:
    """Play the moves; the leaders of the tricks."""
    leaders = []
    for seat, *laid in deal["moves"]:
        if match.state.table.top is None:
            leaders.append(seat)
        match.give(seat, play(*laid) if laid else Pass())
    return leaders
