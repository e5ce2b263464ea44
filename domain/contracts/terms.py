"""Turn a workbook row into a new contract or into a change of an existing one, field by field.

A row has each field as text, cents or basis points; an empty cell changes nothing. Sheets have no pauses and no one-off
amounts: commands write those.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Final

from domain.contracts.billing_day import FIRST_BUSINESS_DAY, BillingDay
from domain.contracts.contract import Contract, Index
from domain.documents import Document
from domain.master_fields import Value
from domain.money import format_brl
from domain.problems import Problem
from domain.taker_changes import Change
from domain.texts import folded

REQUIRED: Final = ("emitter_cnpj", "document", "name", "template_name", "service_cents", "starts_on")
"""The fields that a new contract must have."""

FIELDS: Final = (*REQUIRED, "description", "ends_on", "billing_day", "cadence", "is_prorated", "readjustment")
OPEN_END: Final = "open"
"""The value for a contract without an end."""

_CPF_LENGTH: Final = 11
_CADENCES: Final[Mapping[str, int]] = {
    "mensal": 1,
    "monthly": 1,
    "bimestral": 2,
    "trimestral": 3,
    "quarterly": 3,
    "quadrimestral": 4,
    "semestral": 6,
    "half yearly": 6,
    "anual": 12,
    "yearly": 12,
}
_EVERY: Final = re.compile(r"(?:a cada |every )?(\d{1,2})(?: mes(?:es)?| months?)?")
_INDEXES: Final[Mapping[str, Index]] = {"ipca": Index.IPCA, "igpm": Index.IGPM}
_OPEN_ENDS: Final = frozenset({"indeterminado", "sem fim", "sem termino", "open", "none"})


def read_cadence(text: str) -> int | None:
    """Return the months between two charges that a cell names (`mensal`, `a cada 2 meses`, `12`), or None."""
    plain = folded(text).replace("-", " ")
    found = _EVERY.fullmatch(plain)
    return int(found[1]) if found else _CADENCES.get(plain)


def read_index(text: str) -> Index | None:
    """Return the price index that a cell names (`IPCA`, `IGP-M`), or None."""
    return _INDEXES.get(folded(text).replace("-", "").replace(" ", ""))


def is_open_end(text: str) -> bool:
    """Return whether a cell marks the contract as having no end."""
    return folded(text) in _OPEN_ENDS


def new_contract(key: str, values: Mapping[str, Value]) -> Contract | list[Problem]:
    """Return the contract of a row, or one Problem for each required field that is missing."""
    missing = [Problem("row.required", field) for field in REQUIRED if field not in values]
    if missing:
        return missing
    bare = Contract(
        key=key,
        emitter_cnpj=str(values["emitter_cnpj"]),
        customer=_document(str(values["document"])),
        customer_name=str(values["name"]),
        template_name=str(values["template_name"]),
        cents=int(str(values["service_cents"])),
        description="",
        starts_on=date.fromisoformat(str(values["starts_on"])),
        billing_day=FIRST_BUSINESS_DAY,
    )
    return revise_contract(bare, values)


def revise_contract(contract: Contract, values: Mapping[str, Value]) -> Contract:
    """Return the contract with the row's fields changed."""
    changed: dict[str, Any] = {}
    for field, value in values.items():
        changed |= _FIELD_VALUES[field](value)
    return replace(contract, **changed)


def contract_cells(contract: Contract) -> dict[str, str]:
    """Return the contract's fields as people write them in a sheet, by field; empty if a field has no value."""
    readjustment = "" if contract.index is None else contract.index.label
    if contract.readjustment_bp is not None:
        whole, part = divmod(contract.readjustment_bp, 100)
        readjustment = f"{whole},{part:02d}%"
    return {
        "emitter_cnpj": Document("cnpj", contract.emitter_cnpj).formatted,
        "document": contract.customer.formatted,
        "name": contract.customer_name,
        "template_name": contract.template_name,
        "service_cents": format_brl(contract.cents),
        "starts_on": f"{contract.starts_on:%d/%m/%Y}",
        "description": contract.description,
        "ends_on": "" if contract.ends_on is None else f"{contract.ends_on:%d/%m/%Y}",
        "billing_day": contract.billing_day.text,
        "cadence": str(contract.cadence_months),
        "is_prorated": "Sim" if contract.is_prorated else "Não",
        "readjustment": readjustment,
    }


def contract_changes(old: Contract, new: Contract) -> tuple[Change, ...]:
    """Compare two versions of a contract field by field, in the form that people write."""
    was, becomes = contract_cells(old), contract_cells(new)
    return tuple(Change(field, was[field], becomes[field]) for field in FIELDS if was[field] != becomes[field])


def _document(number: str) -> Document:
    return Document("cpf" if len(number) == _CPF_LENGTH else "cnpj", number)


def _readjustment(value: Value) -> dict[str, Any]:
    """Return the readjustment's fields: a text names an index, an integer is basis points. Only one of both is set."""
    if isinstance(value, str):
        return {"index": Index(value), "readjustment_bp": None}
    return {"index": None, "readjustment_bp": value or None}


def _parse_end(value: Value) -> dict[str, Any]:
    return {"ends_on": None if value == OPEN_END else date.fromisoformat(str(value))}


_FIELD_VALUES: Final[Mapping[str, Any]] = {
    "emitter_cnpj": lambda value: {"emitter_cnpj": value},
    "document": lambda value: {"customer": _document(value)},
    "name": lambda value: {"customer_name": value},
    "template_name": lambda value: {"template_name": value},
    "service_cents": lambda value: {"cents": value},
    "starts_on": lambda value: {"starts_on": date.fromisoformat(value)},
    "description": lambda value: {"description": value},
    "ends_on": _parse_end,
    "billing_day": lambda value: {"billing_day": BillingDay.of(value)},
    "cadence": lambda value: {"cadence_months": value},
    "is_prorated": lambda value: {"is_prorated": value},
    "readjustment": _readjustment,
}
