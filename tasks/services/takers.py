"""Find the customers of rows in the ledger or at the issuer; else create them from the data of all rows."""

from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Any, TypeAlias

from connectors.http.errors import Refused
from connectors.ledger import parties as ledger_parties
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.observations.unsent import unsent_takers
from connectors.ledger.parties import EmitterRecord, TakerRecord
from connectors.ledger.rows import RowRecord
from domain.cities import CityRules, city_of
from domain.competence import BRASILIA, first_of_month
from domain.corrections.answers import NAME_DIFFERS, OF_EMITTER
from domain.forecasts.planned_invoices import Difference
from domain.issuing import SERVICE, RemoteCustomer
from domain.issuing.customers import Customer
from domain.parties import TakerData, conflicts, have_similar_names, is_named_alike, merge_rows, taker_problems
from domain.problems import Problem, Where
from domain.services.lines import ServiceLine
from domain.taker_changes import Change
from tasks.issuance.refusals import refusals
from tasks.runtime import Runtime
from tasks.runtime.task_group import run_together
from tasks.services.email_check import Mailboxes
from tasks.services.register_updates import UPDATED_IN_ROWS, RegisterWrite, update_register
from tasks.services.registered_takers import compare_taker, create, look_up
from tasks.services.taker_merge import TakerMerge, TakerStatement

_SPELLINGS = 3
_WORTH_A_LIST = 20
"""From this number of customers on, try a list of all customers; its first page shows whether it costs less."""

Newcomer: TypeAlias = tuple[str, str]
"""Document and name of a customer to create. The garbage collector visits a plain tuple of texts only once."""

_Settled: TypeAlias = int | Sequence[Problem]
"""The ledger's id of a customer, or the problems of its rows."""

_AT_ONCE = 500
"""Customers to look up at once: more than the requests in flight, and few enough to keep in memory."""


@dataclass(slots=True)
class Row:
    """A row during the search for its parties, with its problems so far."""

    record: RowRecord
    line: ServiceLine
    problems: list[Problem] = field(default_factory=list)

    def at(self, problem: Problem) -> Problem:
        """Return the problem with this row's place."""
        place = Where(sheet=self.record.sheet, row=self.record.row_number)
        return Problem(problem.code, problem.field, place, problem.params)


