"""The register keeps one e-mail of a customer: preview and bill report every other one of the sheet."""

from typing import Any

from domain.decisions import decisions_of
from domain.services.lines import ServiceLine
from tests.tasks.rows import line, taker
from tests.tasks.services.test_register_updates import _register, previewed
from tests.tasks.stations.test_resolve import REGISTERED, known_taker, resolved, seeded, stored_decisions
from tests.tasks.workshop import Workshop

A, B, C = "ana@a.example", "bia@b.example", "caio@c.example"
Reported = tuple[Any, ...]


def _line(number: int, *emails: str, **changes: Any) -> ServiceLine:
    return line(number, taker=taker(1, name=REGISTERED, emails=emails), **changes)


def _known(shop: Workshop, email: str | None) -> None:
    """Have the first customer in the register, complete, with this e-mail or none."""
    seeded(shop, takers=[known_taker(contact={"email": email} if email else None)])


def _reported(shop: Workshop, *rows: ServiceLine) -> list[Reported]:
    """Return code, addresses and row of each remark about e-mails; preview and bill must agree."""
    seen = previewed(shop, shop.reading(*rows))
    assert resolved(shop, *rows) == {}
    found = [
        [
            (each.problem.code, each.problem.params.get("emails"), *each.rows)
            for each in decisions
            if each.problem.field == "email"
        ]
        for decisions in (decisions_of(seen.remarks), stored_decisions(shop))
    ]
    assert found[0] == found[1]
    return found[0]


def test_a_new_customers_first_e_mail_is_kept_and_others_reported(each_shop: Workshop):
    shop = each_shop
    assert _reported(shop, _line(1, A, B, C), _line(2, A.upper())) == [
        ("taker.email_unused", "b***@b.example, c***@c.example", 5)
    ]
    assert _register(shop)["contact"]["email"] == A


def test_e_mails_of_two_rows_are_reported_by_row(shop: Workshop):
    assert _reported(shop, _line(1, A), _line(2, B), _line(3, B)) == [("taker.email_unused", "b***@b.example", 6)]
    assert [each.problem.code for each in stored_decisions(shop)] == ["taker.email_unused"]


def test_the_registers_e_mail_is_kept_whichever_of_the_sheets_it_is(shop: Workshop):
    _known(shop, B)
    assert _reported(shop, _line(1, A, B.upper())) == [("taker.email_unused", "a***@a.example", 5)]
    assert _register(shop)["contact"]["email"] == B


def test_an_e_mail_that_changed_is_reported_as_different(shop: Workshop):
    _known(shop, C)
    assert _reported(shop, _line(1, A, B)) == [("taker.differs", None, 5)]


def test_an_e_mail_that_a_complete_record_lacks_is_reported(shop: Workshop):
    _known(shop, None)
    assert _reported(shop, _line(1, A)) == [("taker.email_lacking", "a***@a.example", 5)]


def test_an_update_of_the_register_takes_one_and_tells_the_others(each_shop: Workshop):
    shop = each_shop
    _known(shop, C)
    rows = _line(1, A, B, updates_register=True), _line(2, C)
    assert _reported(shop, *rows) == [
        ("taker.updated", None, 5),
        ("taker.email_unused", "b***@b.example", 5, 6),
    ]
    assert _register(shop)["contact"]["email"] == A
