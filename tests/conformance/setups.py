"""One setup for each shape of issuer: its provider, its sheet, its settings, and its final content.

The line, the workers and the stations are the same for all. The independent check compares three things: what the sheet
asked for, what the ledger says and what the provider holds.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

import openpyxl
import pytest

from tasks.issuance.decide import decide_batch, decide_note
from tasks.runtime import PRODUCTS, SERVICES
from tasks.stations.intake import archive_file
from tasks.stations.report import report_outcome
from tests.conformance.national import server
from tests.faults.evidence import HEADERS, Record, read_ledger
from tests.faults.journal import journal_faults
from tests.faults.provider import cents_of
from tests.faults.sales import Sale, content_of, month_of_sales, write_sales
from tests.faults.theatre import Theatre
from tests.faults.workbooks import Line, month_lines, write_month
from tests.sandboxes import RunningSandbox, running_sandbox

Asked = tuple[str, int]
"""Issuing company with its kind of document, and cents: no two rows of a sheet have the same."""


@dataclass(frozen=True, slots=True)
class Held:
    """An invoice at the provider. `company` is its CNPJ and the kind, because each kind has its own numbers."""

    id: int
    company: str
    serie: str
    number: int
    cents: int
    is_issued: bool


@dataclass(slots=True)
class Setup(Theatre):
    """A place to bill sheets through one shape of issuer."""

    asked: Counter[Asked] = field(default_factory=Counter)
    bad: int = 0

    kind: ClassVar[str] = SERVICES
    posts: ClassVar[tuple[str, ...]] = ()
    boundaries: ClassVar[tuple[str, ...]] = ()
    """Operations of the provider: a test kills a worker at each. A look for an invoice in doubt follows its post."""

    @property
    def environment(self) -> dict[str, str]:
        """Return the settings of every worker."""
        more = {f"FATURISTA_{name}": value for name, value in self.own_settings().items()}
        return Theatre.environment.fget(self) | more  # type: ignore[attr-defined, no-any-return]

    def own_settings(self) -> Mapping[str, str]:
        """Return the settings in which this shape differs."""
        return {}

    @abstractmethod
    def lines(self, count: int, part: int) -> Sequence[Any]:
        """Return what a sheet with `count` invoices asks for; each `part` asks for others."""

    @abstractmethod
    def write(self, path: Path, lines: Sequence[Any]) -> Path:
        """Write a sheet with these lines; record what it asks for."""

    @abstractmethod
    def held(self) -> list[Held]:
        """Return the invoices that the provider holds."""

    def offer(self, count: int, *, part: int = 0) -> Path:
        """Write a sheet and enter it in the ledger. Return its path. Each `part` asks for other invoices."""
        path = self.write(self.home / f"sheet-{part}.xlsx", self.lines(count, part))
        with self.context() as context:
            archive_file(context, path, kind=self.kind)
        return path

    def check_sound(self) -> dict[str, list[Record]]:
        """Check at any moment: nothing is issued twice, nothing without a row, nothing contradicts the ledger."""
        ledger, held = read_ledger(self.ledger_url), self.held()
        # An invoice that was refused or given up after the approval has left its batch.
        left = tuple({f"batch {each['batch_id']} was approved with another" for each in _dropped(ledger)})
        faults = [each for each in journal_faults(ledger, quiet_s=self.quiet_s) if not each.startswith(left)]
        faults += [f"{number} is used twice" for number, count in _numbers(held).items() if count > 1]
        issued = Counter((each.company, each.cents) for each in held if each.is_issued)
        faults += [f"issued, but not asked for so often: {asked}" for asked in issued - self.asked]
        faults += _unlike(ledger, held)
        posts = sum(attempt["what"] == "post" for attempt in ledger["attempts"])
        if self.seen(*self.posts) > posts:
            faults.append(f"{self.seen(*self.posts)} posts, {posts} attempts")
        self._refuse(faults)
        return ledger

    def check_done(self) -> dict[str, list[Record]]:
        """Check at the end: each good row has one invoice, each bad row a reason, and nothing waits."""
        ledger, held = self.check_sound(), self.held()
        faults = []
        if Counter((each.company, each.cents) for each in held if each.is_issued) != self.asked:
            faults.append("not every row has its invoice")
        if len(_rows(ledger, "refused")) != self.bad:
            faults.append("not every bad row is refused")
        known = {each["remote_id"] for each in ledger["invoices"] if each["state"] == "accepted"}
        if known != {each.id for each in held if each.is_issued}:
            faults.append("the ledger does not know what was issued")
        faults += [
            f"{table} {each['id']} is still {each['state']}"
            for table, ends in _ENDS.items()
            for each in ledger[table]
            if each["state"] not in ends
        ]
        faults += [f"still open: {each['code']}" for each in ledger["incidents"] if each["closed_at"] is None]
        self._refuse(faults)
        lines, accepted, refused = self.outcome(ledger)
        statuses = Counter(str(line[0]) for line in lines)
        assert (statuses[accepted], statuses[refused]) == (len(lines) - self.bad, self.bad), statuses
        shown = {str(cell) for line in lines for cell in line}
        assert {each["nfse_number"] for each in ledger["invoices"] if each["state"] == "accepted"} <= shown
        return ledger

    def decide(self) -> bool:
        """Decide what only a person can, by what the provider holds. Return False if there was nothing."""
        ledger = read_ledger(self.ledger_url)
        companies = _companies(ledger)
        numbers = _numbers(self.held())
        unresolved = [each for each in ledger["invoices"] if each["state"] == "unresolved"]
        disturbed = [each for each in ledger["batches"] if each["state"] == "disturbed"]
        with self.context() as context:
            for each in unresolved:
                place = (companies[each["emitter_id"]], each["serie"], each["number"])
                assert not numbers[place], "what is there was not found"
                decide_note(context, each["id"], "retired", person="Ana", because="not in the provider's page")
            for each in disturbed:
                because = "what was lost is retired"
                decide_batch(
                    context, each["id"], "open" if each["is_staged"] else "sent", person="Ana", because=because
                )
        return bool(unresolved or disturbed)

    def finish_story(self, sheet: Path) -> dict[str, list[Record]]:
        """Run without faults to the end, with a person's decisions where needed; check everything."""
        self.run(sheet)
        while self.decide():
            self.run(sheet)
        return self.check_done()

    def outcome(self, ledger: Mapping[str, list[Record]]) -> tuple[list[tuple[Any, ...]], str, str]:
        """Write each sheet's outcome workbook. Return the lines, status first, and the words for issued and refused."""
        with self.context() as context:
            paths = [report_outcome(context, each["id"], folder=self.home) for each in ledger["files"]]
            accepted, refused = context.catalogue.text("status.accepted"), context.catalogue.text("status.refused")
        lines = [line for path in paths for line in _outcome_lines(path)]
        assert len(lines) == len(_rows(ledger)), lines
        return lines, accepted, refused


