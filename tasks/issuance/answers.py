"""Post one invoice, and compare what the issuer shows with what we sent."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal, Protocol

import orjson

from connectors.ledger.invoices import InvoiceRecord
from domain.competence import first_of_month
from domain.issuing import Capabilities, EmitterRef, InvoiceKey, Issuer, Posting, Receipt, RemoteInvoice
from domain.issuing.customers import Customer
from domain.issuing.shown_values import SET_BY_ISSUE, differing_value
from domain.keys import answer_digest
from domain.log_context import bind_ids
from domain.problems import FaturistaError, Problem
from domain.states import InvoiceState

OTHER_CUSTOMER: Final = "batch.other_customer"
"""Problem code: the issuer shows another customer than the sheet, on an unsent invoice."""
ISSUED_TO_OTHER: Final = "batch.issued_to_other"
"""Problem code: the issuer shows another customer than the sheet, on a sent invoice."""


class UnknownStatus(FaturistaError):
    """The issuer gives an invoice a status that no document names: draw no conclusion from it."""


class Postable(Protocol):
    """The parts of an invoice that posting needs: `content` is the canonical invoice, `amounts` are cents by name."""

    @property
    def id(self) -> int: ...
    @property
    def serie(self) -> str | None: ...
    @property
    def number(self) -> int | None: ...
    @property
    def content(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def amounts(self) -> Mapping[str, int]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAnswer:
    """The answer to a post that returned an id.

    Attributes:
        outcome: `created`: the invoice waits in its batch; `issued`: it is on its way to the tax authority. Valid only
            without a `difference`.
        state: The answered state; None for a status that no document names.
        digest: See `digest_of_answer`.
        difference: The first field that differs from the request, or None.
        other_customer: The problem to report if that field is the customer.
    """

    remote_id: int
    outcome: Literal["created", "issued"]
    state: InvoiceState | None
    http_status: int
    last_byte_at: datetime | None
    digest: str
    difference: str | None
    other_customer: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Posts the invoices of one batch.

    `batch_id` is the issuer's batch, None if a post issues at once. `in_flight` is the largest number of concurrent
    posts. `answer_s` is the longest time of a post in seconds, clock skew included: with less time left on the lease,
    no post begins.
    """

    issuer: Issuer
    emitter: EmitterRef
    batch_id: int | None
    emission_at: datetime | None
    in_flight: int
    answer_s: float

    async def post(self, invoice: Postable, *, not_after: float) -> PostAnswer:
        """Post the invoice once and compare the answer with it. Raises `ConnectorError`."""
        capabilities = self.issuer.capabilities
        posting = Posting(
            key=key_of(self.emitter, invoice),
            content=_content_of(invoice.content),
            batch_id=self.batch_id,
            emission_at=self.emission_at,
        )
        with bind_ids(note=invoice.id):
            receipt = await self.issuer.post(posting, not_after=not_after)
        difference = differing_field(
            capabilities, invoice, receipt, self.batch_id, self.emitter, emission_at=self.emission_at
        )
        return PostAnswer(
            remote_id=receipt.answered.id,
            outcome="created" if capabilities.is_staged else "issued",
            # Keep the id despite an unknown status: a later look finds the invoice's state.
            state=receipt.answered.state,
            http_status=receipt.http_status,
            last_byte_at=receipt.last_byte_at,
            digest=digest_of_answer(capabilities, invoice, receipt.answered, self.batch_id),
            difference=difference,
            other_customer=None
            if difference != _CUSTOMER
            else customer_problem(
                invoice, receipt.answered, OTHER_CUSTOMER if capabilities.is_staged else ISSUED_TO_OTHER
            ),
        )


def key_of(emitter: EmitterRef, invoice: Postable) -> InvoiceKey:
    """Return the key that names this invoice at its issuer for ever."""
    assert invoice.serie is not None
    assert invoice.number is not None
    return InvoiceKey(emitter=emitter, serie=invoice.serie, number=invoice.number, digest=invoice.digest)


def differing_field(
    capabilities: Capabilities,
    invoice: Postable,
    receipt: Receipt,
    batch_id: int | None,
    emitter: EmitterRef,
    *,
    emission_at: datetime | None,
) -> str | None:
    """Return the first field in which the answer differs from the request, or None.

    `emission_at` is the batch's emission instant.
    """
    if not receipt.is_as_documented:
        return "http_status"
    there = receipt.answered
    if not capabilities.repeats_content:
        return None
    if there.emitter_id not in (None, emitter.remote_id):
        return "emitter_id"
    for field, answered, asked in _compared_fields(capabilities, invoice, there, batch_id):
        if answered != asked:
            return field
    if not has_our_amounts(invoice, there):
        return next(field for field, cents in invoice.amounts.items() if there.amounts.get(field) != cents)
    if customer_problem(invoice, there) is not None:
        return _CUSTOMER
    return differing_waiting_value(invoice, there, emission_at) if capabilities.is_staged else None


