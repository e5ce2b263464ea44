"""The number audit: explain every number of each serie, and check whether another program uses one of our series."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from configs.catalogue import Catalogue
from connectors.http.errors import ConnectorError
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup.audits import numbers_of, series_of
from connectors.ledger.backup.restorations import quarantine_of, unrestored_numbers
from connectors.ledger.numbers import SerieRecord
from connectors.ledger.parties import EmitterRecord
from connectors.spreadsheets.writers.pages import Cell, Page, Section, write_page
from domain.forecasts.planned_invoices import number_span
from domain.invoice_numbers import SerieReading, check_serie
from domain.number_audit import Explanation, NumberLine, SerieAudit
from domain.problems import FaturistaError, Problem, SettingsError
from tasks.issuance.numbering import read_serie
from tasks.runtime import Context, Runtime, open_context, open_runtime
from tasks.views.journal import say_retired
from tasks.views.rejections import say_errors
from tasks.views.sections import section

_SHOWN: Final = 10


@asynccontextmanager
async def open_audit(profile: str) -> AsyncIterator[tuple[Context, Problem | None]]:
    """Yield a runtime and None, or a plain context and the problem if a provider cannot be reached.

    Raises `FaturistaError`.
    """
    async with AsyncExitStack() as stack:
        silence: Problem | None = None
        try:
            context: Context = await stack.enter_async_context(open_runtime(profile, station="audit"))
        except (ConnectorError, SettingsError) as error:
            context, silence = stack.enter_context(open_context(profile)), error.problem
        yield context, silence


async def audit_numbers(
    context: Context, *, emitter_cnpj: str | None = None, serie: str | None = None, silence: Problem | None = None
) -> list[SerieAudit]:
    """Audit all series, or those of one emitter or name. Raises `FaturistaError` (`audit.no_serie`) if none exists.

    A serie is audited even if its provider gives no answer; the result then has `is_asked` False. `context` and
    `silence` come from `open_audit`: `silence` is the reason why no request can be sent.
    """
    audits: list[SerieAudit] = []
    silent = {} if silence is None else dict.fromkeys(context.registry.systems, silence)
    for emitter in await context.ledger.read_async(ledger_parties.emitters_all):
        if emitter_cnpj not in (None, emitter.cnpj):
            continue
        records = await context.ledger.read_async(series_of, emitter.id)
        audits += [await _audit(context, emitter, each, silent) for each in records if serie in (None, each.serie)]
    if not audits:
        raise FaturistaError(Problem("audit.no_serie"))
    return audits


async def _audit(
    context: Context, emitter: EmitterRecord, record: SerieRecord, silent: dict[str, Problem]
) -> SerieAudit:
    """Audit one serie. `silent` has the errors by system: a system that failed once gets no further request."""
    ledger, system = context.ledger, context.registry.system_of[emitter.issuer]
    latest, problem = None, silent.get(system)
    capabilities = context.capabilities(emitter.issuer)
    is_asked = problem is None and (capabilities.has_serie_record or capabilities.can_list)
    if is_asked and isinstance(context, Runtime):
        try:
            shown = await read_serie(context, emitter, record.serie)
        except (ConnectorError, SettingsError) as error:
            problem = silent[system] = error.problem
            is_asked = False
        else:
            # Read our record after the provider's: it has other workers' latest posts, so none of them looks foreign.
            now = await ledger.read_async(ledger_numbers.serie_of, emitter.id, record.serie)
            record = record if now is None else now
            latest, problem = shown.latest_number, await _shared_serie_problem(context, emitter, record, shown)
    return SerieAudit(
        emitter_name=emitter.name,
        cnpj=emitter.cnpj,
        kind=emitter.kind,
        serie=record.serie,
        first_number=record.first_number,
        next_number=record.next_number,
        highest_posted=record.highest_posted,
        lines=await ledger.read_async(numbers_of, emitter.id, record.serie),
        latest=latest,
        problem=problem,
        is_asked=is_asked,
        lost=await ledger.read_async(unrestored_numbers, emitter.id, record.serie),
    )


async def _shared_serie_problem(
    context: Context, emitter: EmitterRecord, record: SerieRecord, shown: SerieReading
) -> Problem | None:
    """Return a problem if another program uses the serie.

    A restored ledger gets another code, because the unknown posts may be its own.
    """
    verdict = check_serie(
        shown, highest_posted=record.highest_posted, is_started=True, first_number=record.first_number
    )
    if verdict.problem is None:
        return None
    where: dict[str, str | int] = {"cnpj": emitter.cnpj, "serie": record.serie}
    if await context.ledger.read_async(quarantine_of) is not None:
        return Problem("restore.serie_ahead", "serie", params={**where, "number": shown.latest_number or 0})
    return Problem(verdict.problem.code, "serie", params={**where, **verdict.problem.params})


def audit_page(words: Catalogue, audits: Iterable[SerieAudit]) -> Page:
    """Return the audit in the operator's language. Its `lists`, with every number, are for the workbook only."""
    audits = list(audits)
    return Page(
        title=words.text("audit.title"),
        lines=tuple(_findings(words, audits)),
        # Say only once that a provider did not answer.
        alarms=tuple(dict.fromkeys(words.say(audit.problem) for audit in audits if audit.problem is not None)),
        sections=(
            _summary(words, audits),
            _reasons(words, audits),
            _questions(words, audits),
            _gaps(words, audits),
        ),
        lists=tuple(_numbers(words, audit) for audit in audits),
    )


