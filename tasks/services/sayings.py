"""What the rows of a reading say about each taker: they may contradict each other, wherever in the file they stand."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.parties import TakerData, disputed


@dataclass(frozen=True, slots=True)
class Said:
    """What one row says about its taker, and the CNPJ of who bills it."""

    taker: TakerData
    emitter_cnpj: str | None


class Sayings:
    """What rows say about each customer, by document; a hash only for a customer about whom all rows agree.

    Every row is heard once, and if `differ` then, once more.
    """

    def __init__(self) -> None:
        self.emitters: set[str] = set()
        self._first: dict[str, int] = {}
        self._various: defaultdict[str, dict[Said, None]] = defaultdict(dict)
        self._disputed: dict[str, frozenset[str]] = {}

    @property
    def differ(self) -> bool:
        """Whether anything different is said about one taker."""
        return bool(self._various)

    def hear(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Rows as `ServiceLine.to_json` has them."""
        for line in lines:
            cnpj, taker = line.get("emitter_cnpj"), line["taker"]
            if cnpj is not None:
                self.emitters.add(cnpj)
            number = _document(taker)
            said = hash((cnpj, repr(taker)))
            if number is not None and self._first.setdefault(number, said) != said:
                self._various[number].clear()

    def hear_again(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """The same rows again: now what is different is kept."""
        for line in lines:
            number = _document(line["taker"])
            if number is not None and number in self._various:
                said = Said(TakerData.from_json(line["taker"]), line.get("emitter_cnpj"))
                self._various[number][said] = None

    def disputed(self, number: str) -> frozenset[str]:
        """In which fields rows contradict each other about the taker with this document."""
        if number not in self._various:
            return frozenset()
        if number not in self._disputed:
            self._disputed[number] = disputed([said.taker for said in self._various[number]])
        return self._disputed[number]

    def of(self, number: str, own: Said) -> Sequence[Said]:
        """What all rows of this taker say, in their order; `own` is what one of them says."""
        return list(self._various[number]) if number in self._various else [own]


def _document(taker: Mapping[str, Any]) -> str | None:
    said = taker.get("document")
    return None if said is None else str(said[1])
