"""Look up the issuer of each order once."""

from collections.abc import Collection, Iterable, Sequence

from connectors.ledger.rows import Parties, RowRecord
from domain.issuing import RemoteEmitter
from domain.problems import Problem
from domain.products.lines import ProductKind, ProductLine, by_order, same_order
from tasks.issuance.emitters import emitter_with, remember_emitter
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime


async def find_issuers(
    runtime: Runtime, records: Sequence[RowRecord]
) -> tuple[dict[int, Parties], dict[int, Sequence[Problem]]]:
    """Return the issuers of product rows, or why there is none, by row id."""
    lines = {record.id: ProductLine.from_json(record.line or {}) for record in records}
    kinds = _kinds(lines.values())
    issuers = await _find_issuers(runtime, {line.emitter_cnpj or "" for line in lines.values()})
    good: dict[int, Parties] = {}
    bad: dict[int, Sequence[Problem]] = {}
    for record in records:
        line = lines[record.id]
        issuer = issuers[line.emitter_cnpj or ""]
        if isinstance(issuer, Problem):
            bad[record.id] = [place_problem(record, issuer)]
        else:
            emitter_id = await remember_emitter(
                runtime, runtime.issuer(runtime.issuer_of(kinds[same_order(line.order_key)])), issuer
            )
            good[record.id] = Parties(emitter_id=emitter_id, taker_id=None, template_id=None)
    return good, bad


def _kinds(lines: Iterable[ProductLine]) -> dict[str, ProductKind]:
    """Return the document kind of each order, which any of its rows may name.

    Take NF-e for an order without a kind: `compose_product_invoice` refuses such an order later.
    """
    return {
        key: next((line.kind for line in order if line.kind is not None), "nfe")
        for key, order in by_order(lines).items()
    }


async def _find_issuers(runtime: Runtime, cnpjs: Collection[str]) -> dict[str, RemoteEmitter | Problem]:
    issuer = runtime.issuer(runtime.issuer_of("nfe"))
    return {cnpj: await emitter_with(runtime, issuer, cnpj) for cnpj in sorted(cnpjs)}
