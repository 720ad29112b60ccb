"""Recomputes the choices of bots from the published bot seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spielwerk.audit.replaying import Step
from spielwerk.chance import HmacChance, decision_seed
from spielwerk.games.game import BotInformation, BotPolicy, Seat
from spielwerk.match.model import Bot, CauseKind, Match
from spielwerk.match.verify import Mismatch


@dataclass(slots=True)
class BotChoices:
    """Figures of the recomputation; `unknown` counts choices by policies that are not here."""

    recomputed: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    def check(self, step: Step) -> None:
        """Recompute the record's choice, if a bot made it; Mismatch if it is another one."""
        cause, match = step.record.cause, step.before
        if cause.kind is not CauseKind.BOT or cause.seat is None or match is None:
            return
        bot = match.opened.occupants[cause.seat]
        if not isinstance(bot, Bot):
            raise Mismatch(step.record.version, f"seat {cause.seat} is no bot's")
        policy = match.game.bots.get(bot.strength)
        if policy is None or policy.policy != bot.policy:
            self.unknown[f"{match.opened.game} {bot.policy}"] += 1
            return
        if choice_of(match, cause.seat, bot, policy) != cause.command:
            raise Mismatch(step.record.version, f"{bot.policy} chooses another command")
        self.recomputed += 1


def check_bots(walk: Iterable[Step]) -> BotChoices:
    """Recompute all choices of the bots of a match; Mismatch at the first other one."""
    choices = BotChoices()
    for step in walk:
        choices.check(step)
    return choices


def choice_of(match: Match, seat: Seat, bot: Bot, policy: BotPolicy[Any, Any]) -> Any:
    """What the bots' service submits: the policy's choice, or the first command if it fails."""
    key = match.turns[seat].key
    legal = list(match.game.legal(match.state, seat))
    everything = BotInformation.EVERYTHING
    knows_all = policy.information is everything and bot.information is everything
    seen = match.state if knows_all else match.game.view(match.state, seat)
    chance = HmacChance(decision_seed(match.secrets.bot_seed, seat, key), match.match_id)
    try:
        chosen = policy.choose(seen, legal, chance)
    except Exception:  # as the service does: the other seats must not wait for ever
        return legal[0]
    return chosen if chosen in legal else legal[0]
