"""Find the customers of payments in the mirror, then at the order service, then at the identity service.

A customer in the ledger needs only a document. For any other, the order service has the address,
which the mirror does not store. If both lack a name or an e-mail, the identity service gives the account
that ordered. Documents are never guessed: a row without one is refused, and a person completes it.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from connectors.http.errors import Denied, NotFound
from connectors.identity.client import IdentityClient
from connectors.ledger import parties as ledger_parties
from connectors.orders.invoices import UserData
from domain.documents import Document, parse_document
from domain.issuing import SERVICE
from domain.problems import Problem
from tasks.orders.payments import MonthPayment
from tasks.runtime.order_opening import OrdersRuntime
from tasks.runtime.task_group import run_together

Payer = Mapping[str, str]
"""The customer by field of a services sheet, without unknown fields."""

_FIELDS: Final = {
    "client_name": "name",
    "client_email": "emails",
    "document_number": "document",
    "address": "street",
    "address_number": "number",
    "address_complement": "complement",
    "address_quarter": "neighborhood",
    "address_city": "city",
    "address_state": "state",
    "zip_code": "zip_code",
}
"""Field names of the order service, and ours."""
_OWNER: Final = "owner"


async def payers_of(runtime: OrdersRuntime, payments: Sequence[MonthPayment]) -> list[Payer]:
    payers = [_mirrored_payer(each) for each in payments]
    numbers = {found.number for each in payers if (found := _document(each)) is not None}
    issuer = runtime.issuer_of(SERVICE)
    known = set(await runtime.ledger.read_async(ledger_parties.takers_by_documents, sorted(numbers), issuer))
    return await run_together(
        _payer(runtime, each, mirrored, known) for each, mirrored in zip(payments, payers, strict=True)
    )


async def _payer(runtime: OrdersRuntime, payment: MonthPayment, mirrored: Payer, known: set[str]) -> Payer:
    found = _document(mirrored)
    if found is not None and found.number in known:
        return mirrored
    asked = await _order_service_fields(runtime, payment)
    payer = {**asked, **mirrored}
    if payer.get("name") and payer.get("emails"):
        return payer
    return {**await _identity_fields(runtime.identity, payment, payer), **payer}


def _mirrored_payer(payment: MonthPayment) -> Payer:
    """Return document and name from the mirror: the invoice's, else the order's."""
    invoice, order = payment.invoice, None if payment.order is None else payment.order.order
    fields = {
        "document": invoice.client_document or (order.client_document if order else None),
        "name": invoice.client_name or (order.client_name if order else None),
    }
    return {field: text for field, text in fields.items() if text}


async def _order_service_fields(runtime: OrdersRuntime, payment: MonthPayment) -> Payer:
    """Return the order service's present fields of the customer, or none if the invoice is gone."""
    invoice = payment.invoice
    try:
        found = await runtime.orders.invoices.read(invoice.plan_slug, invoice.order_number, invoice.number)
    except NotFound:
        return {}
    return _our_fields(found.user_data)


def _our_fields(user_data: UserData) -> Payer:
    texts = {ours: getattr(user_data, theirs) for theirs, ours in _FIELDS.items()}
    return {field: " ".join(text.split()) for field, text in texts.items() if text and text.strip()}


async def _identity_fields(identity: IdentityClient | None, payment: MonthPayment, payer: Payer) -> Payer:
    """Return the e-mail of the ordering account's owner, and a name, from the identity service.

    The name is the owner's for a CPF and the account's for a CNPJ. Without a document, neither is certain.
    """
    if identity is None or payment.order is None:
        return {}
    uuid = payment.order.order.account_uuid
    try:
        account = await identity.accounts.read(uuid)
    except (NotFound, Denied):
        return {}
    owners = [member.identity.uuid for member in account.members_data if _OWNER in member.roles]
    owner = None
    # The service shows an expired account, but none of its members.
    with suppress(NotFound, Denied):
        owner = (await identity.members.read(uuid, owners[0])).identity if len(owners) == 1 else None
    document = _document(payer)
    names: dict[str, str] = {"cnpj": account.account_data.name}
    contact: dict[str, str] = {}
    if owner is not None:
        names["cpf"] = " ".join(part for part in (owner.first_name, owner.last_name) if part)
        contact = {"emails": owner.email} if owner.email else {}
    name = names.get(document.kind, "") if document is not None else ""
    return contact | ({"name": name} if name else {})


def _document(payer: Payer) -> Document | None:
    parsed = parse_document(payer.get("document", ""))
    return None if isinstance(parsed, Problem) else parsed.document
