"""The tournament of bots, whatever the game: seats, shares and figures that can be repeated."""

from __future__ import annotations

from collections import Counter

import pytest

from spielwerk.games.game import Result, Standing
from spielwerk.games.registry import newest
from spielwerk.testing.pairings import (
    Pairing,
    compare,
    parse_options,
    percentile,
    points_by_side,
    seatings_of,
    share_of_first,
)
from spielwerk.testing.tournament import main

CRIBBAGE = Pairing("cribbage", "normal", "beginner", options={"target": "61"})


def result(*winners: int, seats: int) -> Result:
    standings = tuple(
        Standing(seat, 1 if seat in winners else 2, seat in winners, 0, 0, 1)
        for seat in range(seats)
    )
    return Result("finished", standings)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_strength_has_every_seat_equally_often(seats: int) -> None:
    seatings = seatings_of(seats)
    for seat in range(seats):
        sides = Counter(seating[seat] for seating in seatings)
        assert sides[0] == sides[1]


def test_partners_across_the_table_have_one_strength() -> None:
    assert seatings_of(4) == ((0, 1, 0, 1), (1, 0, 1, 0))


def test_a_shared_win_is_split_and_a_game_without_winner_is_a_half() -> None:
    assert share_of_first(result(1, seats=2), (1, 0)) == 1
    assert share_of_first(result(1, seats=2), (0, 1)) == 0
    assert share_of_first(result(0, 2, seats=4), (0, 1, 0, 1)) == 1
    assert share_of_first(result(0, 1, seats=2), (0, 1)) == 0.5
    assert share_of_first(result(seats=2), (0, 1)) == 0.5


def test_options_are_read_from_texts() -> None:
    game = newest("cribbage")
    texts = {"target": "61", "auto_go": "false", "games_to_win": "3", "first_dealer": "seat_1"}
    options = parse_options(game, texts)
    assert options == game.options(
        target=61, auto_go=False, games_to_win=3, first_dealer=options.first_dealer
    )
    assert options.first_dealer.value == "seat_1"


def test_a_seed_gives_the_same_figures_for_any_number_of_processes() -> None:
    alone, together = (compare(CRIBBAGE, 20, seed=1, processes=number) for number in (1, 2))
    assert (alone.games, alone.share, alone.error) == (
        together.games,
        together.share,
        together.error,
    )


def test_games_are_rounded_up_to_whole_deals_and_reported_as_they_end() -> None:
    finished: list[int] = []
    comparison = compare(CRIBBAGE, 9, seed=1, progress=finished.append)
    assert comparison.games == sum(finished) == 10


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(value) for value in range(1, 101)]
    assert (percentile(values, 50), percentile(values, 99)) == (51.0, 100.0)


def test_the_command_prints_a_line_for_each_pairing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["cribbage", "--games", "2", "--option", "target=61", "--seed", "5"])
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("expert - normal", "expert - beginner"))
    assert "normal - beginner" in printed


def test_the_points_of_a_match_are_counted_a_game_and_by_strength() -> None:
    standings = tuple(
        Standing(seat, seat + 1, seat == 0, 0, rank_n, 3)
        for seat, rank_n in enumerate((90_000, 30_000, -60_000))
    )
    sides = points_by_side(Result("completed", standings), (0, 1, 0))
    assert sides == ([30, -20], [10])


def test_the_margin_of_a_strength_against_itself_is_none() -> None:
    even = compare(Pairing("cribbage", "beginner", "beginner", options={"target": "61"}), 4, seed=3)
    assert even.margin == 0
