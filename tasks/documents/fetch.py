"""Fetch XML and PDF of issued invoices into the archive, each once; record the reason for each missing document."""

import hashlib
import re
from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

from connectors.http.downloads import Downloads, ForeignHost
from connectors.http.errors import Broken, NotFound, Unreadable
from connectors.ledger import documents as ledger_documents
from connectors.ledger import parties as ledger_parties
from connectors.ledger.documents import DocumentRecord
from connectors.spreadsheets.archive import archive
from domain.disk_faults import disk_fault
from domain.problems import FaturistaError, Problem
from domain.station_result import Ending, StationResult, Subject
from tasks.issuance.emitters import check_account
from tasks.runtime import Context, Runtime
from tasks.runtime.task_group import run_together

_LONGEST_WEB_PAGE_HEAD: Final = 200
_NOT_IN_A_NAME: Final = re.compile(r"[^0-9A-Za-z]+")
_LONGEST_NUMBER: Final = 40
_AT_ONCE: Final = 500
"""Largest number of documents of one kind that one run fetches for a batch; the next run continues."""


def issuers_of(context: Context, kind: str) -> list[str]:
    """Return the issuers that offer documents of this kind (`xml` or `pdf`)."""
    return [name for name in context.registry.system_of if kind in context.capabilities(name).documents]


def due_batches(context: Context) -> list[int]:
    """Return batches whose documents are due for automatic fetching; none if the profile does not fetch."""
    settings = context.settings.documents
    if not settings.automatic:
        return []
    found: set[int] = set()
    for kind in settings.kinds:
        found.update(
            context.ledger.read(
                ledger_documents.due_batches,
                issuers=issuers_of(context, kind),
                kinds=[kind],
                within_s=settings.within_s,
                again_s=settings.again_s,
                tries=settings.tries,
            )
        )
    return sorted(found)


async def fetch_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Fetch the missing documents of a batch. Safe to repeat."""
    missing = [
        each
        for kind in runtime.settings.documents.kinds
        for each in await runtime.ledger.read_async(
            ledger_documents.documents_of,
            kind,
            issuers=issuers_of(runtime, kind),
            batches=[batch_id],
            is_missing=True,
            limit=_AT_ONCE,
        )
    ]
    kept = await fetch(runtime, missing)
    ending = Ending.DONE if kept == len(missing) else Ending.WAITING
    return StationResult(
        "documents", Subject("batch", batch_id), ending, {"kept": kept, "missing": len(missing) - kept}
    )


async def fetch(runtime: Runtime, wanted: Sequence[DocumentRecord]) -> int:
    """Fetch these documents. Return how many were stored; the ledger has the reason for each of the others."""
    settings = runtime.settings.documents
    hosts = {*settings.hosts, *_own_hosts(runtime)}
    longest, timeout_s = settings.longest_bytes, runtime.settings.requests.timeout_s
    async with Downloads(hosts, longest_bytes=longest, timeout_s=timeout_s) as downloads:
        return sum(await run_together(_fetch(runtime, downloads, each) for each in wanted))


async def _fetch(runtime: Runtime, downloads: Downloads, wanted: DocumentRecord) -> bool:
    emitter = await runtime.ledger.read_async(ledger_parties.emitter_of, wanted.emitter_id)
    kind: Literal["xml", "pdf"] = "xml" if wanted.kind == "xml" else "pdf"
    content = b""
    try:
        await check_account(runtime, wanted.issuer, wanted.emitter_id)
        url = await runtime.issuer(wanted.issuer).document(emitter.ref, wanted.remote_id, kind)
        problem = "documents.not_there" if url is None else None
        if url is not None:
            content = await downloads.fetch(url)
    except NotFound:
        problem = "documents.not_there"
    except ForeignHost:
        problem = "documents.foreign_host"
    except Broken:
        problem = "documents.no_answer"
    except Unreadable:
        problem = "documents.unreadable"
    if problem is None and not is_document(kind, content):
        problem = "documents.unreadable"
    if problem is not None:
        await runtime.ledger.write_async(ledger_documents.record_failure, wanted.invoice_id, kind, problem=problem)
        return False
    digest = hashlib.sha256(content).hexdigest()
    try:
        archive(content, sha256=digest, name=name_of(wanted), folder=runtime.documents)
    except OSError as error:
        params = {"folder": str(runtime.documents), "disk": disk_fault(error)}
        raise FaturistaError(Problem("documents.cannot_write", params=params)) from error
    size = len(content)
    await runtime.ledger.write_async(ledger_documents.keep, wanted.invoice_id, kind, sha256=digest, size_bytes=size)
    return True


def name_of(document: DocumentRecord) -> str:
    """Return a document's file name: serie, number and the city's number, for which people search.

    Keep only letters and digits of the city's number, which comes from outside: `../x` would leave a zip's folder.
    """
    number = f"{document.serie}-{document.number}"
    printed = _NOT_IN_A_NAME.sub("-", document.nfse_number or "")[:_LONGEST_NUMBER].strip("-")
    issued = f"-nota-{printed}" if printed else ""
    return f"{number}{issued}.{document.kind}"


def _own_hosts(runtime: Runtime) -> set[str]:
    """Return the hosts of the configured systems: a document's URL may be on the API's host."""
    found: set[str] = set()
    for name in runtime.registry.system_of:
        host = urlsplit(runtime.system_of(name).base_url).hostname
        if host:
            found.add(host)
    return found


def is_document(kind: str, content: bytes) -> bool:
    """Return whether the bytes are a document of this kind, and not a web page with an error."""
    if kind == "pdf":
        return content.startswith(b"%PDF-")
    head = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:_LONGEST_WEB_PAGE_HEAD].lower()
    return head.startswith(b"<") and not head.startswith((b"<!doctype html", b"<html"))
