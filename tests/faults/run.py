"""One run: an installation under load, faults by a schedule, and then everything is checked."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from faults.aftermath import read_boards, until_ended, until_idle, witness_of
from faults.checks import check_all
from faults.checks_boards import BoardRead
from faults.crowd import Crowd, crowd
from faults.happening import Faults, Happened
from faults.history import History, Recorder
from faults.installation import OUTAGE_S, Installation, installed
from faults.proof import prove
from faults.schedule import BROKER, Fault
from faults.witness import Witness
from spielwerk.match.model import Outage

_PROGRESS_S: Final = 10.0


@dataclass
class Report:
    """What a run found; `faults` by kind of check, all empty after a right one."""

    history: History
    happened: list[Happened]
    witness: Witness = field(default_factory=Witness)
    boards: list[BoardRead] = field(default_factory=list)
    faults: dict[str, list[str]] = field(default_factory=dict)
    recovered_s: float = 0.0
    """Until everything worked again, after the last fault."""
    gave_up: int = 0
    """Starts of services that ended because there was no broker."""
    aborted: list[str] = field(default_factory=list)
    """Matches that an operator had to end."""
    peaks_kb: dict[str, int] = field(default_factory=dict)

    @property
    def found(self) -> dict[str, list[str]]:
        """The checks that found something."""
        return {check: faults for check, faults in self.faults.items() if faults}


async def run(
    folder: Path,
    schedule: Sequence[Fault],
    *,
    seed: int,
    seconds: float,
    guests: int,
    tell: Callable[[str], None],
) -> Report:
    """Load for so long, with the faults in it; everything of the run stays in the folder."""
    recorder = Recorder(folder / "history.jsonl")
    try:
        async with installed(folder) as installation:
            tell(f"{len(installation.services)} services serve")
            return await _Run(installation, recorder, tell).all(schedule, seed, seconds, guests)
    finally:
        recorder.close()


class _Run:
    def __init__(
        self, installation: Installation, recorder: Recorder, tell: Callable[[str], None]
    ) -> None:
        self._installation = installation
        self._recorder = recorder
        self._tell = tell

    async def all(
        self, schedule: Sequence[Fault], seed: int, seconds: float, guests: int
    ) -> Report:
        endpoints = self._installation.endpoints
        timer = self._installation.tokens["timer-0"]
        async with crowd(endpoints, self._recorder, timer, seed, guests) as people:
            faults = Faults(self._installation, people.under_way, self._tell)
            await self._load(people, faults, schedule, seconds)
            report = Report(self._recorder.history, faults.happened)
            await self._recover(report)
            await people.wind_down()
            report.faults["complaints"] = people.complaints()
        await self._look(report, people)
        return report

    async def _load(
        self, people: Crowd, faults: Faults, schedule: Sequence[Fault], seconds: float
    ) -> None:
        until = time.monotonic() + seconds
        happening = asyncio.create_task(faults.run(schedule))
        try:
            while (left := until - time.monotonic()) > 0 or not happening.done():
                await asyncio.wait({happening}, timeout=max(1.0, min(left, _PROGRESS_S)))
                if happening.done():
                    happening.result()
                    await asyncio.sleep(max(0.0, min(left, 1.0)))
                people.failed()
                self._progress(people)
        finally:
            happening.cancel()
            await asyncio.wait({happening})

    async def _recover(self, report: Report) -> None:
        self._tell("nothing is wrong any more; playing on")
        report.faults["not recovered"] = []
        try:
            await self._installation.until_serving()
            report.recovered_s = await prove(self._installation.endpoints, self._recorder)
        except (TimeoutError, ExceptionGroup) as failed:
            report.faults["not recovered"].append("".join(traceback.format_exception(failed)))
        self._tell(f"new matches were played to their ends in {report.recovered_s:.1f} s")

    def _progress(self, people: Crowd) -> None:
        self._installation.measure()
        asked = len(self._recorder.history.invocations)
        ended = sum(guest.player.ended for guest in people.guests)
        self._tell(f"{asked} calls, {ended} seats played to the end")

    async def _look(self, report: Report, people: Crowd) -> None:
        """Everything that can be found out now that nobody is there any more."""
        installation = self._installation
        report.aborted = await until_ended(installation)
        report.witness = await witness_of(installation)
        report.boards = await read_boards(installation, report.witness)
        busy = await until_idle(installation)
        report.faults["not idle"] = [f"{gauge} is {value:.0f}" for gauge, value in busy.items()]
        report.faults["not ready"] = await _unready(installation)
        installation.measure()
        await asyncio.gather(*(s.stop() for s in installation.services.values()))
        self._check(report, people)

    def _check(self, report: Report, people: Crowd) -> None:
        services = self._installation.services
        report.peaks_kb = self._installation.peaks_kb
        report.gave_up = sum(service.gave_up for service in services.values())
        report.faults["exits"] = [f"{n}: {s.failed}" for n, s in services.items() if s.failed]
        report.faults["errors"] = [
            f"{name}: {line}" for name, service in services.items() for line in service.failures()
        ]
        report.faults |= check_all(
            report.witness,
            report.history,
            outages=outages(report.happened),
            boards=report.boards,
            logs={name: service.lines() for name, service in services.items()},
            secrets=people.secrets | self._installation.tokens,
        )


async def _unready(installation: Installation) -> list[str]:
    try:
        await installation.until_serving()
    except TimeoutError as late:
        return [str(late)]
    return []


def outages(happened: Sequence[Happened]) -> list[Outage]:
    """When no move could be recorded for so long that nobody's time may have run."""
    return [
        Outage(one.began_ms, one.ended_ms)
        for one in happened
        if one.fault.target == BROKER and one.ended_ms - one.began_ms > 1000 * OUTAGE_S
    ]
