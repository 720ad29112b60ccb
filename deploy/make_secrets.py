"""Makes what an installation under Docker Compose keeps secret: keys, tokens and passwords.

`make secrets` runs it. Every file is for one container's environment and readable by its owner
only; nothing that exists is replaced.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import serialization

from spielwerk_accounts.keys import SigningKeys, generate

SERVICES: Final = ("rules", "matchmaking", "timer", "scoring", "bots", "accounts")
STORING: Final = ("matchmaking", "timer", "scoring")
TOKEN_YEARS: Final = 10


def main(folder: Path) -> int:
    """Make the folder, complete or not at all; 0 also if it is there."""
    if folder.exists():
        print(f"{folder} is kept as it is; move it away to make new secrets")
        return 0
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    for name, variables in environments().items():
        write(fresh / name, variables)
    fresh.rename(folder)
    print(f"made {folder}: keep it; nobody else needs to read it")
    return 0


def environments() -> dict[str, dict[str, str]]:
    """The variables of each container, by the name of their file."""
    keys = generate(development=False)
    brokers = {name: password() for name in SERVICES}
    store = password()
    stored = {"SPIELWERK_REDIS__URL": f"redis://:{store}@redis:6379/0"}
    files = {
        "nats.env": {f"NATS_{name.upper()}_PASSWORD": brokers[name] for name in SERVICES},
        "redis.env": {"REDISCLI_AUTH": store},
        "grafana.env": {"GF_SECURITY_ADMIN_PASSWORD": password()},
        "installation.env": {
            "SPIELWERK_AUTH__JWKS": json.dumps(json.loads(keys.jwks()), separators=(",", ":")),
            "SPIELWERK_NATS__URL": "nats://nats:4222",
        },
    }
    for name in SERVICES:
        files[f"{name}.env"] = {
            "SPIELWERK_AUTH__TOKEN": keys.issue(name, f"service:{name}", TOKEN_YEARS * 31_536_000),
            "SPIELWERK_NATS__USER": name,
            "SPIELWERK_NATS__PASSWORD": brokers[name],
        } | (stored if name in STORING else {})
    files["accounts.env"]["SPIELWERK_KEYS__PEM"] = one_line(keys)
    return files


def password() -> str:
    """192 random bits; the letters in front keep the broker from reading a number or a unit."""
    return f"pw{secrets.token_hex(24)}"


def one_line(keys: SigningKeys) -> str:
    """The private key as PEM whose line breaks are written as `\\n`, for an env file."""
    pem = keys.private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return pem.decode().strip().replace("\n", "\\n")


def write(path: Path, variables: Mapping[str, str]) -> None:
    """An env file that only its owner may read, from its first byte on."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.writelines(f"{name}={value}\n" for name, value in variables.items())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "secrets")))
