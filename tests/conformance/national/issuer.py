"""The issuer port for the national service: no batches, immediate answers, look-up by our own key."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

from connectors.http.calls import Response, understand
from connectors.http.error_bodies import Dialect
from connectors.http.errors import Doubtful, NotFound, Refused
from connectors.http.session import HttpSession
from connectors.issuers import Connection
from domain.documents import Document
from domain.invoice_numbers import SERVICE_NUMBERS
from domain.issuing import (
    Capabilities,
    EmitterRef,
    InvoiceKey,
    Lookup,
    MasterRecord,
    Posting,
    Receipt,
    RecordKind,
    RemoteCustomer,
    RemoteEmitter,
    RemoteInvoice,
    RemoteTemplate,
    SerieRecord,
)
from domain.issuing.capabilities import SERVICE
from domain.master_fields import Value
from domain.parties import TakerData
from domain.problems import Problem, SettingsError
from domain.states import InvoiceState
from domain.taxes import compute_amounts
from domain.templates import ServiceTemplate, TaxProfile
from tests.conformance.national import mapping

NAME: Final = "national"
CAPABILITIES: Final = Capabilities(
    is_staged=False,
    lookup=Lookup.KEY,
    can_read=True,
    can_list=False,
    has_serie_record=False,
    repeats_content=True,
    numbers=SERVICE_NUMBERS,
    largest_batch=5,
    can_cancel=True,
)
_ISSUED: Final = 201
_ITEM_CODES: Final = {"3304557": ("1701", "170101"), "3550308": ("03115", None)}
_TEMPLATES: Final = ("Mensalidade Sistema", "Consultoria", "Suporte Mensal", "Treinamento")


def own_errors(answer: Response) -> bool:
    """Say whether a body is the service's own error: `{"erros": [{"codigo", "descricao"}]}`."""
    found = answer.data.get("erros") if isinstance(answer.data, dict) else None
    return isinstance(found, list) and all(isinstance(each, dict) and each.keys() == _ERROR for each in found)


_ERROR: Final = {"codigo", "descricao"}
_DIALECT: Final = Dialect({}, otherwise=(own_errors,))


class NationalIssuer:
    """Works on an open session. The service keeps neither templates nor customers: see `OwnRegister`."""

    name = NAME
    kind = SERVICE
    capabilities = CAPABILITIES
    staging = None

    def __init__(self, session: HttpSession, connection: Connection) -> None:
        session.dialect = _DIALECT
        self._session = session
        self._signing_key = connection.secrets.get("signing_key", "")
        self._cities: dict[str, str] = {}
        self.history = NationalHistory(self)
        self.register = OwnRegister()

    async def account(self) -> None:
        """Return None: only the certificate identifies us."""

    async def emitters(self, cnpj: str | None = None) -> Sequence[RemoteEmitter]:
        """Return the taxpayers whom we may issue for."""
        answer = await self._session.read("GET", "/contribuintes")
        found = understand(answer, lambda data: [mapping.remote_emitter(each) for each in data["contribuintes"]])
        self._cities |= {each.cnpj: each.city_code for each in found}
        return [each for each in found if cnpj in (None, each.cnpj)]

    def check_ready(self, emitter: EmitterRef) -> None:
        """Raise `SettingsError` without the key that signs every declaration."""
        if not self._signing_key:
            raise SettingsError(Problem("settings.missing", params={"key": "signing_key", "variable": "-"}))

    async def serie(self, emitter: EmitterRef, serie: str) -> SerieRecord | None:
        """Return None: the service shows single declarations only."""

    async def post(self, posting: Posting, *, not_after: float) -> Receipt:
        """Declare, and thereby issue, one invoice. A key that is taken already is a doubt: look it up."""
        key = posting.key
        document = mapping.declaration(
            posting.content,
            key,
            city_code=await self.city_of(key.emitter),
            at=posting.emission_at or datetime.now(UTC),
        )
        body = mapping.signed(document, self._signing_key)
        try:
            answer = await self._session.write("POST", "/nfse", body, expect=frozenset({_ISSUED}), not_after=not_after)
        except Refused as refused:
            kind = Doubtful if mapping.DUPLICATE in refused.messages.get("erros.codigo", ()) else Refused
            raise kind(
                refused.call,
                status=refused.status,
                messages=mapping.our_messages(refused.messages),
                wire=refused.wire,
                detail=refused.detail,
            ) from refused
        return Receipt(
            answered=self.understood(answer, key.emitter),
            http_status=answer.status,
            is_as_documented=answer.status == _ISSUED,
            last_byte_at=answer.wire.last_byte_at,
        )

    async def read(self, emitter: EmitterRef, remote_id: int) -> RemoteInvoice:
        """Read one NFS-e by its sequential number."""
        return self.understood(await self._session.read("GET", f"/nfse/{remote_id}"), emitter)

    async def cancel(
        self, emitter: EmitterRef, remote_id: int, *, reason: str, not_after: float
    ) -> InvoiceState | None:
        """Cancel an issued NFS-e."""
        body = mapping.signed({"motivo": reason}, self._signing_key)
        answer = await self._session.write(
            "POST", f"/nfse/{remote_id}/eventos", body, expect=frozenset({200}), is_about_row=False, not_after=not_after
        )
        return self.understood(answer, emitter).state

    async def document(self, emitter: EmitterRef, remote_id: int, kind: Literal["pdf", "xml"]) -> str | None:
        """Return None: the service offers no document that opens without a certificate."""

    async def city_of(self, emitter: EmitterRef) -> str:
        """Return the city code within the key of the emitter's declarations."""
        if emitter.cnpj not in self._cities:
            await self.emitters()
        return self._cities[emitter.cnpj]

    async def by_key(self, key: InvoiceKey) -> RemoteInvoice | None:
        """Find the NFS-e of a declaration by its key."""
        found = mapping.declaration_id(await self.city_of(key.emitter), key)
        try:
            answer = await self._session.read("GET", f"/dps/{found}")
        except NotFound:
            return None
        return self.understood(answer, key.emitter)

    @staticmethod
    def understood(answer: Response, emitter: EmitterRef) -> RemoteInvoice:
        """Read an NFS-e from an answer."""
        return understand(answer, lambda data: mapping.remote_invoice(data["nfse"], emitter))


