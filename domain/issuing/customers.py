"""Compare the customer that an issuer names with the intended one, and name both to a person."""

from dataclasses import dataclass
from typing import Final

from domain.documents import CNPJ_LENGTH, CPF_LENGTH, Document, DocumentKind
from domain.names import shown_name
from domain.texts import folded_charge

_KINDS: Final[dict[int, DocumentKind]] = {CPF_LENGTH: "cpf", CNPJ_LENGTH: "cnpj"}


@dataclass(frozen=True, slots=True)
class Customer:
    """The customer on an invoice: canonical document and name; None if the issuer does not tell."""

    document: str | None
    name: str | None

    def is_same(self, other: "Customer") -> bool:
        """Return whether document and name are equal.

        Letter case, accents, punctuation and spaces do not matter; an unknown name equals any name.
        """
        return self.document == other.document and is_same_name(self.name, other.name)

    @property
    def shown(self) -> str:
        """Return document and name for a message: a person's partly hidden, a company's in full."""
        number, name = self.document or "", self.shown_name
        kind = _KINDS.get(len(number))
        if kind is None:
            return name or "-"
        document = Document(kind, number)
        return f"{document.formatted if kind == 'cnpj' else document.masked} {name}".strip()

    @property
    def shown_name(self) -> str:
        """Return the name for a message: a company's in full, a person's partly hidden."""
        return shown_name(self.name or "", _KINDS.get(len(self.document or "")))


def is_same_name(one: str | None, other: str | None) -> bool:
    """Return whether two names are equal or one of them is unknown."""
    return not one or not other or folded_charge(one) == folded_charge(other)
