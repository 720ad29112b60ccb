"""The score formula: worked examples, vectors, exactness and the order of members."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielwerk.games.game import Aggregate, Ranking
from spielwerk.rankings import order
from spielwerk.rankings.plain import standings
from spielwerk.rankings.score import PLACES, exact_text, score, shown_milli
from spielwerk.rankings.totals import Entry, Total, add, read_total

SKAT = Ranking()
YATZEE = Ranking(k_milli=850, divisor=2)
MAUMAU = Ranking(offset=500, sign=-1, k_milli=1050, divisor=5)
HOUSE = Ranking(k_milli=0, aggregate=Aggregate.MAXIMUM)
RANKINGS = {"skat": SKAT, "yatzee": YATZEE, "maumau": MAUMAU}
VECTOR_FILE = Path(__file__).parents[1] / "games/vectors/rank_score.jsonl"
VECTORS = [
    json.loads(line, parse_float=Decimal, parse_int=Decimal)
    for line in VECTOR_FILE.read_text().splitlines()
]


def milli(number: Decimal) -> int:
    assert number * 1000 == int(number * 1000)
    return int(number * 1000)


def six_places(value: int) -> Decimal:
    return round(Decimal(exact_text(value)), 6)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["id"]))
def test_every_vector_has_its_score(vector: dict[str, Decimal]) -> None:
    ranking = RANKINGS[str(vector["game"])]
    assert six_places(score(ranking, milli(vector["n"]), int(vector["games"]))) == vector["score"]


@pytest.mark.parametrize(
    ("ranking", "n", "games", "expected"),
    [
        (SKAT, 1000, 36, "33.228644"),
        (SKAT, -500, 36, "-16.614322"),
        (YATZEE, 22000, 100, "219.478855"),
        (MAUMAU, 4000, 100, "93.645374"),
        (MAUMAU, 40, 1, "92"),
        (HOUSE, 1234, 77, "1234"),
    ],
)
def test_the_worked_examples_hold(ranking: Ranking, n: int, games: int, expected: str) -> None:
    assert six_places(score(ranking, n * 1000, games)) == Decimal(expected)


def test_no_games_have_no_score() -> None:
    with pytest.raises(ValueError, match="no games"):
        score(SKAT, 0, 0)


def test_a_perfect_power_of_games_is_exact() -> None:
    """(2^20)^0.95 = 2^19."""
    assert exact_text(score(SKAT, 1_000 << 19, 1 << 20)) == "1"


@pytest.mark.parametrize(
    ("n_milli", "text", "shown"),
    [(1, "0.0005", 0), (3, "0.0015", 2), (5, "0.0025", 2), (-3, "-0.0015", -2), (-1, "-0.0005", 0)],
)
def test_scores_are_shown_in_thousandths_with_halves_to_even(
    n_milli: int, text: str, shown: int
) -> None:
    value = score(Ranking(k_milli=0, divisor=2), n_milli, 1)
    assert (exact_text(value), shown_milli(value)) == (text, shown)


@given(st.integers(-(10**9), 10**12), st.integers(1, 10**6))
def test_the_score_is_exact_to_its_last_place(n_milli: int, games: int) -> None:
    """score^20 * G^19 = N^20 for k = 19/20, checked in rationals around the stored value."""
    value = score(SKAT, n_milli, games)
    exact = Fraction(n_milli, 1000) ** 20
    low, high = (Fraction(2 * abs(value) + side, 2 * 10**PLACES) for side in (-1, 1))
    assert max(low, Fraction(0)) ** 20 * games**19 <= exact <= high**20 * games**19


@given(
    st.lists(
        st.tuples(st.integers(-(10**9), 10**12), st.integers(1, 10**6)), min_size=2, max_size=20
    )
)
def test_members_stand_in_the_order_of_score_then_n_then_games(
    pairs: list[tuple[int, int]],
) -> None:
    players = {f"p{number:02d}": Total(*pair) for number, pair in enumerate(pairs)}
    for ranking in (SKAT, YATZEE, MAUMAU, HOUSE):
        names = sorted(
            (order.member(ranking, total, player).encode() for player, total in players.items()),
            reverse=True,
        )
        plain = [row.player_id for row in standings(ranking, players)]
        assert [order.player_of(name.decode()) for name in names] == plain


def test_totals_that_differ_by_a_thousandth_never_look_equal() -> None:
    scores = [
        score(YATZEE, n_milli, games)
        for games in (1, 1_000, 1_000_000)
        for n_milli in range(10**12, 10**12 + 100)
    ]
    for hundred in (scores[:100], scores[100:200], scores[200:]):
        assert all(first < second for first, second in pairwise(hundred))


def test_a_member_gives_back_what_it_was_made_of() -> None:
    for ranking in (SKAT, MAUMAU):
        total = Total(-123_456, 78)
        name = order.member(ranking, total, "anna")
        assert order.score_of(name) == score(ranking, total.n_milli, total.games)
        assert order.n_milli_of(ranking, name) == total.n_milli
        assert (order.games_of(name), order.player_of(name)) == (78, "anna")


def test_totals_beyond_the_range_are_refused() -> None:
    with pytest.raises(OverflowError):
        order.member(HOUSE, Total(1 << 63, 1), "anna")


def test_no_points_in_more_games_is_the_better_zero() -> None:
    rows = standings(
        SKAT, {"a": Total(0, 1), "b": Total(0, 5), "c": Total(0, 5), "d": Total(-1, 9)}
    )
    assert [(row.rank, row.player_id) for row in rows] == [(1, "c"), (1, "b"), (3, "a"), (4, "d")]


def test_fewer_penalty_points_are_better_in_maumau() -> None:
    rows = standings(MAUMAU, {"a": Total(40_000, 1), "b": Total(0, 1), "c": Total(900_000, 1)})
    assert [(row.player_id, shown_milli(row.score)) for row in rows] == [
        ("b", 100_000),
        ("a", 92_000),
        ("c", -80_000),
    ]


def test_sums_add_up_and_maxima_keep_the_best() -> None:
    def entry(n_milli: int) -> Entry:
        return Entry("house_of_cards", "anna", n_milli, 1, 0, {"credits": 3})

    best = add(add(None, entry(700), Aggregate.MAXIMUM), entry(200), Aggregate.MAXIMUM)
    total = add(add(None, entry(700), Aggregate.SUM), entry(200), Aggregate.SUM)
    assert best == Total(700, 2, {"credits": 6})
    assert total == Total(900, 2, {"credits": 6})


def test_ten_thousand_tenths_are_exactly_a_thousand() -> None:
    total: Total | None = None
    for _ in range(10_000):
        total = add(total, Entry("yatzee", "anna", 100, 1, 0), Aggregate.SUM)
    assert total == Total(1_000_000, 10_000)


@given(
    st.integers(-(2**62), 2**62),
    st.integers(0, 2**39),
    st.dictionaries(st.text("abc", min_size=1), st.integers(-(2**62), 2**62)),
)
def test_a_stored_total_reads_back_equal(n: int, games: int, extras: dict[str, int]) -> None:
    total = Total(n, games, extras)
    assert read_total(total.write()) == total
    assert read_total(total.write()).write() == total.write()
