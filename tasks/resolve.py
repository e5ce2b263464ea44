"""Station 3: who bills whom with which template: each distinct party of a reading is looked up once."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from connectors.http.errors import Doubtful, Refused
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import file_of_reading
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import Parties, RowRecord
from connectors.nfse.service_values import Template
from connectors.nfse.takers import Taker
from domain.cities import city_of
from domain.documents import Document
from domain.parties import TakerData, conflicts, merged, taker_problems
from domain.problems import Problem, Where
from domain.services import ServiceLine
from domain.states import RowState
from domain.tallies import Tally
from domain.templates import ServiceTemplate
from tasks.products.resolve import resolve_products
from tasks.protocol.posting import refusals
from tasks.runtime import PRODUCTS, Runtime

_CREATION_TRIES = 3


@dataclass(frozen=True, slots=True)
class FoundParties:
    """By row id: whom it bills for and to, or why it cannot be billed."""

    good: Mapping[int, Parties]
    bad: Mapping[int, Sequence[Problem]]


@dataclass(slots=True)
class _Row:
    record: RowRecord
    line: ServiceLine
    problems: list[Problem] = field(default_factory=list)


async def resolve_rows(runtime: Runtime, reading_id: int) -> Tally:
    """Safe to repeat: takers are looked up before they are created, templates and emitters are only looked up."""
    if (await runtime.ledger.reading(file_of_reading, reading_id)).kind == PRODUCTS:
        return await resolve_products(runtime, reading_id)
    records = await runtime.ledger.reading(
        ledger_rows.rows_of, reading_id, RowState.READ, limit=runtime.settings.limits.rows
    )
    found = await find_parties(runtime, records)
    await runtime.ledger.writing(ledger_rows.refuse_rows, found.bad, because="parties not resolved")
    await runtime.ledger.writing(ledger_rows.resolve_rows, found.good, keys={})
    return Tally("resolve", f"reading {reading_id}", counts={"resolved": len(found.good), "refused": len(found.bad)})


async def find_parties(
    runtime: Runtime, records: Sequence[RowRecord], *, newcomers: dict[int, TakerData] | None = None
) -> FoundParties:
    """The parties of service rows, by row id.

    With `newcomers` this is a rehearsal: nothing is created at the provider. A taker that it does not know, and would
    take, stands there under the negative id that its rows get.
    """
    rows = [_Row(record, ServiceLine.from_json(record.line or {})) for record in records]
    emitters = await _find_emitters(runtime, rows)
    templates = await _find_templates(runtime, rows, emitters)
    takers = await _find_takers(runtime, rows, emitters, newcomers)
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


def _placed(problem: Problem, row: RowRecord) -> Problem:
    where = problem.where
    if where.row is not None:
        return problem
    place = Where(sheet=row.sheet, row=row.row_number, column=where.column)
    return Problem(problem.code, problem.field, place, problem.params)


def _by_emitter(rows: Sequence[_Row]) -> Mapping[str, list[_Row]]:
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if row.line.emitter_cnpj is None:
            row.problems.append(Problem("emitter.missing", "emitter_cnpj"))
        else:
            groups[row.line.emitter_cnpj].append(row)
    return groups


async def _find_emitters(runtime: Runtime, rows: Sequence[_Row]) -> dict[str, EmitterRecord]:
    found: dict[str, EmitterRecord] = {}
    for cnpj, group in _by_emitter(rows).items():
        emitter = await _find_emitter(runtime, cnpj)
        if isinstance(emitter, Problem):
            for row in group:
                row.problems.append(emitter)
        else:
            found[cnpj] = emitter
    return found


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


async def _find_templates(
    runtime: Runtime, rows: Sequence[_Row], emitters: Mapping[str, EmitterRecord]
) -> dict[tuple[int, str], int]:
    groups: defaultdict[tuple[int, str], list[_Row]] = defaultdict(list)
    for row in rows:
        emitter = emitters.get(row.line.emitter_cnpj or "")
        if row.line.template_name is None:
            row.problems.append(Problem("template.missing", "template"))
        elif emitter is not None:
            groups[emitter.id, row.line.template_name].append(row)
    by_id = {emitter.id: emitter for emitter in emitters.values()}
    found: dict[tuple[int, str], int] = {}
    for (emitter_id, name), group in groups.items():
        templates = await runtime.nfse.service_values.find(by_id[emitter_id].remote_id, name)
        code = _template_fault(templates)
        if code is not None:
            for row in group:
                row.problems.append(Problem(code, "template", params={"template": name}))
            continue
        found[emitter_id, name] = await runtime.ledger.writing(
            ledger_parties.upsert_template,
            emitter_id=emitter_id,
            name=name,
            remote_id=templates[0].id,
            body=templates[0].body,
        )
    return found


def _template_fault(templates: Sequence[Template]) -> str | None:
    """Why these are not the one template that a row can use; a rate that is no decimal stops its rows, not the run."""
    if len(templates) != 1:
        return "template.twice" if templates else "template.unknown"
    try:
        ServiceTemplate.from_wire(templates[0].body)
    except (KeyError, TypeError, ValueError):
        return "template.unreadable"
    return None


async def _find_takers(
    runtime: Runtime,
    rows: Sequence[_Row],
    emitters: Mapping[str, EmitterRecord],
    newcomers: dict[int, TakerData] | None,
) -> dict[str, int]:
    """Ledger ids by document, of the takers of rows that are good so far; the bad rows get their problems."""
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if row.line.taker.document is None:
            row.problems.append(Problem("taker.no_document", "document"))
        else:
            groups[row.line.taker.document.number].append(row)
    for group in groups.values():
        _check_agreement(group)
    wanted = {number: group for number, group in groups.items() if not all(row.problems for row in group)}
    known = await runtime.ledger.reading(ledger_parties.takers_by_documents, list(wanted))
    found = {number: taker.id for number, taker in known.items()}
    unknown = [number for number in wanted if number not in known]
    made = await asyncio.gather(*(_find_or_create(runtime, wanted[number], emitters, newcomers) for number in unknown))
    return found | {number: taker_id for number, taker_id in zip(unknown, made, strict=True) if taker_id is not None}


def _check_agreement(group: Sequence[_Row]) -> None:
    """Rows that contradict each other about one taker are refused: a person chooses which is right."""
    for row in group:
        differing = {name for other in group for name in conflicts(row.line.taker, other.line.taker)}
        if differing:
            row.problems.append(Problem("taker.conflict", "name", params={"fields": ", ".join(sorted(differing))}))


async def _find_or_create(
    runtime: Runtime,
    group: Sequence[_Row],
    emitters: Mapping[str, EmitterRecord],
    newcomers: dict[int, TakerData] | None,
) -> int | None:
    # What is disputed between rows becomes nobody's data: the others speak for themselves.
    group = [row for row in group if not any(problem.code == "taker.conflict" for problem in row.problems)]
    data = reduce(merged, (row.line.taker for row in group))
    codes = {emitters[cnpj].city_code for row in group if (cnpj := row.line.emitter_cnpj or "") in emitters}
    cities = [city_of(code) for code in sorted(codes)]
    found = await _look(runtime, data.document)
    taker: Taker | list[Problem]
    if found is not None:
        taker = found if found.is_complete else [Problem("taker.incomplete", "name")]
    else:
        taker = [problem for city in cities if city is not None for problem in taker_problems(data, city)]
        if not taker and newcomers is not None:
            newcomers[-1 - len(newcomers)] = data
            return -len(newcomers)
        taker = taker or await _create(runtime, data)
    if isinstance(taker, list):
        for row in group:
            row.problems.extend(taker)
        return None
    assert data.document is not None
    return await runtime.ledger.writing(
        ledger_parties.upsert_taker,
        document=data.document.number,
        remote_id=taker.id,
        name=taker.social_reason or "",
        body=taker.body,
        is_complete=taker.is_complete,
    )


async def _look(runtime: Runtime, document: Document | None) -> Taker | None:
    assert document is not None
    found = await runtime.nfse.takers.find(document)
    return found[0] if found else None


async def _create(runtime: Runtime, data: TakerData) -> Taker | list[Problem]:
    """Create the taker, or the provider's words why not. A document is unique there: whoever was first is found."""
    refused: list[Problem] = []
    for _ in range(_CREATION_TRIES):
        try:
            return await runtime.nfse.takers.create(data.to_wire())
        except Doubtful:
            refused = [Problem("taker.not_created", "document")]
        except Refused as error:
            refused = list(refusals(error))
        found = await _look(runtime, data.document)
        if found is not None:
            return found
        if refused and refused[0].code != "taker.not_created":
            break
    return refused