_ENDS: Final = {
    "invoices": {"accepted", "retired"},
    "batches": {"processed", "discarded"},
    "rows": {"assembled", "refused"},
}


def _rows(ledger: Mapping[str, list[Record]], *states: str) -> set[tuple[int, int]]:
    # Each run reads a bad row again: its newest reading counts.
    files = {each["id"]: each["file_id"] for each in ledger["readings"]}
    newest = {(files[each["reading_id"]], each["row_number"]): each["state"] for each in ledger["rows"]}
    return {place for place, state in newest.items() if state in states or not states}


def _numbers(held: list[Held]) -> Counter[tuple[str, str, int]]:
    return Counter((each.company, each.serie, each.number) for each in held)


def _dropped(ledger: Mapping[str, list[Record]]) -> list[Record]:
    return [each for each in ledger["invoices"] if each["state"] in ("refused", "retired")]


def _companies(ledger: Mapping[str, list[Record]]) -> dict[int, str]:
    return {each["id"]: f"{each['cnpj']} {each['kind']}" for each in ledger["emitters"]}


def _unlike(ledger: Mapping[str, list[Record]], held: list[Held]) -> Iterator[str]:
    """Yield invoices at the provider without a number of ours, and ledger ids that differ there in any cent."""
    companies = _companies(ledger)
    ours = {
        (companies[each["emitter_id"]], each["serie"], each["number"], each["service_cents"])
        for each in ledger["invoices"]
    }
    there = {each.id: (each.company, each.serie, each.number, each.cents) for each in held}
    yield from (f"{place} is none of ours" for place in there.values() if place not in ours)
    for each in ledger["invoices"]:
        place = _place(companies, each)
        if each["remote_id"] is not None and each["state"] != "deleted" and there.get(each["remote_id"]) != place:
            yield f"invoice {each['id']} is {place}, there {there.get(each['remote_id'])}"


def _place(companies: Mapping[int, str], invoice: Record) -> tuple[str, str, int, int]:
    return (companies[invoice["emitter_id"]], invoice["serie"], invoice["number"], invoice["service_cents"])


def _outcome_lines(path: Path) -> list[tuple[Any, ...]]:
    """Return the lines of the page with one line a row, status first."""
    book = openpyxl.load_workbook(path)
    for sheet in book.worksheets:
        table = list(sheet.iter_rows(values_only=True))
        heads = [place for place, row in enumerate(table) if "Linha" in row and "Situação" in row]
        if heads:
            status = table[heads[0]].index("Situação")
            found = [(line[status], *line) for line in table[heads[0] + 1 :] if line[status] is not None]
            book.close()
            return found
    raise AssertionError("no page with a line for each row")