@dataclass(slots=True)
class Takers:
    """Looks up each customer of one reading once, although the rows may arrive in several parts.

    With `newcomers` this is a preview, which creates nobody: it enters each customer to create in `newcomers`, under a
    negative id that the rows get. `write` writes the rows' changes into the register; without it they are only
    collected in `updates`. `looks` counts the registered customers that billing must look up again even if the ledger
    read them this month; `writes` counts those among them whose records billing updates.
    """

    runtime: Runtime
    statements: TakerMerge
    newcomers: dict[int, Newcomer] | None
    write: RegisterWrite | None = None
    updates: list[Difference] = field(default_factory=list)
    looks: int = 0
    writes: int = 0
    _settled: dict[str, _Settled] = field(default_factory=dict)
    _merged: set[str] = field(default_factory=set)
    _spelled: set[str] = field(default_factory=set)
    _updated: set[str] = field(default_factory=set)
    _remarks: list[Problem] = field(default_factory=list)
    _mailboxes: Mailboxes = field(init=False)
    _register: Mapping[str, RemoteCustomer] | None = None
    _is_listed: bool = False

    def __post_init__(self) -> None:
        self._mailboxes = Mailboxes(self.statements)

    async def find(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> dict[str, int]:
        """Find the rows' customers; return their ledger ids by document. Add problems to rows that cannot be billed."""
        groups: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row.line.taker.document is None:
                row.problems.append(Problem("taker.no_document", "document"))
            else:
                groups[row.line.taker.document.number].append(row)
        wanted = {number: group for number, group in groups.items() if not all(row.problems for row in group)}
        ledger, issuer = self.runtime.ledger, self.runtime.issuer_of(SERVICE)
        month_began_at = _month_began_at(await ledger.read_async(ledger_now))
        found: dict[str, int] = await ledger.read_async(
            ledger_parties.taker_ids, list(wanted), issuer, since=month_began_at
        )
        updating = {
            number for number, group in wanted.items() if any(_asks_for_update(row) for row in group)
        } - self._updated
        found = {number: taker_id for number, taker_id in found.items() if number not in updating}
        strangers = [
            number for number in wanted if number in updating or not (number in found or number in self._settled)
        ]
        known = await ledger.read_async(ledger_parties.takers_by_documents, strangers, issuer)
        listed = await self._list([each for each in strangers if each in known], month_began_at)
        waiting = await ledger.read_async(unsent_takers, updating)
        if listed is not None and self.newcomers is not None:
            unlisted = [each for each in strangers if not (each in known or each in listed)]
            self._settled.update((each, self._propose_new(each, wanted[each], emitters)) for each in unlisted)
            strangers = [each for each in strangers if each in known or each in listed]
        await self._settle(
            strangers,
            lambda each: self._find_or_create(
                each,
                wanted[each],
                emitters,
                (known.get(each), listed),
                waits=each in waiting if each in updating else None,
            ),
        )
        self._updated |= updating
        for number in wanted.keys() - found.keys():
            outcome = self._settled[number]
            if isinstance(outcome, int):
                found[number] = outcome
                continue
            for row in wanted[number]:
                row.problems.extend(outcome)
        await self._compare(wanted, found)
        return found

    def pop_remarks(self) -> list[Problem]:
        """Return the decisions since the last call."""
        remarks, self._remarks = self._remarks, []
        return remarks

    async def _compare(self, groups: Mapping[str, Sequence[Row]], found: Mapping[str, int]) -> None:
        """Hold rows whose customer has a very different name in the register, or is the emitter itself.

        Remark on merged statements, and on e-mails that do not reach the register.
        """
        ids = {taker_id for taker_id in found.values() if taker_id > 0}
        records = await self.runtime.ledger.read_async(ledger_parties.takers_by_ids, ids)
        for number, group in groups.items():
            if number not in found:
                continue
            record = records.get(found[number])
            registered = None if record is None else TakerData.from_json(record.body)
            self._remark_on_merged(number, group, registered)
            for row in group:
                if number == row.line.emitter_cnpj:
                    self._judge_own_document(row)
                if registered is not None and not is_named_alike(row.line.taker, registered):
                    self._judge_name(row, Customer(number, registered.name).shown_name)
                self._remark_on_emails(number, row, registered)

    def _judge_own_document(self, row: Row) -> None:
        if row.line.is_answered(OF_EMITTER):
            self._remarks.append(row.at(Problem("document.of_emitter_released", "document")))
        else:
            row.problems.append(Problem(OF_EMITTER, "document"))

    def _judge_name(self, row: Row, registered: str) -> None:
        if row.line.is_answered(NAME_DIFFERS):
            self._remarks.append(row.at(Problem("taker.name_released", "name", params={"registered": registered})))
        else:
            row.problems.append(Problem(NAME_DIFFERS, "name", params={"registered": registered}))

    def _remark_on_emails(self, number: str, row: Row, registered: TakerData | None) -> None:
        if row.line.taker.emails and not row.problems:
            remark = self._mailboxes.remark(number, row.line, registered)
            self._remarks += [] if remark is None else [row.at(remark)]

    def _remark_on_merged(self, number: str, group: Sequence[Row], registered: TakerData | None) -> None:
        """Remark once that the data of a customer differ between rows. Such rows are billed."""
        differing = self.statements.disputed(number) - {"emails"}
        if "name" in differing and not have_similar_names(row.line.taker for row in group):
            # Two customers' names are not merged: rows of the other customer are held.
            differing -= {"name"}
        if number in self._updated:
            # the register takes these fields from the rows that request an update
            differing -= UPDATED_IN_ROWS
        if "name" in differing:
            self._remark_on_spellings(number, group, registered)
            differing -= {"name"}
        if differing and number not in self._merged:
            self._merged.add(number)
            params = {"fields": ", ".join(sorted(differing))}
            self._remarks.append(group[0].at(Problem("taker.merged", min(differing), params=params)))

    def _remark_on_spellings(self, number: str, group: Sequence[Row], registered: TakerData | None) -> None:
        """Remark once on a customer with several names, at the first row whose name is not on the invoice."""
        stated = [each.taker for each in self.statements.of(number, TakerStatement.of(group[0].line))]
        used = registered or merge_rows(stated)
        other = next((row for row in group if "name" in conflicts(row.line.taker, used)), None)
        if other is None or number in self._spelled:
            return
        self._spelled.add(number)
        others = dict.fromkeys(each.name for each in stated if "name" in conflicts(each, used))
        shown = [Customer(number, name).shown_name for name in others]
        more = ", …" if len(shown) > _SPELLINGS else ""
        params = {
            "registered": Customer(number, used.name).shown_name,
            "others": ", ".join(f'"{name}"' for name in shown[:_SPELLINGS]) + more,
        }
        self._remarks.append(other.at(Problem("taker.spellings", "name", params=params)))

    async def _list(self, documents: Collection[str], month_began_at: datetime) -> Mapping[str, RemoteCustomer] | None:
        """Return customers of the register by document, from one list; None if few are needed.

        Billing needs the customers of `documents`, which the ledger knows. A preview needs all customers of the reading
        that were not looked up this month, and lists them once. It may trust that the list is complete, because it
        creates nobody.
        """
        ledger, issuer = self.runtime.ledger, self.runtime.issuer_of(SERVICE)
        if self.newcomers is None:
            return await self._list_customers(documents)
        if not self._is_listed:
            every = self.statements.documents
            seen = await ledger.read_async(ledger_parties.taker_ids, every, issuer, since=month_began_at)
            self._is_listed, self._register = True, await self._list_customers(every - seen.keys())
        return self._register

    async def _list_customers(self, documents: Collection[str]) -> Mapping[str, RemoteCustomer] | None:
        if len(documents) < _WORTH_A_LIST:
            return None
        return await self.runtime.register(self.runtime.issuer_of(SERVICE)).customers_listed(documents)

    async def _settle(self, numbers: Sequence[str], work: Callable[[str], Coroutine[Any, Any, _Settled]]) -> None:
        """Run `work` for each customer concurrently, and store its result in `_settled`."""
        for start in range(0, len(numbers), _AT_ONCE):
            part = numbers[start : start + _AT_ONCE]
            settled_part = await run_together(_try_customer(work, each) for each in part)
            self._settled.update(zip(part, settled_part, strict=True))

    async def _find_or_create(
        self,
        number: str,
        group: Sequence[Row],
        emitters: Mapping[str, EmitterRecord],
        seen: tuple[TakerRecord | None, Mapping[str, RemoteCustomer] | None],
        *,
        waits: bool | None,
    ) -> int | Sequence[Problem]:
        """Return the ledger's id of a customer, or its rows' problems.

        `seen` is the customer in the ledger, and the customers of a current list. `waits`: whether an unsent invoice
        names the customer; None if no row requests an update of its record.
        """
        known, listed = seen
        stated, data, cities = self._statements_of(number, group, emitters)
        register = self.runtime.register(self.runtime.issuer_of(SERVICE))
        taker = None if listed is None else listed.get(number)
        if taker is None:
            taker = await look_up(register, data.document)
        if known is not None:
            taker, changed = await compare_taker(register, known, taker, data)
            if changed is not None:
                return [changed]
        if taker is None:
            if self.newcomers is not None:
                return self._propose_new(number, group, emitters)
            if problems := _creation_problems(stated, data, cities):
                return problems
            created = await create(register, data)
            if not isinstance(created, RemoteCustomer):
                return created
            taker = created
        else:
            current = await self._update(taker, stated, group, cities, waits=waits)
            if not isinstance(current, RemoteCustomer):
                return current
            taker = current
        return await self.runtime.ledger.write_async(
            ledger_parties.upsert_taker,
            issuer=self.runtime.issuer_of(SERVICE),
            document=number,
            remote_id=taker.id,
            name=taker.data.name or "",
            body=taker.data.to_json(),
            is_complete=taker.is_complete,
        )

    def _statements_of(
        self, number: str, group: Sequence[Row], emitters: Mapping[str, EmitterRecord]
    ) -> tuple[Sequence[TakerStatement], TakerData, Sequence[CityRules]]:
        """Return the rows' statements about a customer, their merge, and the rules of its emitters' cities."""
        stated = self.statements.of(number, TakerStatement.of(group[0].line))
        codes = {emitters[cnpj].city_code for each in stated if (cnpj := each.emitter_cnpj or "") in emitters}
        cities = [city for code in sorted(codes) if (city := city_of(code)) is not None]
        return stated, merge_rows([each.taker for each in stated]), cities

    def _propose_new(
        self, number: str, group: Sequence[Row], emitters: Mapping[str, EmitterRecord]
    ) -> int | Sequence[Problem]:
        """Add a customer whom billing would create to `newcomers`. Return its negative stand-in id, or the problems."""
        assert self.newcomers is not None
        stated, data, cities = self._statements_of(number, group, emitters)
        if problems := _creation_problems(stated, data, cities):
            return problems
        self._mailboxes.remember_new(number, data)
        self.newcomers[-1 - len(self.newcomers)] = number, data.name or ""
        return -len(self.newcomers)

    async def _update(
        self,
        taker: RemoteCustomer,
        stated: Sequence[TakerStatement],
        group: Sequence[Row],
        cities: Sequence[CityRules],
        *,
        waits: bool | None,
    ) -> RemoteCustomer | Sequence[Problem]:
        """Complete the record and change it as rows request, using only rows whose name is like the record's.

        Rows with another name are held. Rows whose name a person accepted count as alike.
        """
        if waits is not None or not taker.is_complete:
            self.looks += 1
        alike = [each for each in stated if each.is_other_name or is_named_alike(each.taker, taker.data)]
        requested = [each.taker for each in alike if each.updates and waits is not None]
        if not alike or (taker.is_complete and not requested):
            return taker
        data = merge_rows([each.taker for each in alike])
        updated = await update_register(taker, requested, data, cities, waits=bool(waits), write=self.write)
        if updated.problems:
            return updated.problems
        if updated.changes or not taker.is_complete:
            self.writes += 1
        for each in (*updated.changes, *updated.filled):
            self._mailboxes.remember_change(taker.document, each)
        for each in updated.changes:
            first = next(row for row in group if _asks_for_update(row))
            self._remarks.append(first.at(Problem("taker.updated", each.field)))
            self.updates.append(_difference(taker, each, first))
        for each in updated.filled:
            self._remarks.append(group[0].at(Problem("taker.completed", each.field)))
            self.updates.append(_difference(taker, each, group[0]))
        return updated.taker


async def _try_customer(work: Callable[[str], Coroutine[Any, Any, _Settled]], number: str) -> _Settled:
    """Return the result of `work` for a customer; if the issuer refuses a request, return its reasons.

    An error here would stop the whole file, at every try if the issuer always refuses this document.
    """
    try:
        return await work(number)
    except Refused as refusal:
        return refusals(refusal)


def _creation_problems(stated: Sequence[TakerStatement], data: TakerData, cities: Sequence[CityRules]) -> list[Problem]:
    """Return why a customer cannot be created from its rows' data."""
    if not have_similar_names(each.taker for each in stated):
        # Nobody knows the customer, and the sheet has two names: a person chooses the right one.
        return [Problem("taker.conflict", "name", params={"fields": "name"})]
    return [problem for city in cities for problem in taker_problems(data, city)]


def _asks_for_update(row: Row) -> bool:
    return bool(row.line.updates_register) and not row.problems


def _difference(taker: RemoteCustomer, change: Change, row: Row) -> Difference:
    return Difference(
        document="" if taker.data.document is None else taker.data.document.masked,
        name=taker.data.name or "",
        field=change.field,
        sheet_says=change.becomes,
        provider_says=change.was,
        row_number=row.record.row_number,
    )


def _month_began_at(now: datetime) -> datetime:
    return datetime.combine(first_of_month(now.astimezone(BRASILIA).date()), time(), BRASILIA)