class NationalHistory:
    """Finds one declaration by its key; it lists nothing."""

    def __init__(self, issuer: NationalIssuer) -> None:
        self._issuer = issuer

    async def look_up(self, key: InvoiceKey) -> RemoteInvoice | None:
        """Find the invoice with our key."""
        return await self._issuer.by_key(key)

    def own_key(self, key: InvoiceKey) -> str:
        """Return the end of the declaration's id. Nobody compares it, because nothing is listed."""
        return f"{key.emitter.cnpj}{key.serie:0>5}{key.number:015}"

    async def invoices_with_key(self, key: InvoiceKey) -> Sequence[RemoteInvoice]:
        """Return the one invoice of the declaration, if there is one."""
        found = await self.look_up(key)
        return () if found is None else (found,)

    async def newest(self, emitter: EmitterRef, *, is_cancelled: bool = False) -> Sequence[RemoteInvoice]:
        """Raise `NotImplementedError`: `can_list` is false."""
        raise NotImplementedError

    async def issued_between(self, emitter: EmitterRef, since: datetime, until: datetime) -> Sequence[RemoteInvoice]:
        """Raise `NotImplementedError`: `can_list` is false."""
        raise NotImplementedError


class OwnRegister:
    """Our own templates, and customers who travel with their invoices: a customer's id is its document."""

    async def customers(self, document: Document) -> Sequence[RemoteCustomer]:
        """Return nobody: the service keeps no customers."""
        return ()

    async def customers_listed(self, documents: Collection[str]) -> Mapping[str, RemoteCustomer] | None:
        """Return nobody: the service keeps no customers."""
        return {}

    async def customer(self, remote_id: int) -> RemoteCustomer | None:
        """Return None: the service keeps no customers."""

    async def create_customer(self, data: TakerData) -> RemoteCustomer:
        """Return the customer with an id derived from its document."""
        assert data.document is not None
        return RemoteCustomer(int(data.document.number, 36) % 2**62, data)

    async def update_customer(self, remote_id: int, data: TakerData) -> RemoteCustomer:
        """Return the customer unchanged: the service keeps no customers."""
        return RemoteCustomer(remote_id, data)

    async def templates(self, emitter: EmitterRef, name: str | None = None) -> Sequence[RemoteTemplate]:
        """Return our own templates."""
        named = [each for each in _TEMPLATES if name in (None, each)]
        return [
            RemoteTemplate(1 + _TEMPLATES.index(each), emitter.remote_id, each, _template(each, emitter))
            for each in named
        ]

    async def calculate(self, template_id: int, service_cents: int) -> int:
        """Return our own liquid amount: the service calculates nothing."""
        return compute_amounts(service_cents, _PROFILE).liquid_cents

    async def records(self, kind: RecordKind, emitter: EmitterRef | None = None) -> Sequence[MasterRecord]:
        """Return nothing: the service keeps no records."""
        return ()

    async def read_record(self, kind: RecordKind, remote_id: int) -> MasterRecord:
        """Raise `NotFound`: the service keeps no records."""
        raise NotFound(f"GET {kind} {remote_id}")

    async def create_template(self, emitter: EmitterRef, name: str, values: Mapping[str, Value]) -> MasterRecord:
        """Raise `Refused`: the service keeps no records."""
        raise Refused(f"POST template {name}")

    async def update_record(self, kind: RecordKind, remote_id: int, values: Mapping[str, Value]) -> MasterRecord:
        """Raise `NotFound`: the service keeps no records."""
        raise NotFound(f"PATCH {kind} {remote_id}")


_PROFILE: Final = TaxProfile(iss_bp=500)


def _template(name: str, emitter: EmitterRef) -> ServiceTemplate:
    item, tax_code = _ITEM_CODES["3304557" if emitter.remote_id % 2 else "3550308"]
    return ServiceTemplate(name=name, profile=_PROFILE, service_item_code=item, city_tax_code=tax_code)
