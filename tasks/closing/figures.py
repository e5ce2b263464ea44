"""Sum a month by outcome, emitter, template, tax and serie, from frames that are added one by one.

Paid invoices are matched with their NFS-e: first by plan and number, which are in the business key; the others by
customer and amount. An invoice that replaces another one bills the charge of the replaced invoice.
"""

from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

import pandas as pd

from domain.competence import add_months
from domain.orders.billing import key_of_payment
from domain.states import LIVING
from tasks.frames import SCHEMAS, TAXES, to_frame
from tasks.orders.payments import first_instant

ISSUED: Final = "accepted"
_REPLACED: Final = "replaced"
_ENDED: Final = (_REPLACED, "cancelled")
_LIVING: Final = sorted(map(str, LIVING))
LATE: Final = "late"
"""The state of a charge that an invoice of another month bills."""
_CENTS: Final = ("service_cents", "liquid_cents", "deduction_cents", *(f"{tax}_cents" for tax in TAXES))
_GROUP: Final = ("kind", "emitter_cnpj", "template", "state")
_SERIE: Final = ("kind", "emitter_cnpj", "serie", "state")
_BY_CUSTOMER: Final = ("client_document", "total_cents", "turn")
_PAID: Final = ("id", "plan_slug", "number", "client_name", "client_document", "total_cents")


class MonthFigures:
    """Add frames of invoices, then read sums. Memory holds only sums and issued invoices of customers who paid.

    `billed` has the cents of issued invoices, by those of the business keys that were found. `ended` has, by business
    key, the state of the newest replaced or cancelled invoice, or `LATE`.

    Args:
        keys: Business keys of contracts' charges to find.
        paid: The month's payments, from `payments_in_month`.
    """

    def __init__(self, *, keys: Collection[str], paid: pd.DataFrame) -> None:
        self._keys, self._paid = set(keys), paid
        self._sums: list[pd.DataFrame] = []
        self._series: list[pd.DataFrame] = []
        self._kept: list[pd.DataFrame] = []
        self._replaced: dict[int, str] = {}
        self.billed: dict[str, int] = {}
        self.ended: dict[str, str] = {}

    def add(self, invoices: pd.DataFrame) -> None:
        """Add invoices of the month. Call this in the order of ids: an invoice comes after the one that it replaces."""
        self._sums.append(invoices.assign(count=1).groupby(list(_GROUP), dropna=False)[["count", *_CENTS]].sum())
        series = invoices.groupby(list(_SERIE), dropna=True)["number"]
        self._series.append(series.agg(["min", "max", "count"]))
        invoices = self._by_charge(invoices)
        issued = invoices[invoices["state"] == ISSUED]
        ended = invoices[invoices["state"].isin(_ENDED) & invoices["business_key"].isin(self._keys)]
        self.ended.update(zip(ended["business_key"], ended["state"], strict=True))
        found = issued[issued["business_key"].isin(self._keys)]
        self.billed.update(zip(found["business_key"], found["service_cents"].astype(int), strict=True))
        theirs = issued["taker_document"].isin(self._paid["client_document"].dropna())
        kept = issued[theirs | issued["business_key"].isin(self._paid["business_key"])]
        self._kept.append(kept[["business_key", "taker_document", "service_cents"]])

    def add_late(self, invoices: pd.DataFrame) -> None:
        """Add invoices of other months that bill charges of this month: a living one marks its key as `LATE`."""
        living = invoices[invoices["state"].isin(_LIVING)]
        self.ended.update(dict.fromkeys(living["business_key"], LATE))

    def _by_charge(self, invoices: pd.DataFrame) -> pd.DataFrame:
        """Return the invoices; each that replaces another one has the business key of the replaced invoice's charge."""
        successors = invoices.loc[invoices["replaces_id"].notna(), ["id", "replaces_id", "business_key"]]
        replaced = invoices[invoices["state"] == _REPLACED]
        self._replaced.update(zip(replaced["id"], replaced["business_key"], strict=True))
        keys: list[str] = []
        for own_id, replaces_id, own_key in successors.itertuples(index=False):
            keys.append(self._replaced.get(replaces_id, own_key))
            if own_id in self._replaced:
                self._replaced[own_id] = keys[-1]
        invoices = invoices.copy()
        invoices.loc[successors.index, "business_key"] = keys
        return invoices

    def by(self, *columns: str, issued_only: bool = True) -> pd.DataFrame:
        """Return `count` and the sums in cents by these columns, sorted by them."""
        if not self._sums:
            return pd.DataFrame(columns=[*columns, "count", *_CENTS])
        sums = pd.concat(self._sums).reset_index()
        if issued_only:
            sums = sums[sums["state"] == ISSUED]
        return sums.groupby(list(columns), dropna=False)[["count", *_CENTS]].sum().reset_index()

    def series(self) -> pd.DataFrame:
        """Return the first and last number and the count, by kind, emitter, serie and state.

        NF-e and NFC-e of one serie are numbered apart.
        """
        if not self._series:
            return pd.DataFrame(columns=[*_SERIE, "min", "max", "count"])
        found = pd.concat(self._series).reset_index().groupby(list(_SERIE))
        return found.agg({"min": "min", "max": "max", "count": "sum"}).reset_index()

    def paid(self) -> pd.DataFrame:
        """Return the month's payments with `billed_cents`, the amount of their invoice; NA without an invoice.

        A payment without an invoice under its key gets one of the same customer and amount that belongs to no payment.
        """
        ours = pd.concat(self._kept or [pd.DataFrame(columns=["business_key", "taker_document", "service_cents"])])
        by_key = ours.groupby("business_key")["service_cents"].sum()
        paid = self._paid.assign(billed_cents=self._paid["business_key"].map(by_key).astype("Int64"))
        other_invoices = ours[~ours["business_key"].isin(paid["business_key"])]
        other_invoices = other_invoices.set_axis(["business_key", "client_document", "total_cents"], axis="columns")
        unbilled = paid[paid["billed_cents"].isna()]
        turns = [
            each.assign(turn=each.groupby(list(_BY_CUSTOMER[:2]), dropna=False).cumcount())
            for each in (unbilled, other_invoices)
        ]
        found = turns[0].merge(turns[1], how="left", on=list(_BY_CUSTOMER), indicator="is_found", suffixes=("", "_"))
        is_found = (found["is_found"] == "both").to_numpy()
        paid.loc[unbilled.index[is_found], "billed_cents"] = unbilled.loc[is_found, "total_cents"]
        return paid


def payments_in_month(chunks: Iterator[pd.DataFrame], competence: date, *, last_id: int | None = None) -> pd.DataFrame:
    """Return the payments of a month in Brasília time, sorted by plan and number.

    `last_id` leaves out payments with a higher id. The column `business_key` is the key under which each payment is
    billed.
    """
    first, end = first_instant(competence), first_instant(add_months(competence, 1))
    parts = [
        part[(part["paid_at"] >= first) & (part["paid_at"] < end) & (last_id is None or part["id"] <= last_id)]
        for part in chunks
    ]
    found = (pd.concat(parts) if parts else to_frame(SCHEMAS["paid_invoices"].empty_table()))[list(_PAID)]
    found = found.sort_values(["plan_slug", "number"]).reset_index(drop=True)
    keys = [key_of_payment(plan, number) for plan, number in zip(found["plan_slug"], found["number"], strict=True)]
    return found.assign(business_key=pd.Series(keys, index=found.index, dtype=found["plan_slug"].dtype))
