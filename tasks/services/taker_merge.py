"""Collect the customer data of all rows of a reading: distant rows may contradict each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from domain.corrections.answers import NAME_DIFFERS
from domain.parties import TAKER_FIELDS, TakerData, disputed_fields
from domain.services.lines import ServiceLine


@dataclass(frozen=True, slots=True)
class TakerStatement:
    """The customer as one row states it, and the CNPJ of its emitter.

    `updates`: the row asks to update the register. `is_other_name`: a person knows that the register has another name.
    """

    taker: TakerData
    emitter_cnpj: str | None
    updates: bool = False
    is_other_name: bool = False

    @classmethod
    def of(cls, line: ServiceLine) -> Self:
        """Build the statement of a row."""
        return cls(line.taker, line.emitter_cnpj, bool(line.updates_register), line.is_answered(NAME_DIFFERS))

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Build the statement of a row from the JSON form of `ServiceLine`."""
        updates, answered = bool(line.get("updates_register")), line.get("answered") or ()
        return cls(TakerData.from_json(line["taker"]), line.get("emitter_cnpj"), updates, NAME_DIFFERS in answered)


class TakerMerge:
    """The rows' statements about each customer, by document. If all rows of a customer agree, keep only a hash.

    Pass every row to `collect`. If `differ` is true afterwards, pass every row to `collect_differing`.
    """

    def __init__(self) -> None:
        self.emitters: set[str] = set()
        self._first: dict[str, int] = {}
        self._various: defaultdict[str, dict[TakerStatement, None]] = defaultdict(dict)
        self._disputed: dict[str, frozenset[str]] = {}

    @property
    def differ(self) -> bool:
        """Whether two rows of one customer have different data."""
        return bool(self._various)

    @property
    def documents(self) -> frozenset[str]:
        """Return the documents of all customers."""
        return frozenset(self._first)

    def collect(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Compare the customers of rows, in the form of `ServiceLine.to_json`."""
        for line in lines:
            cnpj, taker = line.get("emitter_cnpj"), line["taker"]
            if cnpj is not None:
                self.emitters.add(cnpj)
            number = _document(taker)
            content = hash((cnpj, repr(taker), line.get("updates_register"), repr(line.get("answered"))))
            if number is not None and self._first.setdefault(number, content) != content:
                self._various[number].clear()

    def collect_differing(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Read the same rows again, and store the statements about customers with differences."""
        for line in lines:
            number = _document(line["taker"])
            if number is not None and number in self._various:
                various, stated = self._various[number], TakerStatement.from_json(line)
                first = next(iter(various), stated)
                various[replace(stated, taker=_with_texts_of(first.taker, stated.taker))] = None

    def disputed(self, number: str) -> frozenset[str]:
        """Return the fields in which rows contradict each other about this customer."""
        if number not in self._various:
            return frozenset()
        if number not in self._disputed:
            self._disputed[number] = disputed_fields([stated.taker for stated in self._various[number]])
        return self._disputed[number]

    def of(self, number: str, own: TakerStatement) -> Sequence[TakerStatement]:
        """Return the different statements about this customer, in order of rows; `[own]` if all rows agree."""
        return list(self._various[number]) if number in self._various else [own]


def _with_texts_of(first: TakerData, taker: TakerData) -> TakerData:
    """Return an equal taker that shares equal texts with the first in memory: rows repeat most of a customer's data."""
    pairs = ((name, getattr(first, name), getattr(taker, name)) for name in TAKER_FIELDS)
    return TakerData(**{name: one if one == other else other for name, one, other in pairs})


def _document(taker: Mapping[str, Any]) -> str | None:
    document = taker.get("document")
    return None if document is None else str(document[1])
