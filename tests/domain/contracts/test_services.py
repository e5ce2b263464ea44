"""Contracts compared with each other: which bill the same service at once."""

from dataclasses import replace
from datetime import date

from domain.contracts.services import earlier_at_once, overlaps, service_of
from tests.domain.contracts.test_contract import PLAIN

LATER = replace(PLAIN, key="C-2", starts_on=date(2026, 12, 16), ends_on=None)


def test_same_service_twice_in_one_time_overlaps() -> None:
    next_year = replace(PLAIN, key="C-2", starts_on=date(2027, 1, 1), ends_on=None)
    early = replace(PLAIN, key="C-3", starts_on=date(2026, 12, 31), ends_on=None, template_name="MENSALIDADE")
    other = replace(PLAIN, key="C-4", template_name="Suporte")
    assert overlaps([PLAIN, next_year, other], {}) == {}
    assert overlaps([next_year, early, PLAIN, other], {}) == {"C-3": "C-1", "C-2": "C-3"}


def test_a_renamed_template_is_the_same_service() -> None:
    renamed = replace(LATER, template_name="Plano")
    families = {(PLAIN.emitter_cnpj, "mensalidade"): 1, (PLAIN.emitter_cnpj, "plano"): 1}
    assert overlaps([PLAIN, renamed], {}) == {}
    assert overlaps([PLAIN, renamed], families) == {"C-2": "C-1"}
    assert service_of(PLAIN, families) == service_of(renamed, families)


def test_only_the_later_contract_waits_for_the_days_of_both() -> None:
    december, january = date(2026, 12, 1), date(2027, 1, 1)
    assert earlier_at_once(LATER, december, [PLAIN], {}) == PLAIN
    assert earlier_at_once(PLAIN, december, [LATER], {}) is None
    assert earlier_at_once(LATER, january, [PLAIN], {}) is None
    assert earlier_at_once(LATER, december, [replace(PLAIN, ends_on=date(2026, 12, 15))], {}) is None
    assert earlier_at_once(LATER, december, [replace(PLAIN, template_name="Suporte")], {}) is None
