"""Certificates as gRPC takes them: for our ports, renewed without a restart, and for channels."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

import grpc

from spielwerk.telemetry.logs import get_logger
from spielwerk.tls import ClientTls, NamedTls, ServerTls, read_authorities, read_identity

NAME_OVERRIDE: Final = "grpc.ssl_target_name_override"
Stamp = tuple[tuple[int, int], ...]

_log = get_logger(__name__)


def server_credentials(tls: ServerTls, *, services_only: bool) -> grpc.ServerCredentials:
    """For one port; `services_only`: only clients with a certificate of `client_ca` get in.

    OSError or ValueError if a file is of no use; later, such files are not taken.
    """
    renewal = _Renewal(tls)
    first, changed = renewal.first(), cast(Any, renewal.changed)  # may also answer None
    return grpc.dynamic_ssl_server_credentials(
        first, changed, require_client_authentication=services_only
    )


def channel_credentials(tls: ClientTls) -> grpc.ChannelCredentials:
    """For one channel, from the files as they are now; OSError or ValueError as above."""
    roots = None if tls.ca is None else read_authorities(tls.ca)
    if tls.certificate is None or tls.key is None:
        return grpc.ssl_channel_credentials(roots)
    own = read_identity(tls.certificate, tls.key)
    return grpc.ssl_channel_credentials(roots, own.key, own.certificate)


def name_options(tls: ClientTls) -> tuple[tuple[str, str], ...]:
    """Channel options for a server whose certificate names something else than its address."""
    name = tls.server_name if isinstance(tls, NamedTls) else None
    return () if name is None else ((NAME_OVERRIDE, name),)


class _Renewal:
    """Looks at the files before each handshake, which gRPC does in threads of its own.

    A pair that is being replaced does not fit for a moment: then the old one stays.
    """

    def __init__(self, tls: ServerTls) -> None:
        self._tls = tls
        self._stamp: Stamp = ()
        self._lock = threading.Lock()

    def first(self) -> grpc.ServerCertificateConfiguration:
        self._stamp = stamp_of(self._tls.files)
        return self._read()

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        with self._lock:
            try:
                stamp = stamp_of(self._tls.files)
                if stamp == self._stamp:
                    return None
                self._stamp = stamp
                return self._read()
            except (OSError, ValueError) as error:
                _log.warning("certificate not renewed", file=self._tls.certificate, why=str(error))
                return None

    def _read(self) -> grpc.ServerCertificateConfiguration:
        tls = self._tls
        own = read_identity(tls.certificate, tls.key)
        roots = None if tls.client_ca is None else read_authorities(tls.client_ca)
        tell = _log.error if own.expired else _log.info
        tell("certificate", file=tls.certificate, until=own.not_after.isoformat())
        return grpc.ssl_server_certificate_configuration([(own.key, own.certificate)], roots)


def stamp_of(files: Iterable[Path]) -> Stamp:
    """Another one after each change of a file; OSError if one is missing."""
    return tuple((found.st_mtime_ns, found.st_ino) for found in (file.stat() for file in files))
