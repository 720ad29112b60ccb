"""What the terminal shows of Skat, and what it makes of typed lines."""

from __future__ import annotations

import io
import re
from functools import cache

import pytest
from rich.console import Console, RenderableType

from games.skat.scripted import F, M, Match, R, card, cards, dealt, rules, table
from spielwerk.games.game import Resign
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.commands import (
    Announce,
    Bid,
    Command,
    Concede,
    Discard,
    Hold,
    Pass,
    Play,
    TakeSkat,
)
from spielwerk.games.skat.events import Event
from spielwerk.games.skat.model import Phase, State
from spielwerk_local.terminal import words
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.reading import BadInput
from spielwerk_local.terminal.skat_hand import sorted_hand
from spielwerk_local.terminal.skat_words import SKAT

NAMES = ("Ada", "Ben", "Cleo")
FACES = drawer_of("skat")
HANDS = {F: "DT SJ S9 HT HJ D7 DA C9 C8 S7", M: "DQ S8 H8 HA C7 D8 H7 DK CQ CT"}


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(what)
    return out.getvalue()


@cache
def playthrough() -> tuple[tuple[State, ...], tuple[Event, ...]]:
    """Every state and event of a short series with all that can happen."""
    match = Match(rules(claims=True)).pass_in()
    states = [match.state]
    match.won_by(match.deal.forehand)
    match.act(Announce(ContractType.GRAND, ouvert=True))
    while match.deal.number == 2:
        states.append(match.state)
        match.play_some_card()
    match.won_by(match.deal.dealer)
    match.with_skat(match.deal.skat, Announce(ContractType.HEARTS))
    match.give(match.deal.forehand, Concede())
    states.append(match.state)
    match.give(match.on_turn, Resign())
    late = dealt()
    late.expire()
    late.auction([(R, 18), (F, "hold")])
    return (*states, match.state, late.state), (*match.events, *late.events)


def shown(text: str) -> set[str]:
    return set(re.findall(r"(?:10|[A7-9JQK])[♣♦♥♠]", text))


def typed(match: Match, text: str, language: str = "en") -> Command:
    view = GAME.view(match.state, match.on_turn)
    command: Command = FACES.read(text, view, GAME.legal(match.state, match.on_turn), language)
    return command


def test_the_own_hand_is_shown_and_no_hidden_card() -> None:
    for state in playthrough()[0]:
        for viewer in (0, 1, 2, None):
            view = GAME.view(state, viewer)
            known = {named(one) for one in (*view.hand, *view.skat, *view.discarded)}
            known |= {named(one) for one in (*view.exposed, *view.trick)}
            text = shown(printed(draw("skat", view, NAMES)))
            assert {named(one) for one in view.hand} <= text <= known


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_event_is_told_or_left_out_in_each_language(language: str) -> None:
    told = [FACES.tell(event, NAMES, language) for event in playthrough()[1]]
    lines = [line for line in told if line is not None]
    assert len(lines) > 30
    assert not any("{" in line or "_" in line for line in lines)


def test_both_languages_name_the_same_facts() -> None:
    for english, german in SKAT.values():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))


def test_auction_contract_and_last_deal_are_shown() -> None:
    match = table("G hand schneider", HANDS)
    text = printed(draw("skat", GAME.view(match.state, F), NAMES))
    assert "Grand, hand, Schneider announced, bid 18" in text
    bidding = dealt(HANDS).auction([(M, 18), (F, "hold"), (M, "pass")])
    text = printed(draw("skat", GAME.view(bidding.state, F), NAMES))
    assert "Ben 18 · Ada 18 yes · Ben pass" in text
    match.expire()
    assert "Last deal: Ben wins" in printed(draw("skat", GAME.view(match.state, F), NAMES))


def test_the_hand_is_sorted_by_trump_and_suit() -> None:
    match = table("S", HANDS)
    view = GAME.view(match.state, F)
    assert sorted_hand(view) == cards("SJ HJ S9 S7 C9 C8 HT DA DT D7")


