"""Product invoices, NF-e and NFC-e (document 001): the request body, and lookups.

A POST issues at once: there is no staging, and no deletion takes a posted invoice back.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal
from urllib.parse import quote

from connectors.http.calls import OtherResource, Response, understand
from connectors.http.errors import Disturbed, NotFound, Refused, Unreadable
from connectors.http.list_items import UnreadItem, partly_unreadable, split_unread, tolerant
from connectors.http.redact import without_secrets
from connectors.http.session import HttpSession
from connectors.http.wire_trace import Wire
from connectors.http.wire_values import bare_document, read_id, read_list, read_object, text_or_none
from connectors.nfe.shapes import read_instant, read_number
from domain.problems import FaturistaError, Problem

Kind = Literal["nfe", "nfce"]

_MADE: Final = frozenset({200, 201, 202})
_OURS: Final = frozenset({"serie", "nfe_numero", "csc", "id_token"})
_MOST_PER_PAGE: Final = 100
_NOT_ABOUT_CONTENT: Final = re.compile(r"\b(?:serie|nfe_numero|organization|certificate|csc|id_token)\b")
"""Fields that no row sets. A refusal about one means that our settings or somebody else's invoice are in the way."""


class ExtensionsOff(FaturistaError):
    """A call needs an extension, and the settings state that this provider has none.

    Raised before anything is sent: without extensions, nothing may count as absent.
    """


@dataclass(frozen=True, slots=True)
class PostedInvoice:
    """The answer to a creation: the id and a status, which is `processing` at first."""

    id: int
    status: str
    http_status: int
    wire: Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """An invoice at the provider [A 2.5].

    `access_key` has 44 characters and contains organization, serie and number (`domain.products.keys`); it exists once
    the invoice is issued. `serie` and `number` come from the request, where the answer repeats it. `errors` are the tax
    authority's messages. `status` is the provider's text. `answer` is the whole answer, with the request in `data` and
    without secrets; it holds the customer and must not appear in any text.
    """

    id: int
    organization_id: int | None
    remote_id: str | None
    status: str
    access_key: str | None
    serie: int | None
    number: int | None
    protocol: str | None
    issued_at: datetime | None
    errors: tuple[str, ...]
    paper_url: str | None
    xml_url: str | None
    answer: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class InvoiceCalls:
    """Calls about the invoices of one kind."""

    def __init__(self, session: HttpSession, kind: Kind, *, extensions: bool) -> None:
        self._session, self._kind, self._extensions = session, kind, extensions

    async def create(self, organization_id: int, body: bytes, *, not_after: float | None = None) -> PostedInvoice:
        """Post one invoice, and thereby issue it.

        Raises `Refused` for its content; `Disturbed` when the refusal is about serie, number, organization, certificate
        or security code; `Doubtful` for a success without a readable id.
        """
        return await self._post(self._path(organization_id), body, not_after)

    async def read(self, organization_id: int, key: int | str) -> Invoice:
        """Return one invoice by id, access key or `remote_id`. Raises `NotFound`.

        Raises `Unreadable` when the answer is about another invoice.
        """
        path = f"{self._path(organization_id)}/{quote(str(key), safe='')}"
        self._require_extensions(path)
        answer = await self._session.read("GET", path)
        return understand(answer, lambda data: _with_key(read_invoice(data[self._kind]), organization_id, key))

    async def latest(self, organization_id: int, *, status: str | None = None, limit: int = 10) -> list[Invoice]:
        """Return the newest invoices. The provider sorts and filters them; the client does not check it.

        Raises `PartlyUnreadable` with the others if some are not as documented.
        """
        query: dict[str, str | int] = {"per_page": min(limit, _MOST_PER_PAGE)} | ({"status": status} if status else {})
        return await self._list(organization_id, query)

    async def within(self, organization_id: int, since: datetime, until: datetime) -> list[Invoice]:
        """Return the listed invoices between two aware instants, at most a hundred.

        The document does not define which instant of an invoice counts. Raises `Refused` if the provider does not
        accept the filter. As with `latest`, nobody checks the filters.
        """
        query: dict[str, str | int] = {
            "starting_at": _instant(since),
            "ending_at": _instant(until),
            "per_page": _MOST_PER_PAGE,
        }
        return await self._list(organization_id, query)

    async def find(self, organization_id: int, remote_id: str) -> Invoice | None:
        """Return the invoice with our own id, or None when neither the list nor a read by that id has it.

        Raises `Unreadable` when the list ignores the filter, or has two such invoices: neither proves absence.
        """
        path = self._path(organization_id)
        self._require_extensions(path)
        listed = await self._list(organization_id, {"remote_id": remote_id})
        ours = [invoice for invoice in listed if invoice.remote_id == remote_id]
        if len(ours) != len(listed):
            raise Unreadable(f"GET {path}", status=200, detail="the list ignores remote_id")
        if len({invoice.id for invoice in ours}) > 1:
            raise Unreadable(f"GET {path}", status=200, detail="two invoices with one remote_id")
        if ours:
            return ours[0]
        try:
            found = await self.read(organization_id, remote_id)
        except NotFound:
            return None
        if found.remote_id != remote_id:
            raise Unreadable(f"GET {path}", status=200, detail="another invoice was answered")
        return found

    async def invoices_with_key(self, organization_id: int, remote_id: str) -> list[Invoice]:
        """Return every invoice with our own id on the list's first page. One that is not there may still exist."""
        listed = await self._list(organization_id, {"remote_id": remote_id})
        return [invoice for invoice in listed if invoice.remote_id == remote_id]

    def body(
        self,
        content: Mapping[str, Any],
        *,
        serie: int,
        number: int,
        remote_id: str | None = None,
        csc: str | None = None,
        id_token: str | None = None,
    ) -> bytes:
        """Return the request for `content` with its number [A 2.4], and our own id if extensions are on.

        Only an NFC-e has a security code and its id, and needs both. They come from secrets and are added here, so that
        nothing stores them.
        """
        general = read_object(content["dados_gerais"])
        if taken := _OURS & general.keys():
            raise ValueError(f"the content must not hold {', '.join(sorted(taken))}")
        if (self._kind == "nfce") != bool(csc and id_token):
            raise ValueError("an NFC-e needs csc and id_token, an NF-e has none")
        if remote_id is not None and (not remote_id or remote_id.isdigit()):
            raise ValueError("a remote_id is text, not digits alone")
        secrets = {"csc": csc, "id_token": id_token} if self._kind == "nfce" else {}
        invoice = {**content, "dados_gerais": {**general, "serie": serie, "nfe_numero": number, **secrets}}
        if self._extensions and remote_id is not None:
            invoice["remote_id"] = remote_id
        return json.dumps({self._kind: invoice}, ensure_ascii=False, separators=(",", ":")).encode()

    async def _post(self, path: str, body: bytes, not_after: float | None) -> PostedInvoice:
        """Post a document for issue; see `create` for the `Disturbed` refusals."""
        answer = await post_document(self._session, path, body, not_after)
        return understand(answer, lambda data: _parse_posted(answer, read_object(data[self._kind])))

    async def _list(self, organization_id: int, query: Mapping[str, str | int]) -> list[Invoice]:
        path = self._path(organization_id)
        self._require_extensions(path)
        answer = await self._session.read("GET", path, query)
        invoices, unread = split_unread(understand(answer, self._read_list))
        if unread:
            raise partly_unreadable(answer, invoices, unread)
        return invoices

    def _read_list(self, data: Any) -> list[Invoice | UnreadItem]:
        """Return the list's items, each of which may be bare or under its kind's name."""
        listed = read_list(data[self._kind])
        return [_read_item(item.get(self._kind, item) if isinstance(item, dict) else item) for item in listed]

    def _path(self, organization_id: int) -> str:
        return f"/api/v1/organizations/{organization_id}/{self._kind}"

    def _require_extensions(self, path: str, method: str = "GET") -> None:
        require_extensions(f"{method} {path}", are_on=self._extensions)


