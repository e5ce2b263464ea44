"""CPF and CNPJ, alphanumeric CNPJ included: canonical text, check digits, and zeros that a spreadsheet dropped.

A document is text, never a number: `1234567E000184` is a valid CNPJ and also a float. Lost zeros are restored only
where exactly one result has valid check digits; two results or none are a Problem.
"""

import re
from dataclasses import dataclass
from operator import mul
from typing import Final, Literal

from stdnum.br import cnpj as _cnpj
from stdnum.br import cpf as _cpf

from domain.problems import Problem

DocumentKind = Literal["cpf", "cnpj"]

CPF_LENGTH: Final = 11
CNPJ_LENGTH: Final = 14
SHORTEST_REPAIRED: Final = 8
"""The shortest number to repair if its kind is unknown: one shorter number in forty, padded, passes for a document."""
SHORTEST_OF_A_KIND: Final = 5
LAST_LIKELY_BRANCH: Final = 999
"""The highest branch number of a CNPJ that may also be a CPF.

One CPF in 73 also passes for a CNPJ without three leading zeros. Companies with such old numbers have few branches:
with this limit, only one CPF in eight hundred is ambiguous.
"""

LONGEST_TWO: Final = 200

_SEPARATORS: Final = re.compile(r"[\s.\-/\\\u2044\u2215\uff0f\u2010-\u2015\u2212\u200b-\u200d\u2060\ufeff'’`´_]+")
_LABEL: Final = re.compile(r"(?<!\s)\s*+(?:CPF|CNPJ)(?:\s*+/\s*+(?:CPF|CNPJ|MF))?\s*+[:º°.\-]?\s*+(?=[0-9A-Z])")
_FLOAT_TAIL: Final = re.compile(r"\s*(\d{8,14})[.,]0+\s*")
_FOREIGN: Final = re.compile(r"\b(?:exterior|estrangeir[oa]|foreign|passaporte|passport|EIN|VAT|NIF)\b", re.IGNORECASE)
_SCIENTIFIC: Final = re.compile(r"\s*\d+(?:[.,]\d+)?E[+\-]\d+\s*|\s*\d[.,]\d+E\d+\s*")
_DRESSED_CPF: Final = re.compile(r"\s*\d{3}\.\d{3}\.\d{3}-\d{2}\s*")
_USUAL: Final = re.compile(
    r"[0-9]{11}|[0-9]{14}|[0-9]{3}(?:\.[0-9]{3}){2}-[0-9]{2}|[0-9]{2}(?:\.[0-9]{3}){2}/[0-9]{4}-[0-9]{2}"
)
_ONE_OF_TWO: Final = re.compile(
    r"(?<![0-9])(?:[0-9]{3}(?:\.[0-9]{3}){2}-[0-9]{2}|[0-9]{2}(?:\.[0-9]{3}){2}/[0-9]{4}-[0-9]{2}|[0-9]{14}|[0-9]{11})(?![0-9])"
)
_PUNCTUATION: Final = str.maketrans("", "", "./-")
_CANONICAL: Final = re.compile(r"[0-9A-Z]+")
_CNPJ: Final = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_NO_ROOT: Final = "0" * 12
_CPF_WEIGHTS: Final = (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
_WORTH: Final = bytes(max(code - ord("0"), 0) for code in range(256))
"""The value of each character in the check sums, by character code."""
_CNPJ_WEIGHTS: Final = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


@dataclass(frozen=True, slots=True)
class Document:
    """A valid CPF (11 digits) or CNPJ (12 of `[0-9A-Z]` and 2 digits), without punctuation.

    `kind` is also the provider's name of the field and of the filter.
    """

    kind: DocumentKind
    number: str

    @property
    def formatted(self) -> str:
        """The document as people write it: `123.456.789-09`, `12.ABC.345/01DE-35`."""
        n = self.number
        if self.kind == "cpf":
            return f"{n[:3]}.{n[3:6]}.{n[6:9]}-{n[9:]}"
        return f"{n[:2]}.{n[2:5]}.{n[5:8]}/{n[8:12]}-{n[12:]}"

    @property
    def masked(self) -> str:
        """The document partly hidden, so that its owner recognises it: `***.456.789-**`, `**.***.345/01DE-**`."""
        text = self.formatted
        hidden = 3 if self.kind == "cpf" else 6
        return re.sub(r"[0-9A-Z]", "*", text[:hidden]) + text[hidden:-2] + "**"

    @property
    def checkable(self) -> str:
        """Return the text that a clerk may see: a company's number in full, because it is public; a person's masked."""
        return self.formatted if self.kind == "cnpj" else self.masked

    def __repr__(self) -> str:
        # a repr may reach logs and tracebacks
        return f"Document({self.kind} {self.masked})"


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document read from a cell.

    `is_repaired`: lost zeros were restored, or `likely` chose between CPF and CNPJ. Warn a person about both.
    """

    document: Document
    is_repaired: bool = False


def parse_document(text: str, *, likely: DocumentKind | None = None) -> ParsedDocument | Problem:
    """Return the document in a cell, with or without punctuation, label, apostrophe or a leading "C".

    `likely` is the kind that the customer's name suggests. With it, a document of the other kind is invalid, and a
    number of fewer than eight digits may be repaired.

    Problems: `document.missing`, `document.scientific`, `document.ambiguous` (valid as a CPF and as a CNPJ),
    `document.foreign`, `document.two`, `document.length`, `document.invalid` (check digits). No problem repeats the
    document.
    """
    bare = _compact_document(text)
    if isinstance(bare, Problem):
        return bare
    if _FOREIGN.search(text):
        return Problem("document.foreign", "document")
    compact, is_dressed_cpf = bare
    shortest = SHORTEST_REPAIRED if likely is None else SHORTEST_OF_A_KIND
    readings = _possible_documents(compact, is_dressed_cpf=is_dressed_cpf, shortest=shortest)
    was_either = len(readings) > 1
    if likely is not None:
        readings = [each for each in readings if each.kind == likely]
    if len(readings) == 1:
        return ParsedDocument(readings[0], is_repaired=was_either or readings[0].number != compact)
    if readings:
        return Problem("document.ambiguous", "document")
    if _has_two(text):
        return Problem("document.two", "document")
    if len(compact) not in (CPF_LENGTH, CNPJ_LENGTH):
        return Problem("document.length", "document", params={"length": len(compact)})
    return Problem("document.invalid", "document")


def possible_documents(text: str) -> tuple[Document, ...]:
    """Return each valid document that a number may be, as it is or with its lost zeros restored."""
    bare = _compact_document(text)
    if isinstance(bare, Problem) or _FOREIGN.search(text):
        return ()
    compact, is_dressed_cpf = bare
    return tuple(_possible_documents(compact, is_dressed_cpf=is_dressed_cpf, shortest=SHORTEST_OF_A_KIND))


def is_cpf(number: str) -> bool:
    """Return whether these eleven digits can be a CPF. Eleven equal digits pass the sums but were never assigned."""
    if len(number) != CPF_LENGTH or not number.isdecimal() or number.count(number[0]) == CPF_LENGTH:
        return False
    return _has_valid_check_digits(number, _CPF_WEIGHTS) or bool(_cpf.is_valid(number))


def is_cnpj(number: str) -> bool:
    """Return whether these fourteen bare upper-case characters are a CNPJ of the numeric or alphanumeric kind."""
    if len(number) != CNPJ_LENGTH or number.count(number[0]) == CNPJ_LENGTH:
        return False
    is_plain = _CNPJ.fullmatch(number) is not None and not number.startswith(_NO_ROOT)
    return (is_plain and _has_valid_check_digits(number, _CNPJ_WEIGHTS)) or bool(_cnpj.is_valid(number))


def _has_valid_check_digits(number: str, weights: tuple[int, ...]) -> bool:
    """Return whether both check digits are right, by plain sums: a fast check before the library decides.

    `weights` are those of the second check digit; the first check digit uses them without the first.
    """
    worth = number.encode().translate(_WORTH)
    first: int = (11 - sum(map(mul, worth, weights[1:]))) % 11 % 10
    second: int = (11 - sum(map(mul, worth, weights))) % 11 % 10
    return worth[-2:] == bytes((first, second))


def _has_two(text: str) -> bool:
    """Return whether a text contains two different valid documents."""
    found = _ONE_OF_TWO.findall(text[:LONGEST_TWO])
    numbers = {each.translate(_PUNCTUATION) for each in found}
    return sum(is_cpf(each) or is_cnpj(each) for each in numbers) > 1


def _compact_document(text: str) -> tuple[str, bool] | Problem:
    """Return the text reduced to letters and digits, and whether it has the punctuation of a CPF."""
    if _USUAL.fullmatch(text):
        # a shortcut for the usual spelling; the code below finds the same in three times as long
        return text.translate(_PUNCTUATION), text[3] == "."
    upper = text.strip().upper()
    if not _SEPARATORS.sub("", upper):
        return Problem("document.missing", "document")
    if _SCIENTIFIC.fullmatch(upper):
        return Problem("document.scientific", "document")
    # a float's ".0" is not punctuation: with its zero, ten digits would become eleven and pass for another person's CPF
    if tail := _FLOAT_TAIL.fullmatch(upper):
        upper = tail.group(1)
    compact = _SEPARATORS.sub("", _LABEL.sub("", upper, count=1))
    if len(compact) == CNPJ_LENGTH + 1 and compact[0] == "C":
        compact = compact[1:]
    return compact, _DRESSED_CPF.fullmatch(upper) is not None


def _possible_documents(compact: str, *, is_dressed_cpf: bool, shortest: int) -> list[Document]:
    if not compact.isascii() or not _CANONICAL.fullmatch(compact):
        return []
    # a number cell drops every leading zero, so a text with a leading zero lost none
    is_short = compact.isdecimal() and compact[0] != "0" and len(compact) >= shortest
    cpf = compact.zfill(CPF_LENGTH) if is_short else compact
    cnpj = compact.zfill(CNPJ_LENGTH) if is_short and not is_dressed_cpf else compact
    readings = [Document("cpf", cpf)] if is_cpf(cpf) else []
    is_rival = bool(readings) and len(compact) == CPF_LENGTH
    if not (is_rival and int(cnpj[8:12]) > LAST_LIKELY_BRANCH) and is_cnpj(cnpj):
        readings.append(Document("cnpj", cnpj))
    return readings
