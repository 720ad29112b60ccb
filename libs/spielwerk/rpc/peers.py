"""Network addresses as gRPC names them, for limits of callers without a token."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv6Address, IPv6Network
from typing import Final
from urllib.parse import unquote

_OWN_BITS: Final = 64
"""Whoever has one IPv6 address has all the addresses behind its first half."""


def address_of(peer: str) -> str:
    """Whom a peer counts as: `ipv4:10.0.0.7:51234` -> `ipv4:10.0.0.7`, IPv6 by its /64 network.

    Other kinds, and what is no address, stay without what follows the last colon.
    """
    name = unquote(peer).rpartition(":")[0] or peer
    kind, _, host = name.partition(":")
    if kind != "ipv6":
        return name
    try:
        address = IPv6Address(host.strip("[]").partition("%")[0])
    except AddressValueError:
        return name
    if address.ipv4_mapped:
        return f"ipv4:{address.ipv4_mapped}"
    return f"ipv6:{IPv6Network((address, _OWN_BITS), strict=False).network_address}"
