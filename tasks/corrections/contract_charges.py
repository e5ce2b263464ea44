"""Keep the charge of a contract in the rows that correct it: whatever a person changed, it is still that charge.

We write the sheets of contracts, so no person chose their keys. Under another key a corrected row would be another
charge, and the month's run would bill the contract again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Self

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import NewRow, RowRecord
from domain.competence import parse_competence
from domain.documents import Document
from domain.problems import Problem
from domain.texts import folded_charge
from tasks.corrections.row_summary import understood_of
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class ContractCharge:
    """The charge of a row that we wrote from a contract: contract, month, and company, which may be unreadable."""

    contract: str
    month: date
    emitter_cnpj: str | None

    @classmethod
    def of(cls, row: RowRecord, understood: Mapping[str, Any]) -> Self | None:
        """Return the charge of a row, also of one that was refused before it was typed; None if it names no charge."""
        line = row.line or {}
        texts = {
            each["field"]: str(row.cells.get(each["letter"]) or "").strip() for each in understood.get("columns", ())
        }
        contract = line.get("contract") or texts.get("contract")
        typed = line.get("charge_month") or line.get("competence")
        shown = texts.get("charge_month") or texts.get("competence") or ""
        month = date.fromisoformat(typed) if typed else parse_competence(shown)
        return cls(contract, month, line.get("emitter_cnpj")) if contract and month else None

    def problem(self, line: Mapping[str, Any]) -> Problem | None:
        """Return the problem of a corrected row that names another charge."""
        named = (line.get("contract"), line.get("own_key"))
        is_other = any(text and folded_charge(text) != folded_charge(self.contract) for text in named)
        is_other |= bool(line.get("paid_invoice") or line.get("replaces"))
        is_other |= line.get("charge_month") not in (None, self.month.isoformat())
        if is_other:
            return Problem("contract.other_row", "contract_key", params={"key": self.contract})
        cnpj = self.emitter_cnpj
        if cnpj is not None and line.get("emitter_cnpj") not in (None, cnpj):
            params: dict[str, str | int] = {"key": self.contract, "company": Document("cnpj", cnpj).formatted}
            return Problem("contract.other_company", "emitter_cnpj", params=params)
        return None

    def kept_in(self, line: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a corrected line with this charge, which it bills late if a person moved it to another month."""
        is_late = line.get("competence") != self.month.isoformat()
        found = {name: value for name, value in line.items() if name not in ("own_key", "charge_month")}
        found |= {"contract": self.contract}
        found |= {"charge_month": self.month.isoformat()} if is_late else {"own_key": self.contract}
        return found if self.emitter_cnpj is None else found | {"emitter_cnpj": self.emitter_cnpj}


def followed_charges(context: Context, followed: Mapping[int, RowRecord]) -> dict[int, ContractCharge]:
    """Return the contract's charge of each row that corrects one, by the keys of `followed`.

    The first row of a charge decides: a later one may be a correction that was refused.
    """
    families = sorted({row.family for row in followed.values()})
    first = {row.id: row for row in context.ledger.read(ledger_rows.rows_by_ids, families)}
    files = {row.file_id for row in first.values()}
    ours = {each for each in files if context.ledger.read(ledger_contracts.last_version_of_sheet, each) is not None}
    of_contracts = {row.id: row for row in first.values() if row.file_id in ours}
    understood = understood_of(context, of_contracts.values())
    charges = {row.id: ContractCharge.of(row, understood[row.reading_id]) for row in of_contracts.values()}
    found = ((place, charges.get(row.family)) for place, row in followed.items())
    return {place: charge for place, charge in found if charge is not None}


def with_charge(new: NewRow, charge: ContractCharge | None) -> NewRow:
    """Return a row with the contract's charge that it corrects, if any."""
    return new if charge is None or new.line is None else replace(new, line=charge.kept_in(new.line))
