"""The manifests of deploy/kubernetes hold together."""

from __future__ import annotations

import tomllib

import pytest

from deploy.allowed import calls, from_namespaces
from deploy.rendered import (
    OVERLAYS,
    container,
    documents,
    labels,
    named,
    pod,
    references,
    workloads,
)
from deploy.secret_files import ROOT
from deploy.test_secrets import SETTINGS
from spielwerk_local.cli import SERVICES

OURS = sorted(SERVICES)
WITH_STORE = [name for name in OURS if SETTINGS[name].keeps_in_store]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_all_six_services_run_the_command_of_their_name(overlay: str) -> None:
    deployed = named("Deployment", overlay)
    assert sorted(deployed) == OURS
    for name, deployment in deployed.items():
        run = container(deployment)
        assert [*run["command"], *run["args"]] == ["spielwerk", "serve", name]


@pytest.mark.parametrize("overlay", [*OVERLAYS, "new-log"])
def test_everything_that_is_referred_to_is_there(
    overlay: str, made: dict[str, dict[str, str]]
) -> None:
    there = named("ConfigMap", overlay)
    accounts, claims = named("ServiceAccount", overlay), named("PersistentVolumeClaim", overlay)
    for workload in workloads(overlay).values():
        for kind, name, key in references(workload):
            assert name in (there if kind == "ConfigMap" else made)
            assert key is None or key in made[name]
        assert pod(workload).get("serviceAccountName", "default") in {*accounts, "default"}
        templates = workload["spec"].get("volumeClaimTemplates", ())
        volumes = {volume["name"] for volume in pod(workload).get("volumes", ())}
        volumes |= {template["metadata"]["name"] for template in templates}
        mounts = {mount["name"] for mount in container(workload).get("volumeMounts", ())}
        assert mounts == volumes
        for volume in pod(workload).get("volumes", ()):
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            assert claim is None or claim in claims


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_service_address_leads_to_one_workload_and_a_port_of_it(overlay: str) -> None:
    for service in named("Service", overlay).values():
        selector = service["spec"]["selector"].items()
        (found,) = (w for w in workloads(overlay).values() if selector <= labels(w).items())
        ports = {port["name"] for port in container(found)["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
    for workload in named("StatefulSet", overlay).values():
        assert workload["spec"]["serviceName"] in named("Service", overlay)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_workload_gives_way_one_pod_at_a_time(overlay: str) -> None:
    budgets = [d["spec"] for d in named("PodDisruptionBudget", overlay).values()]
    for workload in workloads(overlay).values():
        selector = workload["spec"]["selector"]["matchLabels"]
        assert selector.items() <= labels(workload).items()
        (budget,) = (b for b in budgets if b["selector"]["matchLabels"] == selector)
        assert budget["maxUnavailable"] == 1


@pytest.mark.parametrize("overlay", [*OVERLAYS, "new-log"])
def test_no_pod_runs_as_root_writes_its_system_or_sees_the_cluster(overlay: str) -> None:
    for workload in workloads(overlay).values():
        spec, run = pod(workload), container(workload)
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert run["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= set(run["resources"]["requests"])
        assert "memory" in run["resources"]["limits"]


def test_pods_call_each_other_only_where_they_have_to() -> None:
    to_broker = {(name, "nats", 4222) for name in (*OURS, "new-log")}
    to_rules = {(name, "rules", 7700) for name in ("matchmaking", "timer", "bots")}
    to_store = {(name, "redis", 6379) for name in WITH_STORE}
    assert calls("single", "new-log") == to_broker | to_rules | to_store
    assert calls("clustered", "new-log") == to_broker | to_rules | {("nats", "nats", 6222)}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_what_no_policy_names_is_shut_off(overlay: str) -> None:
    shut = named("NetworkPolicy", overlay)["nothing-else"]["spec"]
    assert shut == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_from_outside_only_gateway_and_monitoring_come_in(overlay: str) -> None:
    public = ("accounts", "matchmaking", "rules", "scoring")
    assert from_namespaces("spielwerk-gateway", overlay) == {(name, 7700) for name in public}
    assert from_namespaces("spielwerk-monitoring", overlay) == {(name, 9464) for name in OURS}
    assert set(public) < set(named("Service", overlay))


@pytest.mark.parametrize("overlay", [*OVERLAYS, "new-log"])
def test_images_are_those_of_this_version_and_of_compose(overlay: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    compose = (ROOT / "docker-compose.yml").read_text()
    for workload in workloads(overlay).values():
        image = container(workload)["image"]
        assert image == f"spielwerk:{project['version']}" or f"image: {image}\n" in compose


def test_all_is_in_one_namespace() -> None:
    for document in documents(*OVERLAYS, "new-log"):
        name = document["metadata"]["name" if document["kind"] == "Namespace" else "namespace"]
        assert name == "spielwerk"
