"""Fiscal acts about product invoices: post signed XML, cancel, correct, disable numbers.

Only people decide these acts: the pipeline performs none of them.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Final
from urllib.parse import quote

from connectors.http.calls import require_same, understand
from connectors.http.session import HttpSession
from connectors.http.wire_values import read_id, read_object
from connectors.nfe.invoices import InvoiceCalls, Kind, PostedInvoice
from connectors.nfe.payloads.documents import SignedNfce, SignedNfe
from connectors.nfe.payloads.field_types import Group, Whole, Words

SHORTEST_REASON: Final = 15
_DONE: Final = frozenset({200, 201, 202})
_NOT_THERE: Final = frozenset({404})


class Cancellation(Group):
    motivo: Annotated[str, Words(255, shortest=SHORTEST_REASON)]


class Correction(Group):
    correcao: Annotated[str, Words(1000, shortest=15)]


class Disabling(Group):
    """A number, or the first and the last number of a range."""

    serie: Annotated[int, Whole(digits=3)]
    numero: Annotated[int, Whole(digits=9)] | None = None
    numero_inicial: Annotated[int, Whole(digits=9)] | None = None
    numero_final: Annotated[int, Whole(digits=9)] | None = None
    motivo: Annotated[str, Words(255, shortest=SHORTEST_REASON)] | None = None


@dataclass(frozen=True, slots=True)
class Disablement:
    """The answer to a disablement of numbers: an id and `processing`, or no id and a sentence [A 2.25]."""

    id: int | None
    status: str


class FiscalCalls(InvoiceCalls):
    """The fiscal acts that NF-e and NFC-e share."""

    def __init__(self, session: HttpSession, kind: Kind, *, extensions: bool) -> None:
        super().__init__(session, kind, extensions=extensions)

    async def cancel(self, organization_id: int, key: int | str, reason: str, *, not_after: float | None = None) -> str:
        """Cancel an issued invoice. Return its new status; with `cancel_rejected` the invoice stays valid.

        The reason has 15 to 255 characters. An NF-e can be cancelled for a day, an NFC-e for half an hour. Raises
        `NotFound` for an unknown invoice. Raises `Doubtful` without an answer: read the invoice then.
        """
        return await self._act(organization_id, key, "cancel", Cancellation(motivo=reason), not_after)

    async def _act(
        self, organization_id: int, key: int | str, act: str, asked: Group, not_after: float | None = None
    ) -> str:
        path = f"{self._path(organization_id)}/{quote(str(key), safe='')}/{act}"
        self._require_extensions(path, "PATCH")
        body = json.dumps(asked.content()).encode()
        answer = await self._session.write("PATCH", path, body, expect=_DONE, foreseen=_NOT_THERE, not_after=not_after)
        return understand(answer, lambda data: _status_of(read_object(data[self._kind]), key))


class NfeCalls(FiscalCalls):
    """Calls about NF-e."""

    def __init__(self, session: HttpSession, *, extensions: bool) -> None:
        super().__init__(session, "nfe", extensions=extensions)

    async def authorize(
        self, organization_id: int, document: SignedNfe, *, not_after: float | None = None
    ) -> PostedInvoice:
        """Post a signed NF-e, and thereby issue it. Raises like `create`; `ExtensionsOff` without the extensions."""
        path = f"{self._path(organization_id)}/authorize"
        self._require_extensions(path, "POST")
        return await self._post(path, document.body("nfe"), not_after)

    async def correct(self, organization_id: int, key: int | str, correction: str) -> str:
        """Send a letter of correction (15 to 1000 characters). Return the new status, perhaps `correction_rejected`.

        An invoice can have twenty letters within thirty days. Raises `NotFound` for an unknown invoice.
        """
        return await self._act(organization_id, key, "correction", Correction(correcao=correction))

    async def disable(
        self, organization_id: int, serie: int, first: int, last: int | None = None, *, reason: str | None = None
    ) -> Disablement:
        """Declare that a number, or the range from `first` to `last`, will never be used.

        Raises `Refused` when one was used, `ValueError` for a reversed range.
        """
        path = f"{self._path(organization_id)}/disable"
        self._require_extensions(path, "POST")
        numbers = {"numero": first} if last is None else {"numero_inicial": first, "numero_final": last}
        if last is not None and last < first:
            raise ValueError("the last number comes before the first")
        asked = Disabling.model_validate({"serie": serie, **numbers, "motivo": reason})
        body = json.dumps(asked.content()).encode()
        answer = await self._session.write("POST", path, body, expect=_DONE, foreseen=_NOT_THERE)
        return understand(answer, _disablement)


class NfceCalls(FiscalCalls):
    """Calls about NFC-e."""

    def __init__(self, session: HttpSession, *, extensions: bool) -> None:
        super().__init__(session, "nfce", extensions=extensions)

    async def authorize(
        self, organization_id: int, document: SignedNfce, *, not_after: float | None = None
    ) -> PostedInvoice:
        """Post a signed NFC-e, and thereby issue it. Raises like `create`."""
        return await self._post(f"{self._path(organization_id)}/authorize", document.body("nfce"), not_after)


def _status_of(invoice: Any, key: int | str) -> str:
    """Return the status. Require the id in the request; the answer repeats no other key."""
    if isinstance(key, int):
        require_same(invoice, "id", asked=key, answered=read_id(invoice["id"]))
    return _status(invoice)


def _status(invoice: Any) -> str:
    status = invoice["status"]
    if not isinstance(status, str):
        raise TypeError("a status is text")
    return status


def _disablement(data: Any) -> Disablement:
    record = read_object(read_object(data).get("nfe_disablement") or data)
    made = record.get("id")
    return Disablement(None if made is None else read_id(made), _status(record))
