"""Store the emitters that an issuer shows, under that issuer's name."""

from typing import cast

from connectors.ledger import parties as ledger_parties
from connectors.ledger.invoices import Kind
from domain.issuing import Issuer, RemoteEmitter
from tasks.runtime import Runtime


async def remember_emitter(runtime: Runtime, issuer: Issuer, emitter: RemoteEmitter) -> int:
    """Store an emitter as the issuer shows it. Return its ledger id. A company has one entry for each issuer."""
    return await runtime.ledger.write_async(
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
