"""How one product invoice is posted, which issues it, and how it is looked up afterwards."""

import json
from dataclasses import dataclass

from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.parties import EmitterRecord
from connectors.nfe.invoices import Invoice, InvoiceCalls
from connectors.nfe.mapping.answers import invoice_state
from connectors.nfe.mapping.documents import wire_content
from domain.keys import answer_digest
from domain.problems import Problem, SettingsError
from domain.products.keys import parse_access_key, remote_id
from domain.products.lines import ProductKind
from tasks.protocol.channels import Postable, Receipt
from tasks.runtime import Runtime, answer_s
from tasks.secrets import resolve_secret


@dataclass(frozen=True, slots=True)
class InvoiceChannel:
    """Posts invoices of one organization and kind."""

    runtime: Runtime
    issuer: EmitterRecord
    kind: ProductKind

    @property
    def in_flight(self) -> int:
        return self.runtime.settings.products.in_flight

    @property
    def answer_s(self) -> float:
        return answer_s(self.runtime.settings)

    @property
    def calls(self) -> InvoiceCalls:
        """The provider's calls for this kind."""
        return self.runtime.nfe.of_kind(self.kind)

    async def post(self, invoice: Postable, *, not_after: float) -> Receipt:
        """The answer holds an id and a status, nothing else that could be compared. Raises `ConnectorError`."""
        assert invoice.serie is not None
        assert invoice.number is not None
        csc, id_token = self._security_code()
        body = self.calls.body(
            wire_content(json.loads(invoice.content)),
            serie=int(invoice.serie),
            number=invoice.number,
            remote_id=self.own_id(invoice),
            csc=csc,
            id_token=id_token,
        )
        posted = await self.calls.create(self.issuer.remote_id, body, not_after=not_after)
        return Receipt(
            remote_id=posted.id,
            outcome="issued",
            state=invoice_state(posted.status),
            http_status=posted.http_status,
            wire=posted.wire,
            digest=digest_of_answer(invoice, posted.id),
            difference=None if posted.http_status in (200, 201, 202) else "HTTP status",
        )

    def own_id(self, invoice: Postable) -> str:
        """Our own id for it, by which it is found again where the provider keeps such an id."""
        return remote_id(
            cnpj=self.issuer.cnpj,
            kind=self.kind,
            serie=int(invoice.serie or 0),
            number=invoice.number or 0,
            content_digest=invoice.digest,
        )

    def is_ours(self, note: InvoiceRecord, there: Invoice) -> bool:
        """Whether what was read back is the invoice that we posted, as far as it tells.

        The access key tells issuer, kind, serie and number; before there is one, the provider may repeat the last two.
        """
        if there.organization_id not in (None, self.issuer.remote_id):
            return False
        serie, number = int(note.serie or 0), note.number
        key = parse_access_key(there.access_key) if there.access_key else None
        if key is not None:
            return (key.cnpj, key.kind, key.serie, key.number) == (self.issuer.cnpj, self.kind, serie, number)
        return (there.serie, there.number) in ((None, None), (serie, number))

    def place_of(self, there: Invoice) -> tuple[str, int] | None:
        """Serie and number, by the access key; before there is one, as the provider repeats them, if it does."""
        if there.access_key is None:
            return None if there.serie is None or there.number is None else (str(there.serie), there.number)
        key = parse_access_key(there.access_key)
        is_of_ours = key is not None and (key.cnpj, key.kind) == (self.issuer.cnpj, self.kind)
        return (str(key.serie), key.number) if key is not None and is_of_ours else None

    def check(self) -> None:
        """Raise `SettingsError` before anything is claimed or posted when the security code is missing."""
        self._security_code()

    def _security_code(self) -> tuple[str | None, str | None]:
        """CSC and its id, for consumer invoices; read when they are needed and kept nowhere."""
        if self.kind == "nfe":
            return None, None
        codes = self.runtime.settings.products.codes.get(self.issuer.cnpj)
        if codes is None:
            raise SettingsError(Problem("settings.no_csc", params={"cnpj": self.issuer.cnpj}))
        return resolve_secret(codes.csc).get_secret_value(), resolve_secret(codes.id_token).get_secret_value()


def digest_of_answer(invoice: Postable, provider_id: int) -> str:
    """What the provider answered for one invoice; amounts are ours, for it repeats none."""
    return answer_digest(
        remote_id=provider_id,
        batch_remote_id=0,
        serie=invoice.serie or "",
        number=invoice.number or 0,
        amounts=invoice.amounts,
    )
