"""TLS by settings: files are checked when the process starts and named if they are of no use."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Self

from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID
from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator


@dataclass(frozen=True, slots=True)
class Identity:
    """A certificate chain and its private key, as PEM; they belong together."""

    certificate: bytes
    key: bytes
    not_after: datetime

    @property
    def expired(self) -> bool:
        """Whether nobody accepts it any more."""
        return self.not_after <= datetime.now(UTC)


def read_identity(certificate: Path, key: Path) -> Identity:
    """Read both files; OSError, or ValueError if they are not PEM or not of one pair."""
    chain, secret = certificate.read_bytes(), key.read_bytes()
    leaf = x509.load_pem_x509_certificates(chain)[0]
    try:
        private = load_pem_private_key(secret, password=None)
    except TypeError as error:
        raise ValueError("a key with a password cannot be used") from error
    if _public(private.public_key()) != _public(leaf.public_key()):
        raise ValueError("key and certificate do not belong together")
    return Identity(chain, secret, leaf.not_valid_after_utc)


def read_authorities(path: Path) -> bytes:
    """The certificates in a PEM file; OSError, or ValueError if there are none."""
    found = path.read_bytes()
    x509.load_pem_x509_certificates(found)
    return found


def first_name(certificate: bytes) -> str:
    """A name for which the certificate holds; ValueError if it names nobody."""
    leaf = x509.load_pem_x509_certificates(certificate)[0]
    try:
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        found = [
            str(name.value) for name in leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        ]
    else:
        found = [str(n.value) for n in names if isinstance(n, x509.DNSName | x509.IPAddress)]
    if not found:
        raise ValueError("the certificate names nobody")
    return found[0].replace("*", "any")


def _public(key: Any) -> bytes:
    encoded: bytes = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return encoded


def _readable(path: Path) -> Path:
    try:
        path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    return path


def _authorities(path: Path) -> Path:
    _readable(path)
    try:
        read_authorities(path)
    except ValueError as error:
        raise ValueError(f"{path} holds no certificate in PEM") from error
    return path


ReadableFile = Annotated[Path, AfterValidator(_readable)]
AuthoritiesFile = Annotated[Path, AfterValidator(_authorities)]


class ServerTls(BaseModel):
    """Who a port of ours is; all files are PEM and read again when they change."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    certificate: ReadableFile
    """The certificate, followed by those between it and its authority."""
    key: ReadableFile
    """Its private key, without a password."""
    client_ca: AuthoritiesFile | None = None
    """Authority of the certificates that services show at `internal_listen`."""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        _check_identity(self.certificate, self.key)
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        """Everything that may change."""
        return _given(self.certificate, self.key, self.client_ca)


class ClientTls(BaseModel):
    """Whom a connection of ours trusts, and who we are there; all files are PEM."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    ca: AuthoritiesFile | None = None
    """Authority of the server's certificate; none: those of the system."""
    certificate: ReadableFile | None = None
    """Our own certificate, for servers that want to see one."""
    key: ReadableFile | None = None
    """Its private key, without a password."""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key need each other")
        if self.certificate is not None and self.key is not None:
            _check_identity(self.certificate, self.key)
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        """Everything that may change."""
        return _given(self.ca, self.certificate, self.key)

    def context(self) -> ssl.SSLContext:
        """A context for a connection to a server, from the files as they are now."""
        context = ssl.create_default_context(cafile=self.ca)
        if self.certificate is not None:
            context.load_cert_chain(self.certificate, self.key)
        return context


class NamedTls(ClientTls):
    """The same for a server whose certificate names something else than its address."""

    server_name: str | None = None
    """The name in the server's certificate; none: the host of the address."""


def _given(*files: Path | None) -> tuple[Path, ...]:
    return tuple(file for file in files if file is not None)


def _check_identity(certificate: Path, key: Path) -> None:
    try:
        read_identity(certificate, key)
    except ValueError as error:
        raise ValueError(f"{certificate} and {key} cannot be used: {error}") from error
