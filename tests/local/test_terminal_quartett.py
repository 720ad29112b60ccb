"""What the terminal shows of Quartett, and what it makes of typed lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from games.quartett.scripted import VECTORS, mini, table
from spielwerk.chance import HmacChance
from spielwerk.games.game import Context
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.deck import as_file
from spielwerk.games.quartett.deckfile import check_content
from spielwerk.games.quartett.messages import Choose
from spielwerk.games.quartett.model import State
from spielwerk.games.quartett.options import Options
from spielwerk_local import cli, decks
from spielwerk_local.terminal.drawing import draw, drawer_of
from spielwerk_local.terminal.quartett_words import QUARTETT
from spielwerk_local.terminal.reading import BadInput
from spielwerk_local.terminal.words import LANGUAGES

NAMES = ("Ada", "Ben")
FACES = drawer_of("quartett")
CONTEXT = Context(HmacChance(bytes(32), "drawn"), lambda _seat: 0)


def printed(what: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(what)
    return out.getvalue()


def playthrough() -> Iterator[tuple[State, tuple[object, ...]]]:
    """Every state of a match, with the events that led to it."""
    state = GAME.setup(Options(games=2, max_rounds=30), 2)
    events = GAME.start(state, CONTEXT)
    while True:
        for event in events:
            state = GAME.evolve(state, event)
        yield state, events
        if state.turn is None:
            return
        choice = GAME.legal(state, state.turn)[-1]
        events = GAME.decide(state, state.turn, choice, CONTEXT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_the_own_card_and_the_last_duel_are_drawn(language: str) -> None:
    for state, _ in playthrough():
        deck = state.options.deck
        for viewer in (0, 1):
            view = GAME.view(state, viewer)
            text = printed(draw("quartett", view, NAMES, language))
            known = {view.top, *(view.duels[-1].cards if view.duels else ())}
            shown = {card.id for card in deck.cards if f"{card.id} · {card.title}" in text}
            assert shown == known - {None}


def test_forbidden_categories_are_marked() -> None:
    match = table("ab cd", deck=mini("a 9/3 b 5/5 c 5/2 d 4/7"))
    text = printed(draw("quartett", GAME.view(match.state, 0), NAMES))
    rows = [line for line in text.splitlines() if re.search(r"[12]  (hi|lo)", line)]

    assert ["forbidden" in row for row in rows] == [True, False]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_duel_and_end_is_told_in_each_language(language: str) -> None:
    told = [FACES.tell(event, NAMES, language) for _, events in playthrough() for event in events]
    lines = [line for line in told if line is not None]

    assert len(lines) > 30
    assert not any("{" in line for line in lines)


def test_both_languages_name_the_same_facts() -> None:
    for english, german in QUARTETT.values():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))


@pytest.mark.parametrize("typed", ["2", "lo", " LO "])
def test_a_category_is_named_by_number_id_or_label(typed: str) -> None:
    match = table("abc def")
    view, legal = GAME.view(match.state, 0), GAME.legal(match.state, 0)

    assert FACES.read(typed, view, legal, "en") == Choose("lo")


@pytest.mark.parametrize(
    ("typed", "why"),
    [("", "no category"), ("3", "no category"), ("0", "no category"), ("hi", "forbidden")],
)
def test_what_is_no_choice_is_refused_with_an_explanation(typed: str, why: str) -> None:
    match = table("ab cd", deck=mini("a 9/3 b 5/5 c 5/2 d 4/7"))
    view, legal = GAME.view(match.state, 0), GAME.legal(match.state, 0)

    with pytest.raises(BadInput, match=why):
        FACES.read(typed, view, legal, "en")


def test_texts_of_a_deck_are_shown_and_never_read_as_markup() -> None:
    deck = mini("[/b] 9/3 [red] 9/5 c 5/2 d 4/7")
    state = GAME.setup(Options(deck=deck), 2)
    for event in GAME.start(state, CONTEXT):
        state = GAME.evolve(state, event)
    assert state.turn is not None
    events = GAME.decide(state, state.turn, GAME.legal(state, state.turn)[0], CONTEXT)
    for event in events:
        state = GAME.evolve(state, event)
    out = io.StringIO()
    for line in filter(None, (FACES.tell(event, NAMES, "en") for event in events)):
        Console(file=out, width=100).print(line)

    text = out.getvalue() + printed(draw("quartett", GAME.view(state, 0), NAMES))
    assert "[/b]" in text or "[red]" in text


# Deck files on the command line


def test_a_sound_file_is_told_with_its_hash() -> None:
    checked = decks.check_file(VECTORS / "sample_deck_channel_nil.json")

    assert len(decks.report(checked)) == 1
    assert "channel-nil: 32 cards, 7 categories, sha256 " in decks.report(checked)[0]


def test_the_command_tells_every_problem_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('schema = "quartett-deck/1"\nid = "x"\ntitle = "x"\nlanguage = "en"\n')
    with pytest.raises(SystemExit) as ended:
        cli.main(["deck", str(file)])

    assert ended.value.code == 1
    told = capsys.readouterr().out
    assert "no_categories" in told
    assert "too_few_cards" in told


def test_a_missing_file_is_told_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["deck", str(tmp_path / "none.json")])

    assert ended.value.code == 1
    assert "No such file" in capsys.readouterr().err


def test_warnings_do_not_make_a_deck_unfit() -> None:
    checked = check_content(as_file(mini("a 9/1 b 9/5")))

    assert checked.deck is not None
    assert decks.report(checked)[0].startswith("warning: categories[0]")
