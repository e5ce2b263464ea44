"""What an answer shows of a note, in a form that can be compared with the request."""

import pytest

from connectors.nfse.shown_values import read_shown


@pytest.mark.parametrize(
    ("text", "read"), [("5.00", 500), ("5.0000", 500), (5, 500), ("5.005", "5.005"), ("x", "x"), ({}, "{}")]
)
def test_a_rate_is_read_in_every_form_and_never_rounded(text, read):
    assert read_shown({}, {"iss_percentage": text}) == {"iss_percentage": read}


def test_a_missing_value_and_a_field_of_requests_alone_are_not_shown():
    values = {"description": None, "ir_percentage": "1.50", "tax_burden_source": ""}
    note = {"description": "A nota foi criada.", "send_nfse_taker": False}
    assert read_shown(note, values) == {"send_nfse_taker": False}