def require_extensions(call: str, *, are_on: bool) -> None:
    """Refuse a call that needs extensions before anything is sent. Raises `ExtensionsOff`."""
    if not are_on:
        raise ExtensionsOff(Problem("provider.no_extensions", params={"call": call}))


async def post_document(session: HttpSession, path: str, body: bytes, not_after: float | None = None) -> Response:
    """Post a document, which issues it. Raises `Refused` for its content; see `InvoiceCalls.create` for `Disturbed`."""
    try:
        return await session.write("POST", path, body, expect=_MADE, issues=True, not_after=not_after)
    except Refused as refused:
        if not _is_about_settings(refused.messages):
            raise
        raise Disturbed(
            refused.call,
            status=refused.status,
            messages=refused.messages,
            keys=refused.keys,
            wire=refused.wire,
            detail=refused.detail,
        ) from refused


def read_invoice(data: Any) -> Invoice:
    """Return an invoice from a list or a single answer.

    Raises `ValueError`, `KeyError` or `TypeError` for another shape.
    """
    invoice = read_object(data)
    inner = read_object(invoice.get("data") or {})
    emission = read_object(inner.get("resposta_emissao") or {})
    general = read_object(inner.get("dados_gerais") or {})
    organization, status = invoice.get("organization_id"), invoice["status"]
    if not isinstance(status, str):
        raise TypeError("a status is text")
    return Invoice(
        id=read_id(invoice["id"]),
        organization_id=None if organization is None else read_id(organization),
        remote_id=text_or_none(invoice.get("remote_id")),
        status=status,
        access_key=bare_document(text_or_none(invoice.get("access_key")) or text_or_none(emission.get("chave_acesso"))),
        serie=read_number(general.get("serie")),
        number=read_number(general.get("nfe_numero")),
        protocol=text_or_none(emission.get("numero_protocolo")),
        issued_at=read_instant(emission.get("data_emissao")),
        errors=_errors(emission.get("erros")),
        paper_url=text_or_none(invoice.get("danfe_url")),
        xml_url=text_or_none(invoice.get("xml_url")),
        answer=without_secrets(invoice),
    )


_read_item: Final = tolerant(read_invoice)


def _with_key(found: Invoice, organization_id: int, key: int | str) -> Invoice:
    """Return the invoice if it belongs to the organization and one of its three keys is `key`."""
    if found.organization_id not in (None, organization_id):
        raise OtherResource("organization_id")
    if str(key) not in (str(found.id), found.remote_id) and bare_document(key) != found.access_key:
        raise OtherResource("id")
    return found


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _parse_posted(answer: Response, invoice: Mapping[str, Any]) -> PostedInvoice:
    status = invoice.get("status")
    return PostedInvoice(read_id(invoice["id"]), status if isinstance(status, str) else "", answer.status, answer.wire)


def _errors(found: Any) -> tuple[str, ...]:
    """Return the errors as texts; a single error may arrive without a list [A 2.8]."""
    if found in (None, "", []):
        return ()
    return tuple(str(item) for item in (found if isinstance(found, list) else [found]))


def _is_about_settings(messages: Mapping[str, Any]) -> bool:
    """Return whether an error is about a field that no row sets, by field name or, without names, by the text."""
    for place, texts in messages.items():
        names = place.removeprefix("error_details").removeprefix("errors").strip(".")
        if _NOT_ABOUT_CONTENT.search(names or " ".join(texts)):
            return True
    return False
