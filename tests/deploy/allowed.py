"""Which pod may call which, by the network policies of an installation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from deploy.rendered import Document, documents, labels, workloads

PORTS: Final = (4222, 6222, 6379, 7700, 8222, 9464)


def calls(*overlays: str) -> set[tuple[str, str, int]]:
    """Caller, called and port, where both sides are allowed."""
    policies = [d["spec"] for d in documents(*overlays) if d["kind"] == "NetworkPolicy"]
    pods = {name: labels(workload) for name, workload in workloads(*overlays).items()}
    return {
        (caller, called, port)
        for caller, there in pods.items()
        for called, here in pods.items()
        for port in PORTS
        if _allowed(policies, "Egress", there, here, port)
        and _allowed(policies, "Ingress", here, there, port)
    }


def from_namespaces(label: str, *overlays: str) -> set[tuple[str, int]]:
    """Who can be called from namespaces with this label, at which port."""
    policies = [d["spec"] for d in documents(*overlays) if d["kind"] == "NetworkPolicy"]
    return {
        (name, port["port"])
        for name, workload in workloads(*overlays).items()
        for policy in policies
        if _selects(policy["podSelector"], labels(workload))
        for rule in policy.get("ingress", ())
        for peer in rule["from"]
        if label in peer.get("namespaceSelector", {}).get("matchLabels", {})
        for port in rule["ports"]
    }


def _allowed(
    policies: Sequence[Document],
    direction: str,
    own: Mapping[str, str],
    other: Mapping[str, str],
    port: int,
) -> bool:
    """A pod that no policy selects would be open to all; each one adds what it lists."""
    about = [p for p in policies if direction in p["policyTypes"]]
    selecting = [p for p in about if _selects(p["podSelector"], own)]
    return not selecting or any(
        any("podSelector" in peer and _selects(peer["podSelector"], other) for peer in peers)
        and port in ports
        for policy in selecting
        for peers, ports in _rules(policy, direction)
    )


def _rules(policy: Document, direction: str) -> Iterator[tuple[list[Any], list[int]]]:
    side = "from" if direction == "Ingress" else "to"
    for rule in policy.get(direction.lower(), ()):
        yield rule[side], [port["port"] for port in rule["ports"]]


def _selects(selector: Document, found: Mapping[str, str]) -> bool:
    wanted = selector.get("matchLabels", {})
    return all(found.get(key) == value for key, value in wanted.items()) and all(
        found.get(expression["key"]) in expression["values"]
        for expression in selector.get("matchExpressions", ())
    )
