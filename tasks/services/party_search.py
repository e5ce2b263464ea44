"""Look up each issuer, customer and template of the rows of a service sheet once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from connectors.ledger import parties as ledger_parties
from connectors.ledger.files import ReadingRecord
from connectors.ledger.observations.last_templates import last_templates
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import Parties, RowRecord
from domain.cities import city_of
from domain.corrections.answers import CODE_DIFFERS, EMITTER_DIFFERS, ISS_UNUSUAL
from domain.decisions import Decisions
from domain.forecasts.planned_invoices import Difference
from domain.issuing import SERVICE, RemoteEmitter, RemoteTemplate
from domain.money import to_wire
from domain.problems import Problem, Where
from domain.services.code_conflicts import code_conflict
from domain.services.emitter_names import are_emitters, other_emitter
from domain.services.lines import ServiceLine
from domain.templates import ServiceTemplate
from domain.texts import folded
from tasks.issuance.emitters import emitter_with, remember_emitter
from tasks.runtime import Runtime
from tasks.services.described_templates import DescribedTemplates
from tasks.services.register_updates import RegisterWrite
from tasks.services.swapped_templates import PlacedTemplates, hold_swapped
from tasks.services.taker_merge import TakerMerge
from tasks.services.takers import Newcomer, Row, Takers
from tasks.services.template_rates import count_differing_rates, has_rates

_LIKE: Final = 0.8
"""Least similarity (0 to 1) of two template names at which the error suggests the known one."""

_NAMED: Final = 8
"""The most templates that the problem of an unknown template lists."""


@dataclass(frozen=True, slots=True)
class FoundParties:
    """The parties of each row (`good`) or its problems (`bad`), by row id.

    `remarks` are decisions that nobody was asked about. `updates` are the rows' data that the register takes over.
    `looks` and `writes` are those of `Takers`.
    """

    good: Mapping[int, Parties]
    bad: Mapping[int, Sequence[Problem]]
    remarks: Sequence[Problem] = ()
    updates: Sequence[Difference] = ()
    looks: int = 0
    writes: int = 0


def collect_statements(lines: Callable[[], Iterable[Mapping[str, Any]]]) -> TakerMerge:
    """Collect the statements of all rows about each customer. Call `lines` (rows as JSON) again if rows differ."""
    statements = TakerMerge()
    statements.collect(lines())
    if statements.differ:
        statements.collect_differing(lines())
    return statements


class PartySearch:
    """Looks up each party of a reading once, although the rows arrive in several parts.

    With `newcomers` this is a preview: it creates nothing at the provider. A taker that the provider would accept and
    does not have goes into `newcomers`, under the negative id that its rows get.

    `rates` collects the rows whose own rates replace the rates of their template.
    """

    def __init__(
        self,
        runtime: Runtime,
        statements: TakerMerge,
        newcomers: dict[int, Newcomer] | None = None,
        write: RegisterWrite | None = None,
    ) -> None:
        self._runtime = runtime
        self._statements = statements
        self._takers = Takers(runtime, statements, newcomers, write)
        self._emitters: dict[str, EmitterRecord | Problem] = {}
        self._templates: dict[tuple[int, str], int | Problem] = {}
        self._described = DescribedTemplates(runtime, self._every_template)
        self._theirs: dict[int, Sequence[RemoteTemplate]] = {}
        self._every: Sequence[RemoteEmitter] | None = None
        self._has_plans = True
        self._failing: set[str | None] = set()
        self.rates = Decisions()

    async def find(self, records: Sequence[RowRecord]) -> FoundParties:
        """Return the parties of some rows."""
        rows = [Row(record, ServiceLine.from_json(record.line or {})) for record in records]
        emitters = await self._find_emitters(rows)
        filled = await self._fill_templates(rows, emitters)
        filled += await self._leave_plans(rows, emitters)
        templates = await self._find_templates(rows, emitters)
        await self._described.refuse(rows, emitters)
        await self._compare_emitters(rows, emitters)
        placed = _placed_templates(rows, emitters, templates)
        filled += await hold_swapped(self._runtime, rows, placed, self._every_template)
        known = await self._bodies(rows, placed)
        filled += _compare_codes(rows, emitters, known)
        count_differing_rates(rows, known, self.rates)
        takers = await self._takers.find(rows, emitters)
        remarks = [*filled, *self._takers.pop_remarks(), *_answered_rates(rows), *_answered_emitters(rows)]
        good: dict[int, Parties] = {}
        bad: dict[int, Sequence[Problem]] = {}
        for row in rows:
            if row.problems:
                self._failing.add(row.line.emitter_cnpj)
                bad[row.record.id] = [_place_problem(problem, row.record) for problem in row.problems]
                continue
            emitter = emitters[row.line.emitter_cnpj or ""]
            assert row.line.taker.document is not None
            good[row.record.id] = Parties(
                emitter_id=emitter.id,
                taker_id=takers[row.line.taker.document.number],
                template_id=templates[emitter.id, row.line.template_name or ""],
            )
        updates = tuple(self._takers.updates)
        return FoundParties(good, bad, remarks, updates, self._takers.looks, self._takers.writes)

    async def store_templates(self, reading: ReadingRecord, *, has_unread: bool) -> None:
        """Store all templates of the emitters whose rows need a correction: the corrections workbook offers them.

        `has_unread`: the reader refused some rows, so their emitter is unknown. Then store the templates of the
        request's emitter and of all emitters in the sheet.
        """
        named = (reading.understood or {}).get("emitter_cnpj")
        if has_unread and named is not None and named not in self._emitters:
            self._emitters[named] = await _find_emitter(self._runtime, named)
        for cnpj, emitter in self._emitters.items():
            if isinstance(emitter, EmitterRecord) and (has_unread or cnpj in self._failing):
                await self._every_template(emitter)

    async def _fill_templates(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> list[Problem]:
        """Give rows without a template their customer's last one; return a remark for each."""
        lacking = {
            row.line.taker.document.number
            for row in rows
            if row.line.template_name is None and row.line.taker.document is not None
        }
        if not lacking:
            return []
        ledger = self._runtime.ledger
        issuer = self._runtime.issuer_of(SERVICE)
        known = await ledger.read_async(ledger_parties.takers_by_documents, lacking, issuer)
        ids = {document: record.id for document, record in known.items()}
        last = await ledger.read_async(last_templates, list(ids.values()))
        remarks: list[Problem] = []
        for row in rows:
            emitter, document = emitters.get(row.line.emitter_cnpj or ""), row.line.taker.document
            if row.line.template_name is not None or emitter is None or document is None:
                continue
            name = last.get((emitter.id, ids.get(document.number, 0)))
            if name is not None:
                row.line = replace(row.line, template_name=name)
                remark = Problem("template.of_last_month", "template", params={"template": name})
                remarks.append(_place_problem(remark, row.record))
        return remarks

    async def _find_emitters(self, rows: Sequence[Row]) -> dict[str, EmitterRecord]:
        for cnpj in sorted(self._statements.emitters - self._emitters.keys()):
            self._emitters[cnpj] = await _find_emitter(self._runtime, cnpj)
        for row in rows:
            named = row.line.emitter_cnpj
            found = Problem("emitter.missing", "emitter_cnpj") if named is None else self._emitters[named]
            if isinstance(found, Problem):
                row.problems.append(found)
        return {cnpj: found for cnpj, found in self._emitters.items() if isinstance(found, EmitterRecord)}

    async def _find_templates(
        self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]
    ) -> dict[tuple[int, str], int]:
        for row in rows:
            emitter, name = emitters.get(row.line.emitter_cnpj or ""), row.line.template_name
            if name is None:
                row.problems.append(Problem("template.missing", "template"))
            elif emitter is not None:
                found = await self._template(emitter, name)
                if isinstance(found, Problem):
                    row.problems.append(found)
        return {key: found for key, found in self._templates.items() if isinstance(found, int)}

    async def _leave_plans(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> list[Problem]:
        """Give rows the run's template if no text in the template column names a template.

        Such a column contains customers' plans. Return a remark for each of these rows.
        """
        plans: list[Row] = []
        for row in rows:
            emitter, line = emitters.get(row.line.emitter_cnpj or ""), row.line
            if emitter is None or line.template_name is None or line.template_otherwise is None:
                continue
            found = await self._template(emitter, line.template_name)
            self._has_plans = self._has_plans and isinstance(found, Problem) and found.code == "template.unknown"
            plans.append(row)
        remarks: list[Problem] = []
        for row in plans if self._has_plans else ():
            params = {"text": row.line.template_name or "", "template": row.line.template_otherwise or ""}
            row.line = replace(row.line, template_name=row.line.template_otherwise)
            remarks.append(_place_problem(Problem("template.of_run", "template", params=params), row.record))
        return remarks

    async def _template(self, emitter: EmitterRecord, name: str) -> int | Problem:
        """Return the id of an emitter's template, or the problem. Look it up at the first call only."""
        key = (emitter.id, name)
        if key not in self._templates:
            self._templates[key] = await self._find_template(emitter, name)
        return self._templates[key]

    async def _find_template(self, emitter: EmitterRecord, name: str) -> int | Problem:
        templates = await self._runtime.register(emitter.issuer).templates(emitter.ref, name)
        theirs: Sequence[RemoteTemplate] = ()
        if not templates:
            theirs = await self._every_template(emitter)
            templates = [template for template in theirs if folded(template.name) == folded(name)]
            if not templates and (renamed := await self._new_name(emitter, name, theirs)):
                return Problem("template.renamed", "template", params={"template": name, "now": renamed})
            if not templates and (near := _nearest_name(name, [template.name for template in theirs])):
                return Problem("template.near", "template", params={"template": name, "near": near})
        code = _template_fault(templates)
        if code is not None:
            return Problem(
                code, "template", params={"template": name, "known": _join_first([each.name for each in theirs])}
            )
        assert templates[0].template is not None
        return await self._runtime.ledger.write_async(
            ledger_parties.upsert_template,
            emitter_id=emitter.id,
            name=templates[0].name,
            remote_id=templates[0].id,
            body=templates[0].template.to_json(),
        )

    async def _new_name(self, emitter: EmitterRecord, name: str, theirs: Sequence[RemoteTemplate]) -> str | None:
        """Return what a template that the ledger knows by this name is called at the issuer now."""
        ids = await self._runtime.ledger.read_async(ledger_parties.former_template_ids, emitter.id, name)
        return next((each.name for each in theirs if each.id in ids), None)

    async def _every_template(self, emitter: EmitterRecord) -> Sequence[RemoteTemplate]:
        """Return the emitter's templates, looked up once, and store those that a row can use."""
        if emitter.id not in self._theirs:
            found = await self._runtime.register(emitter.issuer).templates(emitter.ref)
            self._theirs[emitter.id] = found
            names = Counter(each.name for each in found)
            usable = {
                each.name: (each.id, each.template.to_json())
                for each in found
                if each.template is not None and names[each.name] == 1
            }
            await self._runtime.ledger.write_async(
                ledger_parties.upsert_templates, emitter_id=emitter.id, templates=usable
            )
        return self._theirs[emitter.id]

    @property
    def template_lists(self) -> list[int]:
        """Return the length of each list of templates that the search has looked up."""
        return list(map(len, self._theirs.values()))

    async def _bodies(self, rows: Sequence[Row], placed: PlacedTemplates) -> dict[int, ServiceTemplate]:
        """Return by row id the template of each row, if some row has a code or a rate to compare with it."""
        if not any(row.line.service_item_code is not None or has_rates(row.line) for row in rows):
            return {}
        ids = {template_id for _, template_id in placed.values()}
        records = await self._runtime.ledger.read_async(ledger_parties.templates_by_ids, ids)
        bodies = {each: ServiceTemplate.from_json(record.body) for each, record in records.items()}
        return {row_id: bodies[template_id] for row_id, (_, template_id) in placed.items()}

    async def _compare_emitters(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> None:
        """Hold a row whose sheet names another emitter than the one that would issue its invoice."""
        companies = {company for row in rows if (company := row.line.company_name)}
        if companies and self._every is None and emitters:
            self._every = await self._runtime.issuer(next(iter(emitters.values())).issuer).emitters()
        every = {each.cnpj: each.name for each in self._every or ()}
        is_of_emitters = are_emitters(companies, every)
        for row in rows:
            emitter, line = emitters.get(row.line.emitter_cnpj or ""), row.line
            if emitter is None or line.is_answered(EMITTER_DIFFERS):
                continue
            other = other_emitter(line, emitter.cnpj, emitter.name, every, is_of_emitters=is_of_emitters)
            if other is not None:
                field, text = other
                params = {"text": text, "emitter": emitter.name}
                row.problems.append(Problem(EMITTER_DIFFERS, field, params=params))


def _placed_templates(
    rows: Sequence[Row], emitters: Mapping[str, EmitterRecord], templates: Mapping[tuple[int, str], int]
) -> PlacedTemplates:
    """Return the emitter and the ledger's template id of each row that has both, by row id."""
    found: PlacedTemplates = {}
    for row in rows:
        emitter = emitters.get(row.line.emitter_cnpj or "")
        template_id = None if emitter is None else templates.get((emitter.id, row.line.template_name or ""))
        if emitter is not None and template_id is not None:
            found[row.record.id] = emitter, template_id
    return found


def _compare_codes(
    rows: Sequence[Row], emitters: Mapping[str, EmitterRecord], templates: Mapping[int, ServiceTemplate]
) -> list[Problem]:
    """Hold rows whose service code does not belong to their template's rate; return remarks about other differences."""
    remarks: list[Problem] = []
    for row in rows:
        template = templates.get(row.record.id)
        city = None if template is None else city_of(emitters[row.line.emitter_cnpj or ""].city_code)
        found = None if template is None or city is None else code_conflict(row.line, template, city)
        if found is not None and found.code == CODE_DIFFERS:
            row.problems.append(found)
        elif found is not None:
            remarks.append(row.at(found))
    return remarks


def _answered_emitters(rows: Sequence[Row]) -> Iterator[Problem]:
    """Yield a remark for each row that a person released although its sheet names another emitter."""
    for row in rows:
        name = row.line.emitter_name or row.line.company_name
        if name is not None and row.line.is_answered(EMITTER_DIFFERS):
            yield row.at(Problem("emitter.name_released", "emitter_name", params={"text": name}))


def _place_problem(problem: Problem, row: RowRecord) -> Problem:
    where = problem.where
    if where.row is not None:
        return problem
    place = Where(sheet=row.sheet, row=row.row_number, column=where.column)
    return Problem(problem.code, problem.field, place, problem.params)


def _answered_rates(rows: Sequence[Row]) -> Iterator[Problem]:
    """Yield a remark for each unusual rate of ISS that a person released."""
    for row in rows:
        if row.line.iss_bp is not None and row.line.is_answered(ISS_UNUSUAL):
            rate = to_wire(row.line.iss_bp).replace(".", ",")
            yield row.at(Problem("amount.iss_released", "iss_bp", params={"rate": rate}))


async def _find_emitter(runtime: Runtime, cnpj: str) -> EmitterRecord | Problem:
    issuer = runtime.issuer(runtime.issuer_of(SERVICE))
    found = await emitter_with(runtime, issuer, cnpj)
    if isinstance(found, Problem):
        return found
    emitter_id = await remember_emitter(runtime, issuer, found)
    return await runtime.ledger.read_async(ledger_parties.emitter_of, emitter_id)


def _join_first(names: Sequence[str]) -> str:
    """Return the first names, sorted, as one text, with an ellipsis if there are more; a dash if there are none."""
    return ", ".join(sorted(names)[:_NAMED]) + (" …" if len(names) > _NAMED else "") or "–"


def _nearest_name(name: str, names: Sequence[str]) -> str | None:
    """Return the name that a person may have meant; only a person can confirm it."""
    by_text = {folded(each): each for each in names}
    return next((by_text[each] for each in get_close_matches(folded(name), by_text, n=1, cutoff=_LIKE)), None)


def _template_fault(templates: Sequence[RemoteTemplate]) -> str | None:
    """Return the problem's code unless these are exactly one readable template.

    An unreadable template refuses its rows; it does not stop the run.
    """
    if len(templates) != 1:
        return "template.twice" if templates else "template.unknown"
    return "template.unreadable" if templates[0].template is None else None
