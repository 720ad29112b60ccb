"""What the bots of Skat choose, and that the choice can be computed again."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from itertools import permutations

import pytest

from games.skat.scripted import F, M, Match, R, card, cards, dealt, table
from spielwerk.chance import HmacChance
from spielwerk.games.skat import GAME
from spielwerk.games.skat.bots import BOTS
from spielwerk.games.skat.bots.declaring import limit, plans
from spielwerk.games.skat.bots.guessing import guesses
from spielwerk.games.skat.bots.hearing import heard_of
from spielwerk.games.skat.bots.judging import (
    logit_of,
    null_danger,
    permille,
    prospect,
    run_of,
)
from spielwerk.games.skat.bots.maxims import lay
from spielwerk.games.skat.bots.playout import World, legal_of, play_out
from spielwerk.games.skat.bots.sight import sight_of
from spielwerk.games.skat.bots.solving import Solver
from spielwerk.games.skat.bots.spaces import ALL, bits_of, points_in, space_of
from spielwerk.games.skat.bots.stakes import Stakes
from spielwerk.games.skat.cards import (
    PACK,
    STRENGTH,
    Cards,
    ContractType,
    playable,
    points_of,
    winning_place,
)
from spielwerk.games.skat.commands import (
    Announce,
    Bid,
    Command,
    Discard,
    Hold,
    Pass,
    Play,
    TakeSkat,
)
from spielwerk.games.skat.model import Contract, Phase
from spielwerk.games.skat.options import NullBelowBid, Options
from spielwerk.games.skat.scoring import Reached, judge
from spielwerk.testing.chance import FixedChance
from spielwerk.testing.pairings import play_match

STRONG = "CJ SJ HJ CA CT CK C9 SA HA D7"
WEAK = "SK SQ S9 HK HQ H9 DK DQ D9 CT"


def chance(number: int = 0) -> HmacChance:
    return HmacChance(hashlib.sha256(f"test {number}".encode()).digest(), "match")


def choice(match: Match, strength: str, number: int = 0) -> Command:
    seat = match.on_turn
    view, legal = GAME.view(match.state, seat), GAME.legal(match.state, seat)
    return BOTS[strength].choose(view, legal, chance(number))


# Declaring


@pytest.mark.parametrize("strength", BOTS)
def test_every_bot_bids_on_a_strong_hand_and_passes_a_weak_one(strength: str) -> None:
    assert choice(dealt({M: STRONG}), strength) == Bid(18)
    assert choice(dealt({M: WEAK}), strength) == Pass()


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_a_strong_hand_holds_and_goes_higher_up_to_its_worth(strength: str) -> None:
    match = dealt({F: STRONG}).auction([(M, 48)])
    assert choice(match, strength) == Hold()
    assert choice(dealt({F: STRONG}).auction([(M, 198)]), strength) == Pass()


def test_a_beginner_never_goes_beyond_18() -> None:
    match = dealt({M: STRONG}).auction([(M, 18), (F, "hold")])
    assert choice(match, "beginner") == Pass()


def test_the_limit_is_the_value_of_the_best_game_that_promises_enough() -> None:
    assert limit(cards(STRONG), forehand=True, least=0) == 96  # Grand with 3
    assert limit(cards(WEAK), forehand=True, least=0) == 0


def test_a_safe_null_hand_bids_46() -> None:
    assert limit(cards("C7 C8 C9 S7 S8 S9 H7 H8 D7 D8"), forehand=False, least=0) >= 46


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_a_game_that_covers_the_bid_is_preferred(strength: str) -> None:
    """Diamonds would be safe, but only Clubs and Grand cover the bid."""
    match = dealt({M: "CJ SJ DA DT DK DQ CA CT CK SA"}, "S7 H7").won_by(M, 36)
    match.act(TakeSkat())
    match.act(choice(match, strength))
    said = choice(match, strength)
    assert isinstance(said, Announce)
    assert said.type in (ContractType.CLUBS, ContractType.GRAND)


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_neither_jacks_nor_aces_are_laid_away_without_need(strength: str) -> None:
    match = dealt({M: STRONG}, "H7 S7").won_by(M)
    match.act(TakeSkat())
    away = choice(match, strength)
    assert isinstance(away, Discard)
    assert not set(away.cards) & set(cards("CJ SJ HJ CA CT SA HA"))


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_a_null_game_below_the_bid_is_not_announced_where_it_would_be_accepted(
    strength: str,
) -> None:
    options = {"null_below_bid": NullBelowBid.ISKO}
    match = dealt({M: "C7 C8 C9 S7 S8 S9 H7 H8 D7 D8"}, "CJ SJ", **options).won_by(M, 48)
    match.act(TakeSkat())
    match.act(Discard(cards("CJ SJ")))
    said = choice(match, strength)
    assert isinstance(said, Announce)
    assert said.type is not ContractType.NULL


def test_the_best_plan_promises_most() -> None:
    ranked = plans((*cards(STRONG), *cards("H7 S7")), 18, forehand=True)
    assert len(ranked) >= 5 * 66
    assert [plan.prospect for plan in ranked] == sorted(
        (plan.prospect for plan in ranked), reverse=True
    )


def test_a_sure_hand_game_is_played_in_hand() -> None:
    match = dealt({M: "CJ SJ HJ DJ CA CT CK CQ C9 C8"}).won_by(M)
    said = choice(match, "normal")
    assert isinstance(said, Announce)
    assert said.type in (ContractType.CLUBS, ContractType.GRAND)


# Judging


def test_the_logistic_curve_rises_from_one_to_99_per_cent() -> None:
    curve = [permille(logit) for logit in range(-600, 601)]
    assert curve == sorted(curve)
    assert (curve[0], curve[600], curve[-1]) == (10, 500, 990)


def test_a_game_worth_24_pays_from_about_two_of_three_wins_on() -> None:
    assert prospect(24, 24, 660) > 0 > prospect(24, 24, 640)


@pytest.mark.parametrize("kind", [kind for kind in ContractType if kind is not ContractType.NULL])
def test_more_trumps_and_aces_are_better(kind: ContractType) -> None:
    space = space_of(kind)
    weak, strong = (space.mask(cards(text)) for text in (WEAK, STRONG))
    if kind in (ContractType.CLUBS, ContractType.GRAND):
        assert logit_of(space, strong, 0, forehand=True) > logit_of(space, weak, 0, forehand=True)


@pytest.mark.parametrize(
    ("held", "danger"),
    [("C7 C9 CJ CK", (0, 0)), ("C8", (1, 1)), ("CA", (7, 7)), ("C7 CA", (5, 5)), ("", (0, 0))],
)
def test_a_null_suit_is_as_dangerous_as_its_worst_card(held: str, danger: tuple[int, int]) -> None:
    space = space_of(ContractType.NULL)
    clubs = space.suit[space.bit[card("C7")]]
    assert null_danger(space.mask(cards(held)), clubs) == danger


@pytest.mark.parametrize(("held", "run"), [("CJ SJ HJ", 3), ("HJ", 2), ("C7", 10), ("CJ HJ", 1)])
def test_matadors_are_counted_as_the_rules_do(held: str, run: int) -> None:
    space = space_of(ContractType.CLUBS)
    assert run_of(space, space.mask(cards(held))) == run


# Bits


@pytest.mark.parametrize("kind", ContractType)
def test_bits_know_the_same_legal_cards_and_winners_as_the_rules(kind: ContractType) -> None:
    rng, space = random.Random(kind.value), space_of(kind)
    for _ in range(300):
        drawn = rng.sample(PACK, 13)
        trick, hand = tuple(drawn[:3]), tuple(drawn[3:])
        led = [space.bit[trick[0]]]
        assert set(space.held(legal_of(space, space.mask(hand), led))) == set(
            playable(kind, hand, trick[:1])
        )
        counting = space.suit[led[0]] | space.trump
        best = max(trick, key=lambda one: space.bit[one] & counting)
        assert best == trick[winning_place(kind, trick)]
        assert points_in(space, space.mask(hand)) == points_of(hand)


@pytest.mark.parametrize("kind", ContractType)
def test_higher_bits_are_higher_cards_of_each_group(kind: ContractType) -> None:
    space = space_of(kind)
    assert space.mask(PACK) == ALL
    for suit in (*space.sides, space.trump):
        held = space.held(suit)
        assert list(held) == sorted(held, key=STRENGTH[kind].__getitem__)


def deal_of(rng: random.Random, kind: ContractType, size: int) -> World:
    space = space_of(kind)
    drawn = rng.sample(PACK, 3 * size + 2)
    hands = [space.mask(drawn[size * seat : size * (seat + 1)]) for seat in range(3)]
    aside = space.mask(drawn[3 * size :])
    return World((hands[0], hands[1], hands[2]), aside, rng.randrange(3), rng.randrange(3))


@pytest.mark.parametrize("kind", ContractType)
def test_playing_out_lays_every_card_and_counts_every_point(kind: ContractType) -> None:
    rng, space = random.Random(f"out {kind.value}"), space_of(kind)
    for _ in range(100):
        world = deal_of(rng, kind, 10)
        points, tricks, defender_tricks = play_out(space, world)
        assert 0 <= points + points_in(space, world.aside) <= 120
        assert tricks + defender_tricks == 10 or (kind is ContractType.NULL and tricks == 1)


def by_brute_force(kind: ContractType, world: World) -> int:
    """What the declarer still gets if all play as well as possible, without any cleverness."""
    space = space_of(kind)
    null = kind is ContractType.NULL

    def best(hands: tuple[Cards, ...], leader: int, trick: Cards) -> int:
        seat = (leader + len(trick)) % 3
        if not hands[seat]:
            return 0
        values = []
        for one in playable(kind, hands[seat], trick):
            left = tuple(
                tuple(c for c in hand if c != one) if s == seat else hand
                for s, hand in enumerate(hands)
            )
            laid = (*trick, one)
            if len(laid) < 3:
                values.append(best(left, leader, laid))
                continue
            winner = (leader + winning_place(kind, laid)) % 3
            mine = winner == world.declarer
            gained = (1 if null else points_of(laid)) if mine else 0
            values.append(1 if null and mine else gained + best(left, winner, ()))
        return max(values) if seat == world.declarer else min(values)

    return best(tuple(space.held(hand) for hand in world.hands), world.leader, ())


@pytest.mark.parametrize("kind", ContractType)
@pytest.mark.parametrize("seed", range(6))
def test_the_solver_finds_what_brute_force_finds(kind: ContractType, seed: int) -> None:
    space = space_of(kind)
    world = deal_of(random.Random(f"solve {kind.value} {seed}"), kind, 3)
    solver = Solver(space, world.declarer)
    legal = bits_of(legal_of(space, world.hands[world.leader], ()))
    values = [solver.after(world, bit) for bit in legal]
    best = max(values) if world.leader == world.declarer else min(values)
    assert best == by_brute_force(kind, world)


@pytest.mark.parametrize("text", ["C", "C hand", "C hand schneider", "G hand schneider schwarz"])
@pytest.mark.parametrize("points", [0, 30, 31, 60, 61, 89, 90, 120])
@pytest.mark.parametrize("bid", [18, 50])
def test_stakes_are_what_the_rules_score(text: str, points: int, bid: int) -> None:
    kind, *said = text.split()
    contract = Contract(ContractType(kind), "hand" in said, "schneider" in said, "schwarz" in said)
    space, twelve = space_of(contract.type), cards("CJ HJ CA S7 S8 S9 H7 H8 H9 D7 D8 D9")
    tricks = {0: (0, 10), 120: (10, 0)}.get(points, (5, 5))
    verdict = judge(contract, bid, twelve, Reached(points, 120 - points, *tricks))
    settled = 100 * (verdict.list_score + (50 if verdict.won else -90))
    worth = Stakes(space, contract, bid).worth(1, points, *tricks)
    assert worth == settled + 40 * points


# Maxims


def laid(kind: str, hand: str, trick: str, declarer_place: int) -> str:
    space = space_of(ContractType(kind))
    held = space.mask(cards(hand))
    on_table = tuple(space.bit[one] for one in cards(trick))
    unseen = ALL & ~held & ~sum(on_table)
    bit = lay(space, held, on_table, unseen, declarer_place)
    return str(space.card(bit))[::-1]


@pytest.mark.parametrize(
    ("kind", "hand", "trick", "declarer_place", "expected"),
    [
        pytest.param("C", "CJ SJ CA C7 D7", "", 0, "CJ", id="the declarer draws trumps"),
        pytest.param("G", "CA HT H7", "C7 S8", 2, "CA", id="the last takes it with points"),
        pytest.param("C", "HT H7 D9", "HA H8", 1, "HT", id="points to the partner's trick"),
        pytest.param("C", "HT H7 D9", "H8 HA", 1, "H7", id="no points to the declarer's"),
        pytest.param("C", "CT C7 D9 DA", "HA H8", 0, "CT", id="a ten takes the declarer's ace"),
        pytest.param("C", "HA H7 D9", "H8", 2, "HA", id="an ace in the middle"),
        pytest.param("C", "CJ D7 DA", "H7 H8", 2, "D7", id="no jack for nothing"),
    ],
)
def test_the_usual_maxims(
    kind: str, hand: str, trick: str, declarer_place: int, expected: str
) -> None:
    assert laid(kind, hand, trick, declarer_place) == expected


def test_null_stays_below_if_it_can() -> None:
    match = table("N", {F: "C9", M: "C7 C8 CA", R: "CT"})
    match.play("C9")
    assert choice(match, "normal") == Play(card("C8"))


# Guessing


def guessing() -> tuple[Match, int]:
    match = table("C", {F: "H7 H8", M: "CJ CA CT CK H9 S7 S8 D7 D8 D9", R: "SA ST S9 SK C7 C8 C9"})
    match.play("H7", "H9")
    match.act(Play(next(c.card for c in GAME.legal(match.state, R) if isinstance(c, Play))))
    return match, match.on_turn


def test_guessed_deals_agree_with_all_that_is_seen() -> None:
    match, seat = guessing()
    view = GAME.view(match.state, seat)
    sight = sight_of(view)
    for guess in guesses(view, sight, chance(), 30):
        hands = guess.world.hands
        assert [hand.bit_count() for hand in hands] == list(view.hand_counts)
        assert hands[seat] == sight.hand
        together = hands[0] | hands[1] | hands[2] | guess.world.aside | sight.gone
        assert together == ALL


def test_who_did_not_follow_has_none_in_any_guess() -> None:
    match = table(
        "G",
        {F: "H7 SA", M: "CJ SJ HJ DJ CA CT S7 S8 S9 D7", R: "C7 C8 C9 D8 D9 DQ DK DT DA CQ"},
        skat="CK HA",
    )
    match.play("H7", "D7", "DA")
    assert match.on_turn == F
    view = GAME.view(match.state, F)
    sight = sight_of(view)
    hearts = sight.space.suit[sight.space.bit[card("H7")]]
    for guess in guesses(view, sight, chance(), 40):
        assert not guess.world.hands[M] & hearts
        assert not guess.world.hands[R] & hearts


def test_the_declarer_knows_what_it_laid_away() -> None:
    match = table("C", {M: STRONG}, skat="H7 S7", away="D7 H7")
    match.play_some_card()
    view = GAME.view(match.state, M)
    sight = sight_of(view)
    assert {guess.world.aside for guess in guesses(view, sight, chance(), 10)} == {
        sight.space.mask(cards("D7 H7"))
    }


def test_open_cards_are_not_guessed() -> None:
    match = table("N ouvert", {M: "C7 C8 C9 S7 S8 S9 H7 H8 D7 D8"})
    view = GAME.view(match.state, F)
    sight = sight_of(view)
    for guess in guesses(view, sight, chance(), 10):
        assert guess.world.hands[M] == sight.exposed


def test_the_words_of_the_auction_tell_what_a_seat_may_hold() -> None:
    match = dealt().auction([(M, 18), (F, "hold"), (M, 20), (F, "pass"), (R, "pass")])
    view = GAME.view(match.state, M)
    forehand, rearhand = heard_of(view, F), heard_of(view, R)
    assert (forehand.said, forehand.refused) == (18, 22)
    assert rearhand.said == 0
    assert rearhand.contradictions(cards(STRONG), forehand=False) == 1
    assert rearhand.contradictions(cards(WEAK), forehand=False) == 0
    assert forehand.contradictions(cards(WEAK), forehand=True) == 1


# Whole matches


@pytest.mark.parametrize("strength", ["beginner", "normal"])
@pytest.mark.parametrize(
    "options", [Options(series_length=9), Options(series_length=9, claims=True, early_end=False)]
)
def test_a_bot_gives_only_legal_commands(strength: str, options: Options) -> None:
    """A refused command would end the match with Illegal."""
    played = play_match(GAME, options, [BOTS[strength]] * 3, bytes(32), "m1")
    assert played.result.reason == "completed"


def test_the_expert_gives_only_legal_commands() -> None:
    played = play_match(GAME, Options(series_length=3), [BOTS["expert"]] * 3, bytes(32), "m1")
    assert played.result.reason == "completed"


def test_a_bot_sees_no_more_than_its_view() -> None:
    """Other cards in hidden places, the same choice."""
    hands = {M: STRONG}
    worlds = [dealt(hands, skat) for skat in ("H7 S7", "DK DQ")]
    for strength in BOTS:
        assert len({str(choice(match, strength)) for match in worlds}) == 1


@pytest.mark.parametrize("phase", [Phase.SKAT, Phase.DISCARD, Phase.ANNOUNCE, Phase.PLAY])
def test_the_order_of_the_legal_commands_does_not_matter(phase: Phase) -> None:
    match = dealt({M: STRONG}, "H7 S7").won_by(M)
    while match.state.phase is not phase:
        match.act(choice(match, "normal"))
    view, legal = GAME.view(match.state, match.on_turn), GAME.legal(match.state, match.on_turn)
    for order in [legal, legal[::-1], *list(permutations(legal[:3]))[:2]]:
        if len(order) == len(legal):
            assert BOTS["normal"].choose(view, order, FixedChance()) == choice(match, "normal")


PRINTS_A_MATCH = """
from spielwerk.games.skat import GAME
from spielwerk.testing.pairings import play_match
bots = [GAME.bots[name] for name in ("expert", "normal", "beginner")]
played = play_match(GAME, GAME.options(series_length=3), bots, bytes(32), "m1")
print([(decision.seat, decision.command) for decision in played.decisions])
"""


def test_the_same_seed_gives_the_same_choices_under_any_hash_seed() -> None:
    runs = {_output_of(PRINTS_A_MATCH, hash_seed) for hash_seed in ("0", "4242")}
    assert len(runs) == 1
    assert "Play" in runs.pop()


def _output_of(program: str, hash_seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout
