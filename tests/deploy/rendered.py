"""What Kubernetes is told: the overlays of deploy/kubernetes as kubectl composes them."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import yaml

from deploy.secret_files import ROOT

OVERLAYS: Final = ("single", "clustered")
WORKLOADS: Final = ("Deployment", "StatefulSet", "Job")
Document = Mapping[str, Any]


@cache
def documents(*overlays: str) -> tuple[Document, ...]:
    """All objects of these overlays."""
    kubectl = os.path.join(sysconfig.get_path("scripts"), "kubectl")
    command = [kubectl, "kustomize", "--load-restrictor", "LoadRestrictionsNone"]
    found: list[Document] = []
    for overlay in overlays:
        folder = ROOT / "deploy" / "kubernetes" / "overlays" / overlay
        done = subprocess.run([*command, folder], capture_output=True, text=True, check=True)
        found += yaml.safe_load_all(done.stdout)
    return tuple(found)


def named(kind: str, *overlays: str) -> dict[str, Document]:
    """The objects of a kind by name."""
    return {d["metadata"]["name"]: d for d in documents(*overlays) if d["kind"] == kind}


def workloads(*overlays: str) -> dict[str, Document]:
    """Everything that runs, by the label that names it."""
    return {
        labels(d)["app.kubernetes.io/name"]: d
        for d in documents(*overlays)
        if d["kind"] in WORKLOADS
    }


def labels(workload: Document) -> dict[str, str]:
    """Those of its pods."""
    return dict(workload["spec"]["template"]["metadata"]["labels"])


def pod(workload: Document) -> Document:
    """The specification of its pods."""
    spec: Document = workload["spec"]["template"]["spec"]
    return spec


def container(workload: Document) -> Document:
    """The only one of a pod."""
    (only,) = pod(workload)["containers"]
    found: Document = only
    return found


def references(workload: Document) -> Iterator[tuple[str, str, str | None]]:
    """Kind, name and perhaps key of each ConfigMap and Secret that it reads."""
    for source in container(workload).get("envFrom", ()):
        for kind, word in (("ConfigMap", "configMapRef"), ("Secret", "secretRef")):
            if word in source:
                yield kind, source[word]["name"], None
    for variable in container(workload).get("env", ()):
        if secret := variable.get("valueFrom", {}).get("secretKeyRef"):
            yield "Secret", secret["name"], secret["key"]
    for volume in pod(workload).get("volumes", ()):
        if "configMap" in volume:
            yield "ConfigMap", volume["configMap"]["name"], None


def environment(
    workload: Document, overlay: str, secrets: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """What its process finds in its environment; later sources win, single variables most."""
    found: dict[str, str] = {}
    for kind, name, key in references(workload):
        if key is None and kind == "Secret":
            found |= secrets[name]
        elif key is None and name.startswith("settings"):
            found |= named("ConfigMap", overlay)[name]["data"]
    own = container(workload).get("env", ())
    return found | {one["name"]: one["value"] for one in own if "value" in one}
