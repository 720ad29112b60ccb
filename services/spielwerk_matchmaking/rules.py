"""MatchService as matchmaking uses it: creating matches."""

from __future__ import annotations

import grpc

from spielwerk.api.v1 import match_pb2, match_pb2_grpc
from spielwerk.rpc.errors import error_of


class RulesMatches:
    """Creates matches through the API; `timeout_ms` is for one attempt."""

    def __init__(self, channel: grpc.aio.Channel, timeout_ms: int) -> None:
        self._stub = match_pb2_grpc.MatchServiceStub(channel)
        self._timeout_s = timeout_ms / 1000

    async def create(self, request: match_pb2.CreateMatchRequest) -> None:
        """Create it or find it created; Refused for good, Unclear otherwise."""
        try:
            await self._stub.CreateMatch(request, timeout=self._timeout_s)
        except grpc.aio.AioRpcError as error:
            raise error_of(error) from error
