"""The content of a corrections workbook: the rows that a person can correct, the problems of each, and a summary."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

LEFT_ALONE: Final = frozenset({
    "row.living", "row.living_unnumbered", "row.overtaken", "row.already_corrected",
    "row.not_wanted", "row.hidden", "row.superseded", "row.contract_changed",
    "row.payment_changed", "contract.covered_by_other", "contract.overlap",
})  # fmt: skip
"""Problem codes of rows without a fault: another invoice or contract bills them, or a person chose not to bill them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of a row, in the user's language.

    `column` is the column letter in the user's sheet. `added` names a column that the workbook adds for the correction:
    its header is `CorrectionsReport.words[added]`. With neither, the fault concerns the whole row.
    """

    what: str
    mend: str
    column: str | None = None
    added: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingRow:
    """A refused row of the user's sheet, with its row number in the sheet and its tag.

    `can_retry`: the city rejected the invoice for a reason that may be gone, so the row may be sent again unchanged.
    `can_release`: the row is held, and a person may release it.
    """

    sheet: str
    row: int
    status: str
    tag: str
    faults: tuple[Fault, ...]
    can_retry: bool = False
    can_release: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The values that the cells of a column accept: of `column` or of an `added` one, as in `Fault`."""

    sheet: str
    texts: tuple[str, ...]
    column: str | None = None
    added: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason for refused rows, how to correct it, and the rows. The most frequent reason comes first."""

    what: str
    mend: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionsReport:
    """The whole content of the workbook. `header_rows` are the numbers of the header rows, by sheet.

    `words` are the catalogue's `corrections` family; their `of_file` names this file and counts its rows. `other_words`
    are the same words in the other languages: the file may have been written in one of them. `choices` are the values
    of drop-down lists.
    """

    file_sha256: str
    header_rows: Mapping[str, int]
    rows: tuple[FailingRow, ...]
    reasons: tuple[Reason, ...]
    words: Mapping[str, str]
    other_words: tuple[Mapping[str, str], ...] = ()
    choices: tuple[Choices, ...] = ()

    @property
    def every_words(self) -> tuple[Mapping[str, str], ...]:
        """Return the words of every language, this report's first."""
        return (self.words, *self.other_words)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form for another process. `from_json` reads it."""
        return asdict(self)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the object from the JSON of `to_json`."""
        rows = (
            FailingRow(**{**row, "faults": tuple(Fault(**fault) for fault in row["faults"])}) for row in raw["rows"]
        )
        reasons = (Reason(**{**reason, "rows": tuple(reason["rows"])}) for reason in raw["reasons"])
        choices = (Choices(**{**each, "texts": tuple(each["texts"])}) for each in raw["choices"])
        several = {"rows": tuple(rows), "reasons": tuple(reasons), "other_words": tuple(raw["other_words"])}
        return cls(**{**raw, **several, "choices": tuple(choices)})

    def added_columns(self, sheet: str) -> tuple[str, ...]:
        """Return the keys in `words` of the columns to add to this sheet.

        First one for each faulty field without a column, then `retry`, `release` or both: the decisions about rows that
        the person does not correct.
        """
        rows = [row for row in self.rows if row.sheet == sheet]
        lacking = dict.fromkeys(fault.added for row in rows for fault in row.faults if fault.added is not None)
        offered = {"retry": any(row.can_retry for row in rows), "release": any(row.can_release for row in rows)}
        return (*lacking, *(word for word, is_offered in offered.items() if is_offered))

    def rows_of(self, sheet: str) -> tuple[FailingRow, ...]:
        """Return the failing rows of one sheet, in the sheet's order."""
        return tuple(sorted((row for row in self.rows if row.sheet == sheet), key=lambda row: row.row))
