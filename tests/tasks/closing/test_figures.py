"""Sums that are added up in parts, and payments matched with invoices."""

from datetime import UTC, date, datetime

import pandas as pd
import pyarrow as pa

from tasks.closing.figures import MonthFigures, paid_in
from tasks.frames import SCHEMAS, to_frame

MONTH = date(2026, 11, 1)


def invoices(*given: dict[str, object]) -> pd.DataFrame:
    schema = SCHEMAS["invoices"]
    plain = {"kind": "service", "emitter_cnpj": "1", "template": "T", "serie": "F", "state": "accepted"}
    cents = {name: 0 for name in schema.names if name.endswith("_cents")}
    return to_frame(pa.Table.from_pylist([{**plain, **cents, **each} for each in given], schema=schema))


def test_parts_come_to_the_same_as_the_whole():
    given = [{"number": n, "service_cents": 100 * n, "business_key": str(n)} for n in range(1, 6)]
    given.append({"number": 9, "service_cents": 7, "state": "rejected", "template": None})
    whole, parts = (MonthFigures(keys={"2"}, documents=()) for _ in range(2))
    whole.add(invoices(*given))
    for each in given:
        parts.add(invoices(each))
    for figures in (whole, parts):
        assert figures.by("template")["service_cents"].tolist() == [1_500]
        assert figures.by("state", issued_only=False)["count"].tolist() == [5, 1]
        assert figures.billed == {"2": 200}
        told = figures.series()
        assert told[told["state"] == "accepted"][["min", "max", "count"]].to_numpy().tolist() == [[1, 5, 5]]


def test_a_payment_needs_an_invoice_of_its_own():
    figures = MonthFigures(keys=(), documents={"11", "22"})
    figures.add(invoices({"taker_document": "11", "service_cents": 500}, {"taker_document": "22", "service_cents": 9}))
    paid = pd.DataFrame(
        {
            "plan_slug": "p",
            "number": [1, 2, 3],
            "client_document": ["11", "11", "22"],
            "total_cents": [500, 500, 10],
        }
    )
    assert figures.without_invoice(paid)["number"].tolist() == [2, 3]


def test_the_day_of_a_payment_is_brasilias():
    at = [datetime(2026, 11, 1, 2, 59, tzinfo=UTC), datetime(2026, 12, 1, 2, 59, tzinfo=UTC)]
    given = [{"plan_slug": "p", "number": n, "paid_at": each, "mirrored_at": at[0]} for n, each in enumerate(at, 1)]
    lines = to_frame(pa.Table.from_pylist(given, schema=SCHEMAS["paid_invoices"]))
    assert paid_in(iter([lines]), MONTH, known_at=at[1])["number"].tolist() == [2]
    assert paid_in(iter([]), MONTH, known_at=at[1]).empty
