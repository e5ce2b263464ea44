"""Store the emitters that an issuer shows, under that issuer's name, and refuse the ids of another company."""

from collections.abc import Collection
from typing import Final, cast

from connectors.ledger import parties as ledger_parties
from connectors.ledger.invoices import Kind
from connectors.ledger.parties import EmitterRecord
from domain.documents import Document
from domain.issuing import SERVICE, Issuer, RemoteEmitter
from domain.problems import FaturistaError, Problem
from tasks.runtime import Runtime


class OtherAccount(FaturistaError):
    """The issuer knows a company under another id than the ledger, or not at all: the ledger's ids lead to others."""


async def remember_emitter(runtime: Runtime, issuer: Issuer, emitter: RemoteEmitter) -> int:
    """Store an emitter as the issuer shows it. Return its ledger id. A company has one entry for each issuer.

    Raises `OtherAccount` if its numbers were given under another id, or its id is another company's.
    """
    other = await runtime.ledger.read_async(
        ledger_parties.contradicting_emitter, issuer=issuer.name, cnpj=emitter.cnpj, remote_id=emitter.id
    )
    if other is not None:
        raise _other_account(runtime, other, [emitter])
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


async def check_account(runtime: Runtime, issuer: str, emitter_id: int) -> None:
    """Raise `OtherAccount` unless the issuer shows the emitter under the ledger's id.

    An account whose id is stored needs no such look: `open_runtime` has compared it.
    """
    place = (*runtime.place_of(issuer), emitter_id)
    if place in _CHECKED:
        return
    if not await is_account_known(runtime, issuer):
        await check_emitter(runtime, issuer, emitter_id)
    _CHECKED.add(place)


async def is_account_known(runtime: Runtime, issuer: str) -> bool:
    """Return whether the issuer has an account whose id is stored."""
    is_service = issuer == runtime.issuer_of(SERVICE)
    return is_service and await runtime.ledger.read_async(ledger_parties.account_of) is not None


async def check_emitter(runtime: Runtime, issuer: str, emitter_id: int) -> None:
    """Raise `OtherAccount` unless the issuer shows the emitter's CNPJ under the ledger's id now.

    People correct a company's CNPJ or merge companies at the issuer, which then issues for another company.
    """
    emitter = await runtime.ledger.read_async(ledger_parties.emitter_of, emitter_id)
    there = runtime.issuer(issuer)
    shown = await there.emitters(emitter.cnpj)
    if emitter.remote_id not in [each.id for each in shown]:
        raise _other_account(runtime, emitter, await there.emitters())


async def emitter_with(runtime: Runtime, issuer: Issuer, cnpj: str) -> RemoteEmitter | Problem:
    """Return the one company with this CNPJ at the issuer, or why nothing can be billed for it."""
    found = await issuer.emitters(cnpj)
    if len(found) == 1:
        return found[0].fault or found[0]
    if found:
        return Problem("emitter.several", "emitter_cnpj", params={"cnpj": cnpj})
    return await _unknown_emitter(runtime, issuer, cnpj)


async def _unknown_emitter(runtime: Runtime, issuer: Issuer, cnpj: str) -> Problem:
    """Return the problem of a CNPJ that the issuer does not show: a company that we know may have another one there."""
    params: dict[str, str | int] = {"cnpj": cnpj}
    known = await runtime.ledger.read_async(ledger_parties.emitters_all)
    ours = next((each for each in known if (each.issuer, each.cnpj) == (issuer.name, cnpj)), None)
    if ours is None:
        return Problem("emitter.unknown", "emitter_cnpj", params=params)
    params["name"] = ours.name
    now = next((each for each in await issuer.emitters() if each.id == ours.remote_id), None)
    if now is None:
        return Problem("emitter.gone", "emitter_cnpj", params=params)
    return Problem("emitter.cnpj_changed", "emitter_cnpj", params=params | {"there": now.cnpj})


# Check once per process, connection and emitter, as `open_runtime` does with the account.
_CHECKED: Final[set[tuple[str, str, str, int]]] = set()


def _other_account(runtime: Runtime, emitter: EmitterRecord, shown: Collection[RemoteEmitter]) -> OtherAccount:
    return OtherAccount(other_emitter(emitter, runtime.registry.system_of[emitter.issuer], shown))


def other_emitter(emitter: EmitterRecord, system: str, shown: Collection[RemoteEmitter]) -> Problem:
    """Return the problem that this system does not show a company under the ledger's id, with what it shows instead."""
    there = [Document("cnpj", each.cnpj).formatted for each in shown if each.id == emitter.remote_id]
    ids = [str(each.id) for each in shown if each.cnpj == emitter.cnpj]
    params: dict[str, str | int] = {"name": emitter.name, "cnpj": Document("cnpj", emitter.cnpj).formatted}
    params |= {"system": system, "id": emitter.remote_id}
    params |= {"there": ", ".join(there) or "–", "ids": ", ".join(ids) or "–"}
    return Problem("ledger.other_emitter", params=params)
