"""Emitters that an issuer shows, remembered in the ledger under that issuer's name."""

from typing import cast

from connectors.ledger import parties as ledger_parties
from connectors.ledger.invoices import Kind
from domain.issuing import Issuer, RemoteEmitter
from tasks.runtime import Runtime


async def remember_emitter(runtime: Runtime, issuer: Issuer, emitter: RemoteEmitter) -> int:
    """Store the emitter as just seen; return its ledger id. One for each issuer: series and numbers stay apart."""
    return await runtime.ledger.writing(
        ledger_parties.upsert_emitter,
        remote_id=emitter.id,
        cnpj=emitter.cnpj,
        name=emitter.name,
        city_code=emitter.city_code,
        is_active=emitter.fault is None,
        kind=cast("Kind", issuer.kind),
        issuer=issuer.name,
        is_staged=issuer.capabilities.is_staged,
    )
