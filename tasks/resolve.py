"""Station 3: who bills whom with which template: each distinct party of a reading is looked up once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import file_of_reading
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import Parties, RowRecord
from connectors.nfse.service_values import Template
from domain.cities import city_of
from domain.parties import TakerData
from domain.problems import Problem, Where
from domain.services import ServiceLine
from domain.states import RowState
from domain.tallies import Tally
from domain.templates import ServiceTemplate
from domain.texts import folded
from tasks.parties.parts import in_parts
from tasks.parties.sayings import Sayings
from tasks.parties.takers import Row, Takers
from tasks.products.resolve import resolve_products
from tasks.runtime import PRODUCTS, Runtime

_LIKE: Final = 0.75
"""How alike two names must be, from 0 to 1, for one to be offered in place of the other."""


@dataclass(frozen=True, slots=True)
class FoundParties:
    """By row id: whom it bills for and to, or why it cannot be billed."""

    good: Mapping[int, Parties]
    bad: Mapping[int, Sequence[Problem]]


async def resolve_rows(runtime: Runtime, reading_id: int) -> Tally:
    """Safe to repeat: takers are looked up before they are created, templates and emitters are only looked up."""
    ledger = runtime.ledger
    if (await ledger.reading(file_of_reading, reading_id)).kind == PRODUCTS:
        return await resolve_products(runtime, reading_id)
    search = _Search(runtime, await _listen(runtime, reading_id))
    resolved = refused = 0
    async for records in in_parts(runtime, reading_id, RowState.READ):
        found = await search.find(records)
        if found.bad:
            await ledger.writing(ledger_rows.refuse_rows, found.bad, because="parties not resolved")
        await ledger.writing(ledger_rows.resolve_rows, found.good, keys={})
        resolved, refused = resolved + len(found.good), refused + len(found.bad)
    return Tally("resolve", f"reading {reading_id}", counts={"resolved": resolved, "refused": refused})


async def find_parties(
    runtime: Runtime, records: Sequence[RowRecord], *, newcomers: dict[int, TakerData] | None = None
) -> FoundParties:
    """The parties of service rows, all those of a reading, by row id.

    With `newcomers` this is a rehearsal: nothing is created at the provider. A taker that it does not know, and would
    take, stands there under the negative id that its rows get.
    """
    sayings = Sayings()
    sayings.hear(record.line or {} for record in records)
    sayings.hear_again(record.line or {} for record in records)
    return await _Search(runtime, sayings, newcomers).find(records)


async def _listen(runtime: Runtime, reading_id: int) -> Sayings:
    sayings = Sayings()
    async for records in in_parts(runtime, reading_id, RowState.READ):
        sayings.hear(record.line or {} for record in records)
    if sayings.differ:
        async for records in in_parts(runtime, reading_id, RowState.READ):
            sayings.hear_again(record.line or {} for record in records)
    return sayings


class _Search:
    """The parties of one reading: each is looked up once, however many parts its rows come in."""

    def __init__(self, runtime: Runtime, sayings: Sayings, newcomers: dict[int, TakerData] | None = None) -> None:
        self._runtime = runtime
        self._sayings = sayings
        self._takers = Takers(runtime, sayings, newcomers)
        self._emitters: dict[str, EmitterRecord | Problem] = {}
        self._templates: dict[tuple[int, str], int | Problem] = {}

    async def find(self, records: Sequence[RowRecord]) -> FoundParties:
        """The parties of some of its rows."""
        rows = [Row(record, ServiceLine.from_json(record.line or {})) for record in records]
        emitters = await self._find_emitters(rows)
        templates = await self._find_templates(rows, emitters)
        takers = await self._takers.find(rows, emitters)
        good: dict[int, Parties] = {}
        bad: dict[int, Sequence[Problem]] = {}
        for row in rows:
            if row.problems:
                bad[row.record.id] = [_placed(problem, row.record) for problem in row.problems]
                continue
            emitter = emitters[row.line.emitter_cnpj or ""]
            assert row.line.taker.document is not None
            good[row.record.id] = Parties(
                emitter_id=emitter.id,
                taker_id=takers[row.line.taker.document.number],
                template_id=templates[emitter.id, row.line.template_name or ""],
            )
        return FoundParties(good, bad)

    async def _find_emitters(self, rows: Sequence[Row]) -> dict[str, EmitterRecord]:
        for cnpj in sorted(self._sayings.emitters - self._emitters.keys()):
            self._emitters[cnpj] = await _find_emitter(self._runtime, cnpj)
        for row in rows:
            said = row.line.emitter_cnpj
            found = Problem("emitter.missing", "emitter_cnpj") if said is None else self._emitters[said]
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
                key = (emitter.id, name)
                if key not in self._templates:
                    self._templates[key] = await _find_template(self._runtime, emitter, name)
                found = self._templates[key]
                if isinstance(found, Problem):
                    row.problems.append(found)
        return {key: found for key, found in self._templates.items() if isinstance(found, int)}


def _placed(problem: Problem, row: RowRecord) -> Problem:
    where = problem.where
    if where.row is not None:
        return problem
    place = Where(sheet=row.sheet, row=row.row_number, column=where.column)
    return Problem(problem.code, problem.field, place, problem.params)


async def _find_emitter(runtime: Runtime, cnpj: str) -> EmitterRecord | Problem:
    found = await runtime.nfse.emitters.find(cnpj)
    if len(found) != 1:
        return Problem("emitter.unknown", "emitter_cnpj", params={"cnpj": cnpj})
    emitter = found[0]
    if not emitter.is_active:
        return Problem("emitter.inactive", "emitter_cnpj", params={"cnpj": cnpj})
    if city_of(emitter.city_code or "") is None:
        return Problem("emitter.city_unsupported", "emitter_cnpj", params={"city": emitter.city or "?"})
    await runtime.ledger.writing(
        ledger_parties.upsert_emitter,
        remote_id=emitter.id,
        cnpj=cnpj,
        name=emitter.social_reason,
        city_code=emitter.city_code or "",
        is_active=True,
    )
    record = await runtime.ledger.reading(ledger_parties.emitter_by_cnpj, cnpj)
    assert record is not None
    return record


async def _find_template(runtime: Runtime, emitter: EmitterRecord, name: str) -> int | Problem:
    templates = await runtime.nfse.service_values.find(emitter.remote_id, name)
    if not templates:
        everything = await runtime.nfse.service_values.all(emitter_id=emitter.remote_id)
        theirs = [template for template in everything if template.emitter_id == emitter.remote_id]
        templates = [template for template in theirs if folded(template.name) == folded(name)]
        if not templates and (near := _nearest(name, [template.name for template in theirs])):
            return Problem("template.near", "template", params={"template": name, "near": near})
    code = _template_fault(templates)
    if code is not None:
        return Problem(code, "template", params={"template": name})
    return await runtime.ledger.writing(
        ledger_parties.upsert_template,
        emitter_id=emitter.id,
        name=templates[0].name,
        remote_id=templates[0].id,
        body=templates[0].body,
    )


def _nearest(name: str, names: Sequence[str]) -> str | None:
    """Return the name that a person may have meant; only a person decides that it was meant."""
    by_text = {folded(each): each for each in names}
    return next((by_text[each] for each in get_close_matches(folded(name), by_text, n=1, cutoff=_LIKE)), None)


def _template_fault(templates: Sequence[Template]) -> str | None:
    """Why these are not the one template that a row can use; a rate that is no decimal stops its rows, not the run."""
    if len(templates) != 1:
        return "template.twice" if templates else "template.unknown"
    try:
        ServiceTemplate.from_wire(templates[0].body)
    except (KeyError, TypeError, ValueError):
        return "template.unreadable"
    return None
