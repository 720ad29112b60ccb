"""Every metric of the platform with its meaning; labels are bounded, never a match or a player."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

_CALL_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_WAIT_SECONDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """All metrics of one process on a registry of its own, so that several can live in one test.

    Labels: `game` is a registry key, `outcome` and `reason` words of the code, `method` a known
    gRPC method, `check` a readiness check. Nothing that a client chooses becomes a label.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._add_rpc()
        self._add_matches()
        self._add_log()
        self._add_timer()
        self._add_matchmaking()
        self._add_scoring()
        self._add_bots()
        self._add_accounts()

    @contextmanager
    def served(self, address: str, port: int) -> Iterator[int | None]:
        """The Prometheus page over HTTP; yields its port, or None for port 0 (no page)."""
        if not port:
            yield None
            return
        server, thread = start_http_server(port, address, registry=self.registry)
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def value(self, name: str, **labels: str) -> float:
        """The present value of a sample, 0 if there is none yet."""
        return self.registry.get_sample_value(name, labels) or 0.0

    def _add_rpc(self) -> None:
        self.calls = self._counter("rpc_calls", "Calls ended, by status code.", "method", "code")
        self.call_seconds = self._histogram(
            "rpc_seconds", "Time of unary calls in the server.", _CALL_SECONDS, "method"
        )
        self.streams = self._gauge("rpc_streams", "Streams open now.", "method")
        self.limited = self._counter(
            "rpc_limited", "Calls refused at a limit, and commands held back.", "reason"
        )
        self.ready = self._gauge("ready", "1 if this readiness check passes.", "check")

    def _add_matches(self) -> None:
        self.commands = self._counter(
            "commands", "Commands of seats: accepted, repeated, refused or unclear.", "outcome"
        )
        self.matches_opened = self._counter("matches_opened", "Matches created.", "game")
        self.matches_ended = self._counter("matches_ended", "Matches ended.", "game", "reason")
        self.outages = self._counter(
            "outages", "Outages of the services that this process wrote down."
        )
        self.clock_shifts = self._counter(
            "clock_shifts", "Records by which matches accounted for outages."
        )
        self.watchers = self._gauge("watchers", "Watches open now.")
        self.slow_readers = self._counter("slow_readers", "Watches ended for reading too slowly.")
        self.matches_frozen = self._counter("matches_frozen", "Matches whose log does not fold.")
        self.state_cache = self._counter(
            "state_cache", "Loads of a match: hit or replay.", "outcome"
        )
        self.states_cached = self._gauge("states_cached", "Match states held in memory.")

    def _add_log(self) -> None:
        self.append_seconds = self._histogram(
            "append_seconds", "From publishing a record to its acknowledgement.", _CALL_SECONDS
        )
        self.appends = self._counter(
            "appends", "Records sent: stored, conflict or unclear.", "outcome"
        )
        self.records_read = self._counter("records_read", "Records read from the log.")
        self.foreign_messages = self._counter(
            "foreign_messages", "Messages in the log that are not ours; report them."
        )
        self.log_bytes = self._gauge("log_bytes", "Size of the stream.")
        self.log_fill = self._gauge("log_fill_ratio", "Size of the stream by its limit; 0: none.")
        self.clock_offset = self._gauge(
            "clock_offset_seconds", "The broker's clock minus this machine's."
        )
        self.clock_uncertainty = self._gauge(
            "clock_uncertainty_seconds", "Half a round trip of the latest clock measurement."
        )
        self.consumer_lag = self._gauge(
            "consumer_lag_records", "Records in the log that were not handled yet.", "consumer"
        )
        self.connected = self._gauge("nats_connected", "1 while the broker is reachable.")
        self.reconnects = self._counter("nats_reconnects", "Connections to the broker made again.")

    def _add_timer(self) -> None:
        self.deadlines_open = self._gauge("deadlines_open", "Turns with a deadline.")
        self.deadlines_overdue = self._gauge("deadlines_overdue", "Deadlines past, still open.")
        self.deadlines_fired = self._counter(
            "deadlines_fired", "Expiries sent: expired, stale or unclear.", "outcome"
        )
        self.deadline_lateness = self._histogram(
            "deadline_lateness_seconds", "From a deadline to its expiry.", _WAIT_SECONDS
        )

    def _add_matchmaking(self) -> None:
        self.tickets = self._gauge("tickets", "Tickets waiting.", "game")
        self.ticket_seconds = self._histogram(
            "ticket_seconds", "From a ticket to its match.", _WAIT_SECONDS, "game"
        )
        self.pairings = self._counter("pairings", "Matches proposed by queues.", "game", "outcome")

    def _add_scoring(self) -> None:
        self.results = self._counter(
            "results", "Results read: applied, repeated or unrated.", "game", "outcome"
        )
        self.ranked_players = self._gauge(
            "ranked_players", "Players with a rank in the all-time ranking.", "game"
        )

    def _add_bots(self) -> None:
        self.bot_turns = self._counter(
            "bot_turns", "Turns of bots: played, stale or failed.", "game", "outcome"
        )
        self.bot_seconds = self._histogram(
            "bot_decision_seconds", "Time of one decision.", _CALL_SECONDS, "game"
        )
        self.bots_waiting = self._gauge("bots_waiting", "Turns of bots not played yet.")

    def _add_accounts(self) -> None:
        self.accounts = self._counter("accounts", "Accounts created, renamed or deleted.", "action")
        self.tokens = self._counter("tokens", "Tokens: issued or refused.", "outcome")

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, namespace="spielwerk", registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, namespace="spielwerk", registry=self.registry)

    def _histogram(
        self, name: str, text: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(
            name, text, labels, namespace="spielwerk", registry=self.registry, buckets=buckets
        )
