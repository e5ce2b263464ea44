"""A small correct month, written by hand: tests plant faults into it."""

from copy import deepcopy
from typing import Any, Final

from tests.faults.evidence import Asked, Evidence, Record

CNPJ: Final = "99000001000101"
_TAKER: Final = "99000010000109"
_SECOND: Final = 1_000_000


def sound_month() -> Evidence:
    """Row 3 was accepted, row 4 rejected by the city, row 5 is bad, row 6 was posted twice: the first left no trace."""
    return deepcopy(
        Evidence(
            asked=[_asked(3, 100_00), _asked(4, 250_10), _asked(5, 30_00, kind="bad"), _asked(6, 80_00)],
            ledger=_ledger(),
            record=_record(),
        )
    )


def _asked(number: int, cents: int, *, kind: str = "good") -> Asked:
    return Asked(
        file="month.xlsx",
        sha256="f1",
        sheet="Novembro",
        number=number,
        kind=kind,
        emitter=CNPJ,
        document=_TAKER,
        description=f"Contrato {number}",
        competence="2026-11-01",
        cents=cents,
    )


def _ledger() -> dict[str, list[Record]]:
    invoices = [
        _invoice(1, row=1, cents=100_00, state="accepted", nfse_number="501"),
        _invoice(2, row=2, cents=250_10, state="rejected", errors=[{"code": "E987", "description": "?", "tip": "?"}]),
        _invoice(3, row=4, cents=80_00, state="accepted", nfse_number="502"),
    ]
    return {
        "files": [{"id": 1, "sha256": "f1"}],
        "readings": [{"id": 1, "file_id": 1}],
        "emitters": [{"id": 1, "cnpj": CNPJ}],
        "rows": [
            _row(1, 3, "assembled"),
            _row(2, 4, "assembled"),
            _row(3, 5, "refused", problems=[{"code": "document.invalid"}]),
            _row(4, 6, "assembled"),
        ],
        "batches": [
            {
                "id": 1,
                "name": "2026-11 f1 #1 r1 ab",
                "remote_id": 9,
                "state": "processed",
                "fence": 4,
                "revision": 1,
                "digest": "d",
                "count": 3,
                "total_cents": 430_10,
            }
        ],
        "orphans": [{"id": 1, "batch_id": 1, "name": "2026-11 f1 #1 r1 zz", "remote_id": None}],
        "invoices": invoices,
        "numbers": [_number(invoice) for invoice in invoices],
        "attempts": [
            _attempt(1, "open", None),
            _attempt(2, "post", 1),
            _attempt(3, "post", 2),
            _attempt(4, "post", 3, outcome="in_doubt"),
            _attempt(5, "post", 3, begun_s=60),
            _attempt(6, "send", None),
        ],
        "events": list(_events(_chains())),
        "incidents": [{"code": "batch.note_differs", "params": {}, "closed_at": 1}],
        "approvals": [
            {
                "batch_id": 1,
                "revision": 1,
                "digest": "d",
                "count": 3,
                "total_cents": 430_10,
                "approved_at": 4 * _SECOND,
                "void_at": None,
            }
        ],
    }


def _chains() -> dict[tuple[str, int], list[str]]:
    """Return the states of each row, batch and invoice, in order."""
    sent = ["scheduled", "processing"]
    posted = ["drafted", "reserved", "posting"]
    lost = [*posted, "in_doubt", "reserved", "posting", "created"]
    return {
        ("row", 1): ["read", "resolved", "assembled"],
        ("row", 2): ["read", "resolved", "assembled"],
        ("row", 3): ["refused"],
        ("row", 4): ["read", "resolved", "assembled"],
        ("batch", 1): ["planned", "opening", "open", "staged", "approved", "sending", *sent, "processed"],
        ("invoice", 1): [*posted, "created", *sent, "accepted"],
        ("invoice", 2): [*posted, "created", *sent, "rejected"],
        ("invoice", 3): [*lost, *sent, "accepted"],
    }


def _row(row_id: int, number: int, state: str, *, problems: list[Record] | None = None) -> Record:
    place = {"file_id": 1, "reading_id": 1, "sheet": "Novembro", "row_number": number}
    return {"id": row_id, **place, "state": state, "problems": problems or []}


def _invoice(number: int, *, row: int, cents: int, state: str, **others: Any) -> Record:
    return {
        "id": number,
        "row_id": row,
        "batch_id": 1,
        "emitter_id": 1,
        "serie": "F",
        "number": number,
        "state": state,
        "digest": f"c{number}",
        "service_cents": cents,
        "liquid_cents": cents,
        "amounts": {"iss_cents": cents // 50},
        "remote_id": 70 + number,
        "nfse_number": None,
        "errors": [],
        **others,
    }


def _number(invoice: Record) -> Record:
    is_dead = invoice["state"] == "rejected"
    return {
        "invoice_id": invoice["id"],
        **{field: invoice[field] for field in ("emitter_id", "serie", "number", "digest")},
        "retired_at": 9 if is_dead else None,
        "retired_because": "rejected: listed" if is_dead else None,
    }


def _attempt(attempt_id: int, what: str, invoice_id: int | None, *, outcome: str = "done", begun_s: int = 3) -> Record:
    return {
        "id": attempt_id,
        "batch_id": 1,
        "invoice_id": invoice_id,
        "what": what,
        "fence": 2,
        "begun_at": begun_s * _SECOND,
        "last_byte_at": begun_s * _SECOND,
        "ended_at": (begun_s + 1) * _SECOND,
        "outcome": outcome,
    }


def _events(chains: dict[tuple[str, int], list[str]]) -> Any:
    for (entity, entity_id), states in chains.items():
        for place, (was, becomes) in enumerate(zip([None, *states], states, strict=False)):
            yield {
                "entity": entity,
                "entity_id": entity_id,
                "was": was,
                "becomes": becomes,
                "is_observed": False,
                "fence": place or None,
                "at": place * _SECOND,
            }


def _record() -> Record:
    return {
        "notes": [
            _note(1, row=3, amount="100.00", status="accepted", nfse_number="501"),
            _note(2, row=4, amount="250.10", status="rejected", errors=[{"code": "E987"}]),
            _note(3, row=6, amount="80.00", status="accepted", nfse_number="502"),
        ],
        "batches": [{"id": 9, "name": "2026-11 f1 #1 r1 ab"}, {"id": 8, "name": "2026-11 f1 #1 r1 zz"}],
        "batch_history": [
            {"batch_id": 9, "to_status": status} for status in ("created", "scheduled", "processing", "processed")
        ],
        "violations": [],
        "requests_by_operation": {"notes.create": 4, "batches.create": 1, "batches.send": 1, "batches.read": 9},
    }


def _note(number: int, *, row: int, amount: str, status: str, **others: Any) -> Record:
    cents = int(amount.replace(".", ""))
    return {
        "id": 70 + number,
        "emitter_cnpj": CNPJ,
        "batch_id": 9,
        "asked_batch_id": 9,
        "serie": "F",
        "number": number,
        "status": status,
        "is_deleted": False,
        "taker_document": _TAKER,
        "competence": "2026-11-01",
        "digest": f"n{number}",
        "nfse_number": None,
        "errors": [],
        "service_values": {
            "service_amount": amount,
            "nfse_liquid_amount": amount,
            "iss_amount": f"{cents // 50 / 100:.2f}",
            "description": f"Contrato {row}",
        },
        **others,
    }
