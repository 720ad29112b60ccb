"""What the manifests tell each service: nothing that it does not know, and enough to serve."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from deploy.rendered import OVERLAYS, container, environment, named, pod, workloads
from deploy.secret_files import ROOT
from deploy.test_secrets import SETTINGS
from spielwerk.settings import CommonSettings
from spielwerk_local.cli import SERVICES

OURS = sorted(SERVICES)
WITH_STORE = [name for name in OURS if SETTINGS[name].keeps_in_store]
SERVICE_IN = [(overlay, name) for overlay in OVERLAYS for name in OURS]

Secrets = dict[str, dict[str, str]]


def settings_of(
    overlay: str, name: str, made: Secrets, monkeypatch: pytest.MonkeyPatch
) -> CommonSettings:
    for variable, value in environment(workloads(overlay)[name], overlay, made).items():
        monkeypatch.setenv(variable, value)
    return SETTINGS[name]()


@pytest.mark.parametrize(("overlay", "name"), SERVICE_IN)
def test_every_variable_is_a_setting_of_its_service(overlay: str, name: str, made: Secrets) -> None:
    own = {"SPIELWERK_REDIS__URL"} if name not in WITH_STORE else set()
    found = environment(workloads(overlay)[name], overlay, made)
    assert not own & set(found)
    for variable in found:
        assert is_setting(SETTINGS[name], variable.removeprefix("SPIELWERK_")), variable


@pytest.mark.parametrize(("overlay", "name"), SERVICE_IN)
def test_every_service_starts_in_production_with_addresses_that_are_there(
    overlay: str, name: str, made: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(overlay, name, made, monkeypatch)
    assert settings.mode == "production"
    ports = {
        f"{service}:{port['port']}"
        for service, document in named("Service", overlay).items()
        for port in document["spec"]["ports"]
    }
    assert settings.api_target in ports
    assert settings.nats.url.removeprefix("nats://") in ports
    if name in WITH_STORE and overlay == "single":
        assert settings.redis.url.rpartition("@")[2].partition("/")[0] in ports


@pytest.mark.parametrize(("overlay", "name"), SERVICE_IN)
def test_ports_of_probes_and_metrics_are_those_that_the_process_opens(
    overlay: str, name: str, made: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(overlay, name, made, monkeypatch)
    listens = re.search(
        r"SPIELWERK_RPC__LISTEN=\S+:(\d+)", (ROOT / "deploy/Dockerfile").read_text()
    )
    assert listens is not None
    run = container(workloads(overlay)[name])
    assert {port["name"]: port["containerPort"] for port in run["ports"]} == {
        "grpc": int(listens[1]),
        "metrics": settings.telemetry.metrics_port,
    }
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert run[probe]["grpc"]["port"] == int(listens[1])
    assert run["livenessProbe"]["grpc"]["service"] == "liveness"
    assert "service" not in run["readinessProbe"]["grpc"]


@pytest.mark.parametrize(("overlay", "name"), SERVICE_IN)
def test_a_pod_may_take_as_long_as_its_drain(
    overlay: str, name: str, made: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(overlay, name, made, monkeypatch)
    workload = workloads(overlay)[name]
    waits = container(workload)["lifecycle"]["preStop"]["sleep"]["seconds"]
    tidying_up = 5
    needed = waits + settings.rpc.grace_s + tidying_up
    assert pod(workload)["terminationGracePeriodSeconds"] >= needed


@pytest.mark.parametrize("name", OURS)
def test_in_a_cluster_everything_is_kept_three_times_and_runs_at_least_twice(
    name: str, made: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of("clustered", name, made, monkeypatch)
    assert settings.log.replicas == 3
    assert getattr(settings, "replicas", 3) == 3
    scaled = {d["spec"]["scaleTargetRef"]["name"]: d for d in named_scalers()}
    if name in scaled:
        assert "replicas" not in workloads("clustered")[name]["spec"]
        assert scaled[name]["spec"]["minReplicas"] >= 2
    else:
        assert workloads("clustered")[name]["spec"]["replicas"] >= 2


def test_the_marker_is_kept_by_the_only_instance_of_rules_or_not_at_all(
    made: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = settings_of("single", "rules", made, monkeypatch)
    assert single.log.marker_file == Path("/var/lib/spielwerk/stream.json")
    rules = workloads("single")["rules"]
    assert (rules["spec"]["replicas"], rules["spec"]["strategy"]) == (1, {"type": "Recreate"})
    mounts = {mount["mountPath"] for mount in container(rules)["volumeMounts"]}
    assert str(single.log.marker_file.parent) in mounts
    monkeypatch.delenv("SPIELWERK_LOG__MARKER_FILE")
    several = settings_of("clustered", "rules", made, monkeypatch)
    assert (several.log.marker_file, several.log.new_installation) == (None, False)
    job = workloads("new-log")["new-log"]
    assert container(job)["command"] == ["spielwerk", "new-log"]
    told = environment(job, "new-log", made)
    assert told["SPIELWERK_LOG__REPLICAS"] == str(several.log.replicas)


def named_scalers() -> list[Any]:
    return list(named("HorizontalPodAutoscaler", "clustered").values())


def is_setting(model: type[BaseModel], variable: str) -> bool:
    """Whether `A__B` is the field `b` of the section `a`; by its alias where it has one."""
    head, _, rest = variable.partition("__")
    for name, field in model.model_fields.items():
        if head.lower() == (field.alias or name):
            section: Any = field.annotation
            is_section = isinstance(section, type) and issubclass(section, BaseModel)
            return is_setting(section, rest) if rest and is_section else not rest
    return False
