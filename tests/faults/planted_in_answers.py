"""Faults in what clients were told and shown."""

from __future__ import annotations

from dataclasses import replace

from faults.history import Invocation, Outcome
from faults.planting import planted
from faults.recorded import Run

# What became of commands


@planted("lost")
def an_acknowledged_command_is_not_in_the_log(run: Run) -> None:
    one = run.asked("submit")[5]
    run.history.invocations.append(replace(one, command_id="0" * 16))


@planted("lost")
def a_command_whose_id_was_left_to_the_client_is_of_another_seat(run: Run) -> None:
    one = run.asked("submit")[5]
    one.command_id, one.seat = "", 1 - (one.seat or 0)


@planted("lost")
def a_command_stands_for_another_seat(run: Run) -> None:
    one = run.asked("submit")[5]
    one.seat = 1 - (one.seat or 0)


@planted("lost")
def a_join_is_not_where_it_was_acknowledged(run: Run) -> None:
    run.asked("join")[1].version = 2


@planted("reordered")
def a_command_was_acknowledged_at_another_version(run: Run) -> None:
    one = run.asked("submit")[3]
    one.version = (one.version or 0) + 1


@planted("reordered")
def a_later_command_of_the_seat_stands_before_an_earlier_one(run: Run) -> None:
    mine = [one for one in run.asked("submit")[:20] if one.seat == 0]
    earlier, later = mine[1], mine[3]
    for name in ("asked_at", "answered_at"):
        first, second = getattr(earlier, name), getattr(later, name)
        setattr(earlier, name, second)
        setattr(later, name, first)


# Refusals


@planted("false_refusals")
def a_refused_command_is_in_the_log(run: Run) -> None:
    one = run.asked("submit")[5]
    one.outcome, one.version, one.reason = Outcome.REFUSED, None, "stale_turn"


@planted("false_refusals")
def a_turn_that_was_open_is_called_stale(run: Run) -> None:
    refused_before(run, status="FAILED_PRECONDITION", reason="stale_turn")


@planted("false_refusals")
def a_seat_whose_turn_it_was_is_told_that_it_is_not(run: Run) -> None:
    refused_before(run, status="FAILED_PRECONDITION", reason="not_your_turn")


@planted("false_refusals")
def a_running_match_is_called_over(run: Run) -> None:
    refused_before(run, status="FAILED_PRECONDITION", reason="match_over")


@planted("false_refusals")
def a_running_match_is_called_not_started(run: Run) -> None:
    refused_before(run, status="FAILED_PRECONDITION", reason="not_started")


@planted("false_refusals")
def a_player_is_told_that_there_is_no_such_match(run: Run) -> None:
    refused_before(run, status="PERMISSION_DENIED", reason="no_such_match")


# What clients were shown


@planted("stale_reads")
def a_view_is_older_than_an_acknowledgement(run: Run) -> None:
    one = run.asked("view")[1]
    one.version = (one.version or 0) - 1


@planted("stale_reads")
def a_history_ends_before_what_the_client_had_read(run: Run) -> None:
    one = run.asked("history")[-1]
    one.version = (run.asked("history")[-2].version or 0) - 1


@planted("stale_reads")
def a_view_shows_what_the_log_never_had(run: Run) -> None:
    one = run.asked("view")[-1]
    one.version = (one.version or 0) + 1


@planted("watch_gaps")
def a_stream_skips_a_version(run: Run) -> None:
    del run.history.watches[2].versions[7]


@planted("watch_gaps")
def a_stream_gives_a_version_twice(run: Run) -> None:
    versions = run.history.watches[2].versions
    versions.insert(7, versions[7])


@planted("watch_gaps")
def a_stream_gives_versions_in_another_order(run: Run) -> None:
    versions = run.history.watches[2].versions
    versions[7], versions[8] = versions[8], versions[7]


@planted("watch_gaps")
def a_stream_begins_after_the_version_it_should_go_on_with(run: Run) -> None:
    del run.history.watches[1].versions[0]


@planted("watch_gaps")
def a_viewer_misses_versions_between_two_streams(run: Run) -> None:
    resumed = run.history.watches[1]
    resumed.resumed_after = resumed.versions.pop(0)


@planted("watch_gaps")
def a_later_snapshot_is_older_than_what_was_seen(run: Run) -> None:
    later = run.history.watches[1]
    later.versions[0:0] = [later.versions[0] - 2, later.versions[0] - 1]
    later.resumed_after = None


@planted("watch_gaps")
def a_stream_shows_what_the_log_never_had(run: Run) -> None:
    versions = run.history.watches[2].versions
    versions.append(versions[-1] + 1)


@planted("watch_gaps")
def a_stream_ends_as_complete_before_the_last_version(run: Run) -> None:
    run.history.watches[2].versions.pop()


# Meetings


@planted("double_booking")
def a_match_comes_of_a_cancelled_ticket(run: Run) -> None:
    cancelled = run.asked("cancel")[0].ticket_id
    next(p for p in run.history.pairings if p.player_id == "bob").ticket_id = cancelled


@planted("double_booking")
def a_match_comes_of_no_ticket(run: Run) -> None:
    mine = [one for one in run.asked("enqueue") if one.ticket_id == "bob 1"]
    run.history.invocations.remove(mine[0])


@planted("double_booking")
def a_player_is_told_of_a_match_that_the_log_does_not_have(run: Run) -> None:
    run.history.pairings[0].match_id = "01m3250v02eemvxx4sqftds97k"


# Boards


@planted("boards")
def a_board_counts_a_result_twice(run: Run) -> None:
    rank, player, n_milli, games = run.boards[0].rows[0]
    rows = ((rank, player, 2 * n_milli, games + 1), *run.boards[0].rows[1:])
    run.boards[0] = replace(run.boards[0], rows=rows)


@planted("boards")
def a_rebuilt_board_misses_a_player(run: Run) -> None:
    run.boards[1] = replace(run.boards[1], rows=run.boards[1].rows[:-1])


def refused_before(run: Run, *, status: str, reason: str) -> None:
    """A command for a turn that is open, refused between two acknowledged commands."""
    one = run.asked("submit")[6]
    refusal = Invocation(
        **{name: getattr(one, name) for name in one.__dataclass_fields__}
        | {
            "command_id": "0" * 16,
            "asked_at": one.asked_at - 0.2,
            "answered_at": one.asked_at - 0.1,
            "outcome": Outcome.REFUSED,
            "status": status,
            "reason": reason,
            "version": None,
        }
    )
    run.history.invocations.append(refusal)
