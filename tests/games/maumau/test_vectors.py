"""Every case of the vector file: what fits, scripted games, whole games, values, series, views."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields
from typing import Any

import pytest

from games.maumau.scripted import ROWS, Match, card, cards, dealt, rows, table
from spielwerk.cards import Card, Suit
from spielwerk.errors import Illegal
from spielwerk.games.game import Result, TimeOut
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import ACTIONS, fits, is_normal, pack
from spielwerk.games.maumau.messages import (
    EVENTS,
    Announce,
    AnnouncementMissed,
    CardPlayed,
    CardsDrawn,
    Command,
    Draw,
    Event,
    GameEnded,
    LastCardAnnounced,
    Play,
    SeriesEnded,
    TalonReshuffled,
    TurnStarted,
)
from spielwerk.games.maumau.model import DrawReason
from spielwerk.games.maumau.options import FirstUpcard, Options
from spielwerk.games.maumau.points import hand_value, series_places

BY_NAME = {re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower(): cls for cls in EVENTS}
RANKS = dict(zip("23456789TJQKAX", [f.name for f in fields(Options)][-14:], strict=True))
NOT_IN_THE_VECTORS = {"auto", "order", "used_ms"}


def test_every_kind_of_case_is_run() -> None:
    known = {"fits", "script", "game", "hand_value", "view", "series", "pack"}
    assert {row["kind"] for row in ROWS} == known


@pytest.mark.parametrize("row", rows("fits"), ids=lambda row: row["id"])
def test_what_fits(row: dict[str, Any]) -> None:
    wish = Suit(row["wish"]) if row["wish"] else None
    fitting = [c for c in row["hand"] if fits(card(c), card(row["top"]), wish, row["pending"])]

    assert fitting == row["fits"]


@pytest.mark.parametrize("row", rows("script", "game"), ids=lambda row: row["id"])
def test_script(row: dict[str, Any]) -> None:
    match = begin(row)
    assert digest(match) == named(row["start"])
    for step in row["steps"]:
        before = match.state
        if not step["ok"]:
            with pytest.raises(Illegal) as refused:
                act(match, step["do"])
            assert refused.value.reason == step["error"]
            assert match.state is before
            continue
        events = act(match, step["do"])
        assert [plain(e) for e in events if not isinstance(e, SeriesEnded)] == [
            expected(e) for e in step["events"]
        ]
        assert digest(match) == named(step["after"])
        if "hand_after" in step:
            hand = match.table.hands[step["do"]["seat"]]
            assert Counter(hand) == Counter(cards(step["hand_after"]))
    assert final(match) == row["final"]


def begin(row: dict[str, Any]) -> Match:
    """The table of the case: from its setup, or dealt from its deck."""
    setup, options = row["setup"], options_of(row)
    if "deck" in setup:
        match = dealt(
            len(setup["hands"]),
            cards(setup["deck"]),
            *map(cards, setup["reshuffles"]),
            first_starter=setup["starter"],
            **options,
        )
        assert match.table.talon == cards(setup["talon"])
        assert match.table.hands == tuple(map(cards, setup["hands"]))
        return match
    if row["start_events"]:
        return effective(row, options)
    return table(
        *setup["hands"],
        up=setup["upcard"],
        talon=setup["talon"],
        turn=setup["starter"],
        reshuffles=setup["reshuffles"],
        more={"direction": setup["direction"]},
        **options,
    )


def effective(row: dict[str, Any], options: dict[str, Any]) -> Match:
    """A dealt table whose first open card has its effect."""
    setup = row["setup"]
    seats, size = len(setup["hands"]), len(setup["hands"][0])
    turned = [(seat + setup["starter"]) % seats for seat in range(seats)]
    deck = [setup["hands"][seat][place] for place in range(size) for seat in turned]
    options |= {"first_starter": setup["starter"], "hand_size": size}
    match = dealt(seats, cards([*deck, setup["upcard"], *setup["talon"]]), **options)
    effects = match.events[-1 - len(row["start_events"]) : -1]
    assert [plain(event) for event in effects] == [expected(e) for e in row["start_events"]]
    return match


def options_of(row: dict[str, Any]) -> dict[str, Any]:
    options = dict(row["options"])
    setup = row["setup"]
    held = [name for hand in setup["hands"] for name in hand]
    given = [*held, setup["upcard"], *setup["talon"]]
    if not row.get("partial_pack"):
        options["jokers"] = sum(name.startswith("X") for name in given)
    if "first_upcard" in options:
        options["first_upcard"] = FirstUpcard(options["first_upcard"])
    values = options.pop("values", {})
    return options | {RANKS[rank]: value for rank, value in values.items()}


def act(match: Match, do: dict[str, Any]) -> tuple[Event, ...]:
    seat, command = do["seat"], do["cmd"]
    if command == "timeout":
        return match.give(None, TimeOut(seat, GAME.turns(match.state)[seat].key))
    given: dict[str, Command] = {"draw": Draw(), "announce": Announce()}
    return match.give(seat, given[command] if command in given else play(do))


def play(do: dict[str, Any]) -> Play:
    wish = do.get("wish")
    known = Suit(wish) if wish in tuple(Suit) else wish
    return Play(card(do["card"]), known)


def digest(match: Match) -> dict[str, Any]:
    at = match.table
    return {
        "turn": at.turn,
        "again": at.again,
        "top": at.upcard,
        "wish": at.wish,
        "pending": at.pending,
        "direction": at.direction,
        "hand_counts": [len(hand) for hand in at.hands],
        "talon": len(at.talon),
        "pile": len(at.pile),
        "announced": list(at.announced),
    }


def named(digest: dict[str, Any] | None) -> dict[str, Any] | None:
    """The digest of a case with the open card as a value: twins among the jokers are equal."""
    return digest and digest | {"top": card(digest["top"])}


def plain(event: Event) -> dict[str, Any]:
    """The event as the vectors write it; cards as values, hands sorted."""
    own = {f.name: getattr(event, f.name) for f in fields(event)}
    facts = {key: value for key, value in own.items() if key not in NOT_IN_THE_VECTORS}
    if isinstance(event, GameEnded):
        facts["hands"] = [Counter(holding.cards) for holding in event.hands]
        facts |= {key: list(facts[key]) for key in ("points", "places")}
    return {"e": type(event)} | facts


def expected(event: dict[str, Any]) -> dict[str, Any]:
    facts = dict(event) | {"e": BY_NAME[event["e"]]}
    if "card" in facts:
        facts["card"] = card(facts["card"])
    if "cards" in facts:
        facts["cards"] = cards(facts["cards"])
    if "hands" in facts:
        facts["hands"] = [Counter(cards(hand)) for hand in facts["hands"]]
    return facts


def final(match: Match) -> dict[str, Any] | None:
    ending = match.state.last
    if ending is None:
        return None
    assert isinstance(GAME.result(match.state), Result)
    return {
        "reason": ending.reason,
        "winner": ending.winner,
        "points": list(ending.points),
        "places": list(ending.places),
    }


@pytest.mark.parametrize("row", rows("hand_value"), ids=lambda row: row["id"])
def test_hand_value(row: dict[str, Any]) -> None:
    assert hand_value(cards(row["hand"]), Options()) == row["points"]


@pytest.mark.parametrize("row", rows("series"), ids=lambda row: row["id"])
def test_series(row: dict[str, Any]) -> None:
    totals = [sum(points) for points in zip(*row["points"], strict=True)]

    assert totals == row["totals"]
    assert list(series_places(totals, ())) == row["places"]


@pytest.mark.parametrize("row", rows("pack"), ids=lambda row: row["id"])
def test_pack(row: dict[str, Any]) -> None:
    every = pack(row["jokers"])
    suited = [one for one in every if isinstance(one, Card)]
    sevens = [4, 4, 2, 2]

    assert len(every) == row["cards"]
    assert len(suited) == row["suited"]
    assert sum(one.rank in ACTIONS for one in suited) == row["action_suited"]
    assert sum(map(is_normal, every)) == row["normal"]
    assert hand_value(every, Options()) == row["sum_of_values"]
    assert hand_value(suited, Options()) == row["sum_without_jokers"]
    assert sum(sevens) == row["max_pending"]


@pytest.mark.parametrize("row", rows("view"), ids=lambda row: row["id"])
def test_view(row: dict[str, Any]) -> None:
    event = event_of(row["event"])
    owner, hidden = row["event"]["seat"], row["hidden_from_others_and_spectators"]

    assert row["seat_sees"] == "all"
    for viewer in (0, 1, 2, 3, None):
        seen = GAME.redact(Options(), event, viewer)
        changed = [f.name for f in fields(event) if getattr(seen, f.name) != getattr(event, f.name)]
        assert changed == ([] if viewer == owner else hidden)


def event_of(row: dict[str, Any]) -> Event:
    match row["e"]:
        case "cards_drawn":
            drawn = cards(row["cards"])
            return CardsDrawn(
                row["seat"], DrawReason(row["reason"]), row["asked"], row["count"], drawn
            )
        case "card_played":
            return CardPlayed(row["seat"], card(row["card"]), Suit(row["wish"]), row["left"])
        case "announcement_missed":
            return AnnouncementMissed(row["seat"], card(row["card"]))
        case "last_card_announced":
            return LastCardAnnounced(row["seat"], 0)
        case "talon_reshuffled":
            return TalonReshuffled(row["count"], ())
        case "turn_started":
            return TurnStarted(row["seat"], row["again"])
    raise AssertionError(f"a new kind of event: {row['e']}")
