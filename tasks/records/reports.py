"""Write records of the order and identity services into workbooks: adjustments in force, and members."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path

from connectors.http.errors import NotFound
from connectors.spreadsheets.writers.pages import Cell, Cents, Page, Section, write_page
from domain import money
from domain.competence import BRASILIA
from domain.keys import canonical_json, content_digest
from domain.resources import Record
from tasks.orders.reports import wanted_plans
from tasks.records.kinds import Kind, open_resource
from tasks.records.plans import list_records
from tasks.runtime import Context, open_context

_ADJUSTMENT = ("description", "valid_from", "valid_until", "redeemed_amount")
_ACCOUNT = ("account_data.name", "expiration")
_OF_MEMBER = ("identity", "roles")


async def report_adjustments(profile: str, plans: Sequence[str]) -> Path:
    """Fetch the orders of these plans, and write their adjustments and discounts in force today into a workbook.

    Return its path.
    """
    with open_context(profile) as context:
        wanted = wanted_plans(context, plans)
        today = context.clock().astimezone(BRASILIA).date()
    orders = [order for plan in wanted for order in await _list_places(profile, "order", [(plan,)])]
    found = await _list_places(profile, "adjustment", [order.path for order in orders])
    clients = {order.path: order.values.get("client_name", "") for order in orders}
    rows = [
        (*each.path[:2], clients.get(each.path[:2], ""), _amount(each), *_values(each, _ADJUSTMENT))
        for each in found
        if _is_in_force(each, today)
    ]
    return _write(profile, "adjustments", ("plan", "order", "client_name", "amount", *_ADJUSTMENT), rows)


async def report_members(profile: str) -> Path:
    """Write the accounts of the identity service with the members of each. Return the path."""
    accounts = await _list_places(profile, "account", [()])
    members = await _list_places(profile, "member", [account.path for account in accounts])
    by_account = {account.path[0]: account for account in accounts}
    rows = [
        (each.path[0], *_values(by_account[each.path[0]], _ACCOUNT), *_values(each, _OF_MEMBER)) for each in members
    ]
    return _write(profile, "members", ("account", *_ACCOUNT, *_OF_MEMBER), rows)


async def _list_places(profile: str, kind: Kind, places: Sequence[tuple[str, ...]]) -> list[Record]:
    found: list[Record] = []
    async with open_resource(profile, kind) as opened:
        for place in places:
            # The identity service lists accounts of other services, and shows nothing else of them.
            with suppress(NotFound):
                found += await list_records(opened, place, {})
    return found


def _is_in_force(record: Record, day: date) -> bool:
    begin, end = (record.values.get(name, "")[:10] for name in ("valid_from", "valid_until"))
    return (not begin or begin <= day.isoformat()) and (not end or end >= day.isoformat())


def _amount(record: Record) -> Cents | None:
    text = record.values.get("amount")
    return None if text is None else Cents(money.from_wire(text))


def _values(record: Record, names: Sequence[str]) -> Iterator[str]:
    return (record.values.get(name, "") for name in names)


def _write(profile: str, name: str, headings: tuple[str, ...], rows: Sequence[tuple[Cell, ...]]) -> Path:
    """Write a list. The same rows on the same day give the same file."""
    with open_context(profile) as context:
        words = context.catalogue
        title = words.text(f"registered.{name}", count=len(rows))
        page = Page(title, (), (), (), (Section(words.text(f"registered.{name}_list"), headings, rows),))
        digest = content_digest(canonical_json([[str(cell) for cell in row] for row in rows]))
        path = context.outbox / f"{words.text(f'registered.{name}_list')}-{digest[:8]}.xlsx"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_page(path, page, made_at=_day_of(context))
        return path


def _day_of(context: Context) -> datetime:
    return datetime.combine(context.clock().astimezone(BRASILIA).date(), time(), BRASILIA)
