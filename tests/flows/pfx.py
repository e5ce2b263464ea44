"""Make certificates like those of companies: a PFX with a name, a CNPJ and a term."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, pkcs12
from cryptography.x509.oid import NameOID

OID = x509.ObjectIdentifier("2.16.76.1.3.3")


def pfx(
    cnpj: str | None, *, password: str = "senha", days: int = 200, begun: int = 30, has_field: bool = True
) -> bytes:
    """Return a PFX that expires in `days` days, with its CNPJ in ICP-Brasil's field or at the end of the name."""
    key = ec.generate_private_key(ec.SECP256R1())
    built = _begun(key.public_key(), f"EMPRESA LTDA:{cnpj}" if cnpj else "EMPRESA LTDA", days=days, begun=begun)
    if cnpj and has_field:
        other = x509.OtherName(OID, bytes([0x13, len(cnpj)]) + cnpj.encode())
        built = built.add_extension(x509.SubjectAlternativeName([other]), critical=False)
    return pkcs12.serialize_key_and_certificates(
        b"empresa", key, built.sign(key, hashes.SHA256()), None, BestAvailableEncryption(password.encode())
    )


def pem() -> bytes:
    """Return a certificate alone, of nobody that anybody knows."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _begun(key.public_key(), "nobody", days=1, begun=1).sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


def _begun(key: ec.EllipticCurvePublicKey, owner: str, *, days: int, begun: int) -> x509.CertificateBuilder:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, owner)])
    today = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key)
        .serial_number(7)
        .not_valid_before(today - timedelta(days=begun))
        .not_valid_after(today + timedelta(days=days))
    )
