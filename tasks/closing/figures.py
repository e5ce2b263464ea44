"""Sums of a month by outcome, emitter, template, tax and serie, added up from frames that come one after the other."""

from collections.abc import Collection, Iterator
from datetime import date, datetime
from typing import Final

import pandas as pd

from domain.competence import BRASILIA, add_months
from tasks.frames import TAXES

ISSUED: Final = "accepted"
_CENTS: Final = ("service_cents", "liquid_cents", "deduction_cents", *(f"{tax}_cents" for tax in TAXES))
_GROUP: Final = ("kind", "emitter_cnpj", "template", "state")
_SERIE: Final = ("emitter_cnpj", "serie", "state")
_MATCHED: Final = ("document", "cents", "turn")


class MonthFigures:
    """Add frames of invoices, then ask for sums. Only sums, and what `watch` names, stay in memory.

    Args:
        keys: Business keys to find: those of contracts.
        documents: Customers whose issued invoices are to be kept: those who paid.
    """

    def __init__(self, *, keys: Collection[str], documents: Collection[str]) -> None:
        self._keys, self._documents = set(keys), set(documents)
        self._sums: list[pd.DataFrame] = []
        self._series: list[pd.DataFrame] = []
        self._kept: list[pd.DataFrame] = []
        self.billed: dict[str, int] = {}

    def add(self, invoices: pd.DataFrame) -> None:
        """Add invoices of the month."""
        self._sums.append(invoices.assign(count=1).groupby(list(_GROUP), dropna=False)[["count", *_CENTS]].sum())
        series = invoices.groupby(list(_SERIE), dropna=True)["number"]
        self._series.append(series.agg(["min", "max", "count"]))
        issued = invoices[invoices["state"] == ISSUED]
        found = issued[issued["business_key"].isin(self._keys)]
        self.billed.update(zip(found["business_key"], found["service_cents"].astype(int), strict=True))
        theirs = issued[issued["taker_document"].isin(self._documents)]
        self._kept.append(theirs[["taker_document", "service_cents"]])

    def by(self, *columns: str, issued_only: bool = True) -> pd.DataFrame:
        """Return `count` and the sums in cents by these columns, sorted by them."""
        if not self._sums:
            return pd.DataFrame(columns=[*columns, "count", *_CENTS])
        sums = pd.concat(self._sums).reset_index()
        if issued_only:
            sums = sums[sums["state"] == ISSUED]
        return sums.groupby(list(columns), dropna=False)[["count", *_CENTS]].sum().reset_index()

    def series(self) -> pd.DataFrame:
        """Return first and last number and how many there are, by emitter, serie and state."""
        if not self._series:
            return pd.DataFrame(columns=[*_SERIE, "min", "max", "count"])
        found = pd.concat(self._series).reset_index().groupby(list(_SERIE))
        return found.agg({"min": "min", "max": "max", "count": "sum"}).reset_index()

    def without_invoice(self, paid: pd.DataFrame) -> pd.DataFrame:
        """Return the paid invoices for whose customer and amount the month has no issued invoice of its own."""
        ours = pd.concat(self._kept) if self._kept else pd.DataFrame(columns=["taker_document", "service_cents"])
        ours = ours.set_axis(["document", "cents"], axis="columns")
        asked = paid.assign(document=paid["client_document"], cents=paid["total_cents"])
        for each in (ours, asked):
            each["turn"] = each.groupby(["document", "cents"], dropna=False).cumcount()
        merged = asked.merge(ours.assign(is_ours=True), how="left", on=list(_MATCHED))
        return merged[merged["is_ours"].isna()]


def paid_in(chunks: Iterator[pd.DataFrame], competence: date, *, known_at: datetime) -> pd.DataFrame:
    """Return what was paid in a month of Brasília and was known at an instant, by plan and number."""
    first, end = (
        datetime(day.year, day.month, day.day, tzinfo=BRASILIA) for day in (competence, add_months(competence, 1))
    )
    parts = [
        part[(part["paid_at"] >= first) & (part["paid_at"] < end) & (part["mirrored_at"] <= known_at)]
        for part in chunks
    ]
    columns = ["plan_slug", "number", "client_name", "client_document", "total_cents"]
    found = pd.concat(parts) if parts else pd.DataFrame(columns=[*columns, "paid_at"])
    return found.sort_values(["plan_slug", "number"]).reset_index(drop=True)
