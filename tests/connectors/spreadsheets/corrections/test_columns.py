"""Our columns are where a sort moves them too, and never twice."""

from connectors.spreadsheets.corrections.columns import plan_sheet
from domain.corrections.reports import Fault

WORDS = (
    {
        "status": "Linha devolvida",
        "mend": "O que corrigir",
        "retry": "Tentar de novo",
        "release": "Faturar mesmo assim",
    },
    {"status": "Returned row", "mend": "What to correct", "retry": "Try again", "release": "Bill anyway"},
)


def test_the_tags_stand_between_the_first_two_columns():
    found = plan_sheet({2: "CNPJ", 3: "Valor"}, header_row=4, failing={9, 7}, words=WORDS, width=5)
    assert (found.first, found.tags, found.status, found.mend) == (2, 3, 7, 8)
    assert [found.column(each) for each in (0, 2, 3, 5)] == [0, 2, 4, 6]
    assert [found.row(each) for each in (1, 4, 7, 8, 9)] == [1, 4, 5, None, 6]


def test_a_workbook_of_ours_keeps_its_columns():
    headers = {0: "CNPJ", 1: "ref_linha", 2: "Valor", 3: "Linha devolvida", 4: "O que corrigir"}
    found = plan_sheet(headers, header_row=1, failing={2}, words=WORDS, width=6)
    assert (found.tags, found.status, found.mend) == (1, 3, 4)
    assert [found.column(each) for each in range(5)] == [0, 1, 2, 3, 4]


def test_our_removed_columns_are_put_back_at_the_end():
    found = plan_sheet({0: "ref_linha", 1: "CNPJ"}, header_row=1, failing={2}, words=WORDS, width=1)
    assert (found.first, found.tags, found.status, found.mend) == (1, 0, 2, 3)
    found = plan_sheet(
        {0: "CNPJ", 1: "ref_linha", 2: "Linha devolvida"}, header_row=1, failing={2}, words=WORDS, width=2
    )
    assert (found.status, found.mend) == (2, 3)


def test_a_persons_own_column_of_that_name_is_not_written_over():
    found = plan_sheet({0: "CNPJ", 1: "Linha devolvida"}, header_row=1, failing={2}, words=WORDS, width=1)
    assert (found.status, found.mend) == (3, 4)
    assert found.column(1) == 2


def test_our_columns_are_known_in_another_language_as_a_set():
    headers = {0: "CNPJ", 1: "ref_linha", 2: "Returned row", 3: "Valor", 4: "Returned row", 5: "What to correct"}
    found = plan_sheet(headers, header_row=1, failing={2}, words=WORDS, width=5)
    assert (found.status, found.mend) == (4, 5)
    del headers[5]
    found = plan_sheet(headers, header_row=1, failing={2}, words=WORDS, width=5)
    assert (found.status, found.mend) == (6, 7)


def test_added_decision_columns_stand_after_what_to_correct():
    more = ("retry", "release")
    found = plan_sheet({0: "CNPJ", 1: "Valor"}, header_row=1, failing={2}, words=WORDS, width=1, more=more)
    assert (found.mend, found.added) == (4, {"retry": 5, "release": 6})
    headers = {0: "CNPJ", 1: "ref_linha", 2: "Bill anyway", 3: "Returned row", 4: "What to correct"}
    found = plan_sheet(headers, header_row=1, failing={2}, words=WORDS, width=4, more=more)
    assert found.added == {"release": 2, "retry": 5}


def test_a_column_of_templates_is_ours_only_where_it_is_asked_for():
    words = ({**WORDS[0], "template": "Modelo"},)
    headers = {0: "CNPJ", 1: "Modelo"}
    assert plan_sheet(headers, header_row=1, failing={2}, words=words, width=1).added == {}
    lacking = plan_sheet({0: "CNPJ"}, header_row=1, failing={2}, words=words, width=0, more=("template", "retry"))
    assert (lacking.mend, lacking.added) == (3, {"template": 4, "retry": 5})
    fault = Fault(what="", mend="", added="template")
    assert (lacking.of(fault), lacking.of(Fault(what="", mend=""))) == (4, None)


def test_a_decision_column_of_the_sheet_keeps_its_place():
    headers = {0: "CNPJ", 1: "Tentar de novo"}
    assert plan_sheet(headers, header_row=1, failing={2}, words=WORDS, width=1).added == {"retry": 2}
