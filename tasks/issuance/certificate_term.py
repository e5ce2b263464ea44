"""Check that a company's certificate stays valid long enough for a batch that is sent now."""

from collections.abc import Iterable
from typing import Final

from connectors.ledger import certificates, parties
from connectors.ledger.batches import BatchRecord
from connectors.ledger.certificates import CertificateEnd
from connectors.ledger.parties import EmitterRecord
from domain.competence import BRASILIA
from domain.documents import Document
from domain.problems import Problem
from domain.states import BatchState
from tasks.issuance.batch_lease import LeasedBatch
from tasks.runtime import Context

_WAITING: Final = frozenset({BatchState.PLANNED, BatchState.APPROVED})
AGAIN_S: Final = 3_600
"""Seconds until the next look at a batch that waits for a certificate."""


async def certificate_problem(leased: LeasedBatch) -> Problem | None:
    """Return the problem that forbids staging or sending a batch, or None if the certificate is valid or unknown.

    It must stay valid for `reconcile.stuck_warning_s`, the longest time that a batch takes without a warning.
    """
    runtime, batch = leased.runtime, leased.batch
    emitter = await runtime.ledger.read_async(parties.emitter_of, batch.emitter_id)
    return _problem(runtime, batch, emitter, await runtime.ledger.read_async(certificates.ends_all))


def unsent_for_certificate(context: Context, batches: Iterable[BatchRecord]) -> list[Problem]:
    """Return, once each, the problems of certificates that stop planned or approved ones of these batches."""
    ends = context.ledger.read(certificates.ends_all)
    waiting = [each for each in batches if each.state in _WAITING]
    emitters = {each.emitter_id: context.ledger.read(parties.emitter_of, each.emitter_id) for each in waiting}
    found = (_problem(context, each, emitters[each.emitter_id], ends) for each in waiting)
    return list({str(problem.params): problem for problem in found if problem is not None}.values())


def _problem(
    context: Context, batch: BatchRecord, emitter: EmitterRecord, ends: Iterable[CertificateEnd]
) -> Problem | None:
    system = context.registry.system_of[batch.issuer]
    for each in ends:
        is_theirs = (each.system, each.cnpj) == (system, emitter.cnpj)
        if is_theirs and each.left_s < context.settings.reconcile.stuck_warning_s:
            return Problem("certificate.ends", params=end_params(each))
    return None


def end_params(found: CertificateEnd) -> dict[str, str | int]:
    """Return the company and the time of expiry in Brasília, as parameters of a sentence."""
    on = f"{found.ends_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
    return {"cnpj": Document("cnpj", found.cnpj).formatted, "on": on}
