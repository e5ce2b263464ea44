"""Read a company's certificate before it is uploaded, and store its expiry for the alerts."""

import base64
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from connectors.certificates import Certificate, read_certificate
from connectors.ledger import certificates as ledger_certificates
from domain.competence import BRASILIA
from domain.documents import Document
from domain.problems import InputError, Problem
from domain.resources import Path as RecordPath
from domain.resources import Values
from tasks.records.kinds import OpenResource
from tasks.runtime.file_bytes import read_bytes

KINDS: Final = frozenset({"emitter", "organization"})
_ROOT: Final = 8
"""The first characters of a CNPJ identify the company: a branch may use its head office's certificate."""
_MOST_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Upload:
    """A certificate that may be uploaded: its fields and its company."""

    values: Values
    found: Certificate
    cnpj: str


async def read_upload(opened: OpenResource, path: RecordPath, given: Values, file: Path, password: str) -> Upload:
    """Read a PFX file, and check that it is valid today and belongs to the company at `path` or in `given`.

    Raises `InputError` if it is not, or for another format or a kind of record without a certificate.
    """
    resource = opened.resource
    if resource.kind not in KINDS:
        raise InputError(Problem("certificate.no_company", params={"kinds": ", ".join(sorted(KINDS))}))
    content = read_bytes(file, limit=_MOST_BYTES)
    found = read_certificate(content, password)
    if found.ends_at <= opened.context.clock():
        raise InputError(Problem("certificate.expired", params={"on": _day(found.ends_at)}))
    if found.begins_at > opened.context.clock():
        raise InputError(Problem("certificate.not_begun", params={"on": _day(found.begins_at)}))
    cnpj = given.get("cnpj", "")
    if path and resource.read is not None and len(path) == len(resource.parts):
        cnpj = (await resource.read(path)).values.get("cnpj", "")
    bare = "".join(sign for sign in cnpj.upper() if sign.isalnum())
    if found.cnpj is None or found.cnpj[:_ROOT] != bare[:_ROOT]:
        theirs = "–" if found.cnpj is None else Document("cnpj", found.cnpj).formatted
        raise InputError(Problem("certificate.other_company", params={"name": found.name, "cnpj": theirs}))
    values = {"certificate": base64.b64encode(content).decode(), "password": password}
    if resource.kind == "emitter":
        values["filename"] = file.name[:100]
    return Upload(values, found, bare)


async def store_certificate_expiry(opened: OpenResource, upload: Upload, *, by: str) -> None:
    """Store in the ledger when the certificate ends."""
    await opened.context.ledger.write_async(
        ledger_certificates.enter, opened.resource.system, upload.cnpj, ends_at=upload.found.ends_at, by=by
    )


def _day(at: datetime) -> str:
    return f"{at.astimezone(BRASILIA):%d/%m/%Y}"
