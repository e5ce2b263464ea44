"""Test texts of a request: changes are reported, invalid texts refused, personal data not repeated."""

from domain.products.wording import Wording


def test_only_a_changed_text_is_remarked():
    wording = Wording()
    assert wording.take("description", "Pão  de queijo", row=7) == "Pao de queijo"
    assert wording.take("description", "Queijo  fresco ", row=8) == "Queijo fresco"
    (remark,) = wording.remarks
    assert (remark.code, remark.where.row, remark.params) == ("product.transliterated", 7, {"text": "Pao de queijo"})


def test_a_personal_text_is_not_repeated():
    wording = Wording()
    wording.take("name", "Inês", row=7, is_personal=True)
    assert "Ines" not in str(wording.remarks)


def test_a_text_that_does_not_fit_is_a_problem():
    wording = Wording()
    wording.take("unit", "PACOTES", row=7)
    wording.take("description", "chá 茶", row=8)
    wording.take("description", "a\x00b", row=9)
    wording.take("name", "\u0301", row=10)
    assert [(problem.code, problem.where.row) for problem in wording.problems] == [
        ("text.too_long", 7),
        ("product.characters", 8),
        ("product.characters", 9),
        ("product.characters", 10),
    ]
