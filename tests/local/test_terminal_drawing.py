"""What the terminal shows of a game, and what it makes of typed lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from rich.console import Console, RenderableType

from spielwerk.cards import Card, french_pack
from spielwerk.chance import HmacChance
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import Discard, Go, Play
from spielwerk.games.cribbage.model import State
from spielwerk.games.cribbage.options import Options
from spielwerk.games.game import Context, Resign
from spielwerk_local.terminal import words
from spielwerk_local.terminal.cards import named, read_card
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.reading import BadInput
from spielwerk_local.terminal.words import CRIBBAGE, GENERAL

NAMES = ("Ada", "Ben")
CHANCE = HmacChance(bytes(32), "drawn")
CONTEXT = Context(CHANCE, lambda _seat: 0)
FACES = drawer_of("cribbage")


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(what)
    return out.getvalue()


def playthrough() -> Iterator[tuple[State, tuple[object, ...]]]:
    """Every state of a short match, with the events that led to it."""
    state = GAME.setup(Options(target=61), 2)
    events = GAME.start(state, CONTEXT)
    while events:
        for event in events:
            state = GAME.evolve(state, event)
        yield state, events
        seat = next(iter(GAME.turns(state)), None)
        if seat is None:
            return
        legal = [c for c in GAME.legal(state, seat) if not isinstance(c, Resign)]
        events = GAME.decide(state, seat, legal[0], CONTEXT)


def shown_cards(text: str) -> set[str]:
    return set(re.findall(r"(?:10|[A2-9JQK])[♣♦♥♠]", text))


def test_nobody_is_shown_a_card_that_is_hidden_from_it() -> None:
    for state, _ in playthrough():
        if state.deal is None or not GAME.turns(state):
            continue
        before = {card for count in state.last_show for card in (*count.cards, count.starter)}
        for viewer in (0, 1):
            text = printed(draw("cribbage", GAME.view(state, viewer), NAMES))
            hidden = {*state.table.hand[1 - viewer], *state.deal.discards[1 - viewer]} - before
            assert not shown_cards(text) & {named(card) for card in hidden}


def test_the_own_hand_starter_and_count_are_shown() -> None:
    for state, _ in playthrough():
        for viewer in (0, 1):
            view = GAME.view(state, viewer)
            text = printed(draw("cribbage", view, NAMES))
            assert {named(card) for card in view.hand} <= shown_cards(text)
            assert not view.starter or named(view.starter) in text
            assert re.search(rf"Count +{view.count}\b", text)


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_event_is_told_or_left_out_in_each_language(language: str) -> None:
    told = [FACES.tell(event, NAMES, language) for _, events in playthrough() for event in events]
    lines = [line for line in told if line is not None]
    assert len(lines) > 50
    assert not any("{" in line or "_" in line for line in lines)


@pytest.mark.parametrize("table", [GENERAL, CRIBBAGE])
def test_both_languages_name_the_same_facts(table: dict[str, tuple[str, str]]) -> None:
    for english, german in table.values():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))


def first_state() -> State:
    return next(playthrough())[0]


def read(text: str, state: State, seat: int = 0) -> object:
    return FACES.read(text, GAME.view(state, seat), GAME.legal(state, seat), "en")


def test_cards_to_lay_away_are_named_by_number_or_by_name() -> None:
    state = first_state()
    hand = sorted(state.table.hand[0], key=french_pack().index)
    by_number = read("1, 4", state)
    by_name = read(f"{str(hand[0]).lower()} {named(hand[3])}", state)
    assert by_number == by_name == Discard((hand[0], hand[3]))


@pytest.mark.parametrize("text", ["", "1", "1 1", "1 2 3", "0 1", "1 7", "pass", "go", "1 XX"])
def test_what_is_no_discard_is_refused_with_an_explanation(text: str) -> None:
    with pytest.raises(BadInput, match=r".+"):
        read(text, first_state())


def test_a_card_that_passes_31_is_refused() -> None:
    for state, _ in playthrough():
        for seat in GAME.turns(state):
            playable = [c.card for c in GAME.legal(state, seat) if isinstance(c, Play)]
            for card in state.table.hand[seat]:
                if playable and card in playable:
                    assert read(str(card), state, seat) == Play(card)
                elif playable:
                    with pytest.raises(BadInput, match="31"):
                        read(str(card), state, seat)


def test_go_is_read_where_it_is_allowed() -> None:
    view = GAME.view(first_state(), 0)
    assert FACES.read(" GO ", view, (Go(),), "en") == Go()


@pytest.mark.parametrize("written", ["TS", "10s", "10♠", "ts"])
def test_a_ten_can_be_written_in_each_usual_way(written: str) -> None:
    assert read_card(written) == Card.parse("TS")


def test_a_game_without_a_drawer_is_played_by_numbers() -> None:
    state = first_state()
    view, legal = GAME.view(state, 0), GAME.legal(state, 0)
    general = drawer_of("a game nobody has drawn")
    choices = [command for command in legal if not isinstance(command, Resign)]
    assert "Ada - Ben" in printed(general.draw(view, NAMES, "en"))
    assert "1: Discard" in printed(general.ask(legal, view, "en"))
    assert general.read("2", view, legal, "en") == choices[1]
    with pytest.raises(BadInput):
        general.read(str(len(choices) + 1), view, legal, "en")
