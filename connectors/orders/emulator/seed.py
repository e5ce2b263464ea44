"""Fourteen months of a seller: three plans, sixty orders, some four hundred paid invoices; always the same.

All of it is invented; documents begin with 99 or 00. Some names look like spreadsheet formulas. Some payments are in
the last hours of a month, which are already the next month in UTC.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from connectors.emulation.documents import is_cnpj, is_cpf
from connectors.emulation.messages import Json
from connectors.emulation.repeatable_random import fraction

_FIRST_YEAR, _FIRST_MONTH = 2025, 10
MONTHS: Final = 14
_ORDERS: Final = 60
_TRIALS: Final = frozenset({17, 34, 51, 58})
_PLANS: Final = (
    {"slug": "essencial", "name": "Essencial", "description": "Para quem está começando"},
    {"slug": "profissional", "name": "Profissional", "description": "Para equipes"},
    {"slug": "empresarial", "name": "Empresarial", "description": "Várias empresas, um só contrato"},
)
_PRICES: Final = {"essencial": 8_990, "profissional": 24_990, "empresarial": 89_900}
_KINDS: Final = (
    "Padaria", "Clínica", "Oficina", "Livraria", "Escola", "Marcenaria", "Farmácia", "Ateliê", "Mercado", "Estúdio",
    "Pousada", "Gráfica",
)  # fmt: skip
_NAMES: Final = (
    "do Cais", "Boa Vista", "São Bento", "Horizonte", "Três Irmãos", "Ipê Amarelo", "da Serra", "Maré Alta",
    "Novo Mundo", "Jacarandá", "Bela Aurora", "das Palmeiras",
)  # fmt: skip
_ODD_NAMES: Final = {7: "+Mais Saúde Ltda", 23: "@Rede Digital", 41: "=Igual Comércio de Espelhos"}
_PEOPLE: Final = ("Ana Prado", "Bruno Teles", "Clara Nunes Reis", "Davi Moura", "Elisa Couto", "Fábio Rangel")
_PLACES: Final = (("Rio de Janeiro", "RJ", "20010000"), ("São Paulo", "SP", "01010000"), ("Recife", "PE", "50010000"))
WITHOUT_ORDERS: Final = "5f0c7a52-99a1-4b0e-8c3e-00000000e001"
"""An account that the service knows, without any order."""
_METHODS: Final = ("boleto", "credit_card", "pix")
_TODAY: Final = datetime(2026, 11, 20, 12)  # noqa: DTZ001 - the service writes São Paulo's time without an offset


@cache
def default_sales() -> Json:
    """Return the initial plans, orders, invoices and adjustments; do not change them in place."""
    makers = [_Maker(number) for number in range(1, _ORDERS + 1)]
    bare = sorted((invoice for maker in makers for invoice in maker.invoices()), key=lambda row: row["created_at"])
    counts = dict.fromkeys(_PRICES, 0)
    for invoice in bare:
        slug = invoice["plan_data"]["slug"]
        counts[slug] += 1
        invoice["number"] = counts[slug]
    adjustments: list[Json] = [
        {
            "order": number,
            "amount": "-50.00" if number % 2 else "12.50",
            "description": "Desconto de fidelidade" if number % 2 else "Usuário adicional",
            "valid_from": "2026-12-01",
            "valid_until": None,
            "redeemed_amount": 0,
            "redemptions": [],
        }
        for number in (5, 12, 29)
    ]
    adjustments.extend(_redeemed_surcharges(bare))
    return {
        "accounts": [WITHOUT_ORDERS],
        "plans": [{**plan, "amount": _decimal(_PRICES[plan["slug"]])} for plan in _PLANS],
        "orders": [maker.order() for maker in makers],
        "invoices": bare,
        "adjustments": adjustments,
    }


def _redeemed_surcharges(invoices: list[Json]) -> Iterator[Json]:
    """Yield surcharges that are on an invoice already, so that they cannot be removed."""
    invoice, part = next((invoice, part) for invoice in invoices for part in invoice["redeemed_adjustments"])
    yield {
        "order": invoice["order"],
        **part,
        "valid_from": None,
        "valid_until": None,
        "redeemed_amount": part["amount"],
        "redemptions": [{"amount": part["amount"], "invoice": invoice["number"]}],
    }


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes one order and its invoices, determined by its number."""

    number: int

    @property
    def slug(self) -> str:
        draw = fraction("plan", self.number)
        return "essencial" if draw < 0.5 else "profissional" if draw < 0.85 else "empresarial"

    @property
    def start(self) -> int:
        """Return the index of the order's first month. A third of the orders exist at month 0; others come later."""
        return max(0, int(fraction("start", self.number) * (MONTHS + 6)) - 6)

    @property
    def end(self) -> int:
        """Return the index of the month after the order's last month."""
        leaves = fraction("leaves", self.number)
        return MONTHS if leaves < 0.7 else min(MONTHS, self.start + 2 + int(fraction("stays", self.number) * 8))

    @property
    def is_trial(self) -> bool:
        return self.number in _TRIALS

    @property
    def charge_day(self) -> int:
        return (5, 10, 15, 28)[int(fraction("day", self.number) * 4)]

    def begins_at(self) -> datetime:
        return _at(self.start, 1 + int(fraction("birth", self.number) * 4), 9 + self.number % 9, self.number % 60)

    def client(self) -> Json:
        city, state, zip_code = _PLACES[self.number % 3]
        is_person = fraction("person", self.number) < 0.2 and self.number not in _ODD_NAMES
        kind, name = _KINDS[self.number % len(_KINDS)], _NAMES[(self.number * 5) % len(_NAMES)]
        company = _ODD_NAMES.get(self.number, f"{kind} {name} Ltda")
        return {
            "client_name": _PEOPLE[self.number % len(_PEOPLE)] if is_person else company,
            "client_email": f"financeiro{self.number}@cliente.example",
            "document_number": _document(self.number, is_person=is_person),
            "address": "Rua das Acácias",
            "address_number": str(10 + self.number),
            "address_complement": None,
            "address_quarter": "Centro",
            "address_city": city,
            "address_state": state,
            "zip_code": zip_code,
        }

    def order(self) -> Json:
        is_active = self.end == MONTHS and not (self.is_trial and self.number % 2)
        until = f"{_at(self.start, 28, 0, 0):%Y-%m-%d %H:%M:%S}" if self.is_trial else None
        following = f"{_at(MONTHS, self.charge_day, 0, 0):%Y-%m-%d %H:%M:%S}"
        return {
            "number": self.number,
            "plan_slug": self.slug,
            "global_account": str(uuid.uuid5(uuid.NAMESPACE_OID, f"faturista sandbox account {self.number % 50}")),
            "user_code": f"U{self.number:04d}",
            **self.client(),
            "amount": _decimal(_PRICES[self.slug]),
            "charge_day": self.charge_day,
            "created_at": f"{self.begins_at():%Y-%m-%d %H:%M:%S}",
            "activated_at": None if self.is_trial else f"{self.begins_at() + timedelta(hours=2):%Y-%m-%d %H:%M:%S}",
            "active_until": until,
            "next_payment_at": following if is_active and not self.is_trial else None,
            "is_active": is_active,
            "is_paid": is_active and not self.is_trial,
            "is_trial": self.is_trial,
            "is_recurring": not self.is_trial,
            "activation_expired": self.is_trial and not is_active,
        }

    def invoices(self) -> Iterator[Json]:
        """Yield one invoice a month while the order lasts; some are never paid."""
        for month in range(self.start, 0 if self.is_trial else self.end):
            charge = _at(month, self.charge_day, 0, 0)
            made = charge - timedelta(days=4, hours=-8, minutes=self.number)
            if made <= _TODAY:
                yield self._invoice(month, charge, made)

    def _invoice(self, month: int, charge: datetime, made: datetime) -> Json:
        paid = self._paid_at(month, charge)
        is_paid = paid <= _TODAY and fraction("unpaid", self.number, month) >= 0.05
        shown = f"{paid:%Y-%m-%d %H:%M:%S}" if is_paid else None
        cents, adjustments = _PRICES[self.slug], list(self._adjustments(month))
        return {
            "order": self.number,
            "redeemed_adjustments": [{"amount": _decimal(a), "description": text} for a, text in adjustments],
            "created_at": f"{made:%Y-%m-%d %H:%M:%S}",
            "activated_at": shown,
            "paid_at": shown,
            "user_data": self.client(),
            "amount": _decimal(cents),
            "amount_with_adjustments": _decimal(cents + sum(amount for amount, _ in adjustments)),
            "payment_method": _METHODS[int(fraction("method", self.number) * 3)],
            "plan_data": dict(next(plan for plan in _PLANS if plan["slug"] == self.slug)),
            "charge_date": f"{charge:%Y-%m-%d}",
            "next_payment_date": f"{_at(month + 1, self.charge_day, 0, 0):%Y-%m-%d}",
        }

    def _paid_at(self, month: int, charge: datetime) -> datetime:
        if self.charge_day == 28 and fraction("late", self.number, month) < 0.4:
            # this instant is in the next month in UTC, but not in São Paulo
            return _at(month + 1, 1, 0, 0) - timedelta(minutes=1 + int(fraction("minute", self.number, month) * 170))
        delay = timedelta(hours=fraction("paid", self.number, month) * 90)
        return (charge + delay).replace(microsecond=0)

    def _adjustments(self, month: int) -> Iterator[tuple[int, str]]:
        draw = fraction("adjusted", self.number, month)
        if draw < 0.04:
            yield -round(_PRICES[self.slug] * 0.1), "Desconto por indicação"
        elif draw < 0.09:
            yield 1_250, "Usuário adicional"
            yield 390, "Armazenamento extra"


def _at(month: int, day: int, hour: int, minute: int) -> datetime:
    """Return a time in the month `month` months after the first."""
    months = _FIRST_YEAR * 12 + _FIRST_MONTH - 1 + month
    return datetime(months // 12, months % 12 + 1, day, hour, minute)  # noqa: DTZ001 - as above


def _decimal(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _document(number: int, *, is_person: bool) -> str:
    """Return a fictional CPF or CNPJ, every seventh CNPJ with letters: try check digits until they are valid."""
    stem = f"990{number:06d}" if is_person else f"99{'A' if number % 7 == 0 else '0'}{number + 300:05d}0001"
    is_right: Any = is_cpf if is_person else is_cnpj
    return next(text for digits in range(100) if is_right(text := f"{stem}{digits:02d}"))
