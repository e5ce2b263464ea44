"""Sums that are added up in parts, and payments matched with invoices."""

from datetime import UTC, date, datetime

import pandas as pd
import pyarrow as pa

from domain.orders.billing import key_of_payment
from tasks.closing.figures import MonthFigures, payments_in_month
from tasks.frames import SCHEMAS, to_frame

MONTH = date(2026, 11, 1)


def invoices(*given: dict[str, object]) -> pd.DataFrame:
    schema = SCHEMAS["invoices"]
    plain = {"kind": "service", "emitter_cnpj": "1", "template": "T", "serie": "F", "state": "accepted"}
    cents = {name: 0 for name in schema.names if name.endswith("_cents")}
    return to_frame(pa.Table.from_pylist([{**plain, **cents, **each} for each in given], schema=schema))


def paid(*given: dict[str, object]) -> pd.DataFrame:
    at = datetime(2026, 11, 5, 12, tzinfo=UTC)
    plain = {"plan_slug": "p", "paid_at": at, "mirrored_at": at}
    lines = pa.Table.from_pylist([{**plain, **each} for each in given], schema=SCHEMAS["paid_invoices"])
    return payments_in_month(iter([to_frame(lines)]), MONTH)


def test_sums_of_parts_equal_the_sum_of_the_whole():
    given = [{"number": n, "service_cents": 100 * n, "business_key": str(n)} for n in range(1, 6)]
    given.append({"number": 9, "service_cents": 7, "state": "rejected", "template": None})
    whole, parts = (MonthFigures(keys={"2"}, paid=paid()) for _ in range(2))
    whole.add(invoices(*given))
    for each in given:
        parts.add(invoices(each))
    for figures in (whole, parts):
        assert figures.by("template")["service_cents"].tolist() == [1_500]
        assert figures.by("state", issued_only=False)["count"].tolist() == [5, 1]
        assert figures.billed == {"2": 200}
        by_serie = figures.series()
        assert by_serie[by_serie["state"] == "accepted"][["min", "max", "count"]].to_numpy().tolist() == [[1, 5, 5]]


def test_kinds_of_one_serie_are_numbered_apart():
    figures = MonthFigures(keys=set(), paid=paid())
    figures.add(invoices({"number": 1, "kind": "nfe"}, {"number": 1, "kind": "nfce"}, {"number": 2, "kind": "nfce"}))
    assert figures.series()[["kind", "min", "max", "count"]].to_numpy().tolist() == [
        ["nfce", 1, 2, 2],
        ["nfe", 1, 1, 1],
    ]


def test_a_payment_is_matched_by_its_key_and_then_by_customer_and_amount():
    keys = [key_of_payment("p", number) for number in (1, 2)]
    figures = MonthFigures(
        keys=(),
        paid=paid(
            {"number": 1, "client_document": "11", "total_cents": 500},
            # billed by its key with another amount
            {"number": 2, "client_document": "11", "total_cents": 500},
            # the same customer and amount as the first, whose invoice answers for one payment alone
            {"number": 3, "client_document": "11", "total_cents": 500},
            # billed by hand
            {"number": 4, "client_document": "22", "total_cents": 10},
            {"number": 5, "client_document": "22", "total_cents": 10},
            {"number": 6, "client_document": None, "total_cents": 10},
        ),
    )
    figures.add(
        invoices(
            {"taker_document": "11", "service_cents": 500, "business_key": keys[0]},
            {"taker_document": "99", "service_cents": 450, "business_key": keys[1]},
            {"taker_document": "22", "service_cents": 10, "business_key": "by hand"},
        )
    )
    found = figures.paid()
    assert found["number"].tolist() == [1, 2, 3, 4, 5, 6]
    assert [None if pd.isna(each) else each for each in found["billed_cents"]] == [500, 450, None, 10, None, None]


def test_a_month_without_invoices_leaves_every_payment_unbilled():
    figures = MonthFigures(keys=(), paid=paid({"number": 1, "client_document": "11", "total_cents": 500}))
    assert figures.paid()["billed_cents"].isna().tolist() == [True]


def test_the_day_of_a_payment_is_brasilias():
    at = [datetime(2026, 11, 1, 2, 59, tzinfo=UTC), datetime(2026, 12, 1, 2, 59, tzinfo=UTC)]
    plain = {"plan_slug": "p", "mirrored_at": at[0]}
    given = [{**plain, "id": n, "number": n, "paid_at": each} for n, each in enumerate(at, 1)]
    lines = to_frame(pa.Table.from_pylist(given, schema=SCHEMAS["paid_invoices"]))
    assert payments_in_month(iter([lines]), MONTH)["number"].tolist() == [2]
    assert payments_in_month(iter([lines]), MONTH, last_id=1).empty
    assert payments_in_month(iter([]), MONTH).empty


def test_a_replacement_bills_the_charge_of_the_replaced_invoice():
    key = key_of_payment("p", 1)
    figures = MonthFigures(
        keys={"C-1", "C-2", "C-3"}, paid=paid({"number": 1, "client_document": "11", "total_cents": 500})
    )
    first, *others = (
        {"id": 1, "business_key": "C-1", "service_cents": 100, "state": "replaced"},
        {"id": 2, "business_key": "C-2", "service_cents": 200, "state": "replaced"},
        {"id": 3, "business_key": "C-3", "service_cents": 300, "state": "cancelled"},
        {"id": 4, "business_key": key, "service_cents": 500, "state": "replaced"},
        {"id": 5, "replaces_id": 1, "business_key": "r1", "service_cents": 110, "state": "replaced"},
        {"id": 6, "replaces_id": 5, "business_key": "r5", "service_cents": 120},
        {"id": 7, "replaces_id": 4, "business_key": "r4", "service_cents": 510},
        # the replaced invoice is of another month
        {"id": 8, "replaces_id": 0, "business_key": "r0", "service_cents": 1},
    )
    figures.add(invoices(first))
    figures.add(invoices(*others))
    assert figures.billed == {"C-1": 120}
    assert {each: figures.ended[each] for each in ("C-2", "C-3")} == {"C-2": "replaced", "C-3": "cancelled"}
    assert figures.paid()["billed_cents"].tolist() == [510]
