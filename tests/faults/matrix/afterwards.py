"""Requests of people after the approval: some invoices are cancelled, or replaced by corrected ones.

People know an invoice of services by the number in its text, and one of products by its amount.

In the plot `updated`, the provider knows the customers already, and their rows ask to update them.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.invoices import InvoiceRecord, invoices_by_ids
from domain.staff import Actor
from domain.states import InvoiceState
from tasks.cancellations.requests import approve, candidates, request, waiting_cancellations
from tasks.replacements.requests import check_replacement, write_sheet
from tasks.runtime import Context
from tests.faults.evidence import Asked, Record
from tests.faults.sales import Sale
from tests.faults.workbooks import Line, month_lines
from tests.sandboxes import RunningSandbox

Wanted = Literal["cancelled", "replaced"]

BECAUSE: Final = "Valor combinado era outro"
_PERSON: Final = "Ana"
_EVERY: Final = 3
_MORE_CENTS: Final = 1_00
_CORRECTED: Final = ", corrigido"
_STREET: Final = "Rua Nova"


def is_wanted(description: str) -> bool:
    """Return whether a person wants another end for the invoice of this row, by the number in its text."""
    digits = description.rpartition("-")[2]
    return digits.isdigit() and int(digits) % _EVERY == 0


def expected(asked: Sequence[Asked], wanted: Wanted) -> list[Asked]:
    """Return what the checker expects: the wanted rows' ends, and a corrected invoice for each replaced row."""
    found: list[Asked] = []
    for row in asked:
        is_changed = row.kind == "good" and is_wanted(row.description)
        found.append(replace(row, kind=wanted) if is_changed else row)
        if is_changed and wanted == "replaced":
            text, cents = row.description + _CORRECTED, row.cents + _MORE_CENTS
            found.append(replace(row, file="", sha256="", sheet="", kind="successor", description=text, cents=cents))
    return found


def sales_expected(sales: Sequence[Sale], *, is_late: bool) -> list[Sale]:
    """Return the sales with the ends that a person wants; half an hour late, only an NF-e can be cancelled."""
    ends = {"nfe": "cancelled", "nfce": "cancel_rejected" if is_late else "cancelled"}
    return [replace(sale, ends=ends[sale.kind]) if _is_returned(sale) else sale for sale in sales]


def _is_returned(sale: Sale) -> bool:
    """Return whether a person wants this sale's invoice cancelled: some of each kind and of each shop."""
    return int(sale.key.rpartition("-")[2]) % _EVERY != 1


def cancel(context: Context, sales: Sequence[Sale] = ()) -> bool:
    """Ask to cancel the wanted invoices that are issued, and approve what waits. Return whether there was anything.

    `sales`: what the sheet sells; empty for services.
    """
    actor = Actor(_PERSON)
    # A ledger that failed behind a request has it without its approval.
    left = approve(context, waiting_cancellations(context), actor=actor)
    returned = {sale.cents for sale in sales if _is_returned(sale)}
    issued = context.ledger.read(_accepted)
    wanted = [note for note in issued if (note.liquid_cents in returned if sales else is_wanted(_text(note)))]
    notes = [each.note for each in candidates(context, wanted) if each.problem is None]
    return bool([*left, *request(context, [(note, BECAUSE) for note in notes], actor=actor)])


def replacements(context: Context) -> Path | None:
    """Write the sheet that replaces the wanted invoices that are issued; None where nothing is left to replace."""
    found = [
        check_replacement(
            context,
            note,
            {"service_cents": note.service_cents + _MORE_CENTS, "description": _text(note) + _CORRECTED},
            reason=BECAUSE,
        )
        for note in _issued(context)
    ]
    good = [replacement for replacement in found if not replacement.problems]
    return write_sheet(context, good) if good else None


def has_begun(context: Context) -> bool:
    """Return whether a person requested a cancellation: then the sheet is not dropped again."""
    return context.ledger.read(_count_cancellations) > 0


def _count_cancellations(conn: sa.Connection) -> int:
    return int(conn.execute(sa.select(sa.func.count()).select_from(tables.cancellations)).scalar_one())


def count_open_changes(conn: sa.Connection) -> int:
    """Return how many writes to the register have no known end."""
    table = tables.remote_changes
    return int(conn.execute(sa.select(sa.func.count()).where(table.c.ended_at.is_(None))).scalar_one())


def _issued(context: Context) -> list[InvoiceRecord]:
    return [note for note in context.ledger.read(_accepted) if is_wanted(_text(note))]