@pytest.mark.parametrize(
    ("text", "command"),
    [("18", Bid(18)), ("bid 24", Bid(24)), ("pass", Pass()), ("weg", Pass())],
)
def test_words_of_the_speaker(text: str, command: Command) -> None:
    assert typed(dealt(), text) == command


@pytest.mark.parametrize("text", ["17", "hold", "300", "", "clubs"])
def test_what_the_speaker_cannot_say(text: str) -> None:
    with pytest.raises(BadInput):
        typed(dealt(), text)


@pytest.mark.parametrize("text", ["hold", "ja", "YES"])
def test_words_of_the_listener(text: str) -> None:
    assert typed(dealt().auction([(M, 18)]), text) == Hold()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("take", TakeSkat()),
        ("skat", TakeSkat()),
        ("kreuz", Announce(ContractType.CLUBS)),
        ("grand hand", Announce(ContractType.GRAND)),
        ("g schneider", Announce(ContractType.GRAND, schneider=True)),
        ("karo schwarz", Announce(ContractType.DIAMONDS, True, True)),
        ("pik ouvert", Announce(ContractType.SPADES, True, True, True)),
        ("null ouvert", Announce(ContractType.NULL, ouvert=True)),
    ],
)
def test_hand_games_are_announced_by_name(text: str, command: Command) -> None:
    match = dealt().won_by(M)
    assert typed(match, text) == command
    match.act(command)


@pytest.mark.parametrize("text", ["null schneider", "whist", "grand kontra", ""])
def test_what_cannot_be_announced(text: str) -> None:
    with pytest.raises(BadInput):
        typed(dealt().won_by(M), text)


def test_two_cards_are_laid_away_by_number_or_name() -> None:
    match = dealt(HANDS, "H9 D9").won_by(M)
    match.act(TakeSkat())
    hand = sorted_hand(GAME.view(match.state, M))
    assert typed(match, "9h 9D") == Discard(cards("H9 D9"))
    both = typed(match, "1, 2")
    assert isinstance(both, Discard)
    assert set(both.cards) == set(hand[:2])
    for text in ("1", "1 1", "1 2 3", "1 JC", "1 XX"):
        with pytest.raises(BadInput):
            typed(match, text)


def test_cards_are_played_by_number_or_name_if_they_follow() -> None:
    match = table("G", {**HANDS, R: "HQ SK ST SQ DJ SA CK HK CJ CA"}, skat="H9 D9")
    match.play("S7")
    assert typed(match, "8s") == Play(card("S8"))
    with pytest.raises(BadInput, match="does not follow"):
        typed(match, "AH")
    with pytest.raises(BadInput, match="not in your hand"):
        typed(match, "JC")
    with pytest.raises(BadInput):
        typed(match, "concede")


def test_conceding_is_typed_where_it_is_allowed() -> None:
    assert typed(table("G", claims=True), "abgeben") == Concede()


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize(
    ("phase", "said"),
    [
        (Phase.AUCTION, "18"),
        (Phase.SKAT, "grand"),
        (Phase.DISCARD, "1 12"),
        (Phase.ANNOUNCE, "null"),
        (Phase.PLAY, "JC"),
    ],
)
def test_each_phase_asks_for_what_can_be_done(language: str, phase: Phase, said: str) -> None:
    match = dealt(HANDS)
    while match.state.phase is not phase:
        match.act(GAME.legal(match.state, match.on_turn)[0])
        if match.state.phase is Phase.AUCTION:
            match.act(Pass())
    view = GAME.view(match.state, match.on_turn)
    asked = printed(FACES.ask(GAME.legal(match.state, match.on_turn), view, language))
    assert said in asked


def test_a_speaker_at_264_and_a_listener_are_asked_for_their_words() -> None:
    top = dealt().auction([(M, 264), (F, "hold")])
    held = dealt().auction([(M, 33)])
    asked = [
        printed(FACES.ask(GAME.legal(m.state, m.on_turn), GAME.view(m.state, m.on_turn), "en"))
        for m in (top, held)
    ]
    assert "only pass" in asked[0]
    assert "33: hold or pass" in asked[1]
