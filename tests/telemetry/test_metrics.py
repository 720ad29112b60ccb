"""Metrics: documented, bounded, and one set a registry."""

from __future__ import annotations

import re
import urllib.request
from pathlib import Path

from prometheus_client import generate_latest

from spielwerk.telemetry.metrics import Metrics

ALLOWED_LABELS = {"game", "outcome", "reason", "method", "code", "check", "consumer", "action"}


def test_every_metric_is_explained_and_has_bounded_labels_only() -> None:
    metrics = Metrics()
    collectors = [value for value in vars(metrics).values() if hasattr(value, "_labelnames")]
    assert len(collectors) > 30
    for collector in collectors:
        assert set(collector._labelnames) <= ALLOWED_LABELS
        assert collector._documentation.endswith(".")
        assert collector._name.startswith("spielwerk_")


def test_two_processes_in_one_test_do_not_share_their_counts() -> None:
    one, two = Metrics(), Metrics()
    one.accounts.labels(action="created").inc()
    assert one.value("spielwerk_accounts_total", action="created") == 1
    assert two.value("spielwerk_accounts_total", action="created") == 0


def test_the_page_is_served_only_while_it_is_wanted(unused_tcp_port: int) -> None:
    metrics = Metrics()
    with metrics.served("127.0.0.1", unused_tcp_port) as port:
        assert port == unused_tcp_port
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
            assert page.read() == generate_latest(metrics.registry)
    with metrics.served("127.0.0.1", unused_tcp_port) as port:
        assert port == unused_tcp_port
    with metrics.served("127.0.0.1", 0) as port:
        assert port is None


def test_every_metric_of_the_catalogue_is_set_somewhere() -> None:
    names = {name for name, value in vars(Metrics()).items() if hasattr(value, "_labelnames")}
    root = Path(__file__).parents[2]
    sources = [*(root / "libs").rglob("*.py"), *(root / "services").rglob("*.py")]
    code = "\n".join(source.read_text() for source in sources if source.name != "metrics.py")
    assert names - set(re.findall(r"\b_?metrics\.([a-z_]+)\b", code)) == set()