def _accepted(conn: sa.Connection) -> list[InvoiceRecord]:
    table = tables.invoices
    ids = conn.execute(sa.select(table.c.id).where(table.c.state == str(InvoiceState.ACCEPTED)).order_by(table.c.id))
    return invoices_by_ids(conn, ids.scalars().all())


def _text(note: InvoiceRecord) -> str:
    return str(json.loads(note.content)["description"])


def updating_lines(count: int, takers: Sequence[Record]) -> list[Line]:
    """Return a month's rows for customers of the register; each row asks to update its customer's address."""
    lines = month_lines(count)
    known = [each for each in takers if each.get("cnpj")]
    return [
        line
        if line.kind != "good"
        else line.but(
            document=known[place % (len(known) // 2)]["cnpj"],
            **{
                "Razão Social": known[place % (len(known) // 2)]["social_reason"],
                "Logradouro": _STREET,
                "Número": str(place % (len(known) // 2) + 1),
                "Bairro": "Centro",
                "CEP": "01010-000",
                "Cidade": "São Paulo",
                "UF": "SP",
                "Atualizar cadastro": "S",
            },
        )
        for place, line in enumerate(lines)
    ]


def register(sandbox: RunningSandbox, asked: Sequence[Asked]) -> dict[str, Record]:
    """Return the register's records of the customers of good rows, by document."""
    documents = {row.document for row in asked if row.kind == "good"}
    found = {each: sandbox.call("GET", f"/api/v1/takers?cnpj={each}")[1]["collection"] for each in documents}
    return {document: records[0] for document, records in found.items() if records}


def update_faults(asked: Sequence[Asked], ledger: Mapping[str, list[Record]], known: Mapping[str, Record]) -> list[str]:
    """Return customers whose record was not updated, or was written twice, or after an invoice was posted."""
    faults = [
        f"customer {document} still lives in {record['address']['street']}"
        for document, record in known.items()
        if record["address"]["street"] != _STREET
    ]
    changes = [each for each in ledger["remote_changes"] if each["kind"] == "taker"]
    faults += [f"change {each['id']} of the register has no end" for each in changes if each["outcome"] is None]
    done = Counter(each["subject"] for each in changes if each["outcome"] == "done")
    faults += [f"customer {subject} was changed {count} times" for subject, count in done.items() if count > 1]
    takers = {each["id"]: str(each["remote_id"]) for each in ledger["takers"]}
    posted: defaultdict[str, list[Any]] = defaultdict(list)
    of_invoice = {each["id"]: takers[each["taker_id"]] for each in ledger["invoices"] if each["taker_id"] is not None}
    for attempt in ledger["attempts"]:
        if attempt["what"] == "post":
            posted[of_invoice[attempt["invoice_id"]]].append(attempt["begun_at"])
    for each in changes:
        if each["outcome"] == "done" and min(posted[each["subject"]], default=each["ended_at"]) < each["ended_at"]:
            faults.append(f"customer {each['subject']} was changed after an invoice was posted")
    return [*faults, *([] if known or not asked else ["no customer of the sheet is in the register"])]


def canary_faults(ledger: Mapping[str, list[Record]]) -> Iterator[str]:
    """Yield a sentence for each canary invoice not accepted before a batch was sent that no person released."""
    sent = _first(ledger, "batch", "sending")
    accepted = _first(ledger, "invoice", "accepted")
    let_go = {
        event["entity_id"]
        for event in ledger["events"]
        if (event["entity"], event["was"], event["becomes"]) == ("batch", "held", "approved")
        and event["because"].startswith(f"{_PERSON}: ")
    }
    canaries: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for batch in ledger["batches"]:
        if batch["is_canary"] and batch["state"] not in ("discarding", "discarded"):
            canaries[_group(batch)].append(batch["id"])
    for batch in ledger["batches"]:
        if batch["is_canary"] or batch["id"] not in sent or batch["id"] in let_go:
            continue
        for note in ledger["invoices"]:
            is_canary = note["batch_id"] in canaries[_group(batch)]
            if is_canary and not accepted.get(note["id"], sent[batch["id"]] + 1) <= sent[batch["id"]]:
                yield f"batch {batch['id']} was sent before invoice {note['id']} of its canary was accepted"


def _group(batch: Record) -> tuple[Any, ...]:
    return batch["reading_id"], batch["emitter_id"], batch["competence"]


def _first(ledger: Mapping[str, list[Record]], entity: str, becomes: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for event in ledger["events"]:
        if event["entity"] == entity and event["becomes"] == becomes:
            found.setdefault(event["entity_id"], event["at"])
    return found
