"""A match in the log needs nothing but the log: no deck file, no bot."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from typing import Any

import pytest

from games.quartett.scripted import SAMPLE
from match.playing import ALICE, MATCH_ID, NOW, Log
from spielwerk.chance import HmacChance, commitment, decision_seed
from spielwerk.codec.match import read_record
from spielwerk.games.game import BotInformation
from spielwerk.games.quartett import GAME, options
from spielwerk.games.quartett.deck import fingerprint
from spielwerk.games.quartett.messages import GameStarted
from spielwerk.games.quartett.options import Options
from spielwerk.games.registry import version
from spielwerk.match import decide
from spielwerk.match.model import (
    Bot,
    CauseKind,
    Match,
    Opened,
    Origin,
    Phase,
    Secrets,
    WatchPolicy,
)
from spielwerk.match.verify import Verifier

SECRETS = Secrets(b"s" * 32, b"b" * 32)


def bot(strength: str) -> Bot:
    policy = GAME.bots[strength]
    return Bot.of(policy)


def opened(strength: str, **rules: Any) -> Opened:
    return Opened(
        game=GAME.key,
        rules_version=GAME.rules_version,
        options=Options(**rules),
        occupants=(ALICE, bot(strength)),
        watch=WatchPolicy.PARTICIPANTS,
        rated=False,
        commitment=commitment(SECRETS.seed),
        bot_commitment=commitment(SECRETS.bot_seed),
        seating_ms=15_000,
        origin=Origin.PRACTICE,
    )


def choice_of_bot(match: Match, seat: int) -> Any:
    """What the bot's policy makes of its open turn."""
    occupant = match.opened.occupants[seat]
    assert isinstance(occupant, Bot)
    policy = GAME.bots[occupant.strength]
    everything = policy.information is BotInformation.EVERYTHING
    seen = match.state if everything else GAME.view(match.state, seat)
    seed = decision_seed(match.secrets.bot_seed, seat, match.turns[seat].key)
    return policy.choose(seen, GAME.legal(match.state, seat), HmacChance(seed, match.match_id))


def played(strength: str, **rules: Any) -> Log:
    """A whole match of a person who chooses at random against a bot."""
    log, rng, step = Log(), random.Random(strength), 0
    log.append(decide.open_match(MATCH_ID, GAME, opened(strength, **rules), SECRETS, NOW))
    log.append(decide.join(log.now, 0, b"0" * 32, NOW + 10))
    while log.now.phase is not Phase.ENDED:
        step += 1
        (seat,) = log.now.turns
        key, at = log.now.turns[seat].key, NOW + 100 * step
        if seat == 1:
            kind, command = CauseKind.BOT, choice_of_bot(log.now, 1)
        else:
            kind = CauseKind.PLAYER
            command = rng.choice(list(GAME.legal(log.now.state, 0)))
        log.append(decide.submit(log.now, kind, seat, f"c{step}", command, key, at))
    return log


def verified(log: Log) -> Verifier:
    verifier, game = Verifier(version), None
    for data in log.stored:
        record, game = read_record(data, game, version)
        if record.cause.kind is CauseKind.BOT:
            assert verifier.match is not None
            assert record.cause.command == choice_of_bot(verifier.match, 1)
        verifier.feed(record, hashlib.sha256(data).digest())
    return verifier


@pytest.mark.parametrize("strength", GAME.bots)
def test_9_5_a_replay_computes_every_choice_of_a_bot_again(strength: str) -> None:
    log = played(strength, games=2, max_rounds=60)

    assert verified(log).close().ended == log.now.ended


def test_1_3_a_match_is_verified_without_any_deck_file(monkeypatch: pytest.MonkeyPatch) -> None:
    log = played("rank1", deck_id="nirgendbruecken", max_rounds=60)

    def gone(deck_id: str) -> None:
        raise FileNotFoundError(deck_id)

    monkeypatch.setattr(options, "installed_deck", gone)
    with pytest.raises(FileNotFoundError):
        Options()
    assert verified(log).close().ended == log.now.ended


def test_1_3_a_later_edit_of_a_deck_changes_no_match_and_its_hash_tells_the_difference() -> None:
    cards = list(SAMPLE.cards)
    cards[0] = replace(
        cards[0], values=(replace(cards[0].values[0], number=1), *cards[0].values[1:])
    )
    edited = replace(SAMPLE, cards=tuple(cards))
    before, after = played("rank1", max_rounds=9), played("rank1", deck=edited, max_rounds=9)

    assert verified(before).close().opened.options.deck == SAMPLE
    assert [hash_in(log) for log in (before, after)] == [fingerprint(SAMPLE), fingerprint(edited)]
    assert fingerprint(SAMPLE) != fingerprint(edited)


def hash_in(log: Log) -> str:
    events = [event for record, _, _ in log.records() for event in record.events]
    (started,) = [event for event in events if isinstance(event, GameStarted)]
    assert started.deck_id == "channel-nil"
    return started.deck_sha256


def test_2_3_the_person_begins_in_a_match_against_a_bot() -> None:
    for number in range(8):
        log = Log()
        secrets = Secrets(bytes([number]) * 32, SECRETS.bot_seed)
        header = replace(opened("rank1"), commitment=commitment(secrets.seed))
        log.append(decide.open_match(MATCH_ID, GAME, header, secrets, NOW))
        log.append(decide.join(log.now, 0, b"", NOW))
        assert list(log.now.turns) == [0]
