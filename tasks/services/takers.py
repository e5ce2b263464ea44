"""Find the customers of rows: in the ledger, else at the issuer, else create them from what all rows say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from connectors.http.errors import Doubtful, Refused
from connectors.ledger import parties as ledger_parties
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowRecord
from domain.cities import city_of
from domain.documents import Document
from domain.issuing import SERVICE, Register, RemoteCustomer
from domain.names import masked_name
from domain.parties import TakerData, have_one_name, is_named_alike, settled, taker_problems
from domain.problems import Problem, Where
from domain.services import ServiceLine
from tasks.issuance.posting import refusals
from tasks.runtime import Runtime
from tasks.services.taker_merge import Said, Sayings
from tasks.together import together

_CREATION_TRIES = 3


@dataclass(slots=True)
class Row:
    """A row during the search for its parties, with its problems so far."""

    record: RowRecord
    line: ServiceLine
    problems: list[Problem] = field(default_factory=list)

    def at(self, problem: Problem) -> Problem:
        """Return the problem with this row's place."""
        return replace(problem, where=Where(sheet=self.record.sheet, row=self.record.row_number))


@dataclass(slots=True)
class Takers:
    """Look up each customer of one reading once, however many parts its rows come in.

    With `newcomers` nothing is created: who would be stands there under the negative id that its rows get.
    """

    runtime: Runtime
    sayings: Sayings
    newcomers: dict[int, TakerData] | None
    _settled: dict[str, int | Sequence[Problem]] = field(default_factory=dict)
    _merged: set[str] = field(default_factory=set)
    _remarks: list[Problem] = field(default_factory=list)

    async def find(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> dict[str, int]:
        """Return the ledger ids of customers by document; rows that cannot be billed get their problems."""
        groups: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row.line.taker.document is None:
                row.problems.append(Problem("taker.no_document", "document"))
            else:
                groups[row.line.taker.document.number].append(row)
        wanted = {number: group for number, group in groups.items() if not all(row.problems for row in group)}
        found: dict[str, int] = await self.runtime.ledger.reading(ledger_parties.taker_ids, list(wanted))
        strangers = [number for number in wanted if number not in found and number not in self._settled]
        made = await together(self._find_or_create(each, wanted[each], emitters) for each in strangers)
        self._settled.update(zip(strangers, made, strict=True))
        for number in wanted.keys() - found.keys():
            outcome = self._settled[number]
            if isinstance(outcome, int):
                found[number] = outcome
                continue
            for row in wanted[number]:
                row.problems.extend(outcome)
        await self._compare_names(wanted, found)
        return found

    def told(self) -> list[Problem]:
        """Return what was decided since it was last asked for."""
        told, self._remarks = self._remarks, []
        return told

    async def _compare_names(self, groups: Mapping[str, Sequence[Row]], found: Mapping[str, int]) -> None:
        """Hold rows whose customer the register knows by a name that is far from the sheet's; tell what was merged."""
        ids = {taker_id for taker_id in found.values() if taker_id > 0}
        records = await self.runtime.ledger.reading(ledger_parties.takers_by_ids, ids)
        for number in found.keys() & groups.keys():
            self._tell_merged(number, groups[number])
            record = records.get(found[number])
            if record is None:
                continue
            registered = TakerData.from_json(record.body)
            for row in groups[number]:
                if not is_named_alike(row.line.taker, registered):
                    self._judge_name(row, masked_name(record.name))

    def _judge_name(self, row: Row, registered: str) -> None:
        if row.line.is_released:
            self._remarks.append(row.at(Problem("taker.name_released", "name", params={"registered": registered})))
        else:
            row.problems.append(Problem("taker.name_differs", "name", params={"registered": registered}))

    def _tell_merged(self, number: str, group: Sequence[Row]) -> None:
        """Tell once that rows say different things about one customer, who is billed all the same."""
        differing = self.sayings.disputed(number)
        if differing and number not in self._merged:
            self._merged.add(number)
            params = {"fields": ", ".join(sorted(differing))}
            self._remarks.append(group[0].at(Problem("taker.merged", "name", params=params)))

    async def _find_or_create(
        self, number: str, group: Sequence[Row], emitters: Mapping[str, EmitterRecord]
    ) -> int | Sequence[Problem]:
        said = self.sayings.of(number, Said(group[0].line.taker, group[0].line.emitter_cnpj))
        data = settled([each.taker for each in said])
        codes = {emitters[cnpj].city_code for each in said if (cnpj := each.emitter_cnpj or "") in emitters}
        register = self.runtime.register(self.runtime.issuer_of(SERVICE))
        taker = await _look(register, data.document)
        if taker is None:
            if not have_one_name(each.taker for each in said):
                # nobody knows the customer, and the sheet has two: a person chooses which is right
                return [Problem("taker.conflict", "name", params={"fields": "name"})]
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
            document=number,
            remote_id=taker.id,
            name=taker.data.name or "",
            body=taker.data.to_json(),
            is_complete=taker.is_complete,
        )


async def _look(register: Register, document: Document | None) -> RemoteCustomer | None:
    assert document is not None
    found = await register.customers(document)
    return found[0] if found else None


async def _create(register: Register, data: TakerData) -> RemoteCustomer | list[Problem]:
    """Create the customer, or return the issuer's reasons. A document is unique there: an earlier one is found."""
    refused: list[Problem] = []
    for _ in range(_CREATION_TRIES):
        try:
            return await register.create_customer(data)
        except Doubtful:
            refused = [Problem("taker.not_created", "document")]
        except Refused as error:
            refused = list(refusals(error))
        found = await _look(register, data.document)
        if found is not None:
            return found
        if refused and refused[0].code != "taker.not_created":
            break
    return refused
