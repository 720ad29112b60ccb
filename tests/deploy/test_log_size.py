"""A shipped log is limited below its disk, so that the warnings at 80 % of it come in time."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
import yaml

from deploy.rendered import OVERLAYS, environment, workloads
from deploy.secret_files import ROOT
from spielwerk_rules.settings import Settings

GIB: Final = 1 << 30
SHARE: Final = 0.8


def limit_of(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Of all streams together, as rules reads it."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    log = Settings().log
    return log.max_bytes * log.streams


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_on_kubernetes_it_takes_four_fifths_of_the_claim(
    overlay: str, made: dict[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = workloads(overlay)
    (claim,) = running["nats"]["spec"]["volumeClaimTemplates"]
    size = re.fullmatch(r"(\d+)Gi", claim["spec"]["resources"]["requests"]["storage"])
    assert size is not None
    told = environment(running["rules"], overlay, made)
    assert limit_of(told, monkeypatch) == SHARE * int(size[1]) * GIB


def test_under_compose_it_has_a_limit_that_the_operator_can_change() -> None:
    composed: Any = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    told = composed["services"]["rules"]["environment"]["SPIELWERK_LOG__MAX_BYTES"]
    assert told == f"${{SPIELWERK_LOG__MAX_BYTES:-{round(SHARE * 20 * GIB)}}}"
