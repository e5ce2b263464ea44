"""Compare this month with the two months before, for a person who is about to approve."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

from domain.forecasts.planned_invoices import PlannedNote
from domain.money import BASIS_POINTS_IN_ONE

ChangeKind: TypeAlias = Literal["newcomer", "missing", "amount", "twice", "cancelled"]
_WITHOUT_BEFORE: Final = frozenset({"twice", "cancelled"})
"""Changes that need no month before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BilledNote:
    """A living invoice of the ledger. Only service invoices name their customer and template.

    `taker_id`, `invoice_id` and `batch_id` are the ledger's. `was_cancelled`: an earlier invoice of the same charge was
    cancelled.
    """

    kind: str
    emitter_cnpj: str
    emitter_name: str
    competence: date
    taker_document: str | None
    taker_name: str
    template: str | None
    service_cents: int
    taker_id: int | None = None
    invoice_id: int = 0
    batch_id: int | None = None
    was_cancelled: bool = False

    @property
    def group(self) -> tuple[str, str, date]:
        """The key that batches and series have in common: kind, emitter, competence."""
        return self.kind, self.emitter_cnpj, self.competence


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthFigures:
    """The totals of one emitter's month and of the month before: planned and living invoices together, in cents.

    `change_bp` is the change of the total in basis points of the month before (None: nothing was billed then).
    `is_unusual`: the change exceeds the limit.
    """

    kind: str
    emitter_name: str
    competence: date
    count_before: int
    cents_before: int
    count: int
    cents: int
    change_bp: int | None
    is_unusual: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A difference of one taker between the planned month and the month before.

    Cents are None for a month without an amount. The kinds:

    * newcomer: the taker is billed now, but not in the two months before.
    * missing: the taker was billed in both of them, but now no file, no row without an invoice and no contract has it.
    * amount: the taker's sum for the same template changed by more than the limit.
    * twice: the taker has several invoices of the same template in this month, and more than in the month before.
    * cancelled: an invoice of the same charge was issued before, and cancelled.
    """

    kind: ChangeKind
    emitter_name: str
    competence: date
    taker_document: str
    taker_name: str
    template: str | None = None
    cents_before: int | None = None
    cents: int | None = None


@dataclass(frozen=True, slots=True)
class MonthComparison:
    """The comparison of planned months with the months before.

    `figures` has one entry for each document kind, emitter and month. `changes` are of service invoices only. If the
    ledger has no invoice of the month before, `twice` and `cancelled` are the only possible changes.
    """

    figures: tuple[MonthFigures, ...]
    changes: tuple[Change, ...]


_Notes: TypeAlias = Sequence[PlannedNote | BilledNote]


def month_before(month: date) -> date:
    """Return the first day of the month before the month of this date."""
    return (month.replace(day=1) - timedelta(days=1)).replace(day=1)


def compare_months(
    planned: _Notes,
    billed: Iterable[BilledNote],
    *,
    unusual_bp: int,
    charged: Collection[tuple[str, str, date]] = (),
    left_customers: Callable[[], Collection[str]] = tuple,
) -> MonthComparison:
    """Compare each planned month with the two months before it.

    Args:
        planned: The invoices that a run would issue.
        billed: The living invoices of all these months.
        unusual_bp: Report a total or an amount that changed by more than this many basis points.
        charged: (emitter CNPJ, customer document, month) of each charge that a contract makes. Such a customer is not
            missing.
        left_customers: Returns the documents of rows without an invoice. These customers are not missing either. It is
            called only if some customer seems to be missing.
    """
    months: defaultdict[tuple[str, str, date], list[PlannedNote | BilledNote]] = defaultdict(list)
    for each in billed:
        months[each.kind, each.emitter_cnpj, each.competence].append(each)
    figures: list[MonthFigures] = []
    changes: list[Change] = []
    groups: defaultdict[tuple[str, str, date], list[PlannedNote | BilledNote]] = defaultdict(list)
    for note in planned:
        groups[note.group].append(note)
    for (kind, emitter, month), notes in sorted(groups.items()):
        last = month_before(month)
        now = [*months.get((kind, emitter, month), ()), *notes]
        before = months.get((kind, emitter, last), [])
        earlier = months.get((kind, emitter, month_before(last)), [])
        figures.append(_compare_figures(notes[0], before, now, unusual_bp=unusual_bp))
        if kind == "service":
            found = _changes(notes, earlier, before, now, unusual_bp=unusual_bp)
            if not before:
                found = [each for each in found if each.kind in _WITHOUT_BEFORE]
            changes += [
                each for each in found if each.kind != "missing" or (emitter, each.taker_document, month) not in charged
            ]
    if any(each.kind == "missing" for each in changes):
        left = set(left_customers())
        changes = [each for each in changes if each.kind != "missing" or each.taker_document not in left]
    return MonthComparison(tuple(figures), tuple(changes))


def _compare_figures(sample: PlannedNote | BilledNote, before: _Notes, now: _Notes, *, unusual_bp: int) -> MonthFigures:
    total_before, cents = (sum(note.service_cents for note in notes) for notes in (before, now))
    change = _change_bp(total_before, cents)
    return MonthFigures(
        kind=sample.kind,
        emitter_name=sample.emitter_name,
        competence=sample.competence,
        count_before=len(before),
        cents_before=total_before,
        count=len(now),
        cents=cents,
        change_bp=change,
        is_unusual=change is not None and abs(change) > unusual_bp,
    )


def _change_bp(before: int, cents: int) -> int | None:
    return None if before == 0 else round((cents - before) * BASIS_POINTS_IN_ONE / before)


def _changes(planned: _Notes, earlier: _Notes, before: _Notes, now: _Notes, *, unusual_bp: int) -> list[Change]:
    """Return the changes of the customers in `planned`, and the missing customers; the gravest changes first."""
    sample, ours = planned[0], {note.taker_document for note in planned}
    names = {note.taker_document: note.taker_name for note in (*earlier, *before, *now)}
    now_takers, last_takers = (_by_taker(notes) for notes in (now, before))
    known = last_takers | _by_taker(earlier)
    regular = last_takers.keys() & _by_taker(earlier).keys()

    def change(kind: ChangeKind, document: str, **more: object) -> Change:
        place = {"emitter_name": sample.emitter_name, "competence": sample.competence}
        return Change(kind=kind, taker_document=document, taker_name=names[document], **place, **more)  # type: ignore[arg-type]

    twice, moved = [], []
    services_before, services_now = _by_service(before), _by_service(now)
    for (document, template), cents in sorted(services_now.items(), key=lambda item: (item[0][0], item[0][1] or "")):
        amounts = {"template": template, "cents": sum(cents)}
        old = services_before.get((document, template))
        if document not in ours:
            continue
        if len(cents) > max(1, len(old or ())):
            twice.append(change("twice", document, cents_before=None if old is None else sum(old), **amounts))
        if old is not None and abs(_change_bp(sum(old), sum(cents)) or 0) > unusual_bp:
            moved.append(change("amount", document, cents_before=sum(old), **amounts))
    again = _by_service([note for note in planned if isinstance(note, BilledNote) and note.was_cancelled])
    ended = [
        change("cancelled", document, template=template, cents=sum(cents))
        for (document, template), cents in sorted(again.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    ]
    missing = [change("missing", each, cents_before=last_takers[each]) for each in sorted(regular - now_takers.keys())]
    fresh = sorted(each for each in now_takers.keys() - known.keys() if each in ours)
    return [*twice, *ended, *moved, *missing, *(change("newcomer", each, cents=now_takers[each]) for each in fresh)]


def _by_taker(notes: _Notes) -> dict[str, int]:
    found: Counter[str] = Counter()
    for note in notes:
        if note.taker_document is not None:
            found[note.taker_document] += note.service_cents
    return dict(found)


def _by_service(notes: _Notes) -> dict[tuple[str, str | None], list[int]]:
    found: defaultdict[tuple[str, str | None], list[int]] = defaultdict(list)
    for note in notes:
        if note.taker_document is not None:
            found[note.taker_document, note.template].append(note.service_cents)
    return dict(found)