def _findings(words: Catalogue, audits: Sequence[SerieAudit]) -> Iterator[str]:
    """Yield the results: whether all numbers are explained, and whether we alone use the series."""
    is_explained = all(audit.are_numbers_explained for audit in audits)
    yield words.text("audit.all_explained" if is_explained else "audit.not_all_explained")
    unknown = sum(audit.counts.get(Explanation.UNKNOWN, 0) for audit in audits)
    if unknown:
        yield words.text("audit.in_doubt", count=unknown)
    unseen = [audit for audit in audits if not audit.is_asked]
    if unseen:
        series = ", ".join(f"{words.text(f'kind.{audit.kind}')} {audit.serie} ({audit.cnpj})" for audit in unseen)
        yield words.text("audit.not_asked", series=series)
    elif all(audit.problem is None for audit in audits):
        yield words.text("audit.ours_alone")


def write_audit(context: Context, audits: Iterable[SerieAudit]) -> Path:
    """Write the audit as a workbook. Return its path."""
    path = context.outbox / f"{context.catalogue.text('audit.suffix')}.xlsx"
    write_page(path, audit_page(context.catalogue, audits), made_at=context.clock())
    return path


def _summary(words: Catalogue, audits: list[SerieAudit]) -> Section:
    rows = [
        (
            audit.emitter_name,
            words.text(f"kind.{audit.kind}"),
            audit.serie,
            number_span(audit.first_given, audit.next_number - 1) if audit.lines else "",
            *(audit.counts.get(explanation, 0) for explanation in Explanation),
            sum(gap.count for gap in audit.gaps),
            audit.latest,
        )
        for audit in audits
    ]
    headings = (
        "emitter",
        "kind",
        "serie",
        "numbers",
        *(f"audit_{each}" for each in Explanation),
        "holes",
        "latest_there",
    )
    return section(words, "audit.series", headings, rows)


def _reasons(words: Catalogue, audits: list[SerieAudit]) -> Section:
    counts = Counter(
        (audit.serie, words.text(f"state.invoice.{line.state}"), _reason(words, line))
        for audit in audits
        for line in audit.lines
        if line.because
    )
    rows = [(serie, state, because, count) for (serie, state, because), count in counts.most_common()]
    headings = ("serie", "state", "reason", "count")
    return section(words, "audit.reasons", headings, rows[:_SHOWN], note=_more_text(words, rows))


def _reason(words: Catalogue, line: NumberLine) -> str:
    """Return why the number was retired: the messages of provider or city, or else the journal's reason."""
    return "; ".join(say_errors(words, line.errors)) or say_retired(words, line.because)


def _questions(words: Catalogue, audits: list[SerieAudit]) -> Section:
    wanted = {Explanation.UNKNOWN, Explanation.UNEXPLAINED}
    found = [(audit, line) for audit in audits for line in audit.lines if line.explanation in wanted]
    rows = [
        (audit.emitter_name, f"{audit.serie}-{line.number}", words.text(f"state.invoice.{line.state}"), line.invoice_id)
        for audit, line in found[:_SHOWN]
    ]
    headings = ("emitter", "number", "state", "invoice")
    return section(words, "audit.questions", headings, rows, note=_more_text(words, found))


def _gaps(words: Catalogue, audits: list[SerieAudit]) -> Section:
    rows = [
        (
            audit.emitter_name,
            f"{audit.serie}-{gap.first}",
            f"{audit.serie}-{gap.last}",
            gap.count,
            words.text(f"audit.gap_{gap.why}"),
        )
        for audit in audits
        for gap in audit.gaps
    ]
    return section(words, "audit.gaps", ("emitter", "first", "last", "count", "reason"), rows)


def _more_text(words: Catalogue, rows: Sequence[object]) -> str:
    return words.text("audit.more", more=len(rows) - _SHOWN) if len(rows) > _SHOWN else ""


def _numbers(words: Catalogue, audit: SerieAudit) -> Section:
    title = f"{audit.serie} {audit.cnpj} {words.text(f'kind.{audit.kind}')}"
    headings = ("number", "status", "state", "reason", "replaced_by", "nfse", "provider_id", "invoice")
    shown = tuple(words.text(f"heading.{each}") for each in headings)
    return Section(title, shown, list(_cells(words, audit.lines)))


def _cells(words: Catalogue, lines: Iterable[NumberLine]) -> Iterator[tuple[Cell, ...]]:
    for line in lines:
        yield (
            line.number,
            words.text(f"heading.audit_{line.explanation}"),
            words.text(f"state.invoice.{line.state}"),
            _reason(words, line) if line.because else "",
            line.replaced_by,
            line.nfse_number or "",
            None if line.remote_id is None else str(line.remote_id),
            str(line.invoice_id),
        )
