"""Compare the customer that an issuer names with the intended one, and name both to a person."""

from dataclasses import dataclass
from typing import Final

from domain.documents import CNPJ_LENGTH, CPF_LENGTH, Document, DocumentKind
from domain.texts import folded_charge, visible

_SHOWN: Final = 60
_KINDS: Final[dict[int, DocumentKind]] = {CPF_LENGTH: "cpf", CNPJ_LENGTH: "cnpj"}


@dataclass(frozen=True, slots=True)
class Customer:
    """The customer on an invoice: canonical document and name; None where the issuer does not tell."""

    document: str | None
    name: str | None

    def is_same(self, other: "Customer") -> bool:
        """Return whether both have one document and one name.

        Letter case, accents, punctuation and spaces do not matter; an unknown name equals any name.
        """
        return self.document == other.document and is_same_name(self.name, other.name)

    @property
    def shown(self) -> str:
        """Return document and name for a message: a person's partly hidden, a company's in full."""
        document, name = self.document or "", visible(self.name or "")[:_SHOWN]
        kind = _KINDS.get(len(document))
        if kind == "cnpj":
            return f"{Document(kind, document).formatted} {name}".strip()
        initials = " ".join(f"{word[0]}." for word in name.split())
        return f"{Document(kind, document).masked} {initials}".strip() if kind else (initials or "-")


def is_same_name(one: str | None, other: str | None) -> bool:
    """Return whether two names are equal or one of them is unknown."""
    return not one or not other or folded_charge(one) == folded_charge(other)
