"""What a corrections workbook shows, pure: the rows that can be corrected, what is wrong with each, and why in sum."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong in a row, in the reader's words; `column` is the letter in the person's own sheet.

    Without a column the row as a whole is meant.
    """

    what: str
    mend: str
    column: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingRow:
    """A row of the person's sheet that comes back, by the number it has there, with its tag.

    `can_retry`: the city could not take it for a reason that may be gone, so it may go again as it is.
    `can_release`: it is held, and goes on if a person says so.
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
    """What the cells of a column may say; `column` is the letter in the person's own sheet."""

    sheet: str
    column: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason for which rows come back, how to mend it, and which rows: most frequent first."""

    what: str
    mend: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionsReport:
    """All that the workbook shows. `header_rows` are by sheet; `words` are the catalogue's `corrections` family.

    `other_words` are those of other languages, in which the file may have gone out before it came back. `choices` are
    offered in the cells of their columns.
    """

    file_name: str
    file_sha256: str
    header_rows: Mapping[str, int]
    rows: tuple[FailingRow, ...]
    reasons: tuple[Reason, ...]
    words: Mapping[str, str]
    other_words: tuple[Mapping[str, str], ...] = ()
    choices: tuple[Choices, ...] = ()

    @property
    def every_words(self) -> tuple[Mapping[str, str], ...]:
        """In every language, this one first."""
        return (self.words, *self.other_words)

    def to_json(self) -> dict[str, Any]:
        """Return a shape for another process; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Return what `to_json` was called on."""
        rows = (
            FailingRow(**{**row, "faults": tuple(Fault(**fault) for fault in row["faults"])}) for row in raw["rows"]
        )
        reasons = (Reason(**{**reason, "rows": tuple(reason["rows"])}) for reason in raw["reasons"])
        choices = (Choices(**{**each, "texts": tuple(each["texts"])}) for each in raw["choices"])
        several = {"rows": tuple(rows), "reasons": tuple(reasons), "other_words": tuple(raw["other_words"])}
        return cls(**{**raw, **several, "choices": tuple(choices)})

    def wishes_of(self, sheet: str) -> tuple[str, ...]:
        """Return the words of the columns in which a person says what becomes of rows of the sheet as they are."""
        rows = [row for row in self.rows if row.sheet == sheet]
        offered = {"retry": any(row.can_retry for row in rows), "release": any(row.can_release for row in rows)}
        return tuple(word for word, is_offered in offered.items() if is_offered)

    def rows_of(self, sheet: str) -> tuple[FailingRow, ...]:
        """Return the failing rows of one sheet, in the sheet's order."""
        return tuple(sorted((row for row in self.rows if row.sheet == sheet), key=lambda row: row.row))
