"""Certificates for tests: authorities and what they sign, as PEM files in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from spielwerk.tls import NamedTls, ServerTls

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Issued:
    """A certificate and its key."""

    certificate: Path
    key: Path

    def server(self, client_ca: Path | None = None) -> ServerTls:
        return ServerTls(certificate=self.certificate, key=self.key, client_ca=client_ca)


class Authority:
    """Signs certificates; `path` is what its friends trust."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self.path = folder / f"{name}.pem"
        made = _draft(self._name, self._name, self._key, DAY)
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.path.write_bytes(made.sign(self._key, SHA256()).public_bytes(Encoding.PEM))

    def issue(
        self, file: str, *, names: tuple[str, ...] = ("localhost",), lasts: timedelta = DAY
    ) -> Issued:
        """A new key and its certificate for these host names and for this machine."""
        key = ec.generate_private_key(ec.SECP256R1())
        found = [x509.DNSName(name) for name in names]
        alternatives = x509.SubjectAlternativeName(
            [*found, x509.IPAddress(ip_address("127.0.0.1"))]
        )
        draft = _draft(_name(names[0]), self._name, key, lasts)
        signed = draft.add_extension(alternatives, critical=False).sign(self._key, SHA256())
        issued = Issued(self.folder / f"{file}.crt", self.folder / f"{file}.key")
        issued.certificate.write_bytes(signed.public_bytes(Encoding.PEM))
        issued.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return issued

    def client(self, own: Issued | None = None, server_name: str | None = None) -> NamedTls:
        """For a client that trusts this authority."""
        files = {} if own is None else {"certificate": own.certificate, "key": own.key}
        return NamedTls(ca=self.path, server_name=server_name, **files)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, lasts: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 10 * DAY)
        .not_valid_after(now + lasts)
    )
