"""The brokers of Kubernetes with the very files that their pods mount: one, and three."""

from __future__ import annotations

import asyncio
import os
import re
import sysconfig
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest

from deploy.rendered import container, named, references, workloads
from deploy.secret_files import make_secrets, variables
from log.tails import following, sequences
from ports import free_ports
from spielwerk.errors import Unavailable
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Conflict, Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import new_match_id
from spielwerk_local.child import Child

A = new_match_id(1_790_000_000_000, b"0123456789")
PATIENCE_S = 60


class Brokers:
    """The brokers of an overlay, on this machine instead of in pods."""

    def __init__(self, overlay: str, folder: Path) -> None:
        self._broker = workloads(overlay)["nats"]
        self._files = files(overlay)
        self._folder = folder
        count = self._broker["spec"]["replicas"]
        ports = free_ports(3 * count)
        self._clients, self._routes = ports[:count], ports[count : 2 * count]
        self._monitors = ports[2 * count :]
        self.children: dict[int, Child] = {}

    async def __aenter__(self) -> Brokers:
        for number in range(len(self._clients)):
            self.start(number)
        return self

    async def __aexit__(self, *_failure: object) -> None:
        for child in self.children.values():
            await child.stop()

    def start(self, number: int) -> None:
        """With the arguments and files of its container, and what it has on its disk."""
        folder = self._folder / f"nats-{number}"
        folder.mkdir(exist_ok=True)
        here = {
            "/etc/spielwerk": f"{folder}",
            "/data": f"{folder}/data",
            "$(POD_NAME)": folder.name,
        }
        for name, text in self._files.items():
            (folder / name).write_text(replaced(text, self._addresses(number)))
        arguments = [replaced(word, here) for word in container(self._broker)["args"]]
        arguments += ["--addr", "127.0.0.1", "--port", str(self._clients[number])]
        program = os.path.join(sysconfig.get_path("scripts"), "nats-server")
        self.children[number] = Child(
            [program, *arguments], output=folder / "log", pid_file=folder / "pid"
        )

    def _addresses(self, number: int) -> dict[str, str]:
        at = "127.0.0.1:{}".format
        peers = {f"nats-{n}.nats-peers:6222": at(port) for n, port in enumerate(self._routes)}
        return peers | {
            "0.0.0.0:6222": at(self._routes[number]),
            "0.0.0.0:8222": at(self._monitors[number]),
        }

    def as_user(self, name: str) -> NatsSettings:
        """With the password that `make secrets` made."""
        url = ",".join(f"nats://127.0.0.1:{port}" for port in self._clients)
        password = os.environ[f"NATS_{name.upper()}_PASSWORD"]
        return NatsSettings.model_validate({"url": url, "user": name, "password": password})

    async def healthy(self) -> None:
        """All probes of the kubelet pass at all brokers; else OSError."""
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            path = container(self._broker)[probe]["httpGet"]["path"]
            for port in self._monitors:
                with await asyncio.to_thread(urlopen, f"http://127.0.0.1:{port}{path}"):
                    pass


def files(overlay: str) -> dict[str, str]:
    """Those of the ConfigMap that its pods mount."""
    (name,) = (n for kind, n, _ in references(workloads(overlay)["nats"]) if kind == "ConfigMap")
    return dict(named("ConfigMap", overlay)[name]["data"])


def replaced(text: str, words: Mapping[str, str]) -> str:
    for word, other in words.items():
        text = text.replace(word, other)
    return text


@pytest.fixture(autouse=True)
def passwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_secrets(tmp_path / "secrets")
    for name, value in variables(tmp_path / "secrets" / "nats.env").items():
        monkeypatch.setenv(name, value)


async def test_a_single_broker_is_healthy_and_keeps_the_log(tmp_path: Path) -> None:
    async with Brokers("single", tmp_path) as running:
        await eventually(running.healthy)
        async with connect(running.as_user("rules")) as rules:
            await ensure_stream(rules, LogSettings(), known=None, allow_new=True)
            log = JetStreamLog(rules, LogSettings())
            assert await log.append(A, Kind.OPEN, b"record", {}, expected=0) == 1


async def test_three_brokers_keep_the_log_though_any_of_them_goes(tmp_path: Path) -> None:
    settings = LogSettings(replicas=3, append_timeout_s=1.0)
    async with Brokers("clustered", tmp_path) as running:
        await eventually(running.healthy)
        async with connect(running.as_user("rules")) as rules:
            log = JetStreamLog(rules, settings)
            await eventually(lambda: ensure_stream(rules, settings, known=None, allow_new=True))
            for number in range(len(running.children)):
                await running.children[number].stop()
                await eventually(partial(appended, log, number))
                running.start(number)
                await eventually(running.healthy)
            assert [stored.data for stored in await log.read(A)] == [b"0", b"1", b"2"]


async def test_a_reader_hears_of_every_record_though_any_broker_goes(tmp_path: Path) -> None:
    settings = LogSettings(replicas=3, append_timeout_s=1.0)
    async with Brokers("clustered", tmp_path) as running:
        await eventually(running.healthy)
        async with (
            connect(running.as_user("rules")) as rules,
            connect(running.as_user("timer")) as timer,
        ):
            await eventually(lambda: ensure_stream(rules, settings, known=None, allow_new=True))
            log, read = JetStreamLog(rules, settings), JetStreamLog(timer, settings)
            async with following(read, (Kind.MOVE,), after=0, headers_only=True) as tail:
                for number in range(len(running.children)):
                    await running.children[number].stop()
                    await eventually(partial(appended, log, number))
                    assert await sequences(tail, 1) == [number + 1]
                    running.start(number)
                    await eventually(running.healthy)


def test_every_broker_knows_the_names_of_all_three() -> None:
    broker = workloads("clustered")["nats"]["spec"]
    names = {f"nats-{n}.{broker['serviceName']}:6222" for n in range(broker["replicas"])}
    routes = re.findall(r'"nats://(nats-\S+)"', files("clustered")["nats.conf"])
    assert set(routes) == names


async def appended(log: JetStreamLog, number: int) -> None:
    """The record of this number; an attempt without an answer may have stored it."""
    last = await log.last(A)
    if last is None or last.data != b"%d" % number:
        expected = last.sequence if last else 0
        await log.append(A, Kind.MOVE, b"%d" % number, {}, expected=expected)


async def eventually(attempt: Callable[[], Awaitable[object]]) -> None:
    """Until the brokers have found each other, or a leader."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await attempt()
            except (Unavailable, Conflict, OSError):
                await asyncio.sleep(0.1)
            else:
                return
