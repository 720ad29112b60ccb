"""Secrets for tests that only read them."""

from __future__ import annotations

import pytest

from deploy.secret_files import make_secrets, variables


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What `make secrets` makes, by file without its ending: variables and values."""
    folder = tmp_path_factory.mktemp("made") / "secrets"
    make_secrets(folder)
    return {file.stem: variables(file) for file in folder.iterdir()}
