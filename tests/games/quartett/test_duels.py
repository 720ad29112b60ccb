"""Clauses 3 and 4: choices, duels, ties, and what is forbidden."""

from __future__ import annotations

import pytest

from games.quartett.scripted import SAMPLE, Match, chooser_of, mini, table
from spielwerk.chance import HmacChance
from spielwerk.errors import Illegal
from spielwerk.games.game import Context, Resign, TimeOut
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.comparing import Forbid, allowed, forbidden
from spielwerk.games.quartett.messages import Choose, Duel
from spielwerk.games.quartett.options import Options


def duels(match: Match) -> list[Duel]:
    return [event for event in match.events if isinstance(event, Duel)]


# 3 Choice and duel


def test_3_1_both_top_cards_are_shown_and_compared() -> None:
    (duel, *_) = table("abc def").choose("hi")

    assert isinstance(duel, Duel)
    assert (duel.round, duel.chooser, duel.category) == (1, 0, "hi")
    assert duel.cards == ("a", "d")
    assert [value.number for value in duel.values] == [9, 4]
    assert (duel.winner, duel.auto) == (0, False)


def test_3_2_in_some_categories_the_lower_value_wins() -> None:
    match = table("bca efd")
    match.choose("lo")

    assert duels(match)[0].winner == 0  # 5 beats 7


def test_3_3_the_winner_puts_his_own_card_then_the_other_under_his_stack() -> None:
    match = table("abc def")
    match.choose("hi")
    assert match.state.stacks[0].cards == tuple("bcad")
    match.choose("lo")
    assert match.state.stacks[0].cards == tuple("cadbe")


def test_3_3_the_winner_is_on_turn_next_even_if_he_did_not_choose() -> None:
    match = table("dbc aef")
    match.choose("hi")

    assert match.state.turn == 1
    assert duels(match)[0].gained == ("a", "d")


def test_3_4_a_tie_fills_the_pot_chooser_first_and_the_challenged_chooses() -> None:
    match = table("abc edf", first=1)
    match.choose("hi")

    assert match.state.pot == ("e", "a")
    assert match.state.turn == 0
    assert (duels(match)[0].winner, duels(match)[0].gained) == (None, ())


def test_3_4_the_pot_goes_to_the_next_winner_oldest_first() -> None:
    match = table("abc edf")
    match.choose("hi", "hi")

    assert match.state.stacks[0].cards == tuple("cbdae")
    assert match.state.pot == ()
    assert match.state.turn == 0


def test_3_4_three_ties_in_a_row_alternate_the_chooser_and_the_pot_keeps_their_order() -> None:
    deck = mini("a 5/1 b 5/2 c 5/3 d 5/4 e 5/5 f 5/6 g 9/7 h 1/8 i 2/9 j 3/9")
    match = table("acegi bdfhj", deck=deck)
    match.choose("hi", "hi", "hi")
    assert match.state.pot == tuple("abdcef")

    match.choose("hi")
    assert chooser_of(match.events)[1:] == [(1, 2), (0, 3), (1, 4), (0, 5)]
    assert duels(match)[-1].gained == ("g", "h", *"abdcef")


def test_3_5_nobody_can_do_more_than_choose_and_resign_whatever_is_left() -> None:
    assert GAME.commands == (Choose, Resign, TimeOut)
    match = table("abc def")  # three cards: the one on top is played all the same

    assert GAME.view(match.state, 0).top == "a"
    assert GAME.legal(match.state, 0) == (Choose("hi"), Choose("lo"))


@pytest.mark.parametrize(
    ("seat", "category", "reason"),
    [
        (1, "hi", "not_your_turn"),
        (1, "size", "not_your_turn"),
        (0, "size", "unknown_category"),
        (0, "", "unknown_category"),
        (2, "hi", "not_a_player"),
        (None, "hi", "not_a_player"),
    ],
)
def test_3_6_a_refused_choice_names_the_first_reason(
    seat: int | None, category: str, reason: str
) -> None:
    match = table("abc def")
    before = match.state

    with pytest.raises(Illegal) as refused:
        match.give(seat, Choose(category))
    assert refused.value.reason == reason
    assert match.state == before


def test_3_6_after_the_end_nothing_is_accepted() -> None:
    match = table("a dbc", forbid=Forbid.NONE)
    match.give(0, Resign())

    for command in (Choose("hi"), Resign()):
        with pytest.raises(Illegal, match="game over"):
            match.give(0, command)


def test_3_6_before_the_deal_nobody_is_on_turn() -> None:
    context = Context(HmacChance(bytes(32), "m"), lambda _: 0)
    with pytest.raises(Illegal, match="not your turn"):
        GAME.decide(GAME.setup(Options(), 2), 0, Choose("eggs"), context)


# 4 Forbidden categories (4.6 is a pitfall: H4 and its clip length)


def test_4_1_the_only_best_value_is_forbidden_whichever_end_wins() -> None:
    deck = mini("a 9/3 b 5/5 c 5/2 d 4/7")

    assert forbidden(deck, deck.card("a"), Forbid.BEST) == ("hi",)
    assert forbidden(deck, deck.card("c"), Forbid.BEST) == ("lo",)


def test_4_2_shared_best_and_only_worst_values_are_allowed() -> None:
    deck = mini()

    assert forbidden(deck, deck.card("a"), Forbid.BEST) == ()  # e has 9, c has 3
    assert forbidden(deck, deck.card("d"), Forbid.BEST) == ()  # 4 is the only worst


def test_4_2_the_sample_deck_forbids_what_its_values_say() -> None:
    banned = {
        card.id: forbidden(SAMPLE, card, Forbid.BEST)
        for card in SAMPLE.cards
        if forbidden(SAMPLE, card, Forbid.BEST)
    }

    assert banned == {
        "A4": ("first_broadcast",),
        "G1": ("individual",),
        "H4": ("clip_length", "performer_presence"),
        "C1": ("frequency",),
        "E3": ("eggs",),
    }


def test_4_3_cards_in_the_pot_and_in_the_other_stack_count_as_before() -> None:
    match = table("afb ecd")
    match.choose("hi")  # a and e, the two nines, are in the pot

    assert match.state.pot == ("a", "e")
    assert GAME.view(match.state, 0).top == "f"
    assert GAME.view(match.state, 0).forbidden == ()  # 8 is the best in the stacks only


def test_4_4_a_card_whose_categories_are_all_forbidden_may_choose_any() -> None:
    deck = mini("a 9/1 b 5/5 c 5/6 d 4/7")
    match = table("ab cd", deck=deck)

    view = GAME.view(match.state, 0)
    assert (view.forbidden, view.allowed) == (("hi", "lo"), ("hi", "lo"))
    assert match.choose("lo")


@pytest.mark.parametrize(
    ("forbid", "banned"),
    [(Forbid.BEST, ("hi",)), (Forbid.EXTREME, ("hi", "lo")), (Forbid.NONE, ())],
)
def test_4_5_the_option_widens_or_lifts_the_ban(forbid: Forbid, banned: tuple[str, ...]) -> None:
    deck = mini("a 9/8 b 5/5 c 5/6 d 4/7")

    assert forbidden(deck, deck.card("a"), forbid) == banned
    assert allowed(deck, deck.card("c"), forbid) == ("hi", "lo")
