"""Find what completes customers' records in the register, and the changes that rows ask for, before the invoices.

A record gets one write, even if it is incomplete and rows change it.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, TypeAlias

from domain.cities import CityRules
from domain.issuing import RemoteCustomer
from domain.parties import TakerData, conflicts, disputed, merged, settled, taker_problems
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
    """The customer as the register has it now, or the problem that holds its rows, and the written fields.

    `changes` are fields that rows ask to change, `filled` those that an incomplete record lacked.
    """

    taker: RemoteCustomer
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    filled: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Aim:
    """The goal of a write: the fields that rows update, of which some change, and those that the record lacks.

    `is_asked`: rows ask for it by their mark.
    """

    requested: TakerData
    lacking: TakerData
    wanted: tuple[Change, ...]
    is_asked: bool

    @property
    def body(self) -> TakerData:
        """Return the fields to send."""
        return merged(changed_data(self.requested, self.wanted), self.lacking)

    @property
    def shown(self) -> TakerData:
        """Return the fields that the record shows afterwards, those included that it shows already."""
        return merged(changed_data(self.requested, may_change(TakerData(), self.requested)), self.lacking)

    @property
    def unknown(self) -> Problem:
        """Return why the rows wait while nobody knows whether the write was done."""
        return Problem("taker.update_unknown", "updates_register" if self.is_asked else "name")


RegisterWrite: TypeAlias = Callable[[RemoteCustomer, Aim], Awaitable[Update]]
"""Writes a customer's record; `register_writes` has it. A rehearsal has none."""


async def update_register(
    taker: RemoteCustomer,
    requested: Sequence[TakerData],
    data: TakerData,
    cities: Sequence[CityRules],
    *,
    waits: bool,
    write: RegisterWrite | None,
) -> Update:
    """Complete a customer's record from its rows, and change what `requested` asks. Without `write`, write nothing.

    An incomplete record also gets the fields of `data`, all rows together, that it lacks: that overwrites nothing.
    `requested` is the data of the rows that ask to update the register. `waits`: an unsent invoice names the customer,
    whose data must not change before the send.
    """
    differing = disputed(requested) & UPDATED_IN_ROWS
    if differing:
        params = {"fields": ", ".join(sorted(differing))}
        return Update(taker, problems=(Problem("taker.update_differs", "updates_register", params=params),))
    asked = settled(requested) if requested else TakerData()
    wanted = may_change(taker.data, asked)
    if wanted and waits:
        return Update(taker, wanted, (Problem("taker.update_waits", "updates_register"),))
    lacking = TakerData() if taker.is_complete else _lacking(taker.data, asked, data)
    after = merged(merged(changed_data(asked, wanted), lacking), taker.data)
    found = [each for city in cities for each in taker_problems(after, city)]
    unfit = [each for n, each in enumerate(found) if each not in found[:n]]
    if not taker.is_complete and unfit:
        return Update(taker, wanted, (INCOMPLETE, *unfit))
    if wanted and (unfit := [each for each in unfit if each.field in UPDATED]):
        return Update(taker, wanted, tuple(unfit))
    filled = _filled(lacking, wanted)
    if write is None:
        return Update(taker, wanted, filled=filled)
    written = await write(taker, Aim(asked, lacking, wanted, is_asked=bool(requested)))
    return written if written.problems else replace(written, filled=filled)


def may_change(theirs: TakerData, requested: TakerData) -> tuple[Change, ...]:
    """Return the changes that a row may make in a record."""
    return tuple(each for each in changes(theirs, requested) if each.field in UPDATED)


def _lacking(theirs: TakerData, requested: TakerData, data: TakerData) -> TakerData:
    """Return what a record lacks and the rows have; from two addresses that of the rows that update the register."""
    if _ADDRESS_IN_ROWS.intersection(conflicts(requested, data)):
        data = TakerData(**{name: getattr(data, name) for name in _FILLABLE if name not in _ADDRESS_IN_ROWS})
    ours = merged(requested, data)
    return TakerData(**{name: getattr(ours, name) for name in _FILLABLE if not getattr(theirs, name)})


def _filled(lacking: TakerData, wanted: Sequence[Change]) -> tuple[Change, ...]:
    """Return what the record gets although no row asks for a change of it."""
    asked = {each.field for each in wanted}
    return tuple(each for each in changes(TakerData(), lacking) if each.field not in asked)
