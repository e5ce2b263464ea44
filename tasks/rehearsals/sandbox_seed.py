"""Copy emitters, templates and the month's customers from the ledger to the sandbox."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from configs.reference.cities import load_cities
from connectors.http.errors import Refused
from connectors.ledger import parties as ledger_parties
from connectors.ledger.parties import EmitterRecord, TakerRecord
from domain.issuing import SERVICE
from domain.parties import TakerData
from tasks.rehearsals.fault_injection import Company
from tasks.runtime import Context, Runtime
from tasks.runtime.task_group import run_together

_ACCOUNT: Final = {
    "id": 1,
    "uuid": "5f0c7a52-99a1-4b0e-8c3e-0000000000aa",
    "name": "Ensaio",
    "expiration_date": None,
    "max_emissions": "Ilimitado",
    "plan": {"name": "Ilimitado", "slug": "ilimitado"},
    "token": "sandbox-token",
}
_PLACE: Final = {
    "email": "ensaio@exemplo.invalid",
    "city_inscription": "1",
    "neighborhood": "Centro",
    "street_type": "RUA",
    "street": "do Ensaio",
    "number": "1",
    "zip_code": "01010000",
    "phone": "11999990000",
    "code_tax_regime": 3,
}


def company_of(context: Context) -> Company:
    """Return the company to seed the sandbox with: a fixed account, and the ledger's emitters of service invoices."""
    cities = load_cities()
    emitters: list[dict[str, Any]] = []
    for each in _emitters(context):
        city = cities.by_code(each.city_code)
        place = {"city": city.name, "state": city.uf} if city is not None else {"city": "", "state": ""}
        named = {"social_reason": each.name, "fancy_name": each.name[:60], "cnpj": each.cnpj}
        emitters.append({**_PLACE, **named, **place, "is_active": each.is_active})
    sales: dict[str, list[Any]] = {name: [] for name in ("accounts", "plans", "orders", "invoices", "adjustments")}
    return {"account": _ACCOUNT, "emitters": emitters, "takers": [], "sales": sales}


async def seed_register(runtime: Runtime, documents: Collection[str]) -> None:
    """Create templates and these customers at the sandbox, and store their new ids in the ledger."""
    issuer = runtime.issuer_of(SERVICE)
    register, ledger = runtime.register(issuer), runtime.ledger
    theirs = {each.cnpj: each for each in await runtime.issuer(issuer).emitters()}
    for emitter in _emitters(runtime):
        found = theirs[emitter.cnpj]
        kept = {
            name: getattr(emitter, name) for name in ("cnpj", "name", "city_code", "is_active", "kind", "is_staged")
        }
        await ledger.write_async(ledger_parties.upsert_emitter, remote_id=found.id, issuer=issuer, **kept)
        templates = ledger.read(ledger_parties.templates_of, emitter.id)
        await ledger.write_async(ledger_parties.forget_template_ids, emitter.id)
        for template in templates:
            content = {**template.body["profile"], **template.body}
            # JSON has lists where records have tuples
            values = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in content.items()
                if name not in ("name", "profile") and value != []
            }
            made = await register.create_template(found.ref, template.name, values)
            await ledger.write_async(
                ledger_parties.upsert_template,
                emitter_id=emitter.id,
                name=template.name,
                remote_id=made.id,
                body=template.body,
            )
    known: Mapping[str, TakerRecord] = ledger.read(ledger_parties.takers_by_documents, sorted(documents), issuer)
    await run_together(_enter(runtime, issuer, each) for each in known.values())


async def _enter(runtime: Runtime, issuer: str, taker: TakerRecord) -> None:
    try:
        made = await runtime.register(issuer).create_customer(TakerData.from_json(taker.body))
    except Refused:
        return  # the station `resolve` refuses the rows of such a customer with the reason
    await runtime.ledger.write_async(
        ledger_parties.upsert_taker,
        issuer=issuer,
        document=taker.document,
        remote_id=made.id,
        name=taker.name,
        body=taker.body,
        is_complete=taker.is_complete,
    )


def _emitters(context: Context) -> list[EmitterRecord]:
    issuer = context.issuer_of(SERVICE)
    return [each for each in context.ledger.read(ledger_parties.emitters_all) if each.issuer == issuer]
