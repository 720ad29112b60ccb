"""A whole match with everything encrypted: players at the public address, services inside."""

from __future__ import annotations

from pathlib import Path

import grpc

from certificates import Authority
from client.house import house_at
from client.playing import play_on
from ports import free_port
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.log.settings import LogSettings
from spielwerk.match.model import Ended
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.errors import error_of
from spielwerk_local.brokers import Brokers


async def test_a_match_against_a_bot_is_played_to_its_end_over_tls(
    brokers: Brokers, stream_settings: LogSettings, redis_url: str, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    port = {
        "tls": authority.issue("rules").server(client_ca=authority.path),
        "internal_listen": f"127.0.0.1:{free_port()}",
    }
    async with house_at(
        brokers.nats_url,
        stream_settings,
        redis_url,
        tmp_path,
        everything=True,
        port=port,
        api_tls=authority.client(authority.issue("services")),
    ) as house:
        async with house.client("ada", tls=authority.client()) as client:
            wishes = {"target": 61, "action_timeout_s": 0}
            practice = await client.matchmaking.practice("cribbage", wishes)
            match = client.match(practice.match_id)
            await match.join()
            assert await play_on(match) > 5
            assert isinstance((await match.view()).ended, Ended)
        token = house.service_auth("bots").token
        assert token is not None
        async with open_channel(
            house.address, token.get_secret_value, authority.client()
        ) as channel:
            turn = match_pb2.GetBotTurnRequest(match_id=practice.match_id, seat=1, turn_key="1")
            try:
                await MatchServiceStub(channel).GetBotTurn(turn, timeout=10)
                reason = "let in"
            except grpc.aio.AioRpcError as failed:
                reason = error_of(failed).reason
    assert reason == "certificate_missing"
