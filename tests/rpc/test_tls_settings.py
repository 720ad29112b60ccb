"""Wrong TLS settings end a service before it does anything, and say which one is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from certificates import Authority, Issued

Damage = Callable[[Path, Issued], dict[str, str]]
CERTIFICATE, KEY = "SPIELWERK_RPC__TLS__CERTIFICATE", "SPIELWERK_RPC__TLS__KEY"


def ended(environment: dict[str, str]) -> tuple[int, str]:
    """Exit code of a service that is started like this, and what it says."""
    process = subprocess.run(
        (sys.executable, "-m", "spielwerk_accounts"),
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return process.returncode, process.stderr


def missing_certificate(folder: Path, issued: Issued) -> dict[str, str]:
    return {CERTIFICATE: str(folder / "nowhere.crt"), KEY: str(issued.key)}


def unreadable_key(folder: Path, issued: Issued) -> dict[str, str]:
    return {CERTIFICATE: str(issued.certificate), KEY: str(folder)}


def no_key(_folder: Path, issued: Issued) -> dict[str, str]:
    return {CERTIFICATE: str(issued.certificate)}


def foreign_key(folder: Path, issued: Issued) -> dict[str, str]:
    other = Authority(folder, "other").issue("other")
    return {CERTIFICATE: str(issued.certificate), KEY: str(other.key)}


def no_pem(folder: Path, issued: Issued) -> dict[str, str]:
    (folder / "text.crt").write_text("a certificate")
    return {CERTIFICATE: str(folder / "text.crt"), KEY: str(issued.key)}


def authority_without_internal_address(_folder: Path, issued: Issued) -> dict[str, str]:
    return {
        CERTIFICATE: str(issued.certificate),
        KEY: str(issued.key),
        "SPIELWERK_RPC__TLS__CLIENT_CA": str(issued.certificate),
    }


def missing_authority(folder: Path, _issued: Issued) -> dict[str, str]:
    return {"SPIELWERK_API_TLS__CA": str(folder / "nowhere.pem")}


def empty_authority(folder: Path, _issued: Issued) -> dict[str, str]:
    (folder / "empty.pem").touch()
    return {"SPIELWERK_NATS__TLS__CA": str(folder / "empty.pem")}


def key_without_certificate(_folder: Path, issued: Issued) -> dict[str, str]:
    return {"SPIELWERK_NATS__TLS__KEY": str(issued.key)}


def store_without_tls(folder: Path, _issued: Issued) -> dict[str, str]:
    return {"SPIELWERK_REDIS__TLS__CA": str(folder / "authority.pem")}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(missing_certificate, "rpc.tls.certificate: ", id="missing certificate"),
        pytest.param(unreadable_key, "rpc.tls.key: ", id="unreadable key"),
        pytest.param(no_key, "rpc.tls.key: ", id="no key"),
        pytest.param(foreign_key, "rpc.tls: ", id="foreign key"),
        pytest.param(no_pem, "rpc.tls: ", id="no pem"),
        pytest.param(authority_without_internal_address, "rpc.internal_listen", id="half"),
        pytest.param(missing_authority, "api_tls.ca: ", id="missing authority"),
        pytest.param(empty_authority, "nats.tls.ca: ", id="empty authority"),
        pytest.param(key_without_certificate, "nats.tls: ", id="key without certificate"),
        pytest.param(store_without_tls, "redis.tls needs", id="store without tls"),
    ],
)
def test_a_wrong_setting_is_named_and_ends_the_service_with_code_2(
    damage: Damage, said: str, tmp_path: Path
) -> None:
    issued = Authority(tmp_path).issue("rules")
    code, text = ended(damage(tmp_path, issued))
    assert code == 2
    assert said in text
    assert text.startswith("settings: ")
    assert "Traceback" not in text
    assert "PRIVATE KEY" not in text
