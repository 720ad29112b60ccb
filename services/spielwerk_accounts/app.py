"""Puts the accounts service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from spielwerk.api.v1.account_pb2_grpc import add_AccountServiceServicer_to_server
from spielwerk.log.connect import connect
from spielwerk.log.forgotten import BUCKET as FORGOTTEN
from spielwerk.log.measured import measure_connection
from spielwerk.rpc.host import Host
from spielwerk.service import failing_with
from spielwerk_accounts import keys as signing
from spielwerk_accounts.buckets import open_bucket
from spielwerk_accounts.guests import Guests
from spielwerk_accounts.profiles import Profiles
from spielwerk_accounts.rate import Rate
from spielwerk_accounts.servicer import AccountServicer
from spielwerk_accounts.settings import AccountsSettings


@asynccontextmanager
async def serving(settings: AccountsSettings, host: Host) -> AsyncIterator[None]:
    """Accounts on this host as long as the block lasts; the host starts inside."""
    keys = signing.load(settings.keys, settings.auth, settings.mode)
    host.trust(keys.jwks())
    if settings.keys.jwks_file is not None:
        signing.write_jwks(keys, settings.keys.jwks_file)
    async with connect(settings.nats) as broker, failing_with(broker.dead, "broker lost for good"):
        measure_connection(broker, host.metrics)
        profiles = Profiles(await open_bucket(broker, settings.profiles_bucket, settings.replicas))
        requests = await open_bucket(
            broker, settings.requests_bucket, settings.replicas, settings.request_ttl_s
        )
        forgotten = await open_bucket(broker, FORGOTTEN, settings.replicas)
        guests = Guests(profiles, requests, forgotten, keys, settings.token_ttl_s)
        rate = Rate(settings.guests_per_second, settings.guests_burst)
        servicer = AccountServicer(guests, profiles, keys, rate, host.metrics)
        host.add(add_AccountServiceServicer_to_server, servicer, "spielwerk.api.v1.AccountService")
        host.check("accounts: broker", lambda: broker.connected)
        yield
