"""A file whose rows have invoices of another company waits for an answer."""

import pytest

from tests.tasks.rows import SAO_PAULO, line, lines
from tests.tasks.workshop import Workshop

QUESTION = ["row.file_emitter_question"]


def problems(shop: Workshop, *asked, **options) -> dict[int, list[str]]:
    return shop.problems(shop.assembled(*asked, **options)[0])


def test_the_same_rows_for_another_company_are_asked_about(each_shop: Workshop):
    shop = each_shop
    shop.assembled(*(line(number, own_key=f"K-{number}") for number in (1, 2, 3)))
    again = [line(number, own_key=f"K-{number}", emitter_cnpj=SAO_PAULO) for number in (1, 2, 3)]
    # a new row may be billed: each row of the earlier file has its equal here
    reading, batches = shop.assembled(*again, line(4, emitter_cnpj=SAO_PAULO))
    assert shop.problems(reading) == dict.fromkeys((5, 6, 7), QUESTION)
    assert [shop.batch(batch).count for batch in batches] == [1]
    # any row may be the changed one
    assert problems(shop, *again[:2], line(9, emitter_cnpj=SAO_PAULO)) == dict.fromkeys((5, 6, 7), QUESTION)


@pytest.mark.parametrize(
    ("answer", "found"), [("additional", {}), ("correction", {row: ["row.corrects_billed"] for row in (5, 6)})]
)
def test_a_person_answers_for_the_other_company(shop: Workshop, answer: str, found: dict[int, list[str]]):
    shop.assembled(*lines(2))
    assert problems(shop, *lines(2, emitter_cnpj=SAO_PAULO), answer=answer) == found


def test_few_equal_rows_of_another_company_ask_nothing(shop: Workshop):
    shop.assembled(*lines(2))
    assert problems(shop, *lines(2, emitter_cnpj=SAO_PAULO), *lines(2, first=5, emitter_cnpj=SAO_PAULO)) == {}
