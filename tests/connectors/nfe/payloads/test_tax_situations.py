"""Compare the client's tax tables with the transcribed ones."""

import pytest

from connectors.nfe.payloads.tax_situations import ICMS, IPI, NFCE_ICMS, Situation, contribution
from tests.connectors.nfe.examples import DOCUMENT

CODE = "situacao_tributaria"


@pytest.mark.parametrize(
    ("tax", "situations"),
    [("icms", ICMS), ("ipi", IPI), ("pis", contribution("pis")), ("cofins", contribution("cofins"))],
)
def test_each_situation_equals_its_table(tax, situations):
    rules = {code: rule for rule in DOCUMENT[tax]["rules"].values() for code in rule["codes"]}
    assert set(situations) == set(rules)
    for code, rule in rules.items():
        situation = situations[code]
        assert set(situation.needed) == set(rule.get("required", ())), code
        assert set(situation.may) == set(rule.get("optional", ())), code
        assert [set(way) for way in situation.ways] == [set(way) for way in rule.get("either", ())], code
        assert [set(pair) for pair in situation.pairs] == [set(pair) for pair in rule.get("together", ())], code


def test_nfce_fields_of_any_situation_match_the_document():
    assert set(NFCE_ICMS) == set(DOCUMENT["icms_nfce"]["anywhere"]["optional"])


def test_a_wrong_field_is_named():
    situation = Situation(("a",), ("d", "e"), ways=(("b", "x"), ("c", "x")), pairs=(("d", "e"),))
    assert situation.problem({"a", "b", "x"}) is None
    assert situation.problem({"a", "c", "x", "d", "e", "n"}, ["n"]) is None
    wrong = (
        ("acxd", "tax_needs", "e"),
        ("", "tax_needs", "a, b, x"),
        ("abxz", "tax_excess", "z"),
    )
    for given, code, names in wrong:
        fault = situation.problem(given)
        assert fault is not None
        assert (fault.code, fault.params) == (f"record_field.{code}", {"names": names})
