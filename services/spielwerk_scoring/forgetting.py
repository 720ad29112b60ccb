"""Takes a deleted player out of every ranking, past and present, for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spielwerk.errors import Unavailable
from spielwerk.games.game import Ranking
from spielwerk.rankings import order
from spielwerk.rankings.totals import read_total
from spielwerk_scoring.keys import FORGOTTEN, Generation, game_of
from spielwerk_scoring.store import Store, awaited, batched


async def forget(store: Store, rankings: Mapping[str, Ranking], player_id: str) -> int:
    """Remove the player from all boards; the ranks of the others close up. Returns how many.

    Unavailable (game_unknown) if there is a board of a game that this process does not know.
    Harmless to repeat, and to be repeated after an error. First the player is marked: every write
    that is computed from then on leaves it out, also in a rebuild. Then each generation refuses the
    writes computed before, so that none of them can bring the player back.
    """
    await mark(store, (player_id,))
    removed = 0
    for generation in await store.generations():
        if await store.touch(generation):
            removed += await _removed(store, rankings, generation, player_id)
    return removed


async def mark(store: Store, players: Iterable[str]) -> None:
    """From now on no computed write has a place for these players."""
    for part in batched(players, 500):
        await awaited(store.redis.sadd(FORGOTTEN, *part))


async def _removed(
    store: Store, rankings: Mapping[str, Ranking], generation: Generation, player_id: str
) -> int:
    removed = 0
    boards = await awaited(store.redis.smembers(generation.boards))
    for part in batched(sorted(boards), 500):
        async with store.redis.pipeline(transaction=False) as pipe:
            for board in part:
                pipe.hget(generation.totals(board), player_id)
            found = await pipe.execute()
        async with store.redis.pipeline(transaction=True) as pipe:
            for board, text in zip(part, found, strict=True):
                if text is not None:
                    total = read_total(text)
                    if total.games:
                        name = order.member(_ranking(rankings, board), total, player_id)
                        pipe.zrem(generation.order(board), name)
                    pipe.hdel(generation.totals(board), player_id)
                    removed += 1
            await pipe.execute()
    return removed


def _ranking(rankings: Mapping[str, Ranking], board: str) -> Ranking:
    game = game_of(board)
    if game not in rankings:
        raise Unavailable("game_unknown", f"no ranking for {game!r}", game=game)
    return rankings[game]
