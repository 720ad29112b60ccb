"""Dashboards and alerts ask for what the services tell, by its right name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from prometheus_client.metrics import MetricWrapperBase

from deploy.secret_files import ROOT
from spielwerk.telemetry.metrics import Metrics

DASHBOARDS: Final = sorted((ROOT / "deploy" / "grafana" / "dashboards").glob("*.json"))
PROMETHEUS: Final = ROOT / "deploy" / "prometheus"
SUFFIXES: Final = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum")}
OF_THE_SCRAPE: Final = {"service", "instance", "job", "le"}


def catalogue() -> dict[str, set[str]]:
    """The labels of each series by its name."""
    metrics = [m for m in vars(Metrics()).values() if isinstance(m, MetricWrapperBase)]
    return {
        f"{metric._name}{suffix}": set(metric._labelnames)
        for metric in metrics
        for suffix in SUFFIXES[str(metric._type)]
    }


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def expressions() -> dict[str, str]:
    """All expressions of dashboards and alerts, by where they stand."""
    asked = {f"alert {rule['alert']}": str(rule["expr"]) for rule in alerts()}
    for file in DASHBOARDS:
        for panel in json.loads(file.read_text())["panels"]:
            for target in panel.get("targets", ()):
                asked[f"{file.stem}-{panel['title']}-{target['refId']}"] = target["expr"]
    return asked


EXPRESSIONS: Final = expressions()


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_every_series_and_label_is_one_of_the_catalogue(place: str) -> None:
    expression, known = EXPRESSIONS[place], catalogue()
    found = re.findall(r"\b(spielwerk_\w+)(?:\{([^}]*)\})?", expression)
    assert found or "up{" in expression
    labels = set(OF_THE_SCRAPE)
    for name, matchers in found:
        assert name in known
        labels |= known[name]
        assert set(re.findall(r"(\w+)\s*[=!]~?", matchers)) <= known[name] | OF_THE_SCRAPE
    for grouping in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
        assert {label.strip() for label in grouping.split(",") if label.strip()} <= labels


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_every_outcome_that_is_asked_for_is_one_of_the_code(place: str) -> None:
    code = "\n".join(file.read_text() for file in (ROOT / "services").rglob("*.py"))
    for word in re.findall(r'(?:outcome|action)!?="(\w+)"', EXPRESSIONS[place]):
        assert f'"{word}"' in code


def test_every_metric_is_shown_on_a_dashboard() -> None:
    shown = set(re.findall(r"\bspielwerk_\w+", " ".join(f.read_text() for f in DASHBOARDS)))
    hidden = {name for name in catalogue() if not name.endswith("_sum")} - shown
    assert hidden == set()


def test_every_alert_is_tried_by_a_test_and_tells_what_to_do() -> None:
    tried = (PROMETHEUS / "alerts.test.yml").read_text()
    for rule in alerts():
        fires = f'ALERTS{{alertname="{rule["alert"]}", alertstate="firing"'
        assert f"labels: '{fires}" in tried
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert set(rule["annotations"]) == {"summary", "action"}


@pytest.mark.parametrize("file", DASHBOARDS, ids=lambda file: file.stem)
def test_panels_read_the_provisioned_source_and_lie_side_by_side(file: Path) -> None:
    provisioning = ROOT / "deploy" / "grafana" / "provisioning" / "datasources" / "prometheus.yml"
    (source,) = yaml.safe_load(provisioning.read_text())["datasources"]
    dashboard = json.loads(file.read_text())
    assert dashboard["uid"] == file.stem
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    covered: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == source["uid"]
            assert panel["description"].endswith(".")
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & covered
        assert all(x < 24 for x, _ in cells)
        covered |= cells


def test_prometheus_asks_all_services_at_the_port_where_they_tell() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    ours = {
        name: service["environment"]
        for name, service in compose["services"].items()
        if "SPIELWERK_MODE" in service.get("environment", {})
    }
    (job,) = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())["scrape_configs"]
    (asked,) = job["dns_sd_configs"]
    assert set(asked["names"]) == set(ours)
    ports = {env["SPIELWERK_TELEMETRY__METRICS_PORT"] for env in ours.values()}
    assert ports == {str(asked["port"])}
    missing = next(rule["expr"] for rule in alerts() if rule["alert"] == "ServiceMissing")
    assert set(re.findall(r'service="(\w+)"', missing)) == set(ours)
