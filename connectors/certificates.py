"""Read the owner and the expiry of a company's certificate (PFX, A1)."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

from domain.documents import is_cnpj
from domain.problems import InputError, Problem

_CNPJ_OF_COMPANY: Final = x509.ObjectIdentifier("2.16.76.1.3.3")
"""Object identifier of the company's CNPJ in an ICP-Brasil certificate."""
_LAST_CNPJ: Final = re.compile(r"[0-9A-Z]{12}[0-9]{2}$")
_HEADER: Final = 2
_MOST_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Certificate:
    """Content of a certificate. `cnpj` is None if it names no company."""

    name: str
    cnpj: str | None
    begins_at: datetime
    ends_at: datetime


def read_certificate(pfx: bytes, password: str) -> Certificate:
    """Return the certificate in a PFX file. Raises `InputError`: wrong password, no PFX file, or no private key."""
    if len(pfx) > _MOST_BYTES:
        raise InputError(Problem("certificate.no_pfx"))
    try:
        key, found, _ = pkcs12.load_key_and_certificates(pfx, password.encode())
    except ValueError as error:
        # the library distinguishes a wrong password from a damaged file only by its message
        is_password = "password" in str(error).casefold()
        raise InputError(Problem("certificate.password" if is_password else "certificate.no_pfx")) from None
    if key is None or found is None:
        raise InputError(Problem("certificate.no_key"))
    names = found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    name = str(names[0].value) if names else ""
    return Certificate(name, _cnpj(found, name), found.not_valid_before_utc, found.not_valid_after_utc)


def _cnpj(found: x509.Certificate, name: str) -> str | None:
    """Return the CNPJ from the certificate's CNPJ field, else from the end of `COMPANY LTDA:99000001000101`."""
    for text in (*_other_names(found), name.rpartition(":")[2]):
        last = _LAST_CNPJ.search(text)
        if last is not None and is_cnpj(last[0]):
            return last[0]
    return None


def _other_names(found: x509.Certificate) -> list[str]:
    try:
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    others = names.get_values_for_type(x509.OtherName)
    return [each.value[_HEADER:].decode("ascii", "replace") for each in others if each.type_id == _CNPJ_OF_COMPANY]