class ServiceSetup(Setup):
    """Service invoices that wait in a batch for one send."""

    posts = ("notes.create",)
    boundaries = ("emitters.list", "takers.create", "batches.create", "notes.create", "batches.notes", "batches.send")

    def lines(self, count: int, part: int) -> Sequence[Line]:
        """Return a month of service rows for the customers of this part, some of them bad."""
        return month_lines(count, seed=1 + part)

    def write(self, path: Path, lines: Sequence[Line]) -> Path:
        """Write a sheet of services."""
        write_month(path, lines)
        for line in lines:
            if line.kind == "good":
                cents = round(line.cells[HEADERS["cents"]] * 100)
                self.asked[f"{line.cells[HEADERS['emitter']]} service", cents] += 1
        self.bad += sum(line.kind == "bad" for line in lines)
        return path

    def held(self) -> list[Held]:
        """Return the notes that were not deleted."""
        return [
            Held(
                note["id"],
                f"{note['emitter_cnpj']} service",
                note["serie"],
                note["number"],
                cents_of(note["service_values"]["service_amount"]),
                note["status"] == "accepted",
            )
            for note in self.sandbox.record()["notes"]
            if not note["is_deleted"]
        ]


class ProductSetup(Setup):
    """Product invoices of both kinds, which a post issues; the tax authority answers later."""

    kind = PRODUCTS
    posts = ("nfe.create", "nfce.create")
    boundaries = ("organizations.list", "nfe.create", "nfe.list", "nfce.create", "nfe.read", "nfce.read")

    def own_settings(self) -> Mapping[str, str]:
        """Return the settings with the product issuer's address."""
        return {"PRODUCTS__BASE_URL": self.sandbox.base_url, "PRODUCTS__EXTENSIONS": "true"}

    def lines(self, count: int, part: int) -> Sequence[Sale]:
        """Return orders of two rows each, alternating between the shops."""
        return month_of_sales(count * (part + 1))[count * part :]

    def write(self, path: Path, lines: Sequence[Sale]) -> Path:
        """Write a sheet of sales."""
        self.asked.update((" ".join(each.content[:2]), each.cents) for each in lines)
        return write_sales(path, lines)

    def held(self) -> list[Held]:
        """Return the product invoices."""
        return [
            Held(
                each["id"],
                " ".join(content_of(each)[:2]),
                str(each["serie"]),
                each["number"],
                content_of(each)[2],
                each["status"] == "succeeded",
            )
            for each in self.sandbox.record()["product_invoices"]
        ]


class NationalSetup(ServiceSetup):
    """Service invoices that a post issues with its answer, through an issuer that the settings add."""

    posts = ("declare",)
    boundaries = ("taxpayers", "declare", "declare", "find", "read", "read")

    def own_settings(self) -> Mapping[str, str]:
        """Return the registration of the third issuer."""
        national = {
            "MODULE": "tests.conformance.national.system:SYSTEM",
            "BASE_URL": self.sandbox.base_url,
            "TOKEN": f"plain:{server.TOKEN}",
            "IN_FLIGHT": "4",
            "SECRETS__SIGNING_KEY": f"plain:{server.SIGNING_KEY}",
            "PACE__LEAST_PER_MINUTE": "6000",
            "PACE__LONGEST_PAUSE_S": "60",
            "PACE__FAILURES_BEFORE_REST": "10",
            "PACE__RESTS_S": "[0.2, 0.5]",
        }
        return {
            "ISSUERS__SERVICE": "national",
            "SERIES__DEFAULT": "900",
            **{f"SYSTEMS__NATIONAL__{name}": value for name, value in national.items()},
        }

    def held(self) -> list[Held]:
        """Return the NFS-e that were issued."""
        return [
            Held(
                each["nsu"],
                f"{each['dps']['prest']['CNPJ']} service",
                each["dps"]["serie"],
                each["dps"]["nDPS"],
                server.cents_of(each),
                each["situacao"] == "emitida",
            )
            for each in self.sandbox.record()["issued"]
        ]


SETUPS: Final[Mapping[str, type[Setup]]] = {
    "services": ServiceSetup,
    "products": ProductSetup,
    "national": NationalSetup,
}


def on(*cases: tuple[str, str]) -> pytest.MarkDecorator:
    """Run a story once for each of these pairs of a shape and a database."""
    params = [pytest.param(shape, database, id=f"{shape}, {database}") for shape, database in cases]
    return pytest.mark.parametrize(("setup", "ledger_url"), params, indirect=True)


EACH: Final = on(("services", "sqlite"), ("products", "postgresql"), ("national", "sqlite"))
EACH_THE_OTHER_WAY: Final = on(("services", "postgresql"), ("products", "sqlite"), ("national", "postgresql"))
"""Every shape of issuer, each on one database; the next story uses the other database."""


@contextmanager
def open_setup(shape: str, home: Path, ledger_url: str) -> Iterator[Setup]:
    """Yield a running provider and an empty ledger; end all workers afterwards."""
    if shape == "national":
        with server.running_service() as address, _opened(shape, home, ledger_url, RunningSandbox(address)) as opened:
            yield opened
        return
    switches: dict[str, Any] = {"advance": "at_once", "product_advance": "at_once"}
    with (
        running_sandbox(in_thread=True, **switches) as sandbox,
        _opened(shape, home, ledger_url, sandbox) as opened,
    ):
        yield opened


@contextmanager
def _opened(shape: str, home: Path, ledger_url: str, sandbox: RunningSandbox) -> Iterator[Setup]:
    opened = SETUPS[shape](home, ledger_url, sandbox)
    try:
        yield opened
    finally:
        opened.close()
