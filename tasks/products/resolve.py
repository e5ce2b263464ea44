"""Station 3 for product sheets: each issuer is looked up once; a customer travels with its order."""

from collections.abc import Collection, Iterable, Sequence

from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import Parties, RowRecord
from connectors.nfe.organizations import Organization
from domain.problems import Problem
from domain.products.lines import ProductKind, ProductLine, by_order, same_order
from domain.states import RowState
from domain.tallies import Tally
from tasks.protocol.repeats import placed
from tasks.runtime import Runtime


async def resolve_products(runtime: Runtime, reading_id: int) -> Tally:
    """Safe to repeat: organizations are only looked up."""
    records = await runtime.ledger.reading(
        ledger_rows.rows_of, reading_id, RowState.READ, limit=runtime.settings.limits.rows
    )
    good, bad = await find_issuers(runtime, records)
    await runtime.ledger.writing(ledger_rows.refuse_rows, bad, because="parties not resolved")
    await runtime.ledger.writing(ledger_rows.resolve_rows, good, keys={})
    return Tally("resolve", f"reading {reading_id}", counts={"resolved": len(good), "refused": len(bad)})


async def find_issuers(
    runtime: Runtime, records: Sequence[RowRecord]
) -> tuple[dict[int, Parties], dict[int, Sequence[Problem]]]:
    """The issuers of product rows, or why there is none, by row id."""
    lines = {record.id: ProductLine.from_json(record.line or {}) for record in records}
    kinds = _kinds(lines.values())
    issuers = await _find_issuers(runtime, {line.emitter_cnpj or "" for line in lines.values()})
    good: dict[int, Parties] = {}
    bad: dict[int, Sequence[Problem]] = {}
    for record in records:
        line = lines[record.id]
        issuer = issuers[line.emitter_cnpj or ""]
        if isinstance(issuer, Problem):
            bad[record.id] = [placed(record, issuer)]
        else:
            emitter_id = await _remember(runtime, issuer, kinds[same_order(line.order_key)])
            good[record.id] = Parties(emitter_id=emitter_id, taker_id=None, template_id=None)
    return good, bad


def _kinds(lines: Iterable[ProductLine]) -> dict[str, ProductKind]:
    """The kind of each order, said on any of its lines; an order that does not say is refused when it is composed."""
    return {
        key: next((line.kind for line in order if line.kind is not None), "nfe")
        for key, order in by_order(lines).items()
    }


async def _find_issuers(runtime: Runtime, cnpjs: Collection[str]) -> dict[str, Organization | Problem]:
    found: dict[str, Organization | Problem] = {}
    for cnpj in sorted(cnpjs):
        organizations = await runtime.nfe.organizations.find(cnpj)
        if len(organizations) != 1:
            found[cnpj] = Problem("emitter.unknown", "emitter_cnpj", params={"cnpj": cnpj})
        elif organizations[0].certificate is None:
            found[cnpj] = Problem("emitter.no_certificate", "emitter_cnpj", params={"cnpj": cnpj})
        else:
            found[cnpj] = organizations[0]
    return found


async def _remember(runtime: Runtime, issuer: Organization, kind: ProductKind) -> int:
    """One issuer in the ledger per organization and kind: so their series and numbers stay apart."""
    return await runtime.ledger.writing(
        ledger_parties.upsert_emitter,
        remote_id=issuer.id,
        cnpj=issuer.cnpj,
        name=issuer.legal_name,
        city_code=(issuer.address.city_code if issuer.address else None) or "",
        is_active=True,
        kind=kind,
    )
