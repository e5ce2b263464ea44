"""Make certificates like those of companies: a PFX with a name, a CNPJ and a term."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from cryptography.x509.oid import NameOID

OID = x509.ObjectIdentifier("2.16.76.1.3.3")


def pfx(
    cnpj: str | None, *, password: str = "senha", days: int = 200, begun: int = 30, has_field: bool = True
) -> bytes:
    """Return a PFX that expires in `days` days, with its CNPJ in ICP-Brasil's field or at the end of the name."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"EMPRESA LTDA:{cnpj}" if cnpj else "EMPRESA LTDA")])
    today = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(today - timedelta(days=begun))
        .not_valid_after(today + timedelta(days=days))
    )
    if cnpj and has_field:
        other = x509.OtherName(OID, bytes([0x13, len(cnpj)]) + cnpj.encode())
        built = built.add_extension(x509.SubjectAlternativeName([other]), critical=False)
    return pkcs12.serialize_key_and_certificates(
        b"empresa", key, built.sign(key, hashes.SHA256()), None, BestAvailableEncryption(password.encode())
    )
