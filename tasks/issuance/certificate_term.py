"""Check that a company's certificate is valid long enough for a batch that is sent now."""

from typing import Final

from connectors.ledger import certificates, parties
from connectors.ledger.certificates import CertificateEnd
from domain.competence import BRASILIA
from domain.documents import Document
from domain.problems import Problem
from tasks.issuance.batch_lease import LeasedBatch

AGAIN_S: Final = 3_600
"""Seconds until the next look at a batch that waits for a certificate."""


async def certificate_problem(leased: LeasedBatch) -> Problem | None:
    """Return the problem that forbids staging or sending a batch, or None if the certificate is valid or unknown.

    It must be valid for the longest time that a batch may take without a warning.
    """
    runtime, batch = leased.runtime, leased.batch
    emitter = await runtime.ledger.reading(parties.emitter_of, batch.emitter_id)
    system = runtime.registry.system_of[batch.issuer]
    for each in await runtime.ledger.reading(certificates.ends_all):
        is_theirs = (each.system, each.cnpj) == (system, emitter.cnpj)
        if is_theirs and each.left_s < runtime.settings.reconcile.stuck_warning_s:
            return Problem("certificate.ends", params=end_params(each))
    return None


def end_params(found: CertificateEnd) -> dict[str, str | int]:
    """Return the company and the day of expiry, as parameters of a sentence."""
    on = f"{found.ends_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
    return {"cnpj": Document("cnpj", found.cnpj).formatted, "on": on}
