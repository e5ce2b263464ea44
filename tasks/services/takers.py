"""Find the customers of rows: in the ledger, else at the issuer, else create them from what all rows say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from functools import reduce

from connectors.http.errors import Doubtful, Refused
from connectors.ledger import parties as ledger_parties
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.parties import EmitterRecord, TakerRecord
from connectors.ledger.rows import RowRecord
from domain.cities import city_of
from domain.competence import BRASILIA, first_of_month
from domain.documents import Document
from domain.issuing import SERVICE, Register, RemoteCustomer
from domain.issuing.customers import Customer, is_same_name
from domain.parties import TakerData, merged, taker_problems
from domain.problems import Problem
from domain.services.lines import ServiceLine
from tasks.issuance.posting import refusals
from tasks.runtime import Runtime
from tasks.runtime.together import together
from tasks.services.taker_merge import Said, Sayings

_CREATION_TRIES = 3
_WORTH_A_LIST = 20
"""From so many customers on, a list of all is tried first; its first page tells whether it costs less."""


@dataclass(slots=True)
class Row:
    """A row during the search for its parties, with its problems so far."""

    record: RowRecord
    line: ServiceLine
    problems: list[Problem] = field(default_factory=list)
    is_disputed: bool = False


@dataclass(slots=True)
class Takers:
    """Look up each customer of one reading once, however many parts its rows come in.

    With `newcomers` nothing is created: who would be stands there under the negative id that its rows get.
    """

    runtime: Runtime
    sayings: Sayings
    newcomers: dict[int, TakerData] | None
    _settled: dict[str, int | Sequence[Problem]] = field(default_factory=dict)

    async def find(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> dict[str, int]:
        """Return the ledger ids of customers by document; rows that cannot be billed get their problems."""
        groups: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row.line.taker.document is None:
                row.problems.append(Problem("taker.no_document", "document"))
            else:
                groups[row.line.taker.document.number].append(row)
        for number, group in groups.items():
            self._check_agreement(number, group)
        wanted = {number: group for number, group in groups.items() if not all(row.problems for row in group)}
        ledger, issuer = self.runtime.ledger, self.runtime.issuer_of(SERVICE)
        month_began_at = _month_began_at(await ledger.reading(ledger_now))
        found: dict[str, int] = await ledger.reading(
            ledger_parties.taker_ids, list(wanted), issuer, since=month_began_at
        )
        strangers = [number for number in wanted if number not in found and number not in self._settled]
        known = await ledger.reading(ledger_parties.takers_by_documents, strangers, issuer)
        seen = await self._list_known([wanted[each][0] for each in strangers if each in known])
        made = await together(
            self._find_or_create(each, wanted[each], emitters, (known.get(each), seen.get(each))) for each in strangers
        )
        self._settled.update(zip(strangers, made, strict=True))
        for number in wanted.keys() - found.keys():
            outcome = self._settled[number]
            if isinstance(outcome, int):
                found[number] = outcome
                continue
            for row in wanted[number]:
                # what is disputed between rows becomes nobody's data: they have their own problem
                row.problems.extend([] if row.is_disputed else outcome)
        return found

    async def _list_known(self, rows: Sequence[Row]) -> Mapping[str, RemoteCustomer]:
        """Return customers whose month begins, as one list shows them; none where few are asked for."""
        documents = [row.line.taker.document for row in rows if row.line.taker.document is not None]
        if len(documents) < _WORTH_A_LIST:
            return {}
        return await self.runtime.register(self.runtime.issuer_of(SERVICE)).customers_listed(documents)

    def _check_agreement(self, number: str, group: Sequence[Row]) -> None:
        """Refuse rows that contradict each other about one customer: a person chooses which is right."""
        disputed = self.sayings.disputed(number)
        for row in group:
            differing = sorted(name for name in disputed if getattr(row.line.taker, name))
            if differing:
                row.is_disputed = True
                row.problems.append(Problem("taker.conflict", "name", params={"fields": ", ".join(differing)}))

    async def _find_or_create(
        self,
        number: str,
        group: Sequence[Row],
        emitters: Mapping[str, EmitterRecord],
        seen: tuple[TakerRecord | None, RemoteCustomer | None],
    ) -> int | Sequence[Problem]:
        """Return the ledger's id of a customer, or its rows' problems.

        `seen` is the customer as the ledger has it, and as a list shows it now: each month's first use looks again.
        """
        known, listed = seen
        one = next(row for row in group if not row.is_disputed)
        disputed = self.sayings.disputed(number)
        said = [
            each
            for each in self.sayings.of(number, Said(one.line.taker, one.line.emitter_cnpj))
            if not any(getattr(each.taker, name) for name in disputed)
        ]
        data = reduce(merged, (each.taker for each in said))
        codes = {emitters[cnpj].city_code for each in said if (cnpj := each.emitter_cnpj or "") in emitters}
        register = self.runtime.register(self.runtime.issuer_of(SERVICE))
        taker = listed or await _look(register, data.document)
        if known is not None:
            taker, changed = await _compared(register, known, taker, data)
            if changed is not None:
                return [changed]
        if taker is None:
            cities = [city_of(code) for code in sorted(codes)]
            problems = [problem for city in cities if city is not None for problem in taker_problems(data, city)]
            if problems:
                return problems
            if self.newcomers is not None:
                self.newcomers[-1 - len(self.newcomers)] = data
                return -len(self.newcomers)
            created = await _create(register, data)
            if not isinstance(created, RemoteCustomer):
                return created
            taker = created
        elif not taker.is_complete:
            return [Problem("taker.incomplete", "name")]
        return await self.runtime.ledger.writing(
            ledger_parties.upsert_taker,
            issuer=self.runtime.issuer_of(SERVICE),
            document=number,
            remote_id=taker.id,
            name=taker.data.name or "",
            body=taker.data.to_json(),
            is_complete=taker.is_complete,
        )


def _month_began_at(now: datetime) -> datetime:
    return datetime.combine(first_of_month(now.astimezone(BRASILIA).date()), time(), BRASILIA)


async def _look(register: Register, document: Document | None) -> RemoteCustomer | None:
    assert document is not None
    found = await register.customers(document)
    return found[0] if found else None


async def _compared(
    register: Register, known: TakerRecord, taker: RemoteCustomer | None, said: TakerData
) -> tuple[RemoteCustomer | None, Problem | None]:
    """Compare a customer that we know with what its document finds now, `taker`. Return the customer to use.

    The sheet decides about a name that was changed since; a record that bears another document now is nobody's to bill.
    """
    assert said.document is not None
    ours = Customer(said.document.number, said.name)
    if taker is None:
        taker = await register.customer(known.remote_id)
        if taker is not None and taker.document != known.document:
            return None, _changed("taker.other_document", taker, ours)
    if taker is None or is_same_name(taker.data.name, known.name):
        return taker, None
    is_as_said = said.name is not None and is_same_name(taker.data.name, said.name)
    return taker, None if is_as_said else _changed("taker.other_name", taker, ours)


def _changed(code: str, taker: RemoteCustomer, ours: Customer) -> Problem:
    theirs = Customer(taker.document, taker.data.name)
    field = "name" if code == "taker.other_name" else "document"
    return Problem(code, field, params={"theirs": theirs.shown, "ours": ours.shown})


async def _create(register: Register, data: TakerData) -> RemoteCustomer | list[Problem]:
    """Create the customer, or return the issuer's reasons. A document is unique there: an earlier one is found.

    An answer about another customer may be somebody else's: what the register holds under our document decides.
    """
    assert data.document is not None
    ours = Customer(data.document.number, data.name)
    refused: list[Problem] = []
    for _ in range(_CREATION_TRIES):
        made = None
        try:
            made = await register.create_customer(data)
            if Customer(made.document, made.data.name).is_same(ours):
                return made
            refused = [Problem("taker.not_created", "document")]
        except Doubtful:
            refused = [Problem("taker.not_created", "document")]
        except Refused as error:
            refused = list(refusals(error))
        found = await _look(register, data.document)
        if found is not None and made is not None and not is_same_name(found.data.name, data.name):
            return [_changed("taker.other_name", found, ours)]
        if found is not None:
            return found
        if refused and refused[0].code != "taker.not_created":
            break
    return refused
