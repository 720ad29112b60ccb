"""The signing key: where it comes from, and that production takes no key of development."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import spielwerk_accounts.keys as signing
from spielwerk.rpc.settings import AuthSettings
from spielwerk.rpc.tokens import DevelopmentKey, PublicKeys, Verifier
from spielwerk_accounts.settings import KeySettings

AUTH = AuthSettings()


def written(path: Path, key: Ed25519PrivateKey | ec.EllipticCurvePrivateKey) -> Path:
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    path.chmod(0o600)
    return path


def verified(keys: signing.SigningKeys, token: str) -> str:
    settings = AuthSettings(jwks=keys.jwks())
    return Verifier(settings, PublicKeys(settings, "development")).verify(token).role


def test_the_first_start_makes_a_development_key_for_its_owner_alone(tmp_path: Path) -> None:
    first = signing.load(KeySettings(data=tmp_path / "new"), AUTH, "development")
    second = signing.load(KeySettings(data=tmp_path / "new"), AUTH, "development")
    assert first.jwks() == second.jwks()
    assert first.public[0].kid.startswith("development-")
    files = list((tmp_path / "new").iterdir())
    assert [file.name for file in files] == ["development.pem"]
    assert files[0].stat().st_mode & 0o777 == 0o600


def test_processes_that_start_at_once_get_the_same_development_key(tmp_path: Path) -> None:
    settings = KeySettings(data=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        loads = [pool.submit(signing.load, settings, AUTH, "development") for _ in range(16)]
    assert len({load.result().jwks() for load in loads}) == 1


def test_production_refuses_the_development_key_wherever_it_is(tmp_path: Path) -> None:
    signing.load(KeySettings(data=tmp_path), AUTH, "development")
    development = tmp_path / "development.pem"
    moved = tmp_path / "production.pem"
    moved.write_bytes(development.read_bytes())
    real = written(tmp_path / "real.pem", Ed25519PrivateKey.generate())
    for settings in (
        KeySettings(data=tmp_path),
        KeySettings(file=development),
        KeySettings(file=moved),
        KeySettings(file=real, previous_file=moved),
    ):
        with pytest.raises(DevelopmentKey):
            signing.load(settings, AUTH, "production")
    keys = signing.load(KeySettings(file=real), AUTH, "production")
    assert not keys.public[0].kid.startswith("development-")


def test_the_key_set_shows_public_parts_only(tmp_path: Path) -> None:
    keys = signing.load(KeySettings(data=tmp_path), AUTH, "development")
    (entry,) = json.loads(keys.jwks())["keys"]
    assert set(entry) == {"kty", "crv", "x", "kid", "alg", "use"}
    assert (entry["kty"], entry["crv"], entry["alg"]) == ("OKP", "Ed25519", "EdDSA")


def test_the_key_id_is_the_thumbprint_of_rfc_7638() -> None:
    # RFC 8037, appendix A.1 and A.3.
    from_rfc = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    key = signing._public(Ed25519PrivateKey.from_private_bytes(from_rfc).public_key(), False)
    assert key.kid == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_after_a_rotation_tokens_of_both_keys_are_good(tmp_path: Path) -> None:
    private = Ed25519PrivateKey.generate()
    old = signing.load(KeySettings(file=written(tmp_path / "a", private)), AUTH, "production")
    (tmp_path / "a.pub").write_bytes(
        private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    new_file = written(tmp_path / "b", Ed25519PrivateKey.generate())
    for previous in ("a", "a.pub"):
        settings = KeySettings(file=new_file, previous_file=tmp_path / previous)
        new = signing.load(settings, AUTH, "production")
        assert len(new.public) == 2
        assert verified(new, old.issue("ada", "player", 60)) == "player"
        assert verified(new, new.issue("timer", "service:timer", 60)) == "service:timer"


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "ec.pem", ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(ValueError, match="Ed25519"):
        signing.load(KeySettings(file=file), AUTH, "development")


def test_the_private_key_is_in_no_text(tmp_path: Path) -> None:
    keys = signing.load(KeySettings(data=tmp_path), AUTH, "development")
    raw = keys.private.private_bytes_raw()
    assert raw.hex() not in repr(keys)
    assert raw not in repr(keys).encode()
