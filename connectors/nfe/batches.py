"""Batches of product invoices (document 001, Batch authorize payload): posting a batch issues all its documents.

A lost answer leaves up to fifty unknown outcomes: so the pipeline posts one invoice at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.http.wire_trace import Wire
from connectors.http.wire_values import read_id, read_object, text_or_none
from connectors.nfe.invoices import Kind, post_document, require_extensions
from connectors.nfe.payloads.documents import NfceBatch, NfeBatch, SignedNfceBatch, SignedNfeBatch


@dataclass(frozen=True, slots=True)
class Posted:
    """One document of a batch, in the order of the request."""

    id: int
    status: str


@dataclass(frozen=True, slots=True)
class PostedBatch:
    """The answer to a batch. `key` appears once the tax authority gave one; `documents` may be missing [A 2.21]."""

    id: int
    key: str | None
    documents: tuple[Posted, ...]
    wire: Wire


class BatchCalls:
    """Calls about the batches of one kind. Raises like `InvoiceCalls.create`."""

    def __init__(self, session: HttpSession, kind: Kind, *, extensions: bool) -> None:
        self._session, self._kind, self._extensions = session, kind, extensions

    async def create(
        self, organization_id: int, batch: NfeBatch | NfceBatch, *, not_after: float | None = None
    ) -> PostedBatch:
        """Post one to fifty documents, which the provider signs. Raises `ExtensionsOff` without the extensions."""
        path = self._path(organization_id)
        require_extensions(f"POST {path}", are_on=self._extensions)
        return await self._post(path, batch, not_after)

    async def authorize(
        self, organization_id: int, batch: SignedNfeBatch | SignedNfceBatch, *, not_after: float | None = None
    ) -> PostedBatch:
        """Post documents with their signed XML."""
        return await self._post(f"{self._path(organization_id)}/authorize", batch, not_after)

    async def _post(self, path: str, batch: NfeBatch | NfceBatch, not_after: float | None) -> PostedBatch:
        if isinstance(batch, NfceBatch) != (self._kind == "nfce"):
            raise ValueError(f"a batch of another kind than {self._kind}")
        answer = await post_document(self._session, path, batch.body(f"{self._kind}_batch"), not_after)
        return understand(
            answer, lambda data: self._parse_posted(read_object(data[f"{self._kind}_batch"]), answer.wire)
        )

    def _parse_posted(self, content: Mapping[str, Any], wire: Wire) -> PostedBatch:
        """Return a posted batch. Its documents may have either kind's name, or be absent."""
        listed = content.get(f"{self._kind}s") or content.get("nfes") or ()
        documents = tuple(
            Posted(read_id(item["id"]), str(item.get("status") or "")) for item in map(read_object, listed)
        )
        return PostedBatch(read_id(content["id"]), text_or_none(content.get("key")), documents, wire)

    def _path(self, organization_id: int) -> str:
        return f"/api/v1/organizations/{organization_id}/{self._kind}_batch"
