"""Compare the customer that an issuer names with the one that is meant, and name both to a person."""

from dataclasses import dataclass
from typing import Final

from domain.documents import CNPJ_LENGTH, CPF_LENGTH, Document, DocumentKind
from domain.texts import folded_charge, visible

_SHOWN: Final = 60
_KINDS: Final[dict[int, DocumentKind]] = {CPF_LENGTH: "cpf", CNPJ_LENGTH: "cnpj"}


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer as an invoice names it: canonical document and name; None where nothing is told."""

    document: str | None
    name: str | None

    def is_same(self, other: "Customer") -> bool:
        """Whether both have one document and one name.

        Letter case, accents, punctuation and spaces make no other name; a name that one of them does not tell is none.
        """
        return self.document == other.document and is_same_name(self.name, other.name)

    @property
    def shown(self) -> str:
        """Return document and name for a message: enough to recognise a person, all of a company."""
        document, name = self.document or "", visible(self.name or "")[:_SHOWN]
        kind = _KINDS.get(len(document))
        if kind == "cnpj":
            return f"{Document(kind, document).formatted} {name}".strip()
        initials = " ".join(f"{word[0]}." for word in name.split())
        return f"{Document(kind, document).masked} {initials}".strip() if kind else (initials or "-")


def is_same_name(one: str | None, other: str | None) -> bool:
    """Whether two names are one, or one of them is not told."""
    return not one or not other or folded_charge(one) == folded_charge(other)
