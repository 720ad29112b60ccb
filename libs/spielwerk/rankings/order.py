"""The order of a board as text: the greater the member's bytes, the better the player.

    <score + 2^143: 36 hex digits> <sign * N + 2^63: 16> <G: 10> : <player id>

A sorted set holds doubles, which cannot tell all scores apart; members of equal (double) score it
orders by bytes. So every member has the double 0 and its bytes say everything: score descending,
then the better N, then the larger G. Players with all three equal share a rank and stand in the
order of their ids, which says nothing.
"""

from __future__ import annotations

from typing import Final

from spielwerk.games.game import Ranking
from spielwerk.rankings.score import score
from spielwerk.rankings.totals import Total

KEY_LENGTH: Final = 62
"""Characters of a member before the colon; players with equal ones share a rank."""

_SCORE_SHIFT: Final = 1 << 143
_N_SHIFT: Final = 1 << 63
_GAMES_LIMIT: Final = 1 << 40
_SCORE_END: Final = 36
_N_END: Final = 52


def member(ranking: Ranking, total: Total, player_id: str) -> str:
    """The player's name in a board.

    Raises OverflowError for totals beyond 2^63 thousandths or 2^40 games.
    """
    n = ranking.sign * total.n_milli + _N_SHIFT
    points = score(ranking, total.n_milli, total.games) + _SCORE_SHIFT
    if not (
        0 <= n < 2 * _N_SHIFT and 0 <= points < 2 * _SCORE_SHIFT and total.games < _GAMES_LIMIT
    ):
        raise OverflowError("a total outside the range of rankings")
    return f"{points:036x}{n:016x}{total.games:010x}:{player_id}"


def score_of(member_text: str) -> int:
    """The score (10^-24) in a member's name."""
    return int(member_text[:_SCORE_END], 16) - _SCORE_SHIFT


def n_milli_of(ranking: Ranking, member_text: str) -> int:
    """The total N (thousandths) in a member's name."""
    return ranking.sign * (int(member_text[_SCORE_END:_N_END], 16) - _N_SHIFT)


def games_of(member_text: str) -> int:
    """The number of games in a member's name."""
    return int(member_text[_N_END:KEY_LENGTH], 16)


def player_of(member_text: str) -> str:
    """The player in a member's name."""
    return member_text[KEY_LENGTH + 1 :]


def shared_key(member_text: str) -> str:
    """What players of equal rank have in common."""
    return member_text[:KEY_LENGTH]
