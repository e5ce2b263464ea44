"""Before invoices are composed, complete customers' records in the register and make the changes that rows request.

One write does both for a record.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, TypeAlias

from domain.cities import CityRules
from domain.issuing import RemoteCustomer
from domain.parties import TakerData, conflicts, disputed_fields, fill_missing, merge_rows, taker_problems
from domain.problems import Problem
from domain.taker_changes import ADDRESS, Change, changed_data, changes

UPDATED: Final = ADDRESS | {"email", "phone"}
"""Fields that a row may update. Name and inscription identify the customer: only `import takers` changes them."""

UPDATED_IN_ROWS: Final = UPDATED - {"email"} | {"emails", "city_code", "state"}
"""The same fields by their names in `TakerData`."""

_ADDRESS_IN_ROWS: Final = UPDATED_IN_ROWS - {"emails", "phone"}
_FILLABLE: Final = tuple(each.name for each in fields(TakerData) if each.name != "document")

INCOMPLETE: Final = Problem("taker.incomplete", "name")


@dataclass(frozen=True, slots=True)
class Update:
    """The customer in the register after the update, and the problems that hold its rows.

    `changes` are the fields that rows request to change; `filled` are the fields that an incomplete record lacked. A
    preview has both, and the customer as it was.
    """

    taker: RemoteCustomer
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    filled: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """One write to a customer's record.

    `requested` are the fields of the rows that request an update, `wanted` the changes among them. `lacking` are fields
    that the record lacks and the rows have. `is_asked`: at least one row requests an update.
    """

    requested: TakerData
    lacking: TakerData
    wanted: tuple[Change, ...]
    is_asked: bool

    @property
    def body(self) -> TakerData:
        """Return the customer with only the fields to send: the `wanted` changes and the `lacking` fields."""
        return fill_missing(changed_data(self.requested, self.wanted), self.lacking)

    @property
    def shown(self) -> TakerData:
        """Return the fields that the record must show after the write: all that are requested or lacking."""
        return fill_missing(changed_data(self.requested, allowed_changes(TakerData(), self.requested)), self.lacking)

    @property
    def unknown(self) -> Problem:
        """Return the problem of the rows while the result of the write is unknown."""
        return Problem("taker.update_unknown", "updates_register" if self.is_asked else "name")


RegisterWrite: TypeAlias = Callable[[RemoteCustomer, RegisterChange], Awaitable[Update]]
"""Writes a customer's record (`register_writes`). A preview passes None."""


async def update_register(
    taker: RemoteCustomer,
    requested: Sequence[TakerData],
    data: TakerData,
    cities: Sequence[CityRules],
    *,
    waits: bool,
    write: RegisterWrite | None,
) -> Update:
    """Complete a customer's record from its rows, and make the changes that rows request.

    `requested` is the data of the rows that request an update. An incomplete record also gets its missing fields from
    `data`, the data of all rows, which overwrites nothing. `waits`: an unsent invoice names the customer, whose data
    must not change before the send. `write` sends the write; with None (a preview) nothing is sent.
    """
    differing = disputed_fields(requested) & UPDATED_IN_ROWS
    if differing:
        params = {"fields": ", ".join(sorted(differing))}
        return Update(taker, problems=(Problem("taker.update_differs", "updates_register", params=params),))
    asked = merge_rows(requested) if requested else TakerData()
    wanted = allowed_changes(taker.data, asked)
    if wanted and waits:
        return Update(taker, wanted, (Problem("taker.update_waits", "updates_register"),))
    lacking = TakerData() if taker.is_complete else _lacking_fields(taker.data, asked, data)
    after = fill_missing(fill_missing(changed_data(asked, wanted), lacking), taker.data)
    found = [each for city in cities for each in taker_problems(after, city)]
    unfit = [each for n, each in enumerate(found) if each not in found[:n]]
    if not taker.is_complete and unfit:
        return Update(taker, wanted, (INCOMPLETE, *unfit))
    if wanted and (unfit := [each for each in unfit if each.field in UPDATED]):
        return Update(taker, wanted, tuple(unfit))
    filled = _completing_changes(lacking, wanted)
    if write is None:
        return Update(taker, wanted, filled=filled)
    written = await write(taker, RegisterChange(asked, lacking, wanted, is_asked=bool(requested)))
    return written if written.problems else replace(written, filled=filled)


def allowed_changes(theirs: TakerData, requested: TakerData) -> tuple[Change, ...]:
    """Return the changes from a record to `requested`, only in the fields that a row may update."""
    return tuple(each for each in changes(theirs, requested) if each.field in UPDATED)


def _lacking_fields(theirs: TakerData, requested: TakerData, data: TakerData) -> TakerData:
    """Return the fields that a record lacks and the rows have. If two addresses differ, use the one in `requested`."""
    if _ADDRESS_IN_ROWS.intersection(conflicts(requested, data)):
        data = TakerData(**{name: getattr(data, name) for name in _FILLABLE if name not in _ADDRESS_IN_ROWS})
    ours = fill_missing(requested, data)
    return TakerData(**{name: getattr(ours, name) for name in _FILLABLE if not getattr(theirs, name)})


def _completing_changes(lacking: TakerData, wanted: Sequence[Change]) -> tuple[Change, ...]:
    """Return the fields that complete the record and that no row requests to change."""
    asked = {each.field for each in wanted}
    return tuple(each for each in changes(TakerData(), lacking) if each.field not in asked)
