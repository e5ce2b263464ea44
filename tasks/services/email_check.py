"""Find the e-mails of a sheet that do not reach the register, which keeps one for each customer."""

from typing import Final

from connectors.spreadsheets.parsers.cells import mask_email
from domain.parties import TakerData
from domain.problems import Problem
from domain.services.lines import ServiceLine
from domain.taker_changes import Change
from domain.texts import folded
from tasks.services.taker_merge import TakerMerge, TakerStatement

_FIELD: Final = "email"
_SHOWN: Final = 3
_MORE: Final = "…"


class Mailboxes:
    """Each customer's e-mail that the register has or gets from this reading, by document.

    Remarks mask addresses: a remark names the row, so a person finds them in the sheet.
    """

    def __init__(self, statements: TakerMerge) -> None:
        self._statements = statements
        self._written: dict[str, str] = {}
        self._reported: set[tuple[str, tuple[str, ...]]] = set()

    def remember_new(self, number: str, data: TakerData) -> None:
        """Remember the e-mail with which a customer will be created."""
        self._written[number] = data.emails[0] if data.emails else ""

    def remember_change(self, number: str, change: Change) -> None:
        """Remember a change of the register, if it is about the e-mail."""
        if change.field == _FIELD:
            self._written[number] = change.becomes

    def remark(self, number: str, line: ServiceLine, registered: TakerData | None) -> Problem | None:
        """Return a remark about a row's e-mails that do not reach the register, or None.

        Each customer gets one remark for the same e-mails. `registered` is the customer in the register, None if it is
        still to be created.
        """
        theirs = registered.emails if registered is not None else ()
        kept = self._written.get(number, theirs[0] if theirs else "")
        written = line.taker.emails
        if written == (kept,):
            return None
        unused = tuple(address for address in written if folded(address) != folded(kept))
        if not unused or (number, unused) in self._reported:
            return None
        self._reported.add((number, unused))
        shown = ", ".join([*map(mask_email, unused[:_SHOWN]), *([_MORE] if len(unused) > _SHOWN else [])])
        if not kept:
            return Problem("taker.email_lacking", _FIELD, params={"emails": shown})
        if not self._is_of_sheet(number, TakerStatement.of(line), kept):
            return Problem("taker.differs", _FIELD, params={"field": _FIELD})
        return Problem("taker.email_unused", _FIELD, params={"emails": shown, "kept": mask_email(kept)})

    def _is_of_sheet(self, number: str, own: TakerStatement, kept: str) -> bool:
        stated = self._statements.of(number, own)
        return any(folded(address) == folded(kept) for each in stated for address in each.taker.emails)
