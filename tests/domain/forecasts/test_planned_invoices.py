"""A planned note's withheld taxes, the reasons of refused rows, and differences between sheet and provider."""

from domain.documents import Document
from domain.forecasts.planned_invoices import differences, group_by_reason, waived_of, withheld_of
from domain.parties import TakerData
from domain.problems import Problem, Where
from domain.taxes import compute_amounts
from domain.templates import TaxProfile

RATES = TaxProfile(iss_bp=500, pis_bp=65, cofins_bp=300, csll_bp=100, ir_bp=150, pcc_limit_cents=21_505)


def test_withheld_and_waived_taxes_are_distinguished():
    assert withheld_of(compute_amounts(20_000, RATES)) == {"ir": 300}
    (waived,) = waived_of(20_000, RATES)
    assert waived.code == "tax.pcc_waived"
    assert set(withheld_of(compute_amounts(30_000, RATES))) == {"pis", "cofins", "csll", "ir"}
    assert waived_of(30_000, RATES) == ()


def test_reasons_count_their_rows_the_most_frequent_first():
    first, second = Problem("template.unknown", params={"template": "A"}), Problem("template.unknown")
    other = Problem("emitter.unknown")
    found = group_by_reason([(3, [first, other, second]), (7, [second])])
    assert [(each.problem, each.rows) for each in found] == [(first, (3, 7)), (other, (3,))]
    assert [each.is_example for each in found] == [True, False]


def test_a_reason_names_the_column_that_all_its_problems_name():
    def in_column(letter: str | None) -> Problem:
        return Problem("row.required", "name", Where(sheet="S", row=3, column=letter))

    one, two, none = in_column("B"), in_column("C"), in_column(None)
    columns = [
        group_by_reason([(3, [first]), (4, [second])])[0].column
        for first, second in ((one, one), (one, two), (one, none))
    ]
    assert columns == ["B", None, None]


def test_a_difference_has_both_sides_and_hides_the_document():
    ours = TakerData(document=Document("cpf", "99900000161"), name="Ana", phone="21999990000", emails=("a@x.example",))
    theirs = TakerData(document=ours.document, name="ANA", phone="2133334444", emails=("b@x.example",))
    found = differences(ours, theirs, row_number=9)
    assert {(each.field, each.sheet_says, each.provider_says) for each in found} == {
        ("phone", "21999990000", "2133334444"),
        ("email", "a@x.example", "b@x.example"),
    }
    assert all("99900000161" not in each.document and each.row_number == 9 for each in found)


def test_the_providers_one_mail_may_be_any_of_the_sheets():
    ours = TakerData(emails=("a@x.example", "B@x.example"))
    assert differences(ours, TakerData(emails=("b@x.example",)), row_number=1) == []
