"""Certificates of a certificate authority that only the tests trust."""

import datetime as dt
import ipaddress
import ssl
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_DAY = dt.timedelta(days=1)


class Identity(NamedTuple):
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make_identity(
    host: str, issuer: Identity | None = None, *, is_authority: bool = False, expired: bool = False
) -> Identity:
    """Make the certificate of a host or of an authority; without an issuer it is self-signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer.certificate.subject if issuer else name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 3 * _DAY)
        .not_valid_after(now + (-_DAY if expired else _DAY))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([_general_name(host)]), critical=False)
    )
    return Identity(builder.sign(issuer.key if issuer else key, hashes.SHA256()), key)


def server_context(identity: Identity, folder: Path) -> ssl.SSLContext:
    """Return the TLS context of a server with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(write_certificate(identity, folder), _write_key(identity, folder))
    return context


def write_certificate(identity: Identity, folder: Path) -> Path:
    """Write a certificate as PEM, and return its path."""
    path = folder / f"{identity.certificate.serial_number}.pem"
    path.write_bytes(identity.certificate.public_bytes(serialization.Encoding.PEM))
    return path


def _write_key(identity: Identity, folder: Path) -> Path:
    path = folder / f"{identity.certificate.serial_number}.key"
    path.write_bytes(
        identity.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