def differing_waiting_value(invoice: Postable, there: RemoteInvoice, emission_at: datetime | None) -> str | None:
    """Return the first other value in which an unsent invoice at the issuer differs from ours, or None.

    `emission_at` is the batch's emission instant. Instants may differ by the seconds that an issuer drops.
    """
    ours = _content_of(invoice.content)
    own = ours.get("emission_at")
    instant = emission_at if own is None else datetime.fromisoformat(own)
    if instant is not None and there.issued_at is not None and abs(there.issued_at - instant) >= _MINUTE:
        return "emission_at"
    return differing_value(ours, there.shown)


_MINUTE: Final = timedelta(minutes=1)


def _compared_fields(
    capabilities: Capabilities, invoice: Postable, there: RemoteInvoice, batch_id: int | None
) -> tuple[tuple[str, Any, Any], ...]:
    ours = _content_of(invoice.content)
    return (
        ("status", there.state, InvoiceState.CREATED if capabilities.is_staged else there.state),
        ("is_complete", there.is_complete, True),
        ("batch_id", there.batch_id, batch_id),
        ("serie", there.serie, invoice.serie),
        ("number", there.number, invoice.number),
        # An issuer that ignored this would issue a second living invoice beside the replaced one.
        ("substitute_rps", there.replaces, _replaced_number(ours)),
        (
            "competence",
            *((None, None) if there.competence is None else (first_of_month(there.competence), _month(ours))),
        ),
    )


def customer_problem(invoice: Postable, there: RemoteInvoice, code: str = OTHER_CUSTOMER) -> Problem | None:
    """Return the problem if the issuer's invoice names another customer than ours, else None.

    Compare with the name that the register had when we composed the invoice: a later change counts as another customer.
    """
    content, theirs = _content_of(invoice.content), Customer(there.customer_document, there.customer_name)
    ours = Customer(content.get("taker_document"), content.get("taker_name"))
    if theirs.is_same(ours):
        return None
    return Problem(code, params={"number": invoice.number or 0, "theirs": theirs.shown, "ours": ours.shown})


_CUSTOMER: Final = "customer"


@functools.lru_cache(maxsize=256)
def _content_of(content: str) -> Mapping[str, Any]:
    """Return a canonical invoice, parsed once for its post and for the comparison with its answer."""
    parsed: Mapping[str, Any] = orjson.loads(content)
    return parsed


def _month(content: Mapping[str, Any]) -> date | None:
    competence = content.get("competence")
    return None if competence is None else first_of_month(date.fromisoformat(competence))


def _replaced_number(content: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return serie and number of the invoice that this one replaces."""
    replaced = content.get("replaces")
    return None if replaced is None else (str(replaced["serie"]), int(replaced["number"]))


def is_same_content(invoice: InvoiceRecord, there: RemoteInvoice) -> bool:
    """Return whether the issuer's invoice has the customer, competence, replaced invoice and amounts that we sent.

    `has_our_values` compares the rest.
    """
    if there.replaces != _replaced_number(_content_of(invoice.content)):
        return False
    if there.competence is not None and first_of_month(there.competence) != invoice.competence:
        return False
    return there.customer_document == invoice.taker_document and has_our_amounts(invoice, there)


def has_our_values(invoice: Postable, there: RemoteInvoice) -> bool:
    """Return whether the issuer's invoice shows our texts, codes, rates and settings, whether it is sent or not."""
    lasting = {name: value for name, value in there.shown.items() if name not in SET_BY_ISSUE}
    return differing_value(_content_of(invoice.content), lasting) is None


def has_our_amounts(invoice: Postable, there: RemoteInvoice) -> bool:
    """Return whether the invoice at the issuer has every amount that we sent."""
    return invoice.amounts.items() <= there.amounts.items()


def is_ours(issuer: Issuer, emitter: EmitterRef, invoice: InvoiceRecord, there: RemoteInvoice) -> bool:
    """Return whether the issuer's invoice is the one that we posted, as far as its fields show."""
    if there.emitter_id not in (None, emitter.remote_id):
        return False
    if there.emitter_cnpj is not None and (there.emitter_cnpj, there.kind) != (emitter.cnpj, issuer.kind):
        return False
    if (there.serie, there.number) not in ((None, None), (invoice.serie, invoice.number)):
        return False
    return not issuer.capabilities.repeats_content or is_same_content(invoice, there)


def place_of(issuer: Issuer, emitter: EmitterRef, there: RemoteInvoice) -> tuple[str, int] | None:
    """Return serie and number; None if they are missing, or if the access key has another emitter or document kind."""
    if there.access_key is not None and (there.emitter_cnpj, there.kind) != (emitter.cnpj, issuer.kind):
        return None
    return None if there.serie is None or there.number is None else (there.serie, there.number)


def state_of(there: RemoteInvoice) -> InvoiceState:
    """Return the state of the issuer's invoice. Raises `UnknownStatus`."""
    if there.state is None:
        raise UnknownStatus(Problem("batch.unknown_status", params={"status": there.status[:40]}))
    return there.state


def digest_of_answer(capabilities: Capabilities, invoice: Postable, there: RemoteInvoice, batch_id: int | None) -> str:
    """Return the digest of an answer, to which the approval is bound. Use our amounts if the issuer repeats none."""
    return answer_digest(
        remote_id=there.id,
        batch_remote_id=batch_id or 0,
        serie=invoice.serie or "",
        number=invoice.number or 0,
        amounts=there.amounts if capabilities.repeats_content else invoice.amounts,
    )
