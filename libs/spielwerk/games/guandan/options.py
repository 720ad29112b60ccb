"""The house rules of Guandan (clause 1)."""

from __future__ import annotations

from dataclasses import dataclass

from spielwerk.games.options import check, option


@dataclass(frozen=True, slots=True)
class Options:
    """House rules (clause 1)."""

    end_on_double: bool = option(
        False, "A deal ends as soon as two partners are first and second.", values=(False, True)
    )
    flush_run_as_straight: bool = option(
        False, "Five natural cards of one suit may be an ordinary straight.", values=(False, True)
    )
    flush_wild_as_straight: bool = option(
        True,
        "Cards of one suit completed by wild cards may be an ordinary straight.",
        values=(True, False),
    )
    wild_pair_any_rank: bool = option(
        True,
        "Two wild cards are a pair of any rank; otherwise of the level.",
        values=(True, False),
    )
    return_level_card: bool = option(
        True, "A level card from 2 to 10 that is not wild may be returned.", values=(True, False)
    )
    return_same_card: bool = option(
        True, "The very card that was paid may be returned.", values=(True, False)
    )
    return_private: bool = option(
        False, "Only the two seats concerned see a returned card.", values=(False, True)
    )
    ace_declarer_only: bool = option(
        False, "Only the team whose ace is being played can win the match.", values=(False, True)
    )
    ace_fail_limit: int = option(
        0,
        "After so many failed attempts at the ace a team falls back to 2; 0: never.",
        values=(0,),
        minimum=1,
        maximum=9,
    )
    max_deals: int = option(
        0,
        "The match ends after so many deals, the higher level wins; 0: no limit.",
        values=(0,),
        minimum=1,
        maximum=100,
    )
    move_seconds: int = option(
        60, "Seconds for a play; 0: none.", values=(0,), minimum=5, maximum=600, practice=0
    )
    return_seconds: int = option(
        30, "Seconds to return a card; 0: none.", values=(0,), minimum=5, maximum=600, practice=0
    )
    pause_seconds: int = option(
        10, "Seconds until the next deal; 0: no limit.", values=(0,), minimum=1, maximum=120
    )

    def __post_init__(self) -> None:
        """Refuse values outside the table with BadOptions."""
        check(self)
