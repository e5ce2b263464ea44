"""The sandbox's journal of requests and applied faults: the latest of each, and total counts.

A sandbox may run for months: requests must not make its memory or its file grow.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from connectors.emulation.state_file import Store

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL,
    operation TEXT NOT NULL, status INTEGER, fault TEXT, subject TEXT);
-- requests that are forgotten by now
CREATE TABLE IF NOT EXISTS request_totals (operation TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS applied_faults (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, operation TEXT NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL);
"""
KEPT: Final = 20_000
"""Keep this many of the latest requests and faults, and up to a tenth more."""
_SWEEP: Final = KEPT // 10
_LONGEST: Final = 2_000

# a person's CPF, with or without punctuation, which no journal entry may show
_CPF: Final = re.compile(r"(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)")
_MASK: Final = "***"

_REQUEST: Final = (
    "INSERT INTO requests (at, method, path, query, operation, status, fault, subject) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_TOTALS: Final = (
    "INSERT INTO request_totals SELECT operation, COUNT(*) FROM requests WHERE id <= ? GROUP BY operation"
    " ON CONFLICT (operation) DO UPDATE SET count = count + excluded.count"
)
_COUNTS: Final = (
    "SELECT operation, SUM(count) FROM (SELECT operation, count FROM request_totals"
    " UNION ALL SELECT operation, COUNT(*) FROM requests GROUP BY operation) GROUP BY operation ORDER BY operation"
)


def note_request(store: Store, row: Sequence[Any]) -> None:
    """Store a request: (at, method, path, query, operation, status, kind of fault, subject).

    Cut long texts, and mask CPFs in URLs and subjects.
    """
    at, method, path, query, operation, status, kind, subject = row
    entry = store.run(
        _REQUEST,
        (
            at,
            method,
            _mask_documents(path),
            _mask_documents(query),
            operation,
            status,
            kind,
            subject and _mask_documents(subject),
        ),
    )
    if entry % _SWEEP == 0 and entry > KEPT:
        store.run(_TOTALS, (entry - KEPT,))
        store.run("DELETE FROM requests WHERE id <= ?", (entry - KEPT,))


def _mask_documents(text: str) -> str:
    return _CPF.sub(_MASK, text[:_LONGEST]) if text else text


def requests_by_operation(store: Store) -> dict[str, int]:
    """Count all requests ever made by operation, deleted entries included."""
    return dict(store.all(_COUNTS))


def note_fault(store: Store, at: float, operation: str, kind: str, **details: Any) -> None:
    entry = store.run(
        "INSERT INTO applied_faults (at, operation, kind, details) VALUES (?, ?, ?, ?)",
        (at, operation, kind, json.dumps(details, ensure_ascii=False)),
    )
    if entry % _SWEEP == 0:
        store.run("DELETE FROM applied_faults WHERE id <= ?", (entry - KEPT,))
