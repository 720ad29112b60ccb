"""Secrets for tests that only read them, and the broker that wants them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.guarded import Broker, guarded
from deploy.secret_files import make_secrets, variables


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What `make secrets` makes, by file without its ending: variables and values."""
    folder = tmp_path_factory.mktemp("made") / "secrets"
    make_secrets(folder)
    return {file.stem: variables(file) for file in folder.iterdir()}


@pytest.fixture
async def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Broker]:
    async with guarded(tmp_path, monkeypatch) as running:
        yield running
